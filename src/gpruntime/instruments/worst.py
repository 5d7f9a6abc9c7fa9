"""The initial trees with the longest mean time: exactly where they can be enumerated, by racing where they cannot.

**Exactly.** All trees with so many leaves are taken that differ for the problem (sequences of terminals, or multisets
where only counts are seen, in a balanced shape), and each is solved. A tree from which the optimum can be missed has an
infinite mean and comes first.

**Racing.** Of random candidates the better half by measured mean goes on with twice the runs, until few are left
(successive halving). The winner's mean is measured again with other runs: the largest of many noisy means is too large.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gpruntime.analysis.estimates import Estimate, mean
from gpruntime.engine import run_many
from gpruntime.exact import solve
from gpruntime.model.errors import BadInput, whole
from gpruntime.model.initial import balanced
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec

MOST_ENUMERATED = 2_000
_LEFT = 4


@dataclass(frozen=True)
class Worst:
    """An initial tree, and the mean time from it.

    Attributes:
        tree: as text.
        time: E[evaluations], with an interval where it is measured; infinite where a run can miss the optimum.
        how: "exact" or "measured".
    """

    tree: str
    time: Estimate
    how: str


def trees_of(spec: RunSpec, leaves: int) -> list[str]:
    """All trees with so many leaves that differ for the problem.

    Raises:
        BadInput: there are too many.
    """
    primitives = spec.primitives
    codes, sees = range(primitives.size), spec.problem_.sees
    number = math.comb(primitives.size + leaves - 1, leaves) if sees == "counts" else primitives.size**leaves
    if number > MOST_ENUMERATED:
        many = f"{number:,}" if number < 10**6 else "more than a million"
        allowed = f"{many} trees to solve; at most {MOST_ENUMERATED:,} can be: take fewer leaves, or race"
        raise BadInput("leaves", leaves, allowed)
    chosen: Iterable[tuple[int, ...]] = (
        itertools.combinations_with_replacement(codes, leaves)
        if sees == "counts"
        else itertools.product(codes, repeat=leaves)
    )
    function = primitives.functions[0]
    return [str(balanced([primitives.terminal(code) for code in some], function)) for some in chosen]


def worst(spec: RunSpec, leaves: int, *, first: int = 5, race: int = 0, seed: int = 1) -> list[Worst]:
    """The trees with the longest mean time, the longest first.

    Args:
        spec: the setting; its initial tree has no part.
        leaves: of the trees.
        first: how many to tell.
        race: 0 to solve all trees; otherwise so many random candidates are raced.
        seed: of candidates and runs.

    Raises:
        BadInput: there are too many trees, or one cannot be solved.
    """
    whole("leaves", leaves, 1, 10**6)
    whole("first", first, 1, 10**4)
    whole("race", race, 0, 10**5)
    found = _raced(spec, leaves, race, seed) if race else [_solved(spec, tree) for tree in trees_of(spec, leaves)]
    return sorted(found, key=lambda one: -(one.time.value if one.time.value is not None else math.inf))[:first]


def _solved(spec: RunSpec, tree: str) -> Worst:
    result = solve(dataclasses.replace(spec, init=tree))
    missed = float(result.stuck) + float(result.endless) > 1e-12 or result.mean is None
    return Worst(tree, Estimate(math.inf if missed else float(result.mean or 0), remark="exact"), "exact")


def _raced(spec: RunSpec, leaves: int, candidates: int, seed: int) -> list[Worst]:
    generator = np.random.default_rng(seed)
    primitives, runs = spec.primitives, 8
    drawn = generator.integers(primitives.size, size=(candidates, leaves)).tolist()
    function = primitives.functions[0]
    trees = list(dict.fromkeys(str(balanced([primitives.terminal(c) for c in one], function)) for one in drawn))
    while len(trees) > _LEFT:
        times = {tree: _measured(spec, tree, seed, runs).value or math.inf for tree in trees}
        trees = sorted(trees, key=lambda tree: -times[tree])[: max(len(trees) // 2, _LEFT)]
        runs *= 2
    return [Worst(tree, _measured(spec, tree, seed + 1, 4 * runs), "measured") for tree in trees]


def _measured(spec: RunSpec, tree: str, seed: int, runs: int) -> Estimate:
    """The mean time from a tree; unknown where a run did not reach the optimum."""
    columns = run_many(dataclasses.replace(spec, init=tree), seed, runs)
    outcomes: Sequence[Outcome] = columns.outcome
    if Outcome.STUCK in outcomes:
        return Estimate(math.inf, remark="runs are stuck for ever")
    if any(outcome != Outcome.OPTIMUM for outcome in outcomes):
        return Estimate(None, remark="the budget stopped runs")
    return mean(columns.evaluations.astype(float))
