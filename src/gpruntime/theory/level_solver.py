"""E[evaluations] of strategies that choose by fitness level, quickly: each level and option is factorised once.

Where the fitness never falls, V on a level follows from V on the levels above it. With B = diag(Σ P(s, ·)) − P on the
level,

    B V = 1 + Σ_{s′ above} P V(s′).

V is infinite where a state can be reached from which nothing leads to a better level, or from which V is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from gpruntime.exact.kernel import Mask, Matrix, Rows, Vector, reaching


class LevelSolver:
    """The means of a chain with options on each level."""

    def __init__(self, kernels: Sequence[Matrix], level: Rows, levels: int, start: Vector) -> None:
        self._start, self._further = start, np.zeros((levels + 1, len(start)))
        rows = [np.flatnonzero(level == place) for place in range(levels)]
        self._blocks = [[_Block(P, here) for P in kernels] for here in rows]
        self._picked: list[int] = [-1] * levels  # of which `_further` is known

    def mean(self, picked: Sequence[int]) -> float:
        """E[evaluations], where each level, from the worst on, has this option."""
        changed = max(
            (at for at, (one, other) in enumerate(zip(picked, self._picked, strict=True)) if one != other), default=-1
        )
        for place in reversed(range(changed + 1)):
            block = self._blocks[place][picked[place]]
            self._further[place] = self._further[place + 1]
            self._further[place, block.rows] = block.solve(self._further[place + 1])
        self._picked = list(picked)
        further, begun = self._further[0], self._start > 0
        return 1 + float(self._start[begun] @ further[begun]) if np.isfinite(further[begun]).all() else math.inf


class _Block:
    """A level under one option."""

    def __init__(self, kernel: Matrix, rows: NDArray[np.int64]) -> None:
        self.rows = rows
        self._inside = kernel[rows][:, rows].tocsr()
        outward = kernel[rows].tocoo()
        above = ~np.isin(outward.col, rows)
        parts = outward.data[above], (outward.row[above], outward.col[above])
        self._outward: Matrix = sparse.csr_array(parts, shape=outward.shape)
        leave: Vector = np.asarray(kernel[rows].sum(axis=1))
        self._matrix = sparse.csc_array(sparse.diags_array(leave) - self._inside)
        self._ends = reaching(self._inside, np.asarray(self._outward.sum(axis=1)) > 0)
        self._factors: dict[bytes, Any] = {}

    def solve(self, further: Vector) -> Vector:
        """V on the level, from V above it."""
        infinite = np.isinf(further)
        lost: Mask = ~self._ends | (self._outward @ infinite.astype(np.float64) > 0)
        good = np.flatnonzero(~reaching(self._inside, lost))
        solved = np.full(len(self.rows), np.inf)
        if len(good):
            right = 1 + self._outward[good] @ np.where(infinite, 0.0, further)
            solved[good] = self._factor(good).solve(right)
        return solved

    def _factor(self, good: Rows) -> Any:
        key = good.tobytes()
        if key not in self._factors:
            self._factors[key] = linalg.splu(self._matrix[good][:, good].tocsc())
        return self._factors[key]
