"""The fitness-level method done exactly (Wegener 2002): which chances of improvement p_k a level has, and what follows.

For a state s of fitness k, p(s) is the chance that one evaluation improves and is accepted. A run that never gets worse
leaves level k after at most 1/p_k evaluations in the mean, where p_k is the least p(s) over the states of the level
that can be reached. With k₀ the fitness of the initial tree,

    E[evaluations] ≤ 1 + Σ_k P(k₀ is k or worse) / p_k.

Two things are given away. A run may skip levels: with e_k the chance that level k is entered at all, Σ_k e_k / p_k is
a bound, too. And not every tree is the worst of its level: the rest. With the largest p(s) in place of the least,
1 + Σ_k e_k / p(s) is a lower bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from gpruntime.model.errors import BadInput
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec, a_spec
from gpruntime.progress import Shown, states_bar, telling
from gpruntime.theory.answer import Answer
from gpruntime.theory.drifts import StateSpace
from gpruntime.theory.witness import shown

_NEAR = 1e-9  # chances that differ by less are compared in fractions


@dataclass(frozen=True)
class LevelChances:
    """One fitness level.

    Attributes:
        fitness: k.
        states: how many can be reached.
        least, largest: of the chances of improvement.
        least_tree, largest_tree: trees that have them.
        from_start: P(the initial tree has this fitness or a worse one).
        entered: P(the run comes to the level), e_k.
    """

    fitness: Fitness
    states: int
    least: Fraction
    largest: Fraction
    least_tree: str
    largest_tree: str
    from_start: Fraction
    entered: float

    def to_record(self) -> dict[str, Any]:
        """One flat row."""
        return {
            "fitness": self.fitness,
            "states": self.states,
            "p_least": float(self.least),
            "p_least_fraction": str(self.least),
            "p_least_tree": self.least_tree,
            "p_largest": float(self.largest),
            "p_largest_fraction": str(self.largest),
            "p_largest_tree": self.largest_tree,
            "p_from_start": float(self.from_start),
            "p_entered": self.entered,
        }


@dataclass(frozen=True, repr=False)
class LevelBounds(Answer):
    """The levels of a setting, from the worst to the best, and the bounds that follow.

    Attributes:
        spec: the setting.
        levels: all but the best.
        bound: 1 + Σ P(start at k or worse)/p_k; None where some p_k is 0, and no bound follows.
        entered_bound: the same with e_k: what is left where no skipped level is paid for.
        lower: by the largest chances.
        mean: E[evaluations], as the exact solver has it.
    """

    spec: RunSpec
    levels: list[LevelChances]
    bound: Fraction | None
    entered_bound: float | None
    lower: float
    mean: float

    @property
    def skipping(self) -> float | None:
        """What the method loses to levels that are skipped."""
        if self.bound is None or self.entered_bound is None:
            return None
        return float(self.bound) - self.entered_bound

    def sentences(self) -> list[str]:
        """The bounds in words."""
        mean = "infinite" if math.isinf(self.mean) else f"{self.mean:.10g}"
        if self.bound is None or self.entered_bound is None or self.skipping is None:
            bad = next(level for level in self.levels if level.least == 0)
            why = f"at fitness {bad.fitness} the tree {bad.least_tree} has no chance to improve at once"
            return [f"The method gives no upper bound: {why}.", f"The exact mean is {mean}.", self._lower_sentence()]
        rest = max(self.entered_bound - self.mean, 0.0)
        lost = f"{self.skipping:.6g} is lost to levels that are skipped, and {rest:.6g} to trees better than the worst"
        return [
            f"E[evaluations] ≤ {shown(self.bound, 60)}, by Σ 1/p_k",
            f"The exact mean is {mean}; the bound is {float(self.bound) / self.mean:.4g} times it.",
            f"Of the difference, {lost}.",
            self._lower_sentence(),
        ]

    def _lower_sentence(self) -> str:
        return f"E[evaluations] ≥ {self.lower:.10g}, by the largest chances"

    def table(self, rational: bool = False) -> list[str]:
        """The levels, a line each, and the trees below."""
        heads = ("fitness", "states", "entered", "least p", "largest p")
        rows = [
            (
                str(level.fitness),
                f"{level.states:,}",
                f"{level.entered:.6f}",
                _chance(level.least, rational),
                _chance(level.largest, rational),
            )
            for level in self.levels
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        lines = [
            "  ".join(f"{text:>{width}}" for text, width in zip(row, widths, strict=True)) for row in (heads, *rows)
        ]
        return lines + [
            f"fitness {one.fitness}: least at {one.least_tree}, largest at {one.largest_tree}" for one in self.levels
        ]

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it: an infinite mean is null, and so is a bound that there is not."""
        infinite = math.isinf(self.mean)
        return {
            "spec": self.spec.stated(),
            "levels": [level.to_record() for level in self.levels],
            "bound": None if self.bound is None else float(self.bound),
            "bound_fraction": None if self.bound is None else str(self.bound),
            "entered_bound": self.entered_bound,
            "lost_to_skipping": self.skipping,
            "lower": self.lower,
            "mean": None if infinite else self.mean,
            "mean_is_infinite": infinite,
        }

    def to_latex(self) -> str:
        """A table for a paper."""
        lines = [r"\begin{tabular}{rrrrr}", r"$k$ & states & $e_k$ & least $p_k$ & largest $p_k$ \\ \hline"]
        lines += [
            rf"${one.fitness}$ & ${one.states}$ & ${one.entered:.4f}$ & ${one.least}$ & ${one.largest}$ \\"
            for one in self.levels
        ]
        return "\n".join([*lines, r"\end{tabular}"])

    more = ".levels, .table(rational=True), .to_latex(), .plot()"
    figure = "pictures:chances_by_level"

    def _facts(self) -> list[tuple[str, object]]:
        rows: list[tuple[str, object]] = [
            (f"fitness {one.fitness}", f"p from {_chance(one.least)} to {_chance(one.largest)}, {one.states:,} states")
            for one in self.levels
        ]
        return rows + super()._facts()


