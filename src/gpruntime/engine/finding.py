"""What `verify` found: one thing that was looked at, and the answer in words."""

from __future__ import annotations

from dataclasses import dataclass

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
