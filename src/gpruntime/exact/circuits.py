"""States of circuits: genotypes, up to what does not matter.

**Alike.** Two connections of a gate can be swapped where its function has two arguments and is symmetric, as all of
ours are. Inputs can be renamed where that maps the rows of the problem's table to each other: the conjunction, the
parity. Both keep the fitness and the size, and carry the law of an offspring along; so the orbits are lumpable, and a
state is the least genotype of its orbit, as a number in mixed radix.

**SAM in closed form.** Of b inactive genes that can change and a genes at which it stops, the next effective one is a
stop with probability p = a/(a + b). Up to then an inactive gene g of r values goes to each of the others with equal
chances when it is met. That step has the eigenvalue 1 on the uniform law and −1/(r − 1) on what adds up to 0. So after
a geometric number of steps on uniform genes, with S the genes in the second space and σ_S = (b − |S| − Σ_{g ∈ S}
1/(r_g − 1))/b,

    P(z | x) = Σ_S p/(1 − (1 − p)·σ_S) · Π_{g ∈ S} ([z_g = x_g] − 1/r_g) · Π_{g ∉ S} 1/r_g.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from typing import Any, ClassVar

import numpy as np

from gpruntime.exact.law import Number, OperationLaw
from gpruntime.exact.states import State, States
from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.problem import Fitness
from gpruntime.model.problems.truth_table import rows_of
from gpruntime.model.representations.circuits import CIRCUITS, Circuit, CircuitStart, change_from, shape_of
from gpruntime.model.spec import RunSpec

MAX_GENOTYPES = 250_000
_MAX_RENAMED = 5  # inputs
_MAX_INACTIVE = 12  # genes: the sum above is over their sets
Array = Any


class CircuitStates(States):
    """Genotypes."""

    most_strict: ClassVar[int] = MAX_GENOTYPES
    most_weak: ClassVar[int] = MAX_GENOTYPES
    most_multi: ClassVar[int] = 0

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        super().__init__(spec, law)
        self._spec, self._shape = spec, shape_of(spec)
        self._ranges = self._shape.ranges
        self._radix = np.cumprod([1, *(count for _, count in self._ranges[:-1])]).astype(np.int64)
        self._change = change_from(str(spec.algorithm.values["mutation"]))
        self._known: dict[State, Fitness] = {}

    @property
    def form(self) -> str:
        return "genotypes of circuits, up to symmetry"

    def circuit(self, state: State) -> Circuit:
        """The circuit with this number."""
        digits = (state // int(radix) % count for radix, (_, count) in zip(self._radix, self._ranges, strict=True))
        return Circuit(self._shape, [least + digit for digit, (least, _) in zip(digits, self._ranges, strict=True)])

    def fitness(self, state: State) -> Fitness:
        if state not in self._known:
            self._known[state] = CIRCUITS.fitness(self.circuit(state), self._spec)
        return self._known[state]

    def leaves(self, state: State) -> int:
        return self.circuit(state).size

    def initial_law(self, initial: Initial) -> Iterable[tuple[State, Fraction]]:
        if isinstance(initial, CircuitStart) and initial.circuit is not None:
            digits = (gene - least for gene, (least, _) in zip(initial.circuit.genes, self._ranges, strict=True))
            number = sum(digit * int(radix) for digit, radix in zip(digits, self._radix, strict=True))
            return [(int(self._least_alike[number]), Fraction(1))]
        states, counts = np.unique(self._least_alike, return_counts=True)
        total = len(self._least_alike)
        return [(state, Fraction(count, total)) for state, count in zip(states.tolist(), counts.tolist(), strict=True)]

    @cached_property
    def _least_alike(self) -> Array:
        """By genotype, the least one of its orbit."""
        total = int(self._radix[-1]) * self._ranges[-1][1]
        numbers = np.arange(total)
        genes = [
            numbers // radix % count + least for radix, (least, count) in zip(self._radix, self._ranges, strict=True)
        ]
        found = self._swapped(genes)
        for renaming in self._renamings():
            found = np.minimum(
                found, self._swapped([self._renamed(place, gene, renaming) for place, gene in enumerate(genes)])
            )
        return found

    def _renamed(self, place: int, gene: Array, renaming: Sequence[int]) -> Array:
        is_function = place % (self._shape.connections + 1) == 0 and place < self._shape.genes - 1
        if is_function:
            return gene
        names = np.array([*renaming, *range(len(renaming), self._shape.inputs + self._shape.gates)])
        return names[gene]

    def _swapped(self, genes: list[Array]) -> Array:
        """The numbers of genotypes, the two connections of each gate in their order."""
        genes = list(genes)
        if self._is_table and self._shape.primitives.is_binary:
            for at in range(1, self._shape.genes - 1, 3):
                genes[at], genes[at + 1] = np.minimum(genes[at], genes[at + 1]), np.maximum(genes[at], genes[at + 1])
        digits = (gene - least for gene, (least, _) in zip(genes, self._ranges, strict=True))
        return sum(digit * radix for digit, radix in zip(digits, self._radix, strict=True))

    @property
    def _is_table(self) -> bool:
        return self.problem.table(self.n) is not None

    def _renamings(self) -> Sequence[Sequence[int]]:
        """The permutations of inputs that map the rows of the table to each other, but the first."""
        inputs = self._shape.inputs
        if not self._is_table or self._shape.levels_back or self.primitives.signed or inputs > _MAX_RENAMED:
            return []
        rows = rows_of(self.problem, self.n, False)
        all_rows = sorted(map(tuple, rows.T.tolist()))
        found = []
        for renaming in itertools.permutations(range(inputs)):
            columns = np.concatenate([rows[:1], rows[1:][list(renaming)]])
            if sorted(map(tuple, columns.T.tolist())) == all_rows:
                found.append(renaming)
        return found[1:]

    # ---- the law of an offspring

    def moves(self, state: State, least: float) -> dict[State, Number]:  # noqa: ARG002
        """The law of an offspring; all of it, whatever the fitness."""
        circuit = self.circuit(state)
        targets, chances = self._point(circuit) if self._change.rate else self._sam(circuit)
        alike, place = np.unique(self._least_alike[targets], return_inverse=True)
        if not self.law.rational:
            sums: Any = np.bincount(place, chances)
        else:
            sums = np.zeros(len(alike), object)
            np.add.at(sums, place, chances)
        return dict(zip(alike.tolist(), sums.tolist(), strict=True))

    def _number(self, value: Fraction) -> Any:
        return self.law.number(value)

    def _vector(self, values: Iterable[Fraction]) -> Array:
        return np.array([self._number(value) for value in values], object if self.law.rational else np.float64)

    def _digits(self, circuit: Circuit) -> list[int]:
        return [gene - least for gene, (least, _) in zip(circuit.genes, self._ranges, strict=True)]

    def _point(self, circuit: Circuit) -> tuple[Array, Array]:
        rate, laws, steps = Fraction(self._change.rate), [], []
        for digit, radix, (_, count) in zip(self._digits(circuit), self._radix, self._ranges, strict=True):
            if count == 1:
                laws.append(self._vector([Fraction(1)]))
            else:
                other = rate / (count - 1)
                laws.append(self._vector(1 - rate if value == digit else other for value in range(count)))
            steps.append(np.arange(count) * radix)
        return _outer(np.add, steps), _outer(np.multiply, laws)

    def _sam(self, circuit: Circuit) -> tuple[Array, Array]:
        digits, counts = self._digits(circuit), [count for _, count in self._ranges]
        active = [gene for gene in range(len(counts)) if circuit.is_active(gene)]
        free = [gene for gene in range(len(counts)) if counts[gene] > 1 and not circuit.is_active(gene)]
        stops = [gene for gene in active if counts[gene] > 1 or self._change.stops_at_active]
        law = self._wandered(
            Fraction(len(stops), len(stops) + len(free)), [(digits[gene], counts[gene]) for gene in free]
        )
        base = sum(digits[gene] * int(self._radix[gene]) for gene in range(len(counts)) if gene not in free)
        places = base + _outer(np.add, [np.arange(counts[gene]) * self._radix[gene] for gene in free])
        targets, chances = [], []
        for gene in stops:
            others = [value for value in range(counts[gene]) if value != digits[gene]] or [digits[gene]]
            for value in others:
                targets.append(places + (value - digits[gene]) * int(self._radix[gene]))
                chances.append(law * self._number(Fraction(1, len(stops) * len(others))))
        return np.concatenate(targets), np.concatenate(chances)

    def _wandered(self, p: Fraction, genes: Sequence[tuple[int, int]]) -> Array:
        """The law of the inactive genes at the end, of their values and how many they have."""
        total: Any = 0
        uniform = [self._vector([Fraction(1, count)] * count) for _, count in genes]
        apart = [
            self._vector((value == digit) - Fraction(1, count) for value in range(count)) for digit, count in genes
        ]
        for chosen, share in _shares(p, tuple(count for _, count in genes)):
            parts = [apart[i] if inside else uniform[i] for i, inside in enumerate(chosen)]
            total = total + _outer(np.multiply, parts) * self._number(share)
        return total

    @classmethod
    def check(cls, spec: RunSpec) -> None:
        """Raises `BadInput` where there are too many genotypes."""
        shape, number = shape_of(spec), 1
        for _, count in shape.ranges:
            number *= count
            if number > MAX_GENOTYPES or sum(count > 1 for _, count in shape.ranges) > _MAX_INACTIVE:
                words = f"too large: more than {MAX_GENOTYPES:,} genotypes, or {_MAX_INACTIVE} genes; take fewer gates"
                raise BadInput("algorithm", spec.algorithm.id, words)


@lru_cache(maxsize=1024)
def _shares(p: Fraction, counts: tuple[int, ...]) -> list[tuple[tuple[bool, ...], Fraction]]:
    """The first factor of the sum above, for each S."""
    found = []
    for chosen in itertools.product((False, True), repeat=len(counts)):
        lost = sum(
            (1 + Fraction(1, count - 1) for count, inside in zip(counts, chosen, strict=True) if inside), Fraction()
        )
        found.append((chosen, p / (1 - (1 - p) * (1 - lost / len(counts))) if counts else Fraction(1)))
    return found


def _outer(operation: Any, parts: Sequence[Array]) -> Array:
    """Sums or products of one entry each, the first part first; flat."""
    if not parts:
        return np.zeros(1, np.int64) if operation is np.add else np.ones(1, np.int64)
    return reduce(lambda whole, part: operation.outer(whole, part).reshape(-1), parts)
