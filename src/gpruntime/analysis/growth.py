"""The growth laws g(n) that a time may follow.

A law is fitted as c·g(n) and, because real times have lower-order terms, as c·g(n) + d·h(n), with h the next lower
order and with h a much lower one. All are computed as logarithms: 2ⁿ overflows early.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gpruntime.analysis.estimates import Values

MIN_SIZE = 3  # log log n is negative below

LogGrowth: TypeAlias = "Callable[[Values], Values]"


@dataclass(frozen=True)
class Term:
    """A function of n.

    Attributes:
        formula: with the natural logarithm that its constant belongs to.
        tex: the same for figures.
        log: its logarithm.
    """

    formula: str
    tex: str
    log: LogGrowth


@dataclass(frozen=True)
class Law:
    """A growth law.

    Attributes:
        id: plain text, for records.
        name: as it is printed; logarithms of any base.
        term: g(n); None for the exponential law, whose base is fitted.
        lower: what h(n) may be.
    """

    id: str
    name: str
    term: Term | None
    lower: tuple[Term, ...] = ()


def _power(exponent: float, logs: int = 0) -> LogGrowth:
    return lambda n: exponent * np.log(n) + logs * np.log(np.log(n))


def _log_log(n: Values) -> Values:
    return np.asarray(np.log(n) + np.log(np.log(np.log(n))))


_ONE = Term("1", "1", _power(0))
_ROOT = Term("√n", r"\sqrt{n}", _power(0.5))
_N = Term("n", "n", _power(1))
_LOG_LOG = Term("n·ln ln n", r"n\,\ln\ln n", _log_log)
_LOG = Term("n·ln n", r"n\,\ln n", _power(1, 1))
_LOG_2 = Term("n·ln² n", r"n\,\ln^2 n", _power(1, 2))
_LOG_3 = Term("n·ln³ n", r"n\,\ln^3 n", _power(1, 3))
_POWER_15 = Term("n^1.5", "n^{1.5}", _power(1.5))
_SQUARE = Term("n²", "n^2", _power(2))
_SQUARE_LOG = Term("n²·ln n", r"n^2\,\ln n", _power(2, 1))
_CUBE = Term("n³", "n^3", _power(3))

LAWS: dict[str, Law] = {
    law.id: law
    for law in (
        Law("n", "n", _N, (_ROOT, _ONE)),
        Law("n loglog n", "n log log n", _LOG_LOG, (_N, _ROOT)),
        Law("n log n", "n log n", _LOG, (_N, _ROOT)),
        Law("n log^2 n", "n log² n", _LOG_2, (_LOG, _ROOT)),
        Law("n log^3 n", "n log³ n", _LOG_3, (_LOG_2, _ROOT)),
        Law("n^1.5", "n^1.5", _POWER_15, (_LOG, _ROOT)),
        Law("n^2", "n²", _SQUARE, (_POWER_15, _N)),
        Law("n^2 log n", "n² log n", _SQUARE_LOG, (_SQUARE, _N)),
        Law("n^3", "n³", _CUBE, (_SQUARE, _N)),
        Law("2^n", "2^(βn)", None),
    )
}

_SQUARE_BY_LOG = Term("n²/ln n", r"n^2/\ln n", _power(2, -1))

# For those who suspect them: a longer list makes neighbours harder to tell apart.
MORE_LAWS: dict[str, Law] = LAWS | {"n^2/log n": Law("n^2/log n", "n²/log n", _SQUARE_BY_LOG, (_POWER_15, _N))}
