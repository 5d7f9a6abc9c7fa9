"""The chance of improvement p_k by fitness level, beside the theory's formulas.

At each evaluation of a run the parent has a fitness k and T leaves. p_k = P(the fitness improves | k), that a better
offspring is drawn and accepted, is estimated as improvements ÷ evaluations at the level, as in `drift`. A formula
depends on T too: it is averaged over the same evaluations, so that both speak of the same trees. A bound fails at a
level if the interval of the difference lies below 0.

The evaluations of one run depend on each other, so intervals are those of ratios over runs, as in `drift`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate, Sums, share
from gpruntime.instruments.drift import ratio
from gpruntime.instruments.formulas import Formula, formulas_for
from gpruntime.instruments.steps import check_steps, offspring_of
from gpruntime.model.errors import whole
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import sentence

if TYPE_CHECKING:
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.tables import Table

HOLDS, FAILS, UNTOLD, SILENT = "holds", "fails", "cannot be told", "says nothing"


@dataclass(frozen=True)
class Held:
    """A formula held against p_k at a level.

    Attributes:
        formula: which.
        bound: its mean over the evaluations at the level.
        beyond: p_k less that.
    """

    formula: Formula
    bound: Estimate
    beyond: Estimate

    def verdict(self) -> str:
        """Whether p_k is at least the bound; one that is 0 says nothing."""
        if self.bound.value == 0:
            return SILENT
        if self.beyond.low is None or self.beyond.high is None:
            return UNTOLD
        if self.beyond.high < 0:
            return FAILS
        return HOLDS if self.beyond.low >= 0 else UNTOLD


@dataclass(frozen=True)
class Improvement:
    """One fitness level.

    Attributes:
        level: the fitness k of the parent.
        runs, evaluations: how many runs came there, and what they spent there.
        chance: p_k.
        held: the formulas beside it.
    """

    level: int
    runs: int
    evaluations: int
    chance: Estimate
    held: tuple[Held, ...]

    def to_record(self) -> dict[str, Any]:
        """One flat row."""
        record: dict[str, Any] = {"fitness": self.level, "runs": self.runs, "evaluations": self.evaluations}
        record |= self.chance.columns("p")
        for held in self.held:
            record |= held.bound.columns(held.formula.id) | held.beyond.columns(f"{held.formula.id}_beyond")
        return record | {f"{held.formula.id}_verdict": held.verdict() for held in self.held}


def improvement_chances(spec: RunSpec, runs: int = 100, seed: int = 1) -> list[Improvement]:
    """p_k by level, from the worst to the best level that was met.

    Args:
        spec: the setting, of a (1+1) GP; a run that may not end needs a budget.
        runs, seed: the addresses of the runs.

    Raises:
        BadInput: a number is not allowed, or the setting has no such levels.
    """
    whole("runs", runs, 2, 10**6)
    check_steps(spec)
    formulas = formulas_for(spec)
    known: dict[tuple[int, int], list[float]] = {}  # what the formulas say, by level and leaves
    sums: dict[int, dict[int, NDArray[np.float64]]] = {}  # level → run → evaluations, improvements, Σ of each formula
    for run in range(runs):
        for some in offspring_of(spec, seed, run):
            pairs, which = np.unique(np.stack([some.fitness, some.leaves]), axis=1, return_inverse=True)
            spent = np.bincount(which.reshape(-1), minlength=pairs.shape[1])
            improves = some.accepted & (some.gain > 0)
            better = np.bincount(which.reshape(-1), improves, minlength=pairs.shape[1])
            for (level, leaves), count, improved in zip(pairs.T.tolist(), spent, better, strict=True):
                if (level, leaves) not in known:
                    known[level, leaves] = [formula.of(spec, level, leaves) for formula in formulas]
                here = sums.setdefault(level, {}).setdefault(run, np.zeros(2 + len(formulas)))
                here += [count, improved, *(count * chance for chance in known[level, leaves])]
    ordered = sorted(sums, key=lambda fitness: fitness * spec.problem.direction)
    return [_estimated(level, np.array(list(sums[level].values())), formulas) for level in ordered]


def _estimated(level: int, rows: NDArray[np.float64], formulas: list[Formula]) -> Improvement:
    spent, better, *bounds = rows.T
    improving = share(Sums.of(better, spent))
    held = tuple(
        Held(formula, ratio(bound, spent), ratio(better - bound, spent))
        for formula, bound in zip(formulas, bounds, strict=True)
    )
    return Improvement(level, len(rows), int(spent.sum()), improving, held)


def verdicts(levels: list[Improvement]) -> list[str]:
    """How often each formula holds, in words; where there is none, that."""
    if not levels or not levels[0].held:
        return ["No formula for p_k is known here."]
    sentences = []
    for place, comparison in enumerate(levels[0].held):
        answers = [level.held[place].verdict() for level in levels]
        counts = [f"{word} at {answers.count(word)}" for word in (HOLDS, FAILS, UNTOLD, SILENT) if word in answers]
        sentences.append(
            f"p_k ≥ {comparison.formula}: of {formatting.plural(len(levels), 'level')}, it {', '.join(counts)}."
        )
    return sentences


def table(levels: list[Improvement]) -> Table:
    """A row for each level, with a column for each formula."""
    from gpruntime.show.tables import Table, with_interval

    formulas = [f"≥ {held.formula.formula}" for held in levels[0].held] if levels else []
    rows = (
        (
            *(f"{count:,}" for count in (one.level, one.runs, one.evaluations)),
            with_interval(one.chance),
            *(f"{formatting.number(held.bound.value)}: {held.verdict()}" for held in one.held),
        )
        for one in levels
    )
    return Table(("fitness", "runs", "evaluations", "p_k", *formulas), tuple(rows))


def figure(spec: RunSpec, levels: list[Improvement]) -> Drawing:
    """p_k over the levels, with the formulas."""
    from gpruntime.show.axes import log_values, new_figure, points, wrapped
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.markup import tex
    from gpruntime.show.style import look, styled

    at = [level.level for level in levels]
    with styled():
        drawn, (axes,) = new_figure(3.6)
        points(axes, at, [level.chance for level in levels], look(0), tex("p_k, measured"))
        for place, formula in enumerate(comparison.formula for comparison in (levels[0].held if levels else ())):
            bounds = [level.held[place].bound for level in levels]
            seen = [bound if bound.value else Estimate(None) for bound in bounds]
            how = look(place + 1)
            label = f"{formula.formula}, mean at the level"
            points(axes, at, seen, how, tex(label), linestyle=how.line, linewidth=0.8, markersize=3)
        log_values(axes)
        axes.set_xlabel("fitness k of the parent")
        axes.set_ylabel("chance that the fitness improves")
        axes.set_title(wrapped(tex(f"p_k: {sentence(spec)}, n = {spec.n:,}")))
        axes.legend()
    caption = f"With 95 % intervals over {formatting.plural(max((level.runs for level in levels), default=0), 'run')}."
    return Drawing("improvement", drawn, caption, [level.to_record() for level in levels])
