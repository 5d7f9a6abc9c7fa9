"""The growth laws g(n) that a time may follow.

A law is fitted as c·g(n) and, because real times have lower-order terms, as c·g(n) + d·h(n), with one h after the
other: g times 1/ln n, ln ln n/ln n, n^−¼, n^−½ and 1/n. All are computed as logarithms: 2ⁿ overflows early.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from gpruntime.analysis.estimates import Values

MIN_SIZE = 3  # log log n is negative below

_POWERS = {0: "", 0.5: "√n", 1: "n", 2: "n²", 3: "n³"}
_LOGS = {1: "ln n", 2: "ln² n", 3: "ln³ n"}
_LOG_LOGS = {1: "ln ln n", 2: "(ln ln n)²"}


@dataclass(frozen=True)
class Term:
    """n^power·(ln n)^logs·(ln ln n)^loglogs."""

    power: float
    logs: int = 0
    loglogs: int = 0

    def log(self, n: Values) -> Values:
        """Its logarithm."""
        logarithm = np.log(n)
        logs = np.log(logarithm)
        return np.asarray(self.power * logarithm + self.logs * logs + (self.loglogs and self.loglogs * np.log(logs)))

    def times(self, other: Term) -> Term:
        """The product of two."""
        return Term(self.power + other.power, self.logs + other.logs, self.loglogs + other.loglogs)

    @property
    def formula(self) -> str:
        """With the natural logarithm that its constant belongs to."""
        power = _POWERS.get(self.power, f"n^{self.power:g}".replace("-", "−"))
        above = "·".join(filter(None, [power, _LOGS.get(self.logs), _LOG_LOGS.get(self.loglogs)])) or "1"
        return f"{above}/{_LOGS[-self.logs]}" if self.logs < 0 else above

    @property
    def tex(self) -> str:
        """The same for figures."""
        text = self.formula.replace("√n", r"\sqrt{n}").replace("²", "^2").replace("³", "^3").replace("−", "-")
        return re.sub(r"\^([-\d.]{2,})", r"^{\1}", text).replace("ln", r"\ln").replace("·", r"\,")


_LOWER = (Term(0, -1), Term(0, -1, 1), Term(-0.25), Term(-0.5), Term(-1))


@dataclass(frozen=True)
class Law:
    """A growth law.

    Attributes:
        id: plain text, for records.
        name: as it is printed; logarithms of any base.
        term: g(n); None for the exponential law, whose base is fitted.
    """

    id: str
    name: str
    term: Term | None

    @property
    def lower(self) -> tuple[Term, ...]:
        """What h(n) may be."""
        return () if self.term is None else tuple(self.term.times(share) for share in _LOWER)


LAWS: dict[str, Law] = {
    law.id: law
    for law in (
        Law("n", "n", Term(1)),
        Law("n loglog n", "n log log n", Term(1, 0, 1)),
        Law("n log n", "n log n", Term(1, 1)),
        Law("n log^2 n", "n log² n", Term(1, 2)),
        Law("n log^3 n", "n log³ n", Term(1, 3)),
        Law("n^1.5", "n^1.5", Term(1.5)),
        Law("n^2", "n²", Term(2)),
        Law("n^2 log n", "n² log n", Term(2, 1)),
        Law("n^3", "n³", Term(3)),
        Law("2^n", "2^(βn)", None),
    )
}

# For those who suspect them: a longer list makes neighbours harder to tell apart.
MORE_LAWS: dict[str, Law] = LAWS | {"n^2/log n": Law("n^2/log n", "n²/log n", Term(2, -1))}
