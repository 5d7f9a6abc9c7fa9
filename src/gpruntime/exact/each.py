"""The mean time from every initial tree of a size.

**Which trees are alike.** Trees of one state have the same law (`states`): the chain is strongly lumpable, so what
follows depends on the state alone. So one tree of each state is looked at, and how many trees it stands for is counted.

**One chain** has all the answers for a (1+1) GP with functions of two arguments. The initial tree `insertion` has every
tree of its size with the same probability: every shape, and uniform functions and terminals on it. So the chain that
begins with it has their states and no more than can be reached from them, and the equations are solved for each state.

**Otherwise** each tree is solved by itself: of several trees, all initial ones are the same then. Where the counts
are seen, trees with the same leaves are alike, whatever their shape.

A mean is infinite if a tree from which the optimum is out of reach can be reached: which probabilities are positive
decides that, not how large they are.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.exact.chain import END, Progress
from gpruntime.exact.counts import CountStates
from gpruntime.exact.kernel import Kernel
from gpruntime.exact.kinds import kind_for, states_of
from gpruntime.exact.levels import ENDLESS, LOST, OPTIMUM_, TIME
from gpruntime.exact.shapes import catalan
from gpruntime.exact.solve import solve, solve_chain
from gpruntime.exact.states import States
from gpruntime.exact.trees import TreeStates
from gpruntime.model.all_trees import trees_of_size
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import balanced
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree

MAX_TREES = 200_000  # that are written down
MAX_SOLVED = 2_000  # one by one
_MAX_LEAVES = 100
_MANY = 10**7


@dataclass(frozen=True)
class FromTree:
    """The answer for an initial tree, and for those alike.

    Attributes:
        tree: as text.
        alike: how many trees have this answer for the same reason, this one included.
        mean: E[evaluations]; infinite if the optimum can be missed; None where a truncated answer cannot tell.
    """

    tree: str
    alike: int
    mean: float | None


def solve_each(spec: RunSpec, leaves: int, progress: Progress | None = None) -> list[FromTree]:
    """Solves a run from each tree with this number of leaves; the initial tree of the spec plays no part.

    Raises:
        BadInput: there are too many trees, or this cannot be solved.
    """
    spec.require_trees("an answer from each tree of a size")
    if 1 in spec.primitives.arities:
        raise BadInput("problem", spec.problem.name, "has functions of one argument: trees of a size have no end")
    one_chain = spec.primitives.is_binary and not spec.has_population
    _check_number(spec, leaves, MAX_TREES if one_chain else MAX_SOLVED)
    if one_chain:
        return _from_one_chain(spec.replace(init=f"insertion:leaves={leaves}"), progress)
    answers = []
    different = _different_trees(spec, leaves)
    for number, (tree, alike) in enumerate(different, 1):
        answers.append(FromTree(tree, alike, _mean_from(spec, tree)))
        if progress is not None:
            progress(number, len(different))
    return answers


def number_of_trees(spec: RunSpec, leaves: int) -> int:
    """How many trees have this number of leaves."""
    primitives = spec.primitives
    if primitives.is_binary:
        return catalan(leaves) * int(len(primitives.functions) ** (leaves - 1) * primitives.size**leaves)
    return TreeStates.counted(spec.problem, spec.n, leaves)[leaves]


def _written_down(spec: RunSpec, leaves: int) -> int:
    """How many trees, or states of trees, are made; `_MANY` where counting them would take long."""
    kind, size = kind_for(spec), spec.primitives.size
    if leaves > _MAX_LEAVES:
        return _MANY
    if kind is CountStates and spec.has_population:
        return math.comb(size + leaves - 1, leaves)
    if issubclass(kind, TreeStates) and spec.primitives.is_binary:
        return number_of_trees(spec, leaves)
    counted = kind.counted(spec.problem, spec.n, leaves)
    return counted[leaves] if len(counted) > leaves else _MANY


def _check_number(spec: RunSpec, leaves: int, most: int) -> None:
    number = _written_down(spec, leaves)
    if number == 0:
        arguments = " or ".join(map(str, sorted(set(spec.primitives.arities))))
        raise BadInput("leaves", leaves, f"no tree has this many, where a function has {arguments} arguments")
    if number > most:
        many = f"{number:,}" if number < _MANY else f"more than {_MANY:,}"
        raise BadInput("leaves", leaves, f"{many} trees to look at, where {most:,} are the most: take fewer leaves")


def _from_one_chain(spec: RunSpec, progress: Progress | None) -> list[FromTree]:
    chain, states, kernel, solution = solve_chain(spec, progress=progress)
    values, total = solution.values, number_of_trees(spec, spec.init.leaves)
    infinite = _can_miss(kernel, (values[:, ENDLESS] == 1) | kernel.stuck)
    answers = []
    for number, chance in chain.start.items():
        optimum, time, lost = values[number, OPTIMUM_], values[number, TIME], values[number, LOST]
        mean = math.inf if infinite[number] else None if lost > 0 else 1 + float(time / optimum)
        state = chain.states[number]
        tree = _an_optimal_tree(spec, states) if state is END else states.tree(state)
        answers.append(FromTree(str(tree), int(chance * total), mean))
    return answers


def _can_miss(kernel: Kernel, lost_for_ever: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """From which states those can be reached that never lead to the optimum."""
    rows = np.flatnonzero(kernel.allowed & ~kernel.optimal)
    reaching = lost_for_ever.copy()
    while reaching.any():
        more = reaching.copy()
        more[rows] |= kernel.through(reaching.astype(np.float64), rows) > 0
        if (more == reaching).all():
            break
        reaching = more
    return reaching


def _an_optimal_tree(spec: RunSpec, states: States) -> Tree:
    return next(states.tree(state) for state, _ in states.initial_law(spec.init) if states.fitness(state) == spec.best)


def _mean_from(spec: RunSpec, tree: str) -> float | None:
    mean = solve(spec.replace(init=tree)).expected
    return None if mean is None else float(mean)


def _different_trees(spec: RunSpec, leaves: int) -> list[tuple[str, int]]:
    """One of those that are alike, with their number."""
    if kind_for(spec) is CountStates:
        return list(_multisets(spec, leaves))
    states = states_of(spec)
    if spec.primitives.is_binary:
        initial = spec.replace(init=f"insertion:leaves={leaves}").init
        law: dict[Any, Fraction] = {}
        for state, chance in states.initial_law(initial):
            law[state] = law.get(state, Fraction(0)) + chance
        total = number_of_trees(spec, leaves)
        return [(str(states.tree(state)), int(chance * total)) for state, chance in law.items()]
    numbers = Counter(map(states.of, trees_of_size(spec.primitives, leaves)))
    return [(str(states.tree(state)), number) for state, number in numbers.items()]


def _multisets(spec: RunSpec, leaves: int) -> Iterator[tuple[str, int]]:
    primitives = spec.primitives
    for codes in itertools.combinations_with_replacement(range(primitives.size), leaves):
        orders = math.factorial(leaves) // math.prod(math.factorial(times) for times in Counter(codes).values())
        tree = balanced([primitives.terminal(code) for code in codes], primitives.functions[0])
        yield str(tree), orders * catalan(leaves)
