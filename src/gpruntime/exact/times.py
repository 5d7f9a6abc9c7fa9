"""The distribution of the evaluations until the optimum, by following the chain.

Let μ_t be the law of the state after t evaluations (the initial tree's is the first) on the states that are not
optimal. Then μ_{t+1} = μ_t P + μ_t (1 − q − r), the accepted part and the part that stays, and

    P(time ≤ t) = Σ_{u ≤ t} (mass that entered the optimum with evaluation u).

What has been computed is kept, so asking for a later t goes on from there.
"""

from __future__ import annotations

import numpy as np

from gpruntime.exact.kernel import Kernel
from gpruntime.model.errors import BadInput

_OVERHEAD = 20_000  # what a step costs however small the chain is, as products of probabilities
_LARGEST_LEVEL = 1 - 1e-9  # above, sums of rounded numbers may never come up to it


class EvaluationTimes:
    """P(time ≤ t) for any t, and quantiles."""

    def __init__(self, kernel: Kernel, optimum: float) -> None:
        self._kernel, self._optimum = kernel, optimum
        self.work_per_evaluation = kernel.work + _OVERHEAD  # products of probabilities for one more t
        self._stay = np.where(kernel.optimal, 0.0, 1.0 - kernel.accepted - kernel.loss)
        self._law = np.where(kernel.optimal, 0.0, kernel.start)
        self._arrived = [0.0, float(kernel.start[kernel.optimal].sum())]

    def at_most(self, evaluations: int) -> float:
        """P(the optimum is reached within this number of evaluations)."""
        while len(self._arrived) <= evaluations:
            self._advance()
        return self._arrived[max(evaluations, 0)]

    def quantile(self, level: float, most: int | None = None) -> int | None:
        """The smallest t with P(time ≤ t | optimum) ≥ level, or None if it is above `most` or never reached."""
        if not 0 <= level <= _LARGEST_LEVEL:
            raise BadInput("quantile", level, f"must be at least 0 and at most {_LARGEST_LEVEL}")
        if self._optimum <= 0:
            return None
        evaluations = 1
        while self.at_most(evaluations) < level * self._optimum:
            evaluations += 1
            if most is not None and evaluations > most:
                return None
        return evaluations

    def _advance(self) -> None:
        accepted = self._kernel.push(self._law)
        arrived = float(accepted[self._kernel.optimal].sum())
        accepted[self._kernel.optimal] = 0.0
        self._law = accepted + self._law * self._stay
        self._arrived.append(self._arrived[-1] + arrived)
