"""A paper: where it appeared, what of it we have read, and its claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gpruntime.paper.claim import Claim


class LeftOut(NamedTuple):
    """What a paper claims and is not executed.

    Attributes:
        id: as a claim has one.
        statement: what it says, in our words.
        why: why it is not executed.
    """

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
