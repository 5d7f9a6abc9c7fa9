"""The initial trees with the longest mean time: of all trees of a size, or by racing random ones.

**All trees** with this many leaves: every shape, every function, every terminal. Trees that are alike for the Markov
chain are solved once (`gpruntime.exact.each`). A tree from which the optimum can be missed has an infinite mean and
comes first.

**Where the chain is truncated** no mean is known exactly. One tree of each kind is then measured, and they are raced.

**Racing.** Of all candidates the half with the larger measured means goes on with twice the runs, until few are left
(successive halving). Their means are measured again with other runs: the largest of many noisy means is too large.
Random candidates are drawn like the initial tree `insertion`, by which all trees of a size are equally likely.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate, mean
from gpruntime.engine import run_many
from gpruntime.exact import FromTree, solve_each
from gpruntime.model.errors import BadInput, whole
from gpruntime.model.run import Outcome
from gpruntime.model.spec import MAX_BUDGET, RunSpec, a_spec
from gpruntime.model.spec_text import sentence
from gpruntime.model.stream import Stream
from gpruntime.progress import Shown, states_bar, telling

if TYPE_CHECKING:
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.tables import Table

MAX_MEASURED = 2_000  # trees
_FEW, _SHORT = 5, 16  # trees on an axis, and signs of one that is written there
_LEFT = 4
_FIRST_RUNS = 8
_LAST_RUNS = 10_000  # of each tree that is left, where all trees are raced


@dataclass(frozen=True)
class Worst:
    """An initial tree, and the mean time from it.

    Attributes:
        tree: as text.
        time: E[evaluations], with an interval where it is measured; infinite where a run can miss the optimum.
        is_exact: whether it is solved, or proved to be infinite, and not measured.
        alike: how many trees of this size have the same law, this one included; None where nobody counted.
        runs: how many runs it was measured with; 0 where it was not.
    """

    tree: str
    time: Estimate
    is_exact: bool
    alike: int | None
    runs: int = 0

    def to_record(self) -> dict[str, Any]:
        """One flat row; an infinite mean is null, as in `exact`."""
        time = self.time
        return {
            "tree": self.tree,
            "exact": self.is_exact,
            "mean": None if time.value == math.inf else time.value,
            "mean_is_infinite": time.value == math.inf,
            "low": time.low,
            "high": time.high,
            "runs": self.runs,
            "remark": time.remark,
            "alike": self.alike,
        }


@dataclass(frozen=True)
class WorstTrees:
    """What was trees.

    Attributes:
        trees: those with the longest mean time, the longest first.
        looked_at: how many trees were looked at.
        different: how many of them differ, for the chain or as text.
        all_trees: whether these are all trees of the size.
        is_truncated: whether the chain is truncated, so that trees were measured.
    """

    trees: list[Worst]
    looked_at: int
    different: int
    all_trees: bool
    is_truncated: bool

    def summary(self) -> str:
        """What was looked at, in a line."""
        if not self.all_trees:
            return f"{formatting.plural(self.different, 'random tree')} of this size, raced."
        number = f"Trees of this size: {self.looked_at:,}, of which {self.different:,} differ."
        if not self.is_truncated:
            return f"{number} All were solved."
        if all(tree.is_exact for tree in self.trees):
            return f"{number} The chain is truncated; what is listed is known all the same."
        return f"{number} The chain is truncated, so they were raced and measured."


def table(trees: list[Worst]) -> Table:
    """A row for each tree."""
    from gpruntime.show.tables import Table

    rows = (
        (
            f"{place}",
            " ".join(filter(None, (one.time.short(), one.time.bracket()))),
            one.time.remark or f"measured, {one.runs:,} runs",
            "" if one.alike is None else f"{one.alike:,}",
        )
        for place, one in enumerate(trees, start=1)
    )
    return Table(("", "mean time", "known by", "alike"), tuple(rows))


def figure(spec: RunSpec, leaves: int, trees: list[Worst]) -> Drawing:
    """Their mean times; those that are infinite are named."""
    from matplotlib.ticker import MaxNLocator

    from gpruntime.show.axes import new_figure, points, wrapped
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.style import look, styled

    finite = [(place, one.time) for place, one in enumerate(trees, start=1) if one.time.value != math.inf]
    with styled():
        drawn, (axes,) = new_figure(3.6)
        points(axes, [place for place, _ in finite], [time for _, time in finite], look(0), "mean time")
        axes.set_xlim(0.5, len(trees) + 0.5)
        if len(trees) <= _FEW and max(len(one.tree) for one in trees) <= _SHORT:
            axes.set_xticks(range(1, len(trees) + 1), [one.tree for one in trees])
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("initial tree, the longest time first")
        axes.set_ylabel("mean evaluations")
        axes.set_title(wrapped(f"{leaves:,} leaves: {sentence(spec, but=('init',))}, n = {spec.n:,}"))
    infinite = len(trees) - len(finite)
    caption = "With 95 % intervals where it is measured; the trees are in the table."
    if infinite:
        caption += f" From {formatting.plural(infinite, 'tree')} the mean is infinite, and not drawn."
    return Drawing("worst", drawn, caption, [one.to_record() for one in trees])


def worst(
    spec: RunSpec,
    leaves: int,
    *,
    first: int = 5,
    race: int = 0,
    seed: int = 1,
    progress: Shown = None,
) -> WorstTrees:
    """The trees with the longest mean time, the longest first.

    Args:
        spec: the setting; its initial tree has no part, and its budget only where trees are measured.
        leaves: of the trees.
        first: how many to list.
        race: 0 to look at all trees; otherwise this many random candidates are raced.
        seed: of candidates and runs.
        progress: called with what is done and what is known to be in all; True shows a bar.

    Raises:
        BadInput: there are too many trees, they cannot be solved, or runs that may not end have no budget.
    """
    whole("leaves", leaves, 1, 10**6)
    whole("first", first, 1, 10**4)
    whole("race", race, 0, 10**5)
    if race:
        return _of_random_trees(_to_measure(spec), leaves, race, first, seed)
    try:
        with telling(progress, states_bar) as tell:
            answers = solve_each(a_spec(spec), leaves, tell)
    except BadInput as refused:
        if refused.name != "leaves":
            raise
        raise BadInput("leaves", leaves, f"{refused.allowed}, or race") from None
    solved = [answer for answer in answers if answer.mean is not None]
    unknown = [answer for answer in answers if answer.mean is None]
    trees = [Worst(answer.tree, Estimate(answer.mean, remark="exact"), True, answer.alike) for answer in solved]
    if unknown and sum(answer.mean == math.inf for answer in solved) < first:
        trees += _of_unknown(_to_measure(spec), leaves, unknown, first, seed)
    looked_at = sum(answer.alike for answer in answers)
    return WorstTrees(_longest(trees)[:first], looked_at, len(answers), True, bool(unknown))


def _of_unknown(spec: RunSpec, leaves: int, unknown: Sequence[FromTree], first: int, seed: int) -> list[Worst]:
    if len(unknown) > MAX_MEASURED:
        allowed = f"the chain is truncated, and {len(unknown):,} trees would have to be measured, where "
        allowed += f"{MAX_MEASURED:,} are the most: take fewer leaves, a size limit, or race"
        raise BadInput("leaves", leaves, allowed)
    alike = {answer.tree: answer.alike for answer in unknown}
    return _raced(spec, list(alike), max(first, _LEFT), seed, _LAST_RUNS, alike)


def _of_random_trees(spec: RunSpec, leaves: int, candidates: int, first: int, seed: int) -> WorstTrees:
    spec.require_trees("a worst initial tree")
    random = spec.replace(init=f"insertion:leaves={leaves}")
    drawn = (str(random.init.build(Stream(seed, random.cell, number))) for number in range(candidates))
    trees = list(dict.fromkeys(drawn))
    raced = _raced(spec, trees, max(first, _LEFT), seed)
    return WorstTrees(_longest(raced)[:first], candidates, len(trees), False, False)


def _longest(trees: Iterable[Worst]) -> list[Worst]:
    """What the budget stopped counts as long as what never ends."""
    return sorted(trees, key=lambda tree: -(math.inf if tree.time.value is None else tree.time.value))


def _to_measure(spec: RunSpec) -> RunSpec:
    """The spec, if its runs are known to end or have a budget."""
    return spec.replace(budget=None) if spec.budget == MAX_BUDGET else spec


def _raced(
    spec: RunSpec,
    candidates: list[str],
    left: int,
    seed: int,
    last_runs: int = 0,
    alike: dict[str, int] | None = None,
) -> list[Worst]:
    trees, runs = candidates, _FIRST_RUNS
    while len(trees) > left:
        times = {tree: _measured(spec, tree, seed, runs).value or math.inf for tree in trees}
        trees = sorted(trees, key=lambda tree: -times[tree])[: max(len(trees) // 2, left)]
        runs *= 2
    runs = max(4 * runs, last_runs)
    return [
        Worst(tree, _measured(spec, tree, seed + 1, runs), False, None if alike is None else alike[tree], runs)
        for tree in trees
    ]


def _measured(spec: RunSpec, tree: str, seed: int, runs: int) -> Estimate:
    """The mean time from a tree; unknown where a run did not reach the optimum."""
    columns = run_many(spec.replace(init=tree), seed=seed, runs=runs)
    outcomes: Sequence[Outcome] = columns.outcome
    if Outcome.STUCK in outcomes:
        return Estimate(math.inf, remark="runs are stuck for ever")
    stopped = sum(outcome != Outcome.OPTIMUM for outcome in outcomes)
    if stopped:
        return Estimate(None, remark=f"the budget stopped {stopped:,} of {formatting.plural(runs, 'run')}")
    return mean(columns.evaluations.astype(float))
