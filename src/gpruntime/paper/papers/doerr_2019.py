"""Conjunctions from AND and OR, with a limit on the leaves: is the ℓ in O(ℓ·n·log² n) paid?"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpruntime.paper.claim import ABSTRACT, THEOREM, THIRD, Change, Claim, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import Ask, Levels, line_claim
from gpruntime.paper.kinds.errors import share_with_error
from gpruntime.paper.kinds.levels import SHARE_AXIS, Quantity
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.phrases import share_words, stated
from gpruntime.paper.rules import SEVERAL_RULE, above
from gpruntime.paper.scale import Scale, by_scale


def _lines(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(3, 4, 5, 6, 8, 10, 12), full=(3, 4, 6, 7, 9, 12, 14), tiny=(2, 3, 4, 6, 8))
    runs = by_scale(scale, quick=200, full=1000, tiny=40)
    return [
        over_n(
            f"ℓ = {'' if factor == 1 else factor}n",
            sizes,
            runs,
            problem="and-or",
            algorithm="gp-multi",
            init="unity:leaves=1",
            max_leaves_allowed=lambda n, factor=factor: factor * n,
            budget=lambda n: 100_000 * n,
        )
        for factor in (1, 2, 4, 8)
    ]


_OFTEN = 0.9


def _sampled(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(4, 6, 8, 10, 12), full=(4, 6, 8, 10, 12, 14), tiny=(4, 6))
    return [
        over_n(
            name,
            sizes,
            _few(scale),
            problem=lambda n, more=more: f"and-or:rows={n * n}{more}",
            algorithm="gp-single",
            init="unity:leaves=1",
            max_leaves_allowed=lambda n: 4 * n,
            budget=lambda n: 100_000 * n,
        )
        for name, more in (("positive literals", ""), ("negated literals", ",negated=1"))
    ]


def _few(scale: Scale) -> int:
    return by_scale(scale, quick=200, full=1000, tiny=40)


_SMALL_ERROR = Quantity(
    "p_small_error",
    "P(error on all rows ≤ 1/n)",
    lambda evidence, spec: share_with_error(1 / spec.n, spec, evidence.seed, _few(evidence.scale)),
    share_words,
    lambda evidence, spec: {"p_optimum": evidence.cell(spec).chance.value},
)


def _times_by_limit(evidence: Evidence) -> Sequence[str]:
    cells = [evidence.cell(line.specs[-1]) for line in _lines(evidence.scale)]
    if not all(cell.complete for cell in cells):
        return []
    times = ", ".join(f"{stated(cell.mean)} at ℓ = {cell.spec.max_leaves_allowed}" for cell in cells)
    return [f"AND from AND and OR, n = {cells[0].n}: E[time] by the limit on leaves is {times}."]


PAPER = Paper(
    name="doerr-2019",
    authors="Doerr, Lissovoi, Oliveto",
    title="Evolving Boolean functions with conjunctions and disjunctions via genetic programming",
    venue="GECCO 2019, arXiv 1903.11936; AIJ 319, 2023, arXiv 2303.07455",
    year=2019,
    seen="abstracts read",
    claims=(
        line_claim(
            "D1",
            "AND from AND and OR, with at most ℓ leaves",
            "With F = {AND, OR} and offspring of more than ℓ ≥ n leaves rejected, the (1+1) GP finds AND_n exactly in "
            "an expected time of O(ℓ·n·log² n).",
            lines=_lines,
            bound=lambda n, _: n * n * math.log(n) ** 2,
            formula="n²·ln² n",
            setting="k = 1 + Poisson(1), neutral moves accepted, from one leaf, complete table; ℓ = n, 2n, 4n and 8n, "
            "so the bound is n²·log² n along each line.",
            wording=ABSTRACT,
            changes=(
                Change(THIRD, "setting", "n = 3 to 12 with wider steps: half of a line must span a factor of two."),
            ),
            more_news=_times_by_limit,
        ),
        Claim(
            id="D2",
            title="AND from AND and OR on sampled rows: it generalises",
            kind=THEOREM,
            place="abstract of the AIJ article",
            statement="If a polynomial sample of rows judges, conjunctions with any polynomially small error on all "
            "rows are evolved with probability 1 − O(log² n / n), from positive literals and with negated ones, too.",
            rule="n² rows, drawn once for each n; GP-single, neutral moves accepted, from one leaf, ℓ = 4n, until the "
            "sample is fitted; “polynomially small” is 1/n. Two things are asked at the largest n, for positive "
            f"literals and with negated ones: P(error on all rows ≤ 1/n) above {_OFTEN} (95 % intervals). "
            f"{SEVERAL_RULE}",
            check=Levels(
                name="d2",
                lines=_sampled,
                of=_SMALL_ERROR,
                asks=[Ask(above, _OFTEN)],
                sentence=lambda facts: (
                    f"P(error ≤ 1/n) is {facts.each('{1} with {0}', ', ')} at n = {facts.n}, after n² sampled rows."
                ),
                number="negated literals",
                quantity=lambda n: f"P(error ≤ 1/n), negated literals, n = {n}",
                caption="P(the last program errs on at most 1/n of all rows)",
                figure={
                    "title": "AND from AND and OR on n² sampled rows",
                    "ylabel": "P(error on all rows ≤ 1/n)",
                    "caption": "With 95 % intervals.",
                    **SHARE_AXIS,
                },
            ),
            slip="On uniform rows the constant false errs on one row of 2^n only, so a small error asks for little.",
            wording=ABSTRACT,
        ),
    ),
)
