"""report.html: one page that needs nothing else. Dates, host and versions stand in one block, the last."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpruntime.analysis import words
from gpruntime.files import write_whole
from gpruntime.paper.claim import Asked, Claim
from gpruntime.paper.scale import Scale
from gpruntime.paper.settle import Settled
from gpruntime.paper.terminal import tally_text
from gpruntime.paper.verdict import MEANINGS
from gpruntime.show.drawing import csv_text
from gpruntime.show.tables import Table
from gpruntime.study import provenance
from gpruntime.study.cell import spec_words

_MOST_ROWS = 40


def report_html(
    claims: Sequence[Claim],
    settled: Sequence[Settled],
    asked: Mapping[str, Sequence[Asked]],
    scale: Scale,
    seed: int,
    circumstances: Mapping[str, Any],
) -> str:
    """The page: equal bytes for equal verdicts, but for `circumstances`, which stand in its last block alone."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gpruntime.paper", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    found = {one.id: one for one in settled}
    parts = [
        {
            "claim": claim,
            "anchor": anchor_of(claim.id),
            "verdict": found[claim.id].verdict,
            "plates": [(plate, _link(plate.csv)) for plate in found[claim.id].plates],
            "tables": [
                {"name": table.name, "caption": table.caption, "table": _table(table.records),
                 "left_out": max(len(table.records) - _MOST_ROWS, 0), "link": _link(csv_text(table.records))}
                for table in found[claim.id].verdict.tables
            ],
            "cells": _cells(asked[claim.id]),
        }
        for claim in claims
    ]  # fmt: skip
    page = environment.get_template("paper.html.j2").render(
        parts=parts,
        tally=tally_text(settled),
        meanings=MEANINGS,
        scale=scale,
        seed=seed,
        circumstances=[(name, str(value)) for name, value in circumstances.items()],
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
    here = provenance.circumstances()
    kept = {name: here[name] for name in ("gpruntime", "sources", "python", "numpy", "numba", "platform", "cores")}
    page = report_html(claims, settled, asked, scale, seed, {"written": provenance.now(), **kept})
    return write_whole(path, page.encode("utf-8"))


def anchor_of(identifier: str) -> str:
    """An id for links inside the page."""
    return identifier.replace(":", "-").replace("_", "-")


def _cells(asked: Sequence[Asked]) -> list[str]:
    """What was run, in words: one line for cells that differ in n only."""
    groups: dict[tuple[str, int], list[int]] = {}
    for spec, runs in asked:
        groups.setdefault((spec_words(spec, but=("n",)), runs), []).append(spec.n)
    return [
        f"{setting}, n = {words.sizes(sorted(set(sizes)))}: {words.plural(runs, 'run')} each"
        for (setting, runs), sizes in groups.items()
    ]


def _table(records: Sequence[Mapping[str, Any]]) -> Table:
    headings = tuple(records[0]) if records else ()
    rows = tuple(tuple(_shown(record[name]) for name in headings) for record in records[:_MOST_ROWS])
    return Table(tuple(name.replace("_", " ") for name in headings), rows)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return words.number(value) if isinstance(value, float) else str(value)


def _link(text: str) -> str:
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(text.encode("utf-8")).decode("ascii")
