"""Trees to check single steps on: all small ones, and those that runs visit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gpruntime.engine import WatchedRun
from gpruntime.model.initial import balanced
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree


def terminals_of(n: int) -> list[Terminal]:
    """x₁, x̄₁, …, x_n, x̄_n."""
    return [Terminal.from_code(code) for code in range(2 * n)]


def all_trees(n: int, leaves: int) -> Iterator[Tree]:
    """Every tree with this number of leaves: every shape with every sequence of terminals."""
    for shape in _shapes(leaves):
        for names in itertools.product((str(terminal) for terminal in terminals_of(n)), repeat=leaves):
            yield Tree.parse(shape.format(*names))


def _shapes(leaves: int) -> Iterator[str]:
    """Every binary shape, as text with a pair of braces for each leaf."""
    if leaves == 1:
        yield "{}"
    for left in range(1, leaves):
        for first, second in itertools.product(list(_shapes(left)), list(_shapes(leaves - left))):
            yield f"({first} {second})"


def all_multisets(n: int, leaves: int) -> Iterator[Tree]:
    """A tree for every multiset of this number of terminals: enough for MAJORITY, which sees nothing else."""
    for chosen in itertools.combinations_with_replacement(terminals_of(n), leaves):
        yield balanced(list(chosen))


def visited_trees(spec: RunSpec, seed: int, runs: int, most: int) -> Iterator[Tree]:
    """The trees that runs visit, at most this number of a run: the first one, and each that was accepted."""
    for number in range(runs):
        run = WatchedRun(spec, seed, number)
        yield run.tree
        visited = 1
        for step in run:
            if visited >= most:
                break
            if step.accepted:
                visited += 1
                yield run.tree
