"""Q4: how many trees SMO-GP keeps when weights allow many more than n + 1 levels of fitness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import OURS, QUESTION, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line
from gpruntime.paper.papers.neumann_2012.smo import smo_lines
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import said, share_words
from gpruntime.paper.scale import Scale
from gpruntime.paper.shares import asked_of, below
from gpruntime.paper.verdict import OPEN, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

_PROBLEMS = {"WORDER": "worder:weights=powers", "WMAJORITY": "wmajority:weights=powers"}
_INITS = {"one leaf": "unity:leaves=1", "2n leaves": "unity"}
_LEVEL = 0.05


def _lines(scale: Scale) -> dict[str, Line]:
    return {
        f"{line.name} from {start}": line
        for start, init in _INITS.items()
        for line in smo_lines(scale, _PROBLEMS, init=init)
    }


def _cells(scale: Scale) -> Sequence[Asked]:
    return asked_of(_lines(scale))


def _beyond(evidence: Evidence, spec: RunSpec) -> Estimate:
    """P(P_max > n + 1), with Wilson's interval."""
    kept = evidence.runs[spec].max_population
    if kept is None:
        return Estimate(None, remark="not known")
    return proportion(int(np.count_nonzero(kept > spec.n + 1)), len(kept))


def _check(evidence: Evidence) -> Verdict:
    lines = _lines(evidence.scale)
    last = {name: _beyond(evidence, line.specs[-1]) for name, line in lines.items()}
    records = [
        {"curve": name, "n": spec.n, "p_beyond": share.value, "low": share.low, "high": share.high}
        for name, line in lines.items()
        for spec in line.specs
        for share in [_beyond(evidence, spec)]
    ]
    tables = (Numbers("q4-numbers", "P(more than n + 1 trees kept at once)", records),)
    n = next(iter(lines.values())).x[-1]
    if any(share.value is None for share in last.values()):
        return Verdict(OPEN, "How many trees were kept is not known.", tables=tables)
    told = "; ".join(f"{name} {share_words(share)}" for name, share in last.items())
    largest = max(last.values(), key=lambda share: share.value or 0.0)
    status = all_of(below(share, _LEVEL) for share in last.values())
    sentence = f"P(more than n + 1 trees at once) at n = {n}, weights 2^(i−1): {told}."
    return Verdict(status, sentence, "largest P(P_max > n + 1)", largest, tables=tables)


def _news(evidence: Evidence, _: Verdict) -> Sequence[str]:
    lines = _lines(evidence.scale)
    kept = {name: evidence.cell(line.specs[-1]).max_population for name, line in lines.items()}
    known = [f"{name} {said(estimate)}" for name, estimate in kept.items() if estimate.value is not None]
    n = next(iter(lines.values())).x[-1]
    return [f"SMO-GP with weights 2^(i−1): E[P_max] at n = {n} is {'; '.join(known)}."] if known else []


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    return [
        series_figure(
            "q4",
            [Series(name, one.x, [_beyond(evidence, spec) for spec in one.specs]) for name, one in _lines(
                evidence.scale).items()],
            title="SMO-GP with weights 2^i: more than n + 1 trees",
            ylabel="P(P_max > n + 1)",
            caption="With 95 % intervals. With equal weights there are n + 1 levels of fitness, so it cannot happen.",
            logy=False,
            ylim=(-0.02, 1.02),
        )
    ]  # fmt: skip


CLAIM = Claim(
    id="Q4",
    title="The population of SMO-GP with weights",
    kind=QUESTION,
    place="open in the papers",
    statement="With weights there are up to 2^n levels of fitness, and bounds on SMO-GP depend on its largest "
    "population P_max. In practice P_max is at most n + 1, as with equal weights: less than one run in twenty keeps "
    "more.",
    rule="At the largest n, for each of four curves: supported if P(P_max > n + 1) has a 95 % interval below "
    f"{_LEVEL}. Contradicted if one lies above; open otherwise.",
    check=_check,
    figures=_figures,
    cells=_cells,
    news=_news,
    wording=OURS,
)
