"""What came out of a check: a word, a number with its interval, one plain sentence, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gpruntime.analysis.estimates import NOTHING, Estimate

SUPPORTED, CONTRADICTED, OPEN = "supported", "contradicted", "open"


@dataclass(frozen=True)
class Numbers:
    """A table behind a verdict.

    Attributes:
        name: for file names.
        caption: what the rows are.
        records: the rows.
    """

    name: str
    caption: str
    records: list[dict[str, Any]]


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check.

    Attributes:
        status: "supported", "contradicted" or "open".
        sentence: the reason, with the number.
        quantity: what the number is.
        number: the number that decides, with its interval where it has one.
        remarks: what else has to be said.
        tables: the numbers behind it.
    """

    status: str
    sentence: str
    quantity: str = ""
    number: Estimate = NOTHING
    remarks: tuple[str, ...] = ()
    tables: tuple[Numbers, ...] = field(default=(), repr=False)

    def shown_number(self) -> str:
        """The number with its interval, in words."""
        if self.number.value is None:
            return "–"
        return f"{self.quantity}: {self.number.short()} {self.number.bracket()}".strip()

    def table(self, name: str) -> Numbers:
        """One of the tables, by name."""
        return next(table for table in self.tables if table.name == name)


def all_of(statuses: Iterable[str]) -> str:
    """Of a claim with parts: contradicted if one part is, supported if all are."""
    found = list(statuses)
    if CONTRADICTED in found:
        return CONTRADICTED
    return SUPPORTED if found and all(status == SUPPORTED for status in found) else OPEN
