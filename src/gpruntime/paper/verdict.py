"""What came out of a check: a word, a number with its interval, one plain sentence, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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

Record = dict[str, Any]


class Layout(NamedTuple):
    """Which column a row of the page is for, which ones together a column is for, and what stands where they meet."""

    rows: str
    columns: tuple[str, ...]
    values: tuple[str, ...]


@dataclass(frozen=True)
class Numbers:
    """A table behind a verdict.

    Attributes:
        name: for file names.
        caption: what the rows are.
        records: the rows, with the columns of the CSV.
        headings: what columns are called in the page, where tables.py has no heading for them.
        layout: how the page shows it; a row for each record otherwise.
        opens: whether the page begins with it, as a matrix; it then has the columns of the paper's Table 1.
    """

    name: str
    caption: str
    records: list[Record]
    headings: Mapping[str, str] = field(default_factory=dict)
    layout: Layout | None = None
    opens: bool = False


def record(main: str = "", **columns: Any) -> Record:
    """A row of a table: an estimate takes three columns, and the ends of the main one are called low and high."""
    row: Record = {}
    for name, value in columns.items():
        if isinstance(value, Estimate):
            ends = ("low", "high") if name == main else (f"{name}_low", f"{name}_high")
            row |= {name: value.value, ends[0]: value.low, ends[1]: value.high}
        else:
            row[name] = value
    return row


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
