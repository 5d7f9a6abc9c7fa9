"""B5: without bloat control MAJORITY takes Ω(T_init log T_init) at n = 1 already.

At n = 1 two numbers tell all: the leaves x₁ and the leaves x̄₁. The chain of these pairs is solved exactly, under a
limit on the leaves that is raised until the mean has settled; larger trees are simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import ABSTRACT, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import RULE, Known, known_table, solved, unmet
from gpruntime.paper.lines import LOWER_RULE, Line, hold_line
from gpruntime.paper.pictures import Series, exactly, series_figure
from gpruntime.paper.rules import said
from gpruntime.paper.scale import Scale, by_scale, doubling
from gpruntime.paper.verdict import CONTRADICTED, SUPPORTED, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

_STATES = 40_000


def bound(_: float, leaves: float) -> float:
    """T_init·ln T_init."""
    return leaves * math.log(leaves)


def _line(scale: Scale) -> Line:
    trees = by_scale(scale, quick=doubling(4, 16_384), full=doubling(4, 262_144), tiny=doubling(4, 256))
    specs = tuple(RunSpec(problem="majority", algorithm="gp-single", n=1, init=f"bad:leaves={t}") for t in trees)
    return Line("n = 1", "T_init", specs, by_scale(scale, quick=400, full=2000, tiny=100))


def _cells(scale: Scale) -> Sequence[Asked]:
    return _line(scale).asked


def _known(scale: Scale) -> list[Known]:
    most = by_scale(scale, quick=32, full=64, tiny=8)
    return [solved(spec, _STATES) for spec in _line(scale).specs if spec.init.leaves <= most]


def increments(known: Sequence[Known]) -> list[float]:
    """By what E[time] ÷ T_init grows with each doubling: in the end by c·ln 2, if E[time] is c·T_init·ln T_init."""
    means = [one.mean / one.spec.init.leaves for one in known]
    return [later - earlier for earlier, later in pairwise(means)]


def _check(evidence: Evidence) -> Verdict:
    known = _known(evidence.scale)
    check = hold_line(evidence, _line(evidence.scale), bound)
    table = known_table("b5-exact", evidence, known)
    tables = (Numbers("b5-numbers", "E[time] ÷ (T_init·ln T_init) at n = 1", check.records()), table)
    if off := unmet(evidence, known, tables):
        return off
    steps = increments(known)
    steady = SUPPORTED if steps[-1] >= max(steps) / 2 > 0 else CONTRADICTED
    status = all_of([check.lower(), steady])
    power = check.trend
    shown = "unknown" if power is None else said(power)
    leaves = known[-1].spec.init.leaves
    sentence = (
        f"From T_init leaves x̄₁, E[time] ÷ T_init grows by {steps[-1]:.4f} exactly from T_init = {leaves // 2} to "
        f"{leaves}, a linear time would stop growing; E[time] ÷ (T_init·ln T_init) is {said(check.ratios[-1])} at "
        f"{check.line.x[-1]:,}, going like T_init^{shown}."
    )
    number = {} if power is None else {"quantity": "power of T_init in E[time] ÷ bound", "number": power}
    return Verdict(status, sentence, tables=tables, **number)  # type: ignore[arg-type]


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    check, known = hold_line(evidence, _line(evidence.scale), bound), _known(evidence.scale)
    sizes = [one.spec.init.leaves for one in known]
    exact = [exactly(one.mean / bound(1, leaves)) for one, leaves in zip(known, sizes, strict=True)]
    return [
        series_figure(
            "b5",
            [
                Series("simulated", check.line.x, list(check.ratios)),
                Series("exact", sizes, exact, line=False, hollow=True),
            ],
            title="MAJORITY, GP-single, n = 1, from T_init leaves x̄₁",
            xlabel="T_init, leaves of the initial tree",
            ylabel="E[time] ÷ (T_init·ln T_init)",
            caption="With 95 % intervals; rings are exact values from the Markov chain. The line ends level: the "
            "logarithm is real.",
            logy=False,
        )
    ]


CLAIM = Claim(
    id="B5",
    title="MAJORITY without bloat control at n = 1",
    kind=THEOREM,
    place="abstract",
    statement="Without bloat control, the (1+1) GP needs Ω(T_init log T_init) evaluations on MAJORITY, at n = 1 "
    "already, from the worst tree.",
    rule=f"From T_init leaves x̄₁. {LOWER_RULE} Contradicted also if the last exact increment of E[time] ÷ T_init "
    f"with a doubling of T_init is below half of the largest. {RULE}",
    check=_check,
    figures=_figures,
    cells=_cells,
    wording=ABSTRACT,
)
