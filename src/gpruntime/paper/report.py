"""What came out, in words: report.html, one page that needs nothing else, and what the terminal shows.

Dates, host and versions stand in one block of the page, the last.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gpruntime.analysis import formatting
from gpruntime.files import write_whole
from gpruntime.model.spec_text import sentence
from gpruntime.paper.claim import READ, Claim, Paper, Request
from gpruntime.paper.papers import paper_of
from gpruntime.paper.scale import Scale
from gpruntime.paper.tables import laid_out
from gpruntime.paper.verdict import (
    CONTRADICTED,
    CORRECTED,
    IN_PART,
    MEANINGS,
    OPEN,
    SUPPORTED,
    Numbers,
    Record,
    Verdict,
)
from gpruntime.show.drawing import colours, csv_text
from gpruntime.show.markup import signs
from gpruntime.show.page import Plate, environment, numbered
from gpruntime.study import provenance

_INDENT = "    "
# In this order; of what simply holds the titles say enough.
HEADINGS = {
    SUPPORTED: "Holds wherever we looked",
    CORRECTED: "Holds as corrected",
    IN_PART: "Holds in part",
    CONTRADICTED: "Does not hold",
    OPEN: "Left open",
}


@dataclass(frozen=True)
class Evaluated:
    """A claim that was checked.

    Attributes:
        id: of the claim.
        verdict: what came out.
        plates: its figures; their files are figures/NAME.svg, .pdf, .png and .csv.
        news: what the paper does not have.
    """

    id: str
    verdict: Verdict
    plates: tuple[Plate, ...]
    news: tuple[str, ...] = ()


# ---- findings: the first half page, all from the verdicts


class Finding(NamedTuple):
    """A claim among the findings, with what is to be said of it."""

    claim: Claim
    text: str


class Group(NamedTuple):
    """Claims that came out alike; with `brief` their titles say enough, with `is_new` they are what the paper lacks."""

    heading: str
    findings: list[Finding]
    brief: bool = False
    is_new: bool = False


def groups_of(claims: Sequence[Claim], results: Sequence[Evaluated]) -> list[Group]:
    """The claims by what came out, and then what the paper does not have."""
    pairs = list(zip(claims, results, strict=True))
    groups = [
        Group(
            heading,
            [Finding(claim, result.verdict.sentence) for claim, result in pairs if result.verdict.status == status],
            status == SUPPORTED,
        )
        for status, heading in HEADINGS.items()
    ]
    news = [Finding(claim, text) for claim, result in pairs for text in result.news]
    new = Group("New: measured or proved here", news, is_new=True)
    return [group for group in (*groups, new) if group.findings]


# ---- the page


def report_html(
    claims: Sequence[Claim],
    results: Sequence[Evaluated],
    requests: Mapping[str, Sequence[Request]],
    scale: Scale,
    seed: int,
    circumstances: Mapping[str, Any],
) -> str:
    """The page: equal bytes for equal verdicts, but for `circumstances`, which stand in its last block alone."""
    by_id = {result.id: result for result in results}
    plates = iter(numbered([plate for claim in claims for plate in by_id[claim.id].plates]))
    parts = [
        {
            "claim": claim,
            "anchor": anchor_of(claim.id),
            "verdict": by_id[claim.id].verdict,
            "plates": [next(plates) for _ in by_id[claim.id].plates],
            "tables": [(table, laid_out(table), csv_text(table.records)) for table in by_id[claim.id].verdict.tables],
            "cells": _cells(requests[claim.id]),
            "paper": paper_of(claim.id),
        }
        for claim in claims
    ]
    links = {claim.id: f"#{anchor_of(claim.id)}" for claim in claims}
    page = (
        environment("gpruntime.paper", links)
        .get_template("paper.html.j2")
        .render(
            parts=parts,
            papers=list(dict.fromkeys(paper_of(claim.id) for claim in claims)),
            groups=groups_of(claims, results),
            matrices=[
                (anchor_of(result.id), table.caption, _matrix(table))
                for result in results
                for table in result.verdict.tables
                if table.opens
            ],
            anchor_of=anchor_of,
            colours=colours([plate.svg for result in results for plate in result.plates]),
            tally=tally_text(results),
            meanings=MEANINGS,
            scale=scale,
            seed=seed,
            circumstances=[(name, str(value)) for name, value in circumstances.items()],
        )
    )
    return page + "\n"


def _matrix(table: Numbers) -> dict[str, dict[str, list[Record]]]:
    """The records of a table by algorithm and problem, which its column `cell` names."""
    matrix: dict[str, dict[str, list[Record]]] = {}
    for record in table.records:
        problem, _, algorithm = record["cell"].partition(", ")
        matrix.setdefault(algorithm, {}).setdefault(problem, []).append(record)
    return matrix


def write_report(
    path: Path,
    claims: Sequence[Claim],
    results: Sequence[Evaluated],
    requests: Mapping[str, Sequence[Request]],
    scale: Scale,
    seed: int,
) -> Path:
    """Writes the page."""
    page = report_html(claims, results, requests, scale, seed, provenance.for_a_page())
    return write_whole(path, page.encode("utf-8"))


def anchor_of(identifier: str) -> str:
    """An id for links inside the page."""
    return identifier.replace(":", "-").replace("_", "-")


def _cells(requests: Sequence[Request]) -> list[str]:
    """What was run, in words: one line for cells that differ in n only."""
    groups: dict[tuple[str, int], list[int]] = {}
    for spec, runs in requests:
        setting = ", ".join(filter(None, (sentence(spec), formatting.limits(spec))))
        groups.setdefault((setting, runs), []).append(spec.n)
    return [
        f"{setting}, n = {formatting.sizes(sorted(set(sizes)))}: {formatting.plural(runs, 'run')} each"
        for (setting, runs), sizes in groups.items()
    ]


# ---- the terminal


def verdicts_text(results: Sequence[Evaluated], width: int = 100) -> str:
    """The verdicts, each with its number and its sentence."""
    lines = []
    longest = max(len(result.id) for result in results)
    for result in results:
        verdict = result.verdict
        line = f"{result.id:<{longest}}  {verdict.status:<12}  {verdict.shown_number()}".rstrip()
        if len(line) > width:  # the number goes below
            line = f"{result.id:<{longest}}  {verdict.status}\n{_INDENT}{verdict.shown_number()}"
        lines += [line, *_wrapped(verdict.sentence, width)]
    return "\n".join([*lines, "", tally_text(results)])


def tally_text(results: Sequence[Evaluated]) -> str:
    """How many of each, in a line."""
    counts = Counter(result.verdict.status for result in results)
    tally = [f"{counts[status]} {status}" for status in MEANINGS if counts[status]]
    return f"{formatting.plural(len(results), 'claim')}: {', '.join(tally)}"


def papers_text(papers: Iterable[Paper], only: Sequence[str] = (), width: int = 100) -> str:
    """The papers, each with its claims and their statements, and what of it is not executed and why."""
    lines: list[str] = []
    for paper in papers:
        entries = [(claim.id, _kind(claim), claim.statement) for claim in paper.claims]
        entries += [(left.id, "not executed", f"{left.statement} Not executed: {left.why}") for left in paper.left_out]
        entries = [entry for entry in entries if not only or entry[0] in only]
        if entries:
            lines += [*([""] if lines else []), f"{paper.name}: {paper.source} ({paper.seen})"]
        for identifier, kind, statement in entries:
            lines += [f"  {identifier} ({kind})", *_wrapped(statement, width)]
    return "\n".join(lines)


def _kind(claim: Claim) -> str:
    return claim.kind if claim.wording == READ else f"{claim.kind}; {claim.wording}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(signs(text), width, initial_indent=_INDENT, subsequent_indent=_INDENT)
