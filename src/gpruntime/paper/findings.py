"""The first half page of the report: what holds, what does not, what is new; all from the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpruntime.paper.claim import Claim
from gpruntime.paper.settle import Settled
from gpruntime.paper.verdict import CONTRADICTED, CORRECTED, IN_PART, OPEN, SUPPORTED

# In this order; of what simply holds the titles say enough.
HEADINGS = {
    SUPPORTED: "Holds wherever we looked",
    CORRECTED: "Holds as corrected",
    IN_PART: "Holds in part",
    CONTRADICTED: "Does not hold",
    OPEN: "Left open",
}


@dataclass(frozen=True)
class Finding:
    """A claim among the findings, with what is to be said of it."""

    claim: Claim
    text: str


@dataclass(frozen=True)
class Group:
    """Claims that came out alike.

    Attributes:
        heading: how they came out.
        findings: each with what is to be said of it.
        brief: whether their titles say enough.
        is_new: what the paper does not have, rather than claims of it.
    """

    heading: str
    findings: list[Finding]
    brief: bool = False
    is_new: bool = False


def groups_of(claims: Sequence[Claim], settled: Sequence[Settled]) -> list[Group]:
    """The claims by what came out, and then what the paper does not have."""
    pairs = list(zip(claims, settled, strict=True))
    groups = [
        Group(
            heading,
            [Finding(claim, one.verdict.sentence) for claim, one in pairs if one.verdict.status == status],
            status == SUPPORTED,
        )
        for status, heading in HEADINGS.items()
    ]
    news = [Finding(claim, text) for claim, one in pairs for text in one.news]
    new = Group("New: measured or proved here", news, is_new=True)
    return [group for group in (*groups, new) if group.findings]
