"""L2: with unwanted variables strict acceptance may fail, unless substitution is switched off."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.paper.claim import ABSTRACT, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.rules import share_words
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.shares import asked_of, below, reached, share_records, shares_figure
from gpruntime.paper.verdict import CONTRADICTED, SEVERAL_RULE, SUPPORTED, Numbers, Verdict, several
from gpruntime.show.drawing import Drawing

_WITH, _WITHOUT = "with substitution", "without substitution"


def _lines(scale: Scale) -> dict[str, Line]:
    sizes = by_scale(scale, quick=(3, 5, 8, 12, 16, 20, 25), full=(3, 5, 8, 12, 16, 20, 25, 29), tiny=(3, 5, 8, 12))
    runs = by_scale(scale, quick=300, full=2000, tiny=60)
    setting = {
        "problem": lambda n: f"and:unwanted={n}",
        "algorithm": "gpstar-single",
        "init": "unity:leaves=1",
        "budget": lambda n: 1000 * n * n,
    }
    return {
        _WITH: over_n(_WITH, sizes, runs, **setting),
        _WITHOUT: over_n(_WITHOUT, sizes, runs, **setting, weights=(0, 1, 1)),
    }


def _cells(scale: Scale) -> Sequence[Asked]:
    return asked_of(_lines(scale))


def _check(evidence: Evidence) -> Verdict:
    lines = _lines(evidence.scale)
    first = reached(evidence, lines[_WITH].specs[-1])
    others = [evidence.cell(spec) for spec in lines[_WITHOUT].specs]
    never = SUPPORTED if all(cell.complete for cell in others) else CONTRADICTED
    status = several([below(first, 0.95), never])
    n = lines[_WITH].x[-1]
    second = reached(evidence, lines[_WITHOUT].specs[-1])
    sentence = (
        f"With n unwanted variables P(optimum) of GP*-single is {share_words(first)} at n = {n} with substitution and "
        f"{share_words(second)} without."
    )
    tables = (Numbers("l2-numbers", "P(optimum), GP*-single, n unwanted variables", share_records(evidence, lines)),)
    return Verdict(status, sentence, f"P(optimum) with substitution, n = {n}", first, tables=tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    caption = (
        "With 95 % intervals. A substitution can put an unwanted variable in the place of a wanted one where that is "
        "an improvement; later no single step leads on."
    )
    title = "AND with n unwanted variables, GP*-single"
    return [shares_figure("l2", evidence, _lines(evidence.scale), title, caption, "P(optimum)")]


CLAIM = Claim(
    id="L2",
    title="Unwanted variables: strict acceptance fails with substitution",
    kind=THEOREM,
    place="abstract",
    statement="If L has variables that the target is free of, the (1+1) GP* may fail to find AND_n, unless "
    "substitution is switched off.",
    rule="As many unwanted variables as wanted ones. Two things are asked: P(optimum) at the largest n below 0.95 (95 "
    f"% interval) with substitution; every run a success without. {SEVERAL_RULE}",
    check=_check,
    figures=_figures,
    cells=_cells,
    wording=ABSTRACT,
)
