"""Success probabilities and moments of the time, one fitness level after the other, from the top down.

Where the fitness never gets worse, the kernel P is block triangular and the levels can be solved one by one. Under a
rule that accepts worse offspring, all states that are not optimal are one level. For a state s let q = Σ P(s, ·), r the
probability of being lost (`kernel`), and T the number of further evaluations until the optimum.

    h(s)  = P(optimum from s)             (q + r) h  − P_ff h  = Σ_{s′ higher} P h(s′)
    m(s)  = E[T; optimum]                 (q + r) m  − P_ff m  = h + Σ_{s′ higher} P m(s′)
    v(s)  = E[T²; optimum]                (q + r) v  − P_ff v  = 2m − h + Σ_{s′ higher} P v(s′)
    δ(s)  = P(lost)                       (q + r) δ  − P_ff δ  = r + Σ_{s′ higher} P δ(s′)
    σ(s)  = P(stuck)                      (q + r) σ  − P_ff σ  = Σ_{s′ higher or stuck} P σ(s′)
    ε(s)  = P(endless)                    (q + r) ε  − P_ff ε  = Σ_{s′ higher or endless} P ε(s′)

(With K the kernel of all steps, K h = h, so m = K(m + h) = K m + h and v = K(v + 2m + h) = K v + 2m − h.)

**Strict acceptance**: P_ff = 0, each state is left for ever after a geometric time, and the equations are divisions.

**Weak acceptance**: B = diag(q + r) − P_ff is an M-matrix, solved sparsely: by LU where the level is small, by
BiCGSTAB where the LU factors would fill the memory. If B x = b is solved up to the residual ρ, then |x − x*| ≤ B⁻¹|ρ|
≤ ‖ρ‖ B⁻¹ 1, and B⁻¹ 1 is the expected time on the level. Errors of higher levels come down with a factor of at most 1,
and those of h enter m like a residual; the sum is the error bound that is reported.

**Endless.** States of a level from which nothing but the level itself can be reached never end: they have h = σ = 0 and
ε = 1 and are left out of B, which would be singular. What can be reached is a question of which probabilities are
positive, not of how large they are. If a run can be endless or stuck, its expected time is infinite.

**Entries.** The state e(s) in which a level is entered has the law of the initial state plus Σ_{lower levels} N(s)
P(s, ·), where N, the expected number of offspring made from s, solves N B = e on its level, from the bottom up. Where
fitness can get worse, a level is entered more than once, and e is not computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from gpruntime.exact.kernel import Kernel, Vector, reaching

OPTIMUM_, TIME, SQUARE, LOST, STUCK, ENDLESS = range(6)  # columns of `Solution.values`
_MAX_BY_LU = 3000
_TOLERANCE = 1e-14


@dataclass
class Solution:
    """h, m, v, δ, σ, ε for each state, as columns; e; N; the largest residual and error bound of the sparse solves."""

    values: Vector
    entries: Vector | None
    offspring: Vector
    residual: float
    error: float  # of m, from the residuals


def solve_levels(kernel: Kernel, strict: bool) -> Solution:
    """Solves the equations above."""
    values = np.zeros((len(kernel.level), 6))
    values[kernel.optimal, OPTIMUM_] = 1.0
    values[kernel.stuck, STUCK] = 1.0
    leave = kernel.accepted + kernel.loss
    going = kernel.allowed & ~kernel.optimal & ~kernel.stuck
    blocks = [going] if kernel.falls else [going & (kernel.level == level) for level in range(len(kernel.values))]
    solved_levels: list[tuple[NDArray[np.int64], _Division | SparseSolve]] = []
    error_h = error_m = 0.0
    for block in reversed(blocks):
        rows = np.flatnonzero(block & (leave > 0))
        solve: _Division | SparseSolve
        if strict or not len(rows):
            solve = _Division(leave[rows])
        else:
            rows, endless, solve = _sparse_level(kernel, rows, leave)
            values[endless, ENDLESS] = 1.0
        right = kernel.through(
            values, rows
        )  # the level's own values are still 0, but for those of stuck or endless ones
        right[:, LOST] += kernel.loss[rows]
        solved = np.zeros((len(rows), 6))
        for column in (LOST, STUCK, ENDLESS, OPTIMUM_):
            solved[:, column] = solve(right[:, column])
        error_h += solve.last_residual * solve.time
        solved[:, TIME] = solve(right[:, TIME] + solved[:, OPTIMUM_])
        error_m += (solve.last_residual + error_h) * solve.time
        solved[:, SQUARE] = solve(right[:, SQUARE] + 2 * solved[:, TIME] - solved[:, OPTIMUM_])
        values[rows] = solved
        solved_levels.append((rows, solve))
    residual = max(solve.residual for _, solve in solved_levels)
    entries, offspring = _entries(kernel, solved_levels[::-1])
    return Solution(values, None if kernel.falls else entries, offspring, residual, error_m)


def _entries(kernel: Kernel, levels: list[tuple[NDArray[np.int64], _Division | SparseSolve]]) -> tuple[Vector, Vector]:
    """The vectors e and N."""
    entries, total = kernel.start.copy(), np.zeros_like(kernel.start)
    for level, (rows, solve) in enumerate(levels):
        offspring = np.zeros_like(entries)
        offspring[rows] = solve.transposed(entries[rows])
        entries += np.where(kernel.level > level, kernel.push(offspring), 0.0)
        total += offspring
    return entries, total


class _Division:
    """Solves a level of strict acceptance."""

    residual = last_residual = time = 0.0

    def __init__(self, leave: Vector) -> None:
        self._leave = leave

    def __call__(self, right: Vector) -> Vector:
        return right / self._leave

    def transposed(self, left: Vector) -> Vector:
        """Solves N B = e."""
        return left / self._leave


def _sparse_level(
    kernel: Kernel, rows: NDArray[np.int64], leave: Vector
) -> tuple[NDArray[np.int64], NDArray[np.int64], SparseSolve]:
    """The states of a level that can leave it, those that never do, and B of the first."""
    block = kernel.block(rows)
    elsewhere = np.ones(len(leave), np.bool_)
    elsewhere[rows] = False
    ends = np.flatnonzero(reaching(block, kernel.reaches(elsewhere, rows)))
    endless = np.delete(rows, ends)
    matrix = sparse.diags_array(leave[rows[ends]]) - block[ends][:, ends]
    return rows[ends], endless, SparseSolve(sparse.csc_array(matrix))


class SparseSolve:
    """Solves B x = b for one B; keeps the last and the largest residual, and a bound of ‖B⁻¹ 1‖ as `time`."""

    def __init__(self, matrix: sparse.csc_array[np.float64]) -> None:
        self._matrix = matrix
        self._rows = matrix.tocsr()
        self.residual = self.last_residual = 0.0
        size = matrix.shape[0]
        self._lu = linalg.splu(matrix) if 0 < size <= _MAX_BY_LU else None
        self._scale = 1.0 / matrix.diagonal()
        time = self(np.ones(size))
        unsolved = self.last_residual >= 1  # no bound follows then
        self.time = np.inf if unsolved else float(time.max(initial=0.0)) / (1 - self.last_residual)

    def __call__(self, right: Vector) -> Vector:
        solved = self._raw(right)
        solved += self._raw(right - self._rows @ solved)  # one step of refinement
        self.last_residual = float(np.abs(right - self._rows @ solved).max(initial=0.0))
        self.residual = max(self.residual, self.last_residual)
        return solved

    def transposed(self, left: Vector) -> Vector:
        """Solves N B = e."""
        return self._raw(left, transposed=True)

    def _raw(self, right: Vector, transposed: bool = False) -> Vector:
        if not right.any():
            return np.zeros_like(right)
        if self._lu is not None:
            solve: Any = self._lu.solve  # the stubs do not know its second argument
            return np.asarray(solve(right, "T" if transposed else "N"))
        matrix = self._matrix.T if transposed else self._rows  # the transpose of a csc is a csr
        jacobi = sparse.diags_array(self._scale)
        solved, _ = linalg.bicgstab(matrix, right, rtol=_TOLERANCE, atol=0.0, maxiter=2000, M=jacobi)
        return np.asarray(solved)
