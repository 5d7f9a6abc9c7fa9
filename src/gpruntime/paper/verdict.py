"""What came out of a check: a word, a number with its interval, one plain sentence, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gpruntime.analysis.estimates import NOTHING, Estimate

SUPPORTED, CORRECTED, IN_PART, CONTRADICTED, OPEN = (
    "supported", "supported as corrected", "in part", "contradicted", "open",
)  # fmt: skip

MEANINGS = {
    SUPPORTED: "what is claimed holds wherever we looked",
    CORRECTED: "as printed it is false; corrected as the verdict says, it holds",
    IN_PART: "several things are claimed; some hold and some fail",
    CONTRADICTED: "it fails",
    OPEN: "the data cannot tell, or they disagree with a value that is known exactly",
}


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
        status: one of `MEANINGS`.
        sentence: the reason, with the number.
        quantity: what the number is.
        number: the number to remember, with its interval where it is an estimate.
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
    """Of one statement that must hold everywhere: contradicted if it fails once, supported if it never does."""
    found = list(statuses)
    if CONTRADICTED in found:
        return CONTRADICTED
    return SUPPORTED if found and all(status == SUPPORTED for status in found) else OPEN


def several(statuses: Iterable[str]) -> str:
    """Of a claim that says several things, by `SEVERAL_RULE`."""
    found = list(statuses)
    if CONTRADICTED in found:
        return IN_PART if SUPPORTED in found else CONTRADICTED
    return all_of(found)


SEVERAL_RULE = (
    "supported if all hold, in part if some hold and some fail, contradicted if some fail and none holds, "
    "open otherwise."
)
