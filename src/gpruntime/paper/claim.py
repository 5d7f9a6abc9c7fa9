"""A claim: its statement, its rule in words, and the check that decides it. A paper: where it appeared, its claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from gpruntime.model.spec import RunSpec
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import Verdict

if TYPE_CHECKING:
    from gpruntime.paper.evidence import Evidence
    from gpruntime.paper.lines import Line
    from gpruntime.show.drawing import Drawing

FIGURE, TABLE, LEMMA, THEOREM, COROLLARY, CONJECTURE, PROPERTY, DISCUSSION = (
    "figure", "table", "lemma", "theorem", "corollary", "conjecture", "property", "discussion",
)  # fmt: skip
QUESTION = "open question"

# How certain it is that the paper says so.
READ, ABSTRACT, REPORTED, OURS = (
    "read in the source", "read in the abstract", "reported bound, text not seen", "asked here, claimed by nobody",
)  # fmt: skip
IN_CODE = "read in the abstract; definitions read in code by one of the authors"

FIRST, SECOND, THIRD, FOURTH = "2026-11-15", "2026-11-16", "2026-11-17", "2026-11-19"


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


class Request(NamedTuple):
    """Runs that are needed: this number of this spec."""

    spec: RunSpec
    runs: int


class Check:
    """How a claim is decided. The kinds are in kinds/; a claim that is like no other has a class of its own."""

    def cells(self, scale: Scale) -> Sequence[Request]:  # noqa: ARG002
        """The runs it needs of a study; none if it counts, or draws what it needs."""
        return ()

    def __call__(self, evidence: Evidence) -> Verdict:
        """The verdict."""
        raise NotImplementedError

    def figures(self, evidence: Evidence, verdict: Verdict) -> Sequence[Drawing]:  # noqa: ARG002
        """The figures, the paper's form first."""
        return ()

    def news(self, evidence: Evidence, verdict: Verdict) -> Sequence[str]:  # noqa: ARG002
        """What was measured or proved that the paper does not have, a sentence each."""
        return ()


class CheckOfLines(Check):
    """A check that needs the runs of some lines, and no others."""

    lines: Callable[[Scale], Sequence[Line]]

    def cells(self, scale: Scale) -> Sequence[Request]:
        """Those of its lines."""
        return [request for line in self.lines(scale) for request in line.requests]


@dataclass(frozen=True)
class Claim:
    """A claim.

    Attributes:
        id: the paper's label, or ours where it has none; no two papers share one.
        title: what it is about, in a few words.
        kind: figure, table, lemma, …
        place: where it stands in the paper.
        statement: what it says, in our words.
        rule: how the verdict is found, in words.
        check: the same as code, with the claim's settings.
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
    slip: str = ""
    changes: tuple[Change, ...] = ()
    wording: str = READ

    def cells(self, scale: Scale) -> Sequence[Request]:
        """The runs it needs."""
        return self.check.cells(scale)

    def figures(self, evidence: Evidence, verdict: Verdict) -> Sequence[Drawing]:
        """Its figures."""
        return self.check.figures(evidence, verdict)

    def news(self, evidence: Evidence, verdict: Verdict) -> Sequence[str]:
        """What the paper does not have."""
        return self.check.news(evidence, verdict)


class LeftOut(NamedTuple):
    """What a paper claims and is not executed, and why."""

    id: str
    statement: str
    why: str


@dataclass(frozen=True)
class Paper:
    """A paper whose claims are executed.

    Attributes:
        name: what it is called on the command line.
        authors, title, venue: where to find it.
        year: of its first appearance.
        seen: what of it we have read, and what else its claims rest on.
        claims: in its order.
        left_out: claims that are not executed.
    """

    name: str
    authors: str
    title: str
    venue: str
    year: int
    seen: str
    claims: tuple[Claim, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def source(self) -> str:
        """Authors and venue, short enough to stand beside a claim."""
        return f"{self.authors}, {self.venue}"
