"""Drift by fitness level: what one offspring adds to the fitness, or to a potential one gives.

At each evaluation of a run the tree before it has a fitness, its *level*. Drift analysis asks for

    E[φ(X_{t+1}) − φ(X_t) | level]        the drift of a potential φ; of the fitness itself, if none is given
    p_k = P(the fitness improves | level) the chance of improvement: that a better offspring is drawn and accepted
    E[T | level]                          the leaves at that level

All three are estimated from runs, step by step. The steps of one run depend on each other, so intervals are those of
ratios over runs: Σ of the changes at a level ÷ Σ of the evaluations spent there (the delta method).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import LEVEL, Estimate, Sums, share, student_quantile
from gpruntime.engine import WatchedRun, unsupported
from gpruntime.instruments.steps import NO_STEPS
from gpruntime.model.errors import BadInput, whole
from gpruntime.model.problem import Fitness
from gpruntime.model.run import Run
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import sentence
from gpruntime.model.tree import Tree

if TYPE_CHECKING:
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.tables import Table

Potential = Callable[[Tree, int], float]

_ROOM = 1.6  # above the largest number of a figure, for its interval


@dataclass(frozen=True)
class Drift:
    """One fitness level.

    Attributes:
        level: the fitness before the step.
        runs, evaluations: how many runs came there, and what they spent there.
        drift: of the potential, for one offspring.
        improvement: p_k.
        leaves: the mean number of leaves there, over evaluations.
    """

    level: Fitness
    runs: int
    evaluations: int
    drift: Estimate
    improvement: Estimate
    leaves: Estimate

    @property
    def estimates(self) -> tuple[Estimate, Estimate, Estimate]:
        """All three."""
        return self.drift, self.improvement, self.leaves

    def to_record(self) -> dict[str, Any]:
        """One flat row."""
        record: dict[str, Any] = {"fitness": self.level, "runs": self.runs, "evaluations": self.evaluations}
        record |= self.drift.columns("drift") | self.improvement.columns("improvement")
        return record | self.leaves.columns("leaves")


def drift(spec: RunSpec, runs: int = 100, seed: int = 1, potential: Potential | None = None) -> list[Drift]:
    """Drift, p_k and leaves by level, from the worst to the best level that was met.

    Args:
        spec: the setting; a run that may not end needs a budget.
        runs, seed: the addresses of the runs.
        potential: φ(tree, n); the fitness if it is left out.

    Raises:
        BadInput: a number is not allowed.
    """
    whole("runs", runs, 2, 10**6)
    spec.require_trees("drift")
    if spec.has_population:
        raise BadInput("algorithm", spec.algorithm.id, NO_STEPS)
    sums: dict[Fitness, dict[int, list[float]]] = {}  # level → run → evaluations, change, improvements, leaves
    compiled = unsupported(spec) is None
    for number in range(runs):
        run: WatchedRun | Run
        run = WatchedRun(spec, seed, number, method="stepping") if compiled else Run(spec, seed, number)
        level, leaves = run.fitness, len(run.tree.leaves)
        value = float(level) if potential is None else potential(run.tree, spec.n)
        for step in run:
            after, size = run.fitness, len(run.tree.leaves)
            following = value
            if step.accepted:
                following = float(after) if potential is None else potential(run.tree, spec.n)
            here = sums.setdefault(level, {}).setdefault(number, [0.0] * 4)
            here[0] += 1
            here[1] += following - value
            here[2] += (after - level) * spec.problem.direction > 0
            here[3] += leaves
            level, leaves, value = after, size, following
    ordered = sorted(sums, key=lambda fitness: fitness * spec.problem.direction)
    return [_estimated(level, np.array(list(sums[level].values()))) for level in ordered]


def table(levels: list[Drift]) -> Table:
    """A row for each level."""
    from gpruntime.show.tables import Table, with_interval

    rows = (
        (f"{one.level:,}", f"{one.runs:,}", f"{one.evaluations:,}", *map(with_interval, one.estimates))
        for one in levels
    )
    return Table(("fitness", "runs", "evaluations", "drift", "p_k", "leaves"), tuple(rows))


def figure(spec: RunSpec, levels: list[Drift]) -> Drawing:
    """Drift and leaves over the levels."""
    from gpruntime.show.axes import arrows, new_figure, points, wrapped
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.style import look, styled

    at = [float(level.level) for level in levels]
    with styled():
        drawn, (above, below) = new_figure(4.6, rows=2)
        drifts = [level.drift for level in levels]
        points(above, at, drifts, look(0), "drift")
        above.axhline(0, linewidth=0.8, color="0.5")
        ends = [_ROOM * float(drift) for drift in drifts if drift.value]  # a level that few runs saw hides no other
        low, high = min([0.0, *ends]), max([0.0, *ends])
        above.set_ylim(low - 0.05 * (high - low or 1), high + 0.05 * (high - low or 1))
        arrows(above, at, drifts)
        above.set_ylabel("change by one offspring")
        points(below, at, [level.leaves for level in levels], look(1), "leaves")
        below.set_ylabel("leaves")
        below.set_xlabel("fitness of the parent")
        above.set_title(wrapped(f"Drift: {sentence(spec)}, n = {spec.n:,}"))
    caption = f"With 95 % intervals over {formatting.plural(max((level.runs for level in levels), default=0), 'run')}."
    caption += " An arrow: the interval goes on."
    return Drawing("drift", drawn, caption, [level.to_record() for level in levels])


def _estimated(level: Fitness, rows: Any) -> Drift:
    spent, change, better, leaves = rows.T
    improving = share(Sums.of(better, spent))
    return Drift(level, len(rows), int(spent.sum()), ratio(change, spent), improving, ratio(leaves, spent))


def ratio(above: Any, below: Any) -> Estimate:
    """Σ above ÷ Σ below over runs, with the delta method's interval; a drift may be negative."""
    sums = Sums.of(above, below)
    value = sums.a / sums.b
    if sums.runs < 2:
        return Estimate(value, remark="one run, no interval")
    width = student_quantile(sums.runs - 1, LEVEL) * sums.error()
    return Estimate(value, value - width, value + width, LEVEL, "delta method")