def _chance(value: Fraction, rational: bool = False) -> str:
    return str(value) if rational else f"{float(value):.6g}"


def levels(spec: RunSpec, progress: Shown = None) -> LevelBounds:
    """The chances of improvement by fitness level, over all states that can be reached, and the bounds that follow.

    Args:
        spec: the setting: a (1+1) GP with one operation per offspring, whose fitness never gets worse.
        progress: is told of states done and known; True shows a bar.

    Raises:
        BadInput: the setting is another, or cannot be solved.
    """
    with telling(progress, states_bar) as tell:
        space = StateSpace(a_spec(spec), tell)
    if space.kernel.falls:
        raise BadInput("accept", spec.accept.id, "accepts worse offspring: a level is not left for ever")
    level, solution = space.kernel.level, space.solution
    entries = space.chain.matrix().tocoo()
    better = level[entries.col] > level[entries.row]
    improving = np.bincount(entries.row[better], entries.data[better], minlength=len(level))
    assert solution.entries is not None
    found: list[LevelChances] = []
    start = Fraction(0)
    for place, fitness in enumerate(space.kernel.values):
        if fitness == spec.best:
            continue
        rows = np.flatnonzero(level == place)
        start += sum((space.chain.start.get(int(row), Fraction(0)) for row in rows), Fraction(0))
        chances = improving[rows]
        least = _exactly(space, [int(row) for row in rows[chances <= chances.min() * (1 + _NEAR)]], largest=False)
        most = _exactly(space, [int(row) for row in rows[chances >= chances.max() * (1 - _NEAR)]], largest=True)
        trees = [str(space.tree(number)) for _, number in (least, most)]
        entered = float(solution.entries[rows].sum())
        found.append(LevelChances(fitness, len(rows), least[0], most[0], trees[0], trees[1], start, min(entered, 1.0)))
    return _with_bounds(space, found)


def _with_bounds(space: StateSpace, found: list[LevelChances]) -> LevelBounds:
    bound, entered = None, None
    if all(level.least > 0 for level in found):
        bound = 1 + sum((level.from_start / level.least for level in found), Fraction(0))
        entered = 1 + sum(level.entered / float(level.least) for level in found)
    lower = 1 + sum(math.inf if level.largest == 0 else level.entered / float(level.largest) for level in found)
    return LevelBounds(space.spec, found, bound, entered, lower, space.mean)


def _exactly(space: StateSpace, numbers: list[int], largest: bool) -> tuple[Fraction, int]:
    """The least or largest chance of improvement of these states, as a fraction, and the first state that has it."""
    level = space.kernel.level
    chances = [
        (sum((chance for to, chance in moves if level[to] > level[number]), Fraction(0)), number)
        for number, moves in zip(numbers, space.all_moves(numbers), strict=True)
    ]
    return max(chances, key=lambda pair: pair[0]) if largest else min(chances, key=lambda pair: pair[0])
