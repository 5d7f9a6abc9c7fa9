"""A fitness as the whole number that kernels compare, larger for better, and back.

A whole fitness is itself, times −1 where smaller is better. A float is its place among all floats of 52 significant
bits, to which the model rounds it (`gpruntime.model.problem.rounded`): so differences fit 64 bits, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec


def score(fitness: Fitness, spec: RunSpec) -> int:
    """The number for a fitness."""
    direction = spec.problem_.direction
    if isinstance(fitness, int):
        return fitness * direction
    bits = int(np.float64(fitness).view(np.int64))
    return direction * (bits >> 1 if bits >= 0 else -((bits & (2**63 - 1)) >> 1))


def fitness_of(scores: NDArray[np.int64], spec: RunSpec) -> NDArray[Any]:
    """The other way round."""
    directed = scores * spec.problem_.direction
    if not spec.problem_.is_real(spec.n):
        return directed
    magnitudes = (np.abs(directed) << 1).view(np.float64)
    found: NDArray[np.float64] = np.where(directed < 0, -magnitudes, magnitudes)
    return found
