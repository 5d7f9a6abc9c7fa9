"""Infinitely many trees at once: what a potential needs where trees grow without end.

Let the fitness see the counts (a, b) of the leaves x_i and x̄_i of each variable, and let it stay as it is beyond some
counts and some difference a − b (`Beyond`, which a problem brings along). Then the pairs (a, b) fall into finitely many
*cells*, a corner with at most two directions each, within which an operation changes fitness, leaves and sums of counts
as it does at the corner. So with a cell for each variable, T leaves, and k ≥ 0 steps from the corners along each
direction,

    p(k) = q · (drift − 1), where q = T, or T (2T − 1) where substitutions pick nodes,

is a polynomial of known degree: the chance that a leaf goes is its count over T. By Newton's forward differences,

    p(k) = Σ_j Δ^j p(0) · C(k_1, j_1) ⋯ C(k_m, j_m),

so p ≥ 0 in the whole cell where no difference at the corner is negative. They need p at finitely many trees only.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpruntime.model.errors import BadInput
from gpruntime.model.initial import balanced
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

if TYPE_CHECKING:
    from fractions import Fraction

Pair = tuple[int, int]
Steps = tuple[int, ...]
MAX_TREES = 30_000  # for some minutes
_DEGREES = {"one": 0, "level": 0, "gap": 0, "absent": 0, "leaves": 1, "surplus": 1}


@dataclass(frozen=True)
class Beyond:
    """How the fitness of a problem goes on: it depends on min(a, counts), min(b, counts) and a − b within ±difference.

    Attributes:
        counts, difference: these two numbers.
        degrees: of the problem's own features, as polynomials in the counts where these three stay as they are.
    """

    counts: int
    difference: int
    degrees: Mapping[str, int] = field(default_factory=dict)

    def degree(self, name: str) -> int | None:
        """Of a feature or a product of them; None where nothing is known."""
        known = {**_DEGREES, **self.degrees}
        degrees = [known.get(factor.partition(":")[0]) for factor in name.split("*")]
        return None if None in degrees else sum(degree or 0 for degree in degrees)


@dataclass(frozen=True)
class Cell:
    """The pairs corner + Σ k_j · direction_j with k_j ≥ 0."""

    corner: Pair
    directions: tuple[Pair, ...] = ()


def cells_of(beyond: Beyond, is_signed: bool) -> list[Cell]:
    """All pairs of counts, each in one cell; within a cell, one operation leads to pairs that are alike."""
    most, far = beyond.counts + 1, beyond.difference + 2  # from here on an operation changes nothing else
    ray = max(most, far)
    if not is_signed:
        return [*(Cell((a, 0)) for a in range(ray)), Cell((ray, 0), ((1, 0),))]
    cells = []
    for a, b in itertools.product(range(most), repeat=2):
        cells.append(Cell((a, b)))
    for few in range(most):
        end = max(most, few + far)
        for pair, up in (((few, 0), (0, 1)), ((0, few), (1, 0))):
            cells += [Cell(_moved(pair, up, many)) for many in range(most, end)]
            cells.append(Cell(_moved(pair, up, end), (up,)))
    cells += [Cell((most + max(d, 0), most + max(-d, 0)), ((1, 1),)) for d in range(1 - far, far)]
    return [*cells, Cell((most + far, most), ((1, 1), (1, 0))), Cell((most, most + far), ((1, 1), (0, 1)))]


def _moved(pair: Pair, direction: Pair, steps: int) -> Pair:
    return pair[0] + steps * direction[0], pair[1] + steps * direction[1]


def all_cells(spec: RunSpec, beyond: Beyond, alike: bool) -> list[tuple[Cell, ...]]:
    """A cell for each variable; where variables are alike, one of each set that differs by their names.

    Raises:
        BadInput: there are too many.
    """
    single, variables = cells_of(beyond, spec.primitives.signed), spec.primitives.variables
    many = math.comb(len(single) + variables - 1, variables) if alike else len(single) ** min(variables, 100)
    if many > MAX_TREES:
        raise too_many(spec, many, MAX_TREES)
    renamed = itertools.combinations_with_replacement(single, variables)
    chosen = renamed if alike else itertools.product(single, repeat=variables)
    least = spec.last_leaf == "keep"
    return [cells for cells in chosen if sum(sum(cell.corner) for cell in cells) >= least]


def too_many(spec: RunSpec, trees: int, most: int) -> BadInput:
    """For more trees than are looked at."""
    return BadInput("n", spec.n, f"too large: {trees:,} trees or more stand for all; at most {most:,} are looked at")


def trees_needed(cells: Sequence[tuple[Cell, ...]], degree: int) -> int:
    """How many trees are looked at."""
    return sum(math.comb(_dimension(one) + degree, degree) for one in cells)


def _dimension(cells: tuple[Cell, ...]) -> int:
    return sum(len(cell.directions) for cell in cells)


def trees_of(spec: RunSpec, cells: tuple[Cell, ...], degree: int) -> Iterator[tuple[Steps, Tree]]:
    """The trees at which a polynomial of this degree has to be known, with their steps from the corner."""
    for steps in itertools.product(range(degree + 1), repeat=_dimension(cells)):
        if sum(steps) > degree:
            continue
        terminals, rest = list[Terminal](), iter(steps)
        for variable, cell in enumerate(cells, 1):
            pair = cell.corner
            for direction in cell.directions:
                pair = _moved(pair, direction, next(rest))
            terminals += [Terminal(variable, False)] * pair[0] + [Terminal(variable, True)] * pair[1]
        yield steps, balanced(terminals, spec.primitives.functions[0]) if terminals else Tree()


def q_of(spec: RunSpec, tree: Tree) -> int:
    """The polynomial q of the leaves."""
    leaves = len(tree.leaves)
    return (leaves or 1) * (max(2 * leaves - 1, 1) if spec.substitute == "nodes" else 1)


def degree_for(spec: RunSpec, degree: int) -> int:
    """Of q · drift, for features of this degree."""
    return degree + (2 if spec.substitute == "nodes" else 1)


def differences(values: Mapping[Steps, Fraction]) -> dict[Steps, Fraction]:
    """Newton's forward differences at the corner: of all values with at most some number of steps."""
    found = dict(values)
    for axis in range(len(next(iter(found)))):
        for order in range(1, max(map(sum, found)) + 1):
            for steps in sorted(found, key=lambda steps: -steps[axis]):
                if steps[axis] >= order:
                    before = (*steps[:axis], steps[axis] - 1, *steps[axis + 1 :])
                    found[steps] -= found[before]
    return found
