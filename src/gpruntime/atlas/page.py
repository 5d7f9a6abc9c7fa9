"""atlas.html: one page that needs nothing else. Its table, its curves and its sorting are drawn from the data in it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from gpruntime.analysis import formatting
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.estimates import Estimate
from gpruntime.atlas.entry import GLYPHS, MARKS, Entry
from gpruntime.atlas.grid import Scale
from gpruntime.files import write_whole
from gpruntime.paper.claim import Request
from gpruntime.paper.frame import grids
from gpruntime.paper.references import cited_by
from gpruntime.show.bibliography import bibtex, software
from gpruntime.show.latex_tables import rows_latex
from gpruntime.show.markup import rich
from gpruntime.show.page import entry as in_a_cell
from gpruntime.show.page import environment
from gpruntime.show.repeat import commands
from gpruntime.show.tables import with_interval
from gpruntime.study.plan_text import toml_of


def page_html(entries: Sequence[Entry], scale: Scale, seed: int, circumstances: Mapping[str, Any]) -> str:
    """The page: equal bytes for equal runs, but for `circumstances`, which stand in its last block alone."""
    return page_of(
        {"scale": scale.name, "seed": seed, "entries": [_entry(entry, seed) for entry in entries]}, circumstances
    )


def page_of(atlas: Mapping[str, Any], circumstances: Mapping[str, Any], site: str = "") -> str:
    """The page of what an earlier page knows; with `site`, the address of the site it is part of."""
    data = atlas["entries"]
    counts = Counter(entry["mark"] for entry in data)
    page = (
        environment("gpruntime.atlas")
        .get_template("atlas.html.j2")
        .render(
            data=_script(atlas),
            marks={mark: (GLYPHS[mark], meaning) for mark, meaning in MARKS.items() if counts[mark]},
            counts=counts,
            problems=list(dict.fromkeys(entry["problem"] for entry in data)),
            algorithms=list(dict.fromkeys(entry["algorithm"] for entry in data)),
            inits=list(dict.fromkeys(entry["init"] for entry in data)),
            entries=len(data),
            runs=sum(entry["runs"] * len(entry["cells"]) for entry in data),
            scale=atlas["scale"],
            seed=atlas["seed"],
            site=site,
            colours="",
            circumstances=[(name, str(value)) for name, value in circumstances.items()],
        )
    )
    return page + "\n"


def write_rows(entries: Sequence[Entry], folder: str | Path) -> None:
    """The entries as a table for a paper, atlas.tex, and the papers of their bounds, atlas.bib."""
    headings = ("problem", "algorithm", "initial tree", "bound", "measured law", "mark")
    rows = []
    for entry in entries:
        record = entry.record()
        names = ("problem", "algorithm", "init", "bound", "law_fitted", "mark")
        rows.append(tuple(str(record[name]) or "–" for name in names))
    cited = cited_by(check.bound.source for entry in entries for check in entry.checks)
    Path(folder).mkdir(parents=True, exist_ok=True)
    table = rows_latex(headings, rows, "What is proved, and what is measured.", "tab:atlas")
    write_whole(Path(folder) / "atlas.tex", table.encode("utf-8"))
    write_whole(Path(folder) / "atlas.bib", bibtex([software(), *cited]).encode("utf-8"))


def _entry(entry: Entry, seed: int) -> dict[str, Any]:
    """What the page knows of an entry."""
    record = {name: _plain(value) for name, value in entry.record().items()}
    requests = [Request(cell.spec, cell.runs) for cell in entry.curve.cells]
    return {
        **record,
        "shown": {name: str(in_a_cell(text)) for name, text in entry.shown().items()},
        "sentences": [str(rich(sentence)) for sentence in entry.curve.sentences()],
        "caveats": [str(rich(sentence)) for sentence in entry.curve.caveats()],
        "cells": [_cell(cell, fitted) for cell, fitted in zip(entry.curve.cells, _fitted(entry), strict=True)],
        "nearest": -1 if entry.nearest is None else entry.checks.index(entry.nearest),
        "ratios": [] if entry.nearest is None else [_ratio(n, ratio) for n, ratio in entry.nearest.ratios],
        "bounds": [
            {
                "formula": str(rich(check.bound.formula)),
                "told": str(rich(f"{check.bound.conditions}; {check.bound.status}. {check.bound.source}.")),
                "verdict": str(rich(check.verdict())),
            }
            for check in entry.checks
        ],
        "exact": [{"n": size["n"], "words": size["words"]} for size in entry.exact],
        "plan": toml_of({"seed": seed, "grid": grids(requests)}),
        "commands": [line for cell in entry.curve.cells for line in commands(cell)],
    }


def _fitted(entry: Entry) -> list[float | None]:
    """The law at each size, where there is one."""
    fit, sizes = entry.curve.fit, [cell.n for cell in entry.curve.cells]
    if fit is None:
        return [None] * len(sizes)
    logs = fit.best.fit.log_value(np.array(sizes, float))
    used = float(fit.points.n[0])
    return [math.exp(log) if n >= used and log < 700 else None for n, log in zip(sizes, logs, strict=True)]


def _cell(cell: CellEstimate, fitted: float | None) -> dict[str, Any]:
    mean = cell.mean if cell.complete else cell.given_optimum
    texts = [
        f"{cell.n:,}",
        f"{cell.runs:,}",
        formatting.plural(cell.stuck, "run") if cell.stuck else "",
        formatting.plural(cell.budget, "run") if cell.budget else "",
        with_interval(cell.chance),
        with_interval(cell.mean),
        "" if cell.complete else with_interval(cell.given_optimum),
        with_interval(cell.max_leaves),
        with_interval(cell.max_population) if cell.spec.has_population else "",
    ]
    numbers = {"y": mean.value, "low": mean.low, "high": mean.high, "law": fitted}
    return {
        "n": cell.n,
        "complete": cell.complete,
        **{name: _plain(value) for name, value in numbers.items()},
        "texts": [str(in_a_cell(text)) for text in texts],
    }


def _ratio(n: int, ratio: Estimate) -> dict[str, Any]:
    """Measured ÷ bound."""
    numbers = {"y": ratio.value, "low": ratio.low, "high": ratio.high}
    return {"n": n, **{name: _plain(value) for name, value in numbers.items()}}


def _plain(value: Any) -> Any:
    """A number that JSON knows; infinite and unknown are none."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value


def _script(data: Any) -> Markup:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))  # noqa: S704
