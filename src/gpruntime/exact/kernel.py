"""From proposals to accepted steps: the kernel P of the run, applied to functions and to measures.

**Single.** P(s, s′) = A(s, s′), the accepted results of one operation (`chain.explore_accepted`).

**Multi.** With A the matrix of one proposed operation and w_k = P(1 + Pois(λ) = k) = e^(−λ) λ^(k−1)/(k − 1)!, an
offspring of s is s′ with probability W(s, s′) = Σ_k w_k A^k(s, s′); P(s, s′) is W(s, s′) if s accepts s′ and 0
otherwise. A function u is taken through W by Horner's rule, K products with the sparse matrix A for K numbers of
operations, and no power of A is ever stored. Which s′ are accepted depends on s by its fitness alone (and on the size
limit), so a function is taken through P one fitness level at a time.

**What is cut off.** Sums stop at K operations, and matrices at L leaves. A run whose offspring has more operations,
or passes through a larger tree, is *lost*: with probability r(s) = P(k > K) + Σ_k w_k A^k(s, lost). Runs that are not
lost follow the true law step by step. So if δ is the probability that a run is ever lost, every probability P
computed here satisfies P ≤ true probability ≤ P + δ, also P(time ≤ t) for each t; and E[evaluations; optimum, not
lost] is a lower bound of E[evaluations; optimum]. δ is computed together with the rest (`levels`).
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpruntime.exact.chain import OPTIMUM, Chain, States
from gpruntime.model.spec import RunSpec
from gpruntime.model.stuck import stuck

Vector = NDArray[np.float64]


class Kernel(Protocol):
    """P, by its action.

    Attributes:
        n: the optimal fitness.
        fitness: f of each state.
        start: the initial law.
        allowed: which states a run can be in: all but intermediate trees above the size limit.
        optimal: which states are optimal.
        stuck: which states can never accept anything again.
        accepted: Σ P(s, ·).
        loss: r(s), zero for single.
        work: how many products of probabilities one `push` takes.
    """

    n: int
    fitness: NDArray[np.int64]
    start: Vector
    allowed: NDArray[np.bool_]
    optimal: NDArray[np.bool_]
    stuck: NDArray[np.bool_]
    accepted: Vector
    loss: Vector
    work: int

    def through(self, functions: Vector, rows: NDArray[np.int64]) -> Vector:
        """P u for each column u of `functions`, on rows of one fitness level."""

    def push(self, measure: Vector) -> Vector:
        """v P, with what is rejected or lost left out."""

    def block(self, rows: NDArray[np.int64]) -> sparse.csr_array[np.float64]:
        """P between the states of one fitness level."""


class SingleKernel:
    """P for one operation per offspring."""

    def __init__(self, spec: RunSpec, chain: Chain) -> None:
        self.n = spec.n
        self._matrix = chain.matrix()
        self._transposed = self._matrix.T.tocsr()
        self.fitness = np.array(chain.fitness)
        self.start = chain.start_vector()
        self.allowed = np.ones(len(chain), np.bool_)
        self.optimal = np.arange(len(chain)) == OPTIMUM
        self.accepted: Vector = np.asarray(self._matrix.sum(axis=1))
        self.stuck = (self.accepted == 0) & ~self.optimal
        self.loss = np.zeros(len(chain))
        self.work = self._matrix.nnz + len(chain)

    def through(self, functions: Vector, rows: NDArray[np.int64]) -> Vector:
        """See `Kernel`."""
        return np.asarray(self._matrix[rows] @ functions)

    def push(self, measure: Vector) -> Vector:
        """See `Kernel`."""
        return np.asarray(self._transposed @ measure)

    def block(self, rows: NDArray[np.int64]) -> sparse.csr_array[np.float64]:
        """See `Kernel`."""
        return self._matrix[rows][:, rows].tocsr()


class MultiKernel:
    """P for 1 + Pois(λ) operations per offspring, at most K of them."""

    def __init__(self, spec: RunSpec, chain: Chain, problem: States, operations: int) -> None:
        self.n = spec.n
        self._matrix = chain.matrix()
        self._transposed = self._matrix.T.tocsr()
        self._weights = operation_weights(spec.poisson_mean, operations)
        self.work = self._matrix.nnz * operations * spec.n + len(chain)
        self._strict = spec.algorithm_.strict
        self.fitness = np.array(chain.fitness)
        leaves = np.array(chain.leaves)
        limit = spec.max_leaves_allowed
        self.allowed = np.ones(len(chain), np.bool_) if limit is None else leaves <= limit
        self.start = chain.start_vector()
        self.optimal = self.fitness == spec.n
        lost = np.zeros(len(chain))
        lost[-1] = 1.0
        self.loss = self._mixed(self._matrix, lost) + neglected(spec.poisson_mean, operations)
        self.accepted = np.zeros(len(chain))
        for level in range(spec.n):
            rows = np.flatnonzero(self.fitness == level)
            self.accepted[rows] = self.through(np.ones(len(chain)), rows)
        self.stuck = np.zeros(len(chain), np.bool_)
        for number in np.flatnonzero((self.accepted == 0) & ~self.optimal & self.allowed)[:-1]:
            self.stuck[number] = stuck(problem.tree(chain.states[number]), spec)

    def _mixed(self, matrix: sparse.csr_array[np.float64], vector: Vector) -> Vector:
        """Σ w_k A^k u, by Horner's rule."""
        result = self._weights[-1] * vector
        for weight in reversed(self._weights[:-1]):
            result = matrix @ result + weight * vector
        return np.asarray(matrix @ result)

    def _accepts(self, level: int) -> NDArray[np.bool_]:
        better: NDArray[np.bool_] = self.fitness > level if self._strict else self.fitness >= level
        return better & self.allowed

    def through(self, functions: Vector, rows: NDArray[np.int64]) -> Vector:
        """See `Kernel`."""
        if not len(rows):
            return functions[rows]
        accepted = self._accepts(int(self.fitness[rows[0]]))
        seen = functions * (accepted if functions.ndim == 1 else accepted[:, None])
        return self._mixed(self._matrix, seen)[rows]

    def push(self, measure: Vector) -> Vector:
        """See `Kernel`."""
        total = np.zeros_like(measure)
        for level in range(self.n):
            part = np.where(self.fitness == level, measure, 0.0)
            if part.any():
                total += self._mixed(self._transposed, part) * self._accepts(level)
        return total

    def block(self, rows: NDArray[np.int64]) -> sparse.csr_array[np.float64]:
        """See `Kernel`. One column at a time would be slow: the level's unit functions go through together."""
        units = np.zeros((len(self.fitness), len(rows)))
        units[rows, np.arange(len(rows))] = 1.0
        return sparse.csr_array(self.through(units, rows))


def operation_weights(mean: float, operations: int) -> list[float]:
    """w_1 … w_K."""
    weights = [math.exp(-mean)]
    for k in range(1, operations):
        weights.append(weights[-1] * mean / k)
    return weights


def neglected(mean: float, operations: int) -> float:
    """An upper bound of P(1 + Pois(λ) > K), by w_(K+1) and the ratio λ/(K + 1) that bounds those of its successors."""
    term = math.exp(-mean)
    for k in range(1, operations + 1):
        term *= mean / k
    ratio = mean / (operations + 1)
    assert ratio < 1
    return term / (1 - ratio)
