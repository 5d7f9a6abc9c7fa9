"""What `gpruntime paper` prints: the verdicts in a table, and the claims in a list."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from gpruntime.analysis.words import plural
from gpruntime.paper.claim import Claim
from gpruntime.paper.settle import Settled
from gpruntime.paper.verdict import MEANINGS

_INDENT = "    "


def verdicts_text(settled: Sequence[Settled], width: int = 100) -> str:
    """The verdicts, each with its number and its sentence."""
    lines = []
    longest = max(len(one.id) for one in settled)
    for one in settled:
        verdict = one.verdict
        lines.append(f"{one.id:<{longest}}  {verdict.status:<12}  {verdict.shown_number()}".rstrip())
        lines += textwrap.wrap(verdict.sentence, width, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return "\n".join([*lines, "", tally_text(settled)])


def tally_text(settled: Sequence[Settled]) -> str:
    """How many of each, in a line."""
    counts = Counter(one.verdict.status for one in settled)
    said = [f"{counts[status]} {status}" for status in MEANINGS if counts[status]]
    return f"{plural(len(settled), 'claim')}: {', '.join(said)}"


def claims_text(claims: Iterable[Claim], width: int = 100) -> str:
    """All claims with their statements."""
    lines = []
    for claim in claims:
        lines.append(f"{claim.id} ({claim.kind})")
        lines += textwrap.wrap(claim.statement, width, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return "\n".join(lines)
