"""The distribution of the evaluations until the optimum, by following the chain.

Let μ_t be the law of the state after t evaluations (the initial tree's is the first) on the states that are not
optimal. Then μ_{t+1} = μ_t P + μ_t (1 − q − r), the accepted part and the part that stays, and

    P(time ≤ t) = Σ_{u ≤ t} (mass that entered the optimum with evaluation u).

What has been computed is kept, so asking for a later t goes on from there.

**Of a truncated answer** (`kernel`) two sums are known: a_t, the runs that have reached the optimum within t
evaluations, and l_t, those that were lost by then, of which nothing is known but that they were still on their way. So
a_t ≤ P(time ≤ t) ≤ a_t + l_t. Let p and δ be the limits of a_t and l_t. Of the lost runs some share x ≤ δ reaches the
optimum, and of these y ≤ min(l_t, x) within t evaluations. So P(time ≤ t | optimum) = (a_t + y)/(p + x), which is least
for y = 0, x = δ and, since a_t ≤ p, largest for y = x = l_t.
"""

from __future__ import annotations

import numpy as np

from gpruntime.exact.kernel import Kernel
from gpruntime.model.errors import BadInput

_OVERHEAD = 20_000  # what a step costs however small the chain is, as products of probabilities
_MAX_LEVEL = 1 - 1e-9  # above, sums of rounded numbers may never come up to it


class EvaluationTimes:
    """P(time ≤ t) for any t, and quantiles: exactly or, where the answer is truncated, between bounds."""

    def __init__(self, kernel: Kernel, optimum: float, lost: float) -> None:
        self._kernel, self._optimum, self._lost = kernel, optimum, lost
        self.work_per_evaluation = kernel.work + _OVERHEAD  # products of probabilities for one more t
        self._loss = np.where(kernel.optimal | kernel.stuck, 0.0, kernel.loss)
        self._stay = np.where(kernel.optimal, 0.0, 1.0 - kernel.accepted - self._loss)
        self._law = np.where(kernel.optimal, 0.0, kernel.start)
        self._arrived = [0.0, float(kernel.start[kernel.optimal].sum())]
        self._lost_by = [0.0, 0.0]

    def at_most(self, evaluations: int) -> float | None:
        """P(the optimum is reached within this number of evaluations); None where a truncated answer cannot tell."""
        low, high = self.at_most_bounds(evaluations)
        return low if low == high else None

    def at_most_bounds(self, evaluations: int) -> tuple[float, float]:
        """Between which numbers that probability is; both are the same unless the answer is truncated."""
        while len(self._arrived) <= evaluations:
            self._advance()
        arrived, lost = self._arrived[max(evaluations, 0)], self._lost_by[max(evaluations, 0)]
        return arrived, min(1.0, arrived + lost) if lost else arrived

    def quantile(self, level: float, most: int | None = None) -> int | None:
        """The smallest t with P(time ≤ t | optimum) ≥ level.

        None if it is above `most` or never reached, and where a truncated answer cannot tell.
        """
        low, high = self.quantile_bounds(level, most)
        return low if low == high else None

    def quantile_bounds(self, level: float, most: int | None = None) -> tuple[int | None, int | None]:
        """Between which numbers that t is; None for one that is above `most`, never reached, or not known."""
        if not 0 <= level <= _MAX_LEVEL:
            raise BadInput("quantile", level, f"must be at least 0 and at most {_MAX_LEVEL}")
        if self._optimum + self._lost <= 0:
            return None, None
        low, evaluations = None, 1
        while most is None or evaluations <= most:
            arrived, _ = self.at_most_bounds(evaluations)
            lost = self._lost_by[evaluations]
            if low is None and arrived + lost >= level * (self._optimum + lost):
                low = evaluations
            if arrived >= level * (self._optimum + self._lost):
                return low, evaluations
            if low is not None and level * (self._optimum + self._lost) > _MAX_LEVEL * self._optimum:
                break  # too many runs are lost
            evaluations += 1
        return low, None

    def _advance(self) -> None:
        accepted = self._kernel.push(self._law)
        arrived = float(accepted[self._kernel.optimal].sum())
        accepted[self._kernel.optimal] = 0.0
        self._lost_by.append(self._lost_by[-1] + float(self._law @ self._loss))
        self._law = accepted + self._law * self._stay
        self._arrived.append(self._arrived[-1] + arrived)
