"""What `gpruntime paper` prints: the verdicts in a table, and the claims in a list."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from gpruntime.analysis.formatting import plural
from gpruntime.paper.claim import READ, Claim
from gpruntime.paper.paper import Paper
from gpruntime.paper.settle import Settled
from gpruntime.paper.verdict import MEANINGS

_INDENT = "    "


def verdicts_text(settled: Sequence[Settled], width: int = 100) -> str:
    """The verdicts, each with its number and its sentence."""
    lines = []
    longest = max(len(one.id) for one in settled)
    for one in settled:
        verdict = one.verdict
        line = f"{one.id:<{longest}}  {verdict.status:<12}  {verdict.shown_number()}".rstrip()
        if len(line) > width:  # the number goes below
            line = f"{one.id:<{longest}}  {verdict.status}\n{_INDENT}{verdict.shown_number()}"
        lines.append(line)
        lines += textwrap.wrap(verdict.sentence, width, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return "\n".join([*lines, "", tally_text(settled)])


def tally_text(settled: Sequence[Settled]) -> str:
    """How many of each, in a line."""
    counts = Counter(one.verdict.status for one in settled)
    said = [f"{counts[status]} {status}" for status in MEANINGS if counts[status]]
    return f"{plural(len(settled), 'claim')}: {', '.join(said)}"


def _kind(claim: Claim) -> str:
    return claim.kind if claim.wording == READ else f"{claim.kind}; {claim.wording}"


def papers_text(papers: Iterable[Paper], only: Sequence[str] = (), width: int = 100) -> str:
    """The papers, each with its claims and their statements, and what of it is not executed and why."""
    lines: list[str] = []
    for paper in papers:
        told = [(claim.id, _kind(claim), claim.statement) for claim in paper.claims]
        told += [(one.id, "not executed", f"{one.statement} Not executed: {one.why}") for one in paper.left_out]
        told = [one for one in told if not only or one[0] in only]
        if told:
            lines += [*([""] if lines else []), f"{paper.name}: {paper.source} ({paper.seen})"]
        for identifier, kind, statement in told:
            lines.append(f"  {identifier} ({kind})")
            lines += textwrap.wrap(statement, width, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return "\n".join(lines)
