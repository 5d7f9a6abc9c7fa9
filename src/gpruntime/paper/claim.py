"""A claim of a paper: statement, runs it needs, rule of the verdict and what was changed in it, check, figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from gpruntime.model.spec import RunSpec
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import Verdict

if TYPE_CHECKING:
    from gpruntime.paper.evidence import Evidence
    from gpruntime.show.drawing import Drawing

FIGURE, TABLE, LEMMA, THEOREM, COROLLARY, CONJECTURE, PROPERTY, DISCUSSION = (
    "figure", "table", "lemma", "theorem", "corollary", "conjecture", "property", "discussion",
)  # fmt: skip
QUESTION = "open question"

# How certain it is that the paper says so.
READ, ABSTRACT, REPORTED, OURS = (
    "read in the source", "read in the abstract", "reported bound, text not seen", "asked here, claimed by nobody",
)  # fmt: skip


class Change(NamedTuple):
    """What about a claim was changed after it had been run, when, and why.

    Attributes:
        when: the date.
        what: the rule, a setting, or how an interval is made.
        text: from what to what, and why.
    """

    when: str
    what: Literal["rule", "setting", "interval"]
    text: str

    def __str__(self) -> str:
        return f"{self.when}, {self.what}: {self.text}"


class Asked(NamedTuple):
    """Runs that a claim needs: this number of this spec."""

    spec: RunSpec
    runs: int


Cells: TypeAlias = "Callable[[Scale], Sequence[Asked]]"
Check: TypeAlias = "Callable[[Evidence], Verdict]"
Figures: TypeAlias = "Callable[[Evidence, Verdict], Sequence[Drawing]]"
News: TypeAlias = "Callable[[Evidence, Verdict], Sequence[str]]"


def no_cells(_: Scale) -> Sequence[Asked]:
    """For checks that need no runs of a study."""
    return ()


def no_news(_: Evidence, __: Verdict) -> Sequence[str]:
    """For claims that bring nothing the paper does not have."""
    return ()


@dataclass(frozen=True)
class Claim:
    """A claim.

    Attributes:
        id: the paper's label, or ours where it has none; no two papers share one.
        title: what it is about, in a few words.
        kind: figure, table, lemma, …
        place: where it stands in the paper.
        statement: what it says, in our words.
        rule: how the verdict is found.
        check: the rule as code.
        figures: the figures, the paper's form first.
        cells: the runs it needs.
        news: what was measured or proved that the paper does not have, a sentence each.
        slip: what is misprinted or left open in the paper's text.
        changes: what was changed after its first run; rule and settings were written before that.
        wording: how certain it is that the paper says so.
    """

    id: str
    title: str
    kind: str
    place: str
    statement: str
    rule: str
    check: Check
    figures: Figures
    cells: Cells = no_cells
    news: News = no_news
    slip: str = ""
    changes: tuple[Change, ...] = ()
    wording: str = READ
