"""What `verify` found: each thing that was looked at, and the answer in words."""

from __future__ import annotations

from dataclasses import dataclass

from gpruntime.model.part import Part

GOOD, BAD, UNKNOWN = "ok", "WRONG", "?"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        verdict: "ok", "WRONG", or "?" where nothing could be decided.
        what, words: what was asked, and the answer.
    """

    verdict: str
    what: str
    words: str


@dataclass(frozen=True)
class Verification:
    """What was found about a part."""

    part: Part
    findings: tuple[Finding, ...]

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return all(finding.verdict != BAD for finding in self.findings)

    def __str__(self) -> str:
        lines = [f"{finding.verdict:>5}  {finding.what}: {finding.words}" for finding in self.findings]
        return "\n".join([f"{self.part.field} {self.part.id}", *lines])

    __repr__ = __str__
