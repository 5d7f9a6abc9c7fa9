"""The atlas on the site: a page from runs that were made once, so that building the site takes no minutes for it.

    gpruntime atlas -o FOLDER && python -m docs.making.atlas FOLDER

keeps what the page of a folder knows, in docs/data/atlas.json.xz, with the day and the circumstances.

    python -m docs.making.atlas --add FOLDER

runs the entries that are not kept yet, in this folder, and keeps them beside the others.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any

from docs.making.places import DOCS
from gpruntime.atlas.grid import scale_named, settings_of
from gpruntime.atlas.page import page_of
from gpruntime.atlas.run import PAGE, execute

KEPT = DOCS / "data" / "atlas.json.xz"
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_CIRCUMSTANCE = re.compile(r"<dt>(.*?)</dt><dd>(.*?)</dd>")


def known_by(page: str) -> dict[str, Any]:
    """What a page knows."""
    data = _DATA.search(page)
    assert data is not None
    circumstances = {name: unescape(value) for name, value in _CIRCUMSTANCE.findall(page)}
    return {**json.loads(data[1]), "circumstances": circumstances}


def kept() -> dict[str, Any]:
    """What is kept."""
    atlas: dict[str, Any] = json.loads(lzma.decompress(KEPT.read_bytes()))
    return atlas


def keep(atlas: dict[str, Any]) -> None:
    """Keeps what a page knows."""
    text = json.dumps(atlas, ensure_ascii=False, separators=(",", ":"))
    KEPT.write_bytes(lzma.compress(text.encode("utf-8"), preset=9))


def add(folder: Path) -> None:
    """Runs the entries that are not kept yet, and puts them where the standard study has them."""
    atlas = kept()
    scale, seed = scale_named(atlas["scale"]), atlas["seed"]
    entries = {entry["id"]: entry for entry in atlas["entries"]}
    execute(scale, seed, folder, known=entries)
    more = known_by((folder / PAGE).read_text("utf-8"))
    entries |= {entry["id"]: entry for entry in more["entries"]}
    order = [setting.specs[0].cell_id for setting in settings_of(scale)]
    atlas["entries"] = [entries[id_] for id_ in order if id_ in entries]
    written = more["circumstances"]["written"]
    atlas["circumstances"]["added"] = f"{len(more['entries'])} entries, {written}"
    keep(atlas)


def make_atlas(folder: Path) -> None:
    """Writes the page."""
    atlas = kept()
    told = {**atlas.pop("circumstances"), "command": f"gpruntime atlas --scale {atlas['scale']} --seed {atlas['seed']}"}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "atlas.html").write_text(page_of(atlas, told, site="../index.html"), "utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--add":
        add(Path(sys.argv[2]))
    else:
        keep(known_by((Path(sys.argv[1]) / PAGE).read_text("utf-8")))
