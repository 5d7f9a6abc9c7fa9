"""report.html: one page that needs nothing else. Dates, host and versions stand in one block, the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.files import write_whole
from gpruntime.paper.claim import Asked, Claim
from gpruntime.paper.findings import groups_of
from gpruntime.paper.layout import laid_out
from gpruntime.paper.papers import paper_of
from gpruntime.paper.scale import Scale
from gpruntime.paper.settle import Settled
from gpruntime.paper.terminal import tally_text
from gpruntime.paper.verdict import MEANINGS
from gpruntime.show.drawing import colours, csv_text
from gpruntime.show.page import environment, numbered
from gpruntime.study import provenance


def report_html(
    claims: Sequence[Claim],
    settled: Sequence[Settled],
    asked: Mapping[str, Sequence[Asked]],
    scale: Scale,
    seed: int,
    circumstances: Mapping[str, Any],
) -> str:
    """The page: equal bytes for equal verdicts, but for `circumstances`, which stand in its last block alone."""
    found = {one.id: one for one in settled}
    plates = iter(numbered([plate for claim in claims for plate in found[claim.id].plates]))
    parts = [
        {
            "claim": claim,
            "anchor": anchor_of(claim.id),
            "verdict": found[claim.id].verdict,
            "plates": [next(plates) for _ in found[claim.id].plates],
            "tables": [(table, laid_out(table), csv_text(table.records)) for table in found[claim.id].verdict.tables],
            "cells": _cells(asked[claim.id]),
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
            groups=groups_of(claims, settled),
            anchor_of=anchor_of,
            colours=colours([plate.svg for one in settled for plate in one.plates]),
            tally=tally_text(settled),
            meanings=MEANINGS,
            scale=scale,
            seed=seed,
            circumstances=[(name, str(value)) for name, value in circumstances.items()],
        )
    )
    return page + "\n"


def write_report(
    path: Path,
    claims: Sequence[Claim],
    settled: Sequence[Settled],
    asked: Mapping[str, Sequence[Asked]],
    scale: Scale,
    seed: int,
) -> Path:
    """Writes the page."""
    page = report_html(claims, settled, asked, scale, seed, provenance.for_a_page())
    return write_whole(path, page.encode("utf-8"))


def anchor_of(identifier: str) -> str:
    """An id for links inside the page."""
    return identifier.replace(":", "-").replace("_", "-")


def _cells(asked: Sequence[Asked]) -> list[str]:
    """What was run, in words: one line for cells that differ in n only."""
    groups: dict[tuple[str, int], list[int]] = {}
    for spec, runs in asked:
        setting = ", ".join(filter(None, (formatting.setting(spec), formatting.limits(spec))))
        groups.setdefault((setting, runs), []).append(spec.n)
    return [
        f"{setting}, n = {formatting.sizes(sorted(set(sizes)))}: {formatting.plural(runs, 'run')} each"
        for (setting, runs), sizes in groups.items()
    ]
