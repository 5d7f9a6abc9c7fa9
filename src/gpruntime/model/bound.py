"""Bounds of the theory on the expected time: what a problem brings along (`Problem.bounds`), and reports are held to.

    @problem(
        sees="counts",
        best=lambda n: n,
        bounds=[bound("O(n log n)", lambda n: n * math.log(n), source="a proof of mine", certainty="proved")],
    )

The function is given n, and the largest and the initial number of leaves, T_max and T_init, if it takes more. A bound
O(f) hides a constant, so f matters up to one. No run depends on a bound: to add one does not change an address.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.errors import BadPart

if TYPE_CHECKING:
    from gpruntime.model.spec import RunSpec

UPPER, LOWER, INFINITE = "upper", "lower", "infinite"
PROVED, REPORTED, CONJECTURED = "proved", "reported", "conjectured"
_KINDS, _CERTAINTIES = (UPPER, LOWER, INFINITE), (PROVED, REPORTED, CONJECTURED)

# log f(n, T_max, T_init)
LogBound: TypeAlias = "Callable[[float, float, float], float]"


@dataclass(frozen=True)
class Bound:
    """A bound on the expected time of a problem's runs.

    Attributes:
        id: a name for records.
        formula, tex: the bound.
        kind: "upper", "lower" or "infinite".
        source: where it stands.
        conditions: when it holds, in words.
        certainty: "proved"; "reported" by others, and not looked up in the proof; or "conjectured".
        algorithms, inits: what it is about; no inits means any.
        log: its logarithm; None for infinite.
        remark: what else has to be said.
    """

    id: str
    formula: str
    tex: str
    kind: str
    source: str
    conditions: str
    certainty: str
    algorithms: tuple[str, ...]
    inits: tuple[str, ...]
    log: LogBound | None
    remark: str = ""

    @property
    def status(self) -> str:
        """How certain it is, with the remark."""
        return f"{self.certainty}; {self.remark}" if self.remark else self.certainty

    def applies(self, spec: RunSpec) -> bool:
        """Whether a cell of its problem is what it is about: the paper's operator, no limit on leaves, the start."""
        as_in_the_paper = (
            spec.weights == (1.0, 1.0, 1.0)
            and spec.operator.id == "hvl-prime"
            and spec.max_leaves_allowed is None
            and (spec.poisson_mean == 1.0 or not spec.algorithm.multi)
        )
        start = not self.inits or str(spec.init) in self.inits
        return as_in_the_paper and start and spec.algorithm.variant in self.algorithms


def bound(
    formula: str,
    f: Callable[..., float] | None = None,
    *,
    source: str,
    certainty: str,
    kind: str = UPPER,
    algorithms: Sequence[str] = tuple(ALGORITHMS),
    inits: Sequence[str] = (),
    conditions: str = "",
    tex: str = "",
    remark: str = "",
) -> Bound:
    """A bound of one's own; raises `BadPart` if what it says cannot be."""
    for name, value, allowed in (("kind", kind, _KINDS), ("certainty", certainty, _CERTAINTIES)):
        if value not in allowed:
            raise BadPart("bounds", formula, f"says {name}={value!r}: must be one of {', '.join(allowed)}")
    if (f is None) != (kind == INFINITE):
        raise BadPart("bounds", formula, "needs a function of n, unless it is infinite")
    log = None if f is None else _log_of(formula, f)
    words = conditions or "as its source says"
    plain = tex or rf"\mathrm{{{formula}}}"
    return Bound(formula, formula, plain, kind, source, words, certainty, tuple(algorithms), tuple(inits), log, remark)


def checked_bounds(problem: str, said: Any) -> tuple[Bound, ...]:
    """What a problem says its bounds are."""
    if not isinstance(said, Sequence) or not all(isinstance(one, Bound) for one in said):
        raise BadPart("problem", problem, f"says bounds={said!r}: must be a list of what gpruntime.bound makes")
    return tuple(said)


def _log_of(formula: str, f: Callable[..., float]) -> LogBound:
    takes = len(inspect.signature(f).parameters)

    def log(n: float, t_max: float, t_init: float) -> float:
        try:
            return math.log(f(*(n, t_max, t_init)[:takes]))
        except Exception as error:
            words = f"raised {type(error).__name__}: {error}, given n = {n:g}; it must be a positive number there"
            raise BadPart("bounds", formula, words) from error

    return log
