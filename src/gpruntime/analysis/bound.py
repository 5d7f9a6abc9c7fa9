"""A bound of the theory: its formula, where it stands, and what it is about."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gpruntime.model.spec import RunSpec

UPPER, LOWER, INFINITE = "upper", "lower", "infinite"

# log f(n, T_max, T_init)
LogBound: TypeAlias = "Callable[[float, float, float], float]"


@dataclass(frozen=True)
class Bound:
    """A bound on the expected time.

    Attributes:
        id: a name for records.
        formula, tex: the bound.
        kind: "upper", "lower" or "infinite".
        source: where it stands.
        conditions: when it holds.
        status: "proved", "conjectured", or what else has to be said.
        problem, algorithms, inits: what it is about; no inits means any, and a problem without parameters any of them.
        log: its logarithm; None for infinite.
        accept: the acceptance rule, where it is not the algorithm's own.
    """

    id: str
    formula: str
    tex: str
    kind: str
    source: str
    conditions: str
    status: str
    problem: str
    algorithms: tuple[str, ...]
    inits: tuple[str, ...]
    log: LogBound | None
    accept: str = ""

    def applies(self, spec: RunSpec) -> bool:
        """Whether a cell is what the bound is about: the paper's operator, no limit on leaves, the right start."""
        as_in_the_paper = (
            spec.weights == (1.0, 1.0, 1.0)
            and (spec.accept, spec.operations, spec.search) == (self.accept, "", "")
            and spec.operator == "hvl-prime"
            and spec.max_leaves_allowed is None
            and (spec.poisson_mean == 1.0 or not spec.algorithm_.multi)
        )
        start = not self.inits or spec.init in self.inits
        named = self.problem in (spec.problem, spec.problem.partition(":")[0])
        return as_in_the_paper and start and named and spec.algorithm in self.algorithms


def log_n(n: float) -> float:
    """ln n, never 0."""
    return math.log(max(n, 2.0))


def log_log_n(n: float) -> float:
    """ln ln n, positive."""
    return math.log(log_n(max(n, 3.0)))
