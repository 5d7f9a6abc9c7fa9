"""What `gpruntime paper` prints: the verdicts in a table, and the claims in a list."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from gpruntime.analysis.words import plural
from gpruntime.paper.claim import READ, Claim
from gpruntime.paper.papers import PAPERS, paper_of
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


def papers_text(claims: Iterable[Claim], width: int = 100) -> str:
    """The papers, each with its claims and their statements."""
    lines: list[str] = []
    for name, some in groupby(claims, lambda claim: paper_of(claim.id).name):
        paper = PAPERS[name]
        lines += [*([""] if lines else []), f"{name}: {paper.source} ({paper.seen})"]
        for claim in some:
            lines.append(f"  {claim.id} ({claim.kind}{'' if claim.wording == READ else f'; {claim.wording}'})")
            lines += textwrap.wrap(claim.statement, width, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return "\n".join(lines)
