"""From proposals to accepted steps: the kernel P of the run, applied to functions and to measures.

**Single.** P(s, s′) = A(s, s′), the accepted results of one operation (`chain.explore_accepted`).

**Many operations.** With A the matrix of one proposed operation and w_k = P(k operations), an offspring of s is s′ with
probability W(s, s′) = Σ_k w_k A^k(s, s′); P(s, s′) is W(s, s′) if s accepts s′ and 0 otherwise. A function u is taken
through W by Horner's rule, K products with the sparse matrix A for K numbers of operations, and no power of A is ever
stored. Which s′ are accepted depends on s by its fitness, under some rules by its leaves too (and on the size limit),
so a function is taken through P for all states at once that accept the same.

**What is cut off.** Sums stop at K operations, and matrices at L leaves. A run whose offspring has more operations, or
passes through a larger tree (with one operation: is accepted as one), is *lost*: with probability r(s) = P(k > K) + Σ_k
w_k A^k(s, lost). Runs that are not lost follow the true law step by step. So if δ is the probability that a run is ever
lost, every probability P computed here satisfies P ≤ true probability ≤ P + δ, also P(time ≤ t) for each t; and
E[evaluations; optimum, not lost] is a lower bound of E[evaluations; optimum]. δ is computed together with the rest
(`levels`).
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpruntime.exact.chain import OPTIMUM, Chain
from gpruntime.exact.states import States
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.stuck import stuck

Vector = NDArray[np.float64]


class Kernel(Protocol):
    """P, by its action.

    Attributes:
        values: the fitnesses, from the worst to the best.
        level: the place of each state's fitness among them; −1 for lost.
        start: the initial law.
        allowed: which states a run can be in: all but lost and intermediate trees above the size limit.
        optimal: which states are optimal.
        stuck: which states can never accept anything again.
        accepted: Σ P(s, ·).
        loss: r(s).
        falls: whether a worse offspring is ever accepted.
        work: how many products of probabilities one `push` takes.
    """

    values: list[Fitness]
    level: NDArray[np.int64]
    start: Vector
    allowed: NDArray[np.bool_]
    optimal: NDArray[np.bool_]
    stuck: NDArray[np.bool_]
    accepted: Vector
    loss: Vector
    falls: bool
    work: int

    def through(self, functions: Vector, rows: NDArray[np.int64]) -> Vector:
        """P u for each column u of `functions`, on these rows."""

    def reaches(self, target: NDArray[np.bool_], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """From which rows one step can lead to the target, or be lost: whatever was cut off, if the answer is no."""

    def push(self, measure: Vector) -> Vector:
        """v P, with what is rejected or lost left out."""

    def block(self, rows: NDArray[np.int64]) -> sparse.csr_array[np.float64]:
        """P between these states."""


class SingleKernel:
    """P for one operation per offspring."""

    def __init__(self, chain: Chain) -> None:
        self.values, self.level = chain.levels()
        self._matrix = chain.matrix()
        self._transposed = self._matrix.T.tocsr()
        self.start = chain.start_vector()
        self.allowed = np.ones(len(chain), np.bool_)
        self.optimal = np.arange(len(chain)) == OPTIMUM
        self.accepted: Vector = np.asarray(self._matrix.sum(axis=1))
        self.loss = np.array(chain.loss) if chain.loss else np.zeros(len(chain))
        self.stuck = (self.accepted == 0) & (self.loss == 0) & ~self.optimal
        entries = self._matrix.tocoo()
        self.falls = bool((self.level[entries.col] < self.level[entries.row]).any())
        self.work = self._matrix.nnz + len(chain)

    def through(self, functions: Vector, rows: NDArray[np.int64]) -> Vector:
        """See `Kernel`."""
        return np.asarray(self._matrix[rows] @ functions)

    def reaches(self, target: NDArray[np.bool_], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """See `Kernel`."""
        return np.asarray((self.through(target.astype(np.float64), rows) > 0) | (self.loss[rows] > 0))

    def push(self, measure: Vector) -> Vector:
        """See `Kernel`."""
        return np.asarray(self._transposed @ measure)

    def block(self, rows: NDArray[np.int64]) -> sparse.csr_array[np.float64]:
        """See `Kernel`."""
        return self._matrix[rows][:, rows].tocsr()


class MultiKernel:
    """P for many operations per offspring, at most K of them."""

    def __init__(self, spec: RunSpec, chain: Chain, problem: States, operations: int) -> None:
        self.values, self.level = chain.levels()
        self._matrix = chain.matrix()
        self._transposed = self._matrix.T.tocsr()
        law = operation_law(spec, operations)
        self._weights, self._neglected = law
        lost = np.zeros(len(chain))
        lost[-1] = 1.0
        limit = spec.max_leaves_allowed
        fits = np.ones(len(chain), np.bool_) if limit is None else np.array(chain.leaves) <= limit
        self.allowed: NDArray[np.bool_] = fits & (lost == 0)
        self.start = chain.start_vector()
        self.optimal = np.array([fitness == spec.best for fitness in chain.fitness], np.bool_)
        self.loss = self._mixed(self._matrix, lost) + self._neglected
        self._groups = _Groups(spec, chain, self.level)
        self.falls = self._groups.falls
        going = ~self.optimal & (lost == 0)
        self.work = self._matrix.nnz * operations * len(set(self._groups.of[going])) + len(chain)
        self.accepted = np.zeros(len(chain))
        self.accepted[going] = self.through(np.ones(len(chain)), np.flatnonzero(going))
        self.stuck = np.zeros(len(chain), np.bool_)
        nothing = np.flatnonzero((self.accepted == 0) & going & self.allowed)
        for number, goes_on in zip(nothing, self.reaches(self.allowed, nothing), strict=True):
            self.stuck[number] = not goes_on or stuck(problem.tree(chain.states[number]), spec)

    def _mixed(self, matrix: sparse.csr_array[np.float64], vector: Vector) -> Vector:
        """Σ w_k A^k u, by Horner's rule."""
        result = self._weights[-1] * vector
        for weight in reversed(self._weights[:-1]):
            result = matrix @ result + weight * vector
        return np.asarray(matrix @ result)

    def _accepts(self, group: int) -> NDArray[np.bool_]:
        return np.asarray(np.logical_and(self._groups.accepted(group), self.allowed))

    def through(self, functions: Vector, rows: NDArray[np.int64]) -> Vector:
        """See `Kernel`."""
        result = functions[rows]
        groups = self._groups.of[rows]
        for group in np.unique(groups):
            accepted = self._accepts(group)
            seen = functions * (accepted if functions.ndim == 1 else accepted[:, None])
            result[groups == group] = self._mixed(self._matrix, seen)[rows[groups == group]]
        return result

    def reaches(self, target: NDArray[np.bool_], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """See `Kernel`. Where numbers of operations are cut off, any number of them is asked for."""
        if not self._neglected:
            return np.asarray((self.through(target.astype(np.float64), rows) > 0) | (self.loss[rows] > 0))
        result: NDArray[np.bool_] = np.zeros(len(rows), np.bool_)
        groups = self._groups.of[rows]
        for group in np.unique(groups):
            found = target & self._accepts(group)
            found[-1] = True  # lost
            found = reaching(self._matrix, found)
            result[groups == group] = (self._matrix @ found.astype(np.float64) > 0)[rows[groups == group]]
        return result

    def push(self, measure: Vector) -> Vector:
        """See `Kernel`."""
        total = np.zeros_like(measure)
        going = ~self.optimal & self.allowed
        for group in np.unique(self._groups.of[going]):
            part = np.where(going & (self._groups.of == group), measure, 0.0)
            if part.any():
                total += self._mixed(self._transposed, part) * self._accepts(group)
        return total

    def block(self, rows: NDArray[np.int64]) -> sparse.csr_array[np.float64]:
        """See `Kernel`. One column at a time would be slow: the unit functions go through together."""
        units = np.zeros((len(self.level), len(rows)))
        units[rows, np.arange(len(rows))] = 1.0
        return sparse.csr_array(self.through(units, rows))


class _Groups:
    """The states in groups that accept the same.

    What a state accepts depends on its fitness and leaves, and so does whether it is accepted. Pairs of these that
    accept the same pairs make a group: under the strict and the weak rule, all of one fitness.

    Attributes:
        of: the group of each state.
        falls: whether some state accepts a worse one.
    """

    def __init__(self, spec: RunSpec, chain: Chain, level: NDArray[np.int64]) -> None:
        leaves = np.array(chain.leaves)
        pairs, first, self._pair = np.unique(
            np.stack([level, leaves], axis=1), axis=0, return_index=True, return_inverse=True
        )
        self._pair = self._pair.reshape(-1)
        known = [(chain.fitness[number], int(leaves[number])) for number in first.tolist()]
        answers: dict[tuple[Fitness, int], bool] = {}

        def accepts(before: tuple[Fitness | None, int], after: tuple[Fitness | None, int]) -> bool:
            if before[0] is None or after[0] is None:
                return False
            asked = ((after[0] - before[0]) * spec.problem.direction, after[1] - before[1])
            if asked not in answers:
                answers[asked] = spec.accept.accepts(*asked)
            return answers[asked]

        table = np.array([[accepts(before, after) for after in known] for before in known], np.bool_)
        self._table, inverse = np.unique(table, axis=0, return_inverse=True)
        self.of = inverse.reshape(-1)[self._pair]
        going = np.array([fitness is not None and fitness != spec.best for fitness, _ in known])
        worse = pairs[:, 0][None, :] < pairs[:, 0][:, None]
        self.falls = bool((table & worse)[going].any())

    def accepted(self, group: int) -> NDArray[np.bool_]:
        """Which states are accepted by those of a group."""
        accepted: NDArray[np.bool_] = self._table[group][self._pair]
        return accepted


def reaching(matrix: sparse.csr_array[np.float64], target: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The states from which a target can be reached: grown backwards until nothing is added."""
    found = target
    while True:
        more = found | (matrix @ found.astype(np.float64) > 0)
        if (more == found).all():
            return found
        found = more


class OperationLaw(NamedTuple):
    """w_1 … w_K, and an upper bound of P(k > K)."""

    weights: list[float]
    neglected: float


def operation_law(spec: RunSpec, operations: int) -> OperationLaw:
    """The law of k, cut off at K operations: nothing is cut off where k has no more values."""
    if spec.algorithm.multi:
        mean = spec.poisson_mean
        return OperationLaw(poisson_weights(mean, operations), poisson_neglected(mean, operations))
    law = spec.operations
    assert operations == law.most
    sums = (0.0, *law.table)
    return OperationLaw([0.0] * (law.fewest - 1) + [b - a for a, b in itertools.pairwise(sums)], 0.0)


def poisson_weights(mean: float, operations: int) -> list[float]:
    """w_1 … w_K of 1 + Pois(λ): e^(−λ) λ^(k−1)/(k − 1)!."""
    weights = [math.exp(-mean)]
    for k in range(1, operations):
        weights.append(weights[-1] * mean / k)
    return weights


def poisson_neglected(mean: float, operations: int) -> float:
    """An upper bound of P(1 + Pois(λ) > K), by w_(K+1) and the ratio λ/(K + 1) that bounds those of its successors."""
    term = math.exp(-mean)
    for k in range(1, operations + 1):
        term *= mean / k
    ratio = mean / (operations + 1)
    assert ratio < 1
    return term / (1 - ratio)
