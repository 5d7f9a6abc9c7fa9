"""From proposals to accepted steps: the kernel P of the run, applied to functions and to measures.

**Single.** P(s, s′) = A(s, s′), the accepted results of one operation (`chain.SingleOperation`).

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

from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpruntime.exact.chain import OPTIMUM, Chain
from gpruntime.exact.law import number_law
from gpruntime.exact.states import States
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.stuck import stuck

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]
Matrix: TypeAlias = "sparse.csr_array[np.float64]"  # as text: before SciPy 1.16 it takes no brackets


class Kernel:
    """P, by its action.

    Attributes:
        matrix: the chain's; `transposed` is its transpose.
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

    allowed: Mask
    optimal: Mask
    stuck: Mask
    accepted: Vector
    loss: Vector
    falls: bool
    work: int

    def __init__(self, chain: Chain) -> None:
        self.values, self.level = chain.levels()
        self.matrix, self.start = chain.matrix(), chain.start_vector()
        self.transposed = self.matrix.T.tocsr()

    def through(self, functions: Vector, rows: Rows) -> Vector:
        """P u for each column u of `functions`, on these rows."""
        raise NotImplementedError

    def push(self, measure: Vector) -> Vector:
        """v P, with what is rejected or lost left out."""
        raise NotImplementedError

    def block(self, rows: Rows) -> Matrix:
        """P between these states."""
        raise NotImplementedError

    def reaches(self, target: Mask, rows: Rows) -> Mask:
        """From which rows one step can lead to the target, or be lost: whatever was cut off, if the answer is no."""
        return np.asarray((self.through(target.astype(np.float64), rows) > 0) | (self.loss[rows] > 0))


class SingleKernel(Kernel):
    """P is the chain's matrix itself."""

    def __init__(self, chain: Chain) -> None:
        super().__init__(chain)
        self.allowed = np.ones(len(chain), np.bool_)
        self.optimal = np.arange(len(chain)) == OPTIMUM
        self.accepted = np.asarray(self.matrix.sum(axis=1))
        self.loss = np.array(chain.loss) if chain.loss else np.zeros(len(chain))
        self.stuck = (self.accepted == 0) & (self.loss == 0) & ~self.optimal
        entries = self.matrix.tocoo()
        self.falls = bool((self.level[entries.col] < self.level[entries.row]).any())
        self.work = self.matrix.nnz + len(chain)

    def through(self, functions: Vector, rows: Rows) -> Vector:
        return np.asarray(self.matrix[rows] @ functions)

    def push(self, measure: Vector) -> Vector:
        return np.asarray(self.transposed @ measure)

    def block(self, rows: Rows) -> Matrix:
        return self.matrix[rows][:, rows].tocsr()


class MultiKernel(Kernel):
    """P for many operations per offspring, at most K of them, from the matrix of one proposed operation.

    Attributes:
        operations: K.
    """

    def __init__(self, spec: RunSpec, chain: Chain, states: States, operations: int) -> None:
        super().__init__(chain)
        self.operations = operations
        self._weights, self._neglected = number_law(spec, operations)
        lost = np.zeros(len(chain))
        lost[-1] = 1.0
        limit = spec.max_leaves_allowed
        fits = np.ones(len(chain), np.bool_) if limit is None else np.array(chain.leaves) <= limit
        self.allowed: Mask = fits & (lost == 0)
        self.optimal = np.array([fitness == spec.best for fitness in chain.fitness], np.bool_)
        self.loss = self._mixed(self.matrix, lost) + self._neglected
        self._groups = _Groups(spec, chain, self.level)
        self.falls = self._groups.falls
        going = ~self.optimal & (lost == 0)
        self.work = self.matrix.nnz * operations * len(set(self._groups.of[going])) + len(chain)
        self.accepted = np.zeros(len(chain))
        self.accepted[going] = self.through(np.ones(len(chain)), np.flatnonzero(going))
        self.stuck = np.zeros(len(chain), np.bool_)
        nothing = np.flatnonzero((self.accepted == 0) & going & self.allowed)
        for number, goes_on in zip(nothing, self.reaches(self.allowed, nothing), strict=True):
            self.stuck[number] = not goes_on or stuck(states.tree(chain.states[number]), spec)

    def _mixed(self, matrix: Matrix, vector: Vector) -> Vector:
        """Σ w_k A^k u, by Horner's rule."""
        result = self._weights[-1] * vector
        for weight in reversed(self._weights[:-1]):
            result = matrix @ result + weight * vector
        return np.asarray(matrix @ result)

    def _accepts(self, group: int) -> Mask:
        return np.asarray(np.logical_and(self._groups.accepted(group), self.allowed))

    def through(self, functions: Vector, rows: Rows) -> Vector:
        result = functions[rows]
        groups = self._groups.of[rows]
        for group in np.unique(groups):
            accepted = self._accepts(group)
            seen = functions * (accepted if functions.ndim == 1 else accepted[:, None])
            result[groups == group] = self._mixed(self.matrix, seen)[rows[groups == group]]
        return result

    def reaches(self, target: Mask, rows: Rows) -> Mask:
        """Where numbers of operations are cut off, any number of them is asked for."""
        if not self._neglected:
            return super().reaches(target, rows)
        result: Mask = np.zeros(len(rows), np.bool_)
        groups = self._groups.of[rows]
        for group in np.unique(groups):
            wanted = target & self._accepts(group)
            wanted[-1] = True  # lost
            wanted = reaching(self.matrix, wanted)
            result[groups == group] = (self.matrix @ wanted.astype(np.float64) > 0)[rows[groups == group]]
        return result

    def push(self, measure: Vector) -> Vector:
        total = np.zeros_like(measure)
        going = ~self.optimal & self.allowed
        for group in np.unique(self._groups.of[going]):
            part = np.where(going & (self._groups.of == group), measure, 0.0)
            if part.any():
                total += self._mixed(self.transposed, part) * self._accepts(group)
        return total

    def block(self, rows: Rows) -> Matrix:
        """One column at a time would be slow: the unit functions go through together."""
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

    def __init__(self, spec: RunSpec, chain: Chain, level: Rows) -> None:
        leaves = np.array(chain.leaves)
        pairs, first, self._pair = np.unique(
            np.stack([level, leaves], axis=1), axis=0, return_index=True, return_inverse=True
        )
        self._pair = self._pair.reshape(-1)
        known = [(chain.fitness[number], int(leaves[number])) for number in first.tolist()]
        rule = cache(spec.accept.accepts)

        def accepts(before: tuple[Fitness | None, int], after: tuple[Fitness | None, int]) -> bool:
            if before[0] is None or after[0] is None:
                return False
            return rule((after[0] - before[0]) * spec.problem.direction, after[1] - before[1])

        table = np.array([[accepts(before, after) for after in known] for before in known], np.bool_)
        self._table, inverse = np.unique(table, axis=0, return_inverse=True)
        self.of = inverse.reshape(-1)[self._pair]
        going = np.array([fitness is not None and fitness != spec.best for fitness, _ in known])
        worse = pairs[:, 0][None, :] < pairs[:, 0][:, None]
        self.falls = bool((table & worse)[going].any())

    def accepted(self, group: int) -> Mask:
        """Which states are accepted by those of a group."""
        accepted: Mask = self._table[group][self._pair]
        return accepted


def reaching(matrix: Matrix, target: Mask) -> Mask:
    """The states from which a target can be reached: grown backwards until nothing is added."""
    reached = target
    while True:
        more = reached | (matrix @ reached.astype(np.float64) > 0)
        if (more == reached).all():
            return reached
        reached = more
