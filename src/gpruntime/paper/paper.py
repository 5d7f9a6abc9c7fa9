"""A paper: where it appeared, what of it we have read, and its claims."""

from __future__ import annotations

from dataclasses import dataclass

from gpruntime.paper.claim import Claim


@dataclass(frozen=True)
class Paper:
    """A paper whose claims are executed.

    Attributes:
        name: what it is called on the command line.
        authors, title, venue: where to find it.
        year: of its first appearance.
        seen: what of it we have read, and what else its claims rest on.
        claims: in its order.
    """

    name: str
    authors: str
    title: str
    venue: str
    year: int
    seen: str
    claims: tuple[Claim, ...]

    @property
    def source(self) -> str:
        """Authors and venue, short enough to stand beside a claim."""
        return f"{self.authors}, {self.venue}"
