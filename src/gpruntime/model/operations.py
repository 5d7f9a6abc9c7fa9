"""How many operations an offspring gets: the law of k.

| text                  | k                                                                        | draws |
|-----------------------|--------------------------------------------------------------------------|-------|
| `one`                 | 1                                                                        | none  |
| `poisson:mean=1`      | 1 + Pois(mean)                                                           | one   |
| `exactly:k=3`         | k                                                                        | none  |
| `power:beta=1.5`      | P(k) ∝ k^−β for k = 1 … n, heavy-tailed; `most=M` in place of n           | one   |
| `table:p=0.5/0.3/0.2` | P(1), P(2), …, scaled to add up to 1                                     | one   |
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.parameters import join, settle, split
from gpruntime.model.stream import Stream, poisson_table

MAX_OPERATIONS = 1_000_000
_DEFAULTS: dict[str, dict[str, int | float | str]] = {
    "one": {},
    "poisson": {"mean": 1.0},
    "exactly": {"k": 1},
    "power": {"beta": 1.5, "most": 0},
    "table": {"p": ""},
}
LAWS = tuple(_DEFAULTS)
EXAMPLES = {
    "one": "k = 1",
    "poisson:mean=1": "k = 1 + Pois(mean)",
    "exactly:k=3": "k operations",
    "power:beta=1.5": "heavy-tailed: P(k) in proportion to k^-beta, k = 1 ... n, or up to most=M",
    "table:p=0.5/0.3/0.2": "P(1), P(2), ...",
}


@dataclass(frozen=True)
class Operations:
    """The law of k.

    Attributes:
        id: its text, one for one law.
        fewest: the least k.
        table: cumulative probabilities of k = fewest, fewest + 1, …
        is_drawn: whether a word of the stream decides; a law with one value draws none, but for `poisson`.
    """

    id: str
    fewest: int
    table: tuple[float, ...]
    is_drawn: bool

    def __str__(self) -> str:
        return self.id

    @property
    def most(self) -> int:
        """The largest k that is ever drawn."""
        return self.fewest + len(self.table) - 1

    def draw(self, stream: Stream) -> int:
        """k for the next offspring."""
        return self.fewest + stream.pick(self.table) if self.is_drawn else self.fewest


def operations_named(text: object, n: int) -> Operations:
    """The law with this text, or the same law, for n variables."""
    if isinstance(text, Operations):
        text = text.id
    if not isinstance(text, str):
        raise BadInput("operations", text, f"must be one of {', '.join(LAWS)}, as in power:beta=1.5")
    name, given = split("operations", text)
    defaults = _DEFAULTS[known("operations", name, LAWS)]
    values = settle("operations", text, given, defaults)
    written = join(name, values, defaults)
    if name == "poisson":
        mean = float(values["mean"])
        return Operations(f"poisson:mean={mean!r}", 1, poisson_table(mean), is_drawn=True)
    if name == "exactly":
        k = whole("operations", values["k"], 1, MAX_OPERATIONS, " as k")
        return Operations("one" if k == 1 else written, k, (1.0,), is_drawn=False)
    if name == "power":
        most = whole("operations", int(values["most"]) or min(n, MAX_OPERATIONS), 1, MAX_OPERATIONS, " as most")
        return Operations(written, 1, _power_table(float(values["beta"]), most), is_drawn=True)
    if name == "table":
        return Operations(written, 1, _given_table(str(values["p"])), is_drawn=True)
    return Operations("one", 1, (1.0,), is_drawn=False)


def _power_table(beta: float, most: int) -> tuple[float, ...]:
    if not 0 <= beta <= 100:
        raise BadInput("operations", f"beta={beta}", "must be a number from 0 to 100")
    return _cumulative([k**-beta for k in range(1, most + 1)])


def _given_table(text: str) -> tuple[float, ...]:
    try:
        weights = [float(word) for word in text.split("/")]
        if min(weights) < 0 or not 0 < math.fsum(weights) < math.inf:
            raise ValueError
    except ValueError:
        raise BadInput("operations", f"p={text}", "must be probabilities of k = 1, 2, …, as in 0.5/0.3/0.2") from None
    return _cumulative(weights)


def _cumulative(weights: list[float]) -> tuple[float, ...]:
    """From the last positive weight on the table is 1, so rounding never lets a weight of zero be picked."""
    while weights[-1] == 0:
        weights.pop()
    total = math.fsum(weights)
    sums = list(itertools.accumulate(weight / total for weight in weights))
    return (*(min(value, 1.0) for value in sums[:-1]), 1.0)
