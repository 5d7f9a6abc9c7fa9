"""A run with several trees as a single HTML file that needs nothing else."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from pathlib import Path

from gpruntime.files import check_target, write_whole
from gpruntime.model.spec import RunSpec
from gpruntime.watch.export import policy_of
from gpruntime.watch.populations.recorded import recorded


def write_population(name: str, spec: RunSpec, seed: int, run: int) -> None:
    """Writes the file; it has its name only once it is whole."""
    check_target(name)
    write_whole(Path(name), population_page(spec, seed, run).encode("utf-8"))


def population_page(spec: RunSpec, seed: int, run: int) -> str:
    """The file's text: colours and type are those of the page of a single run."""
    data = recorded(spec, seed, run)
    here = files("gpruntime.watch")
    style = (here / "static" / "page.css").read_text("utf-8")
    page, script, more = (
        (here / "populations" / f"population.{kind}").read_text("utf-8") for kind in ("html", "js", "css")
    )
    style += more
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    policy = html.escape(policy_of(script, style))
    parts = {
        "<!-- policy -->": f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        "<!-- title -->": html.escape(str(data["title"])),
        "<!-- style -->": f"<style>{style}</style>",
        "<!-- back -->": "",
        "<!-- form -->": "",
        "<!-- data -->": f'<script type="application/json" id="data">{text}</script>',
        "<!-- script -->": f"<script>{script}</script>",
    }
    for found, put in parts.items():
        before, between, after = page.partition(found)
        assert between, found
        page = before + put + after
    return page
