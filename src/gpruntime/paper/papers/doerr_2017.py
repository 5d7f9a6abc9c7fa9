"""Bounding bloat: what bloat control does to ORDER and MAJORITY, by n and by the size of the initial tree.

B5 is about n = 1, where two numbers tell all: the leaves x₁ and the leaves x̄₁. The chain of these pairs is solved
exactly, under a limit on the leaves that is raised until the mean has settled; larger trees are simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from gpruntime.analysis.estimates import NOTHING
from gpruntime.paper.claim import ABSTRACT, THEOREM, CheckOfLines, Claim, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds.line_bound import BOTH, LOWER, MARGIN_CHANGED, RULES, SizeBound, hold_lines, line_claim
from gpruntime.paper.known import RULE, Known, known_table, solved, unmet
from gpruntime.paper.lines import Line, over_leaves, plane
from gpruntime.paper.phrases import stated
from gpruntime.paper.pictures import Series, ring, series_figure
from gpruntime.paper.rules import all_of, decide, judged
from gpruntime.paper.scale import Scale, by_scale, doubling
from gpruntime.paper.verdict import Numbers, Verdict
from gpruntime.show.drawing import Drawing

_TERMS: dict[str, SizeBound] = {
    "T_init": lambda _, leaves: leaves,
    "n·ln n": lambda n, _: n * math.log(n),
    "n": lambda n, _: n,
}


def linear(n: float, leaves: float) -> float:
    """T_init + n·ln n."""
    return leaves + n * math.log(n)


# ---- B1, B2: with bloat control


def _with_control(identifier: str, problem: str) -> Claim:
    return line_claim(
        identifier,
        f"{problem.upper()} with bloat control",
        f"With bloat control, (1+1) GP-single and GP-multi solve {problem.upper()} in an expected time of "
        "Θ(T_init + n log n), T_init being the leaves of the initial tree.",
        lines=lambda scale: [line for a in ("gp-single", "gp-multi") for line in plane(scale, problem, a, "parsimony")],
        bound=linear,
        formula="T_init + n·ln n",
        side=BOTH,
        setting="Bloat control is the rule parsimony: better, or equal and not larger. Random initial trees; three "
        "lines in (n, T_init): T_init = n, T_init = n², n fixed.",
        wording=ABSTRACT,
        terms=_TERMS,
        changes=(MARGIN_CHANGED,),
        over_leaves=True,
    )


# ---- B3, B4: without


def _random_and_bad(scale: Scale) -> list[Line]:
    """Random trees, and trees of x̄₁ alone, which are worse."""
    both = ("gp-single", "gp-multi")
    return [line for init in ("unity", "bad") for name in both for line in plane(scale, "majority", name, init=init)]


_SETTING = (
    "Random initial trees and trees of x̄₁ alone; three lines in (n, T_init) for each: T_init = n, T_init = n², n fixed."
)
_ABOVE = line_claim(
    "B3",
    "MAJORITY without bloat control, from above",
    "Without bloat control, the (1+1) GP solves MAJORITY in an expected time of O(T_init log T_init + n log³ n).",
    lines=_random_and_bad,
    bound=lambda n, leaves: leaves * math.log(leaves) + n * math.log(n) ** 3,
    formula="T_init·ln T_init + n·ln³ n",
    setting=_SETTING,
    wording=ABSTRACT,
    changes=(MARGIN_CHANGED,),
    over_leaves=True,
)
_BELOW = line_claim(
    "B4",
    "MAJORITY without bloat control, from below",
    "Without bloat control, the (1+1) GP needs an expected time of Ω(T_init + n log n) on MAJORITY.",
    lines=_random_and_bad,
    bound=linear,
    formula="T_init + n·ln n",
    side=LOWER,
    setting=_SETTING,
    wording=ABSTRACT,
    changes=(MARGIN_CHANGED,),
    over_leaves=True,
)


# ---- B5: at n = 1


def _at_one(scale: Scale) -> Line:
    trees = by_scale(scale, quick=doubling(4, 16_384), full=doubling(4, 262_144), tiny=doubling(4, 256))
    runs = by_scale(scale, quick=400, full=2000, tiny=100)
    sizes = [(1, leaves) for leaves in trees]
    return over_leaves("n = 1", sizes, runs, "bad", problem="majority", algorithm="gp-single")


def _solved(scale: Scale) -> list[Known]:
    most = by_scale(scale, quick=32, full=64, tiny=8)
    return [solved(spec, 40_000) for spec in _at_one(scale).specs if spec.init.leaves <= most]


def _log_linear(_: float, leaves: float) -> float:
    """T_init·ln T_init."""
    return leaves * math.log(leaves)


class _AtOne(CheckOfLines):
    """A lower bound along one line, and that exact means ÷ T_init go on growing with every doubling of T_init."""

    lines = staticmethod(lambda scale: [_at_one(scale)])

    def __call__(self, evidence: Evidence) -> Verdict:
        known, (check,) = _solved(evidence.scale), hold_lines(evidence, [_at_one(evidence.scale)], _log_linear)
        tables = (
            Numbers("b5-numbers", "E[time] ÷ (T_init·ln T_init) at n = 1", check.records()),
            known_table("b5-exact", evidence, known),
        )
        if off := unmet(evidence, known, tables):
            return off
        means = [exact.mean / exact.spec.init.leaves for exact in known]
        steps = [later - earlier for earlier, later in pairwise(means)]  # c·ln 2, if E[time] is c·T_init·ln T_init
        status, words = judged(check.trends(LOWER))
        steady = decide(steps[-1] >= max(steps) / 2 > 0, True)
        leaves, power = known[-1].spec.init.leaves, check.trend
        sentence = (
            f"From T_init leaves x̄₁, E[time] ÷ T_init grows by {steps[-1]:.4f} exactly from T_init = {leaves // 2} to "
            f"{leaves}, a linear time would stop growing; E[time] ÷ (T_init·ln T_init) is {stated(check.ratios[-1])} "
            f"at {check.line.x[-1]:,}, going like T_init^{'unknown' if power is None else stated(power)}."
        )
        quantity = "" if power is None else "power of T_init in E[time] ÷ bound"
        return Verdict(all_of([status, steady]), sentence, quantity, power or NOTHING, (words,), tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        (check,), known = hold_lines(evidence, [_at_one(evidence.scale)], _log_linear), _solved(evidence.scale)
        sizes = [exact.spec.init.leaves for exact in known]
        rings = ring(sizes, [exact.mean / _log_linear(1, size) for exact, size in zip(known, sizes, strict=True)])
        figure = series_figure(
            "b5",
            [Series("simulated", check.line.x, check.ratios), rings],
            title="MAJORITY, GP-single, n = 1, from T_init leaves x̄₁",
            xlabel="T_init, leaves of the initial tree",
            ylabel="E[time] ÷ (T_init·ln T_init)",
            caption="With 95 % intervals; rings are exact values from the Markov chain. The line ends level: the "
            "logarithm is real.",
            logy=False,
        )
        return [figure]


_ONE = Claim(
    id="B5",
    title="MAJORITY without bloat control at n = 1",
    kind=THEOREM,
    place="abstract",
    statement="Without bloat control, the (1+1) GP needs Ω(T_init log T_init) evaluations on MAJORITY, at n = 1 "
    "already, from the worst tree.",
    rule=f"From T_init leaves x̄₁. {RULES[LOWER]} Contradicted also if the last exact increment of E[time] ÷ T_init "
    f"with a doubling of T_init is below half of the largest. {RULE}",
    check=_AtOne(),
    wording=ABSTRACT,
)

PAPER = Paper(
    name="doerr-2017",
    authors="Doerr, Kötzing, Lagodzinski, Lengler",
    title="Bounding Bloat in Genetic Programming",
    venue="GECCO 2017, arXiv 1806.02112, TCS 816, 2020",
    year=2017,
    seen="abstract read",
    claims=(_with_control("B1", "order"), _with_control("B2", "majority"), _ABOVE, _BELOW, _ONE),
)
