"""The atlas on the site: a page from runs that were made once, so that building the site takes no minutes for it.

    gpruntime atlas -o FOLDER && python -m docs.making.atlas FOLDER

keeps what the page of a folder knows, in docs/data/atlas.json.xz, with the day and the circumstances.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from html import unescape
from pathlib import Path

from docs.making.places import DOCS
from gpruntime.atlas.page import page_of

KEPT = DOCS / "data" / "atlas.json.xz"
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_CIRCUMSTANCE = re.compile(r"<dt>(.*?)</dt><dd>(.*?)</dd>")


def keep(page: str) -> None:
    """Keeps what a page knows."""
    data = _DATA.search(page)
    assert data is not None
    circumstances = {name: unescape(value) for name, value in _CIRCUMSTANCE.findall(page)}
    atlas = {**json.loads(data[1]), "circumstances": circumstances}
    text = json.dumps(atlas, ensure_ascii=False, separators=(",", ":"))
    KEPT.write_bytes(lzma.compress(text.encode("utf-8"), preset=9))


def make_atlas(folder: Path) -> None:
    """Writes the page."""
    atlas = json.loads(lzma.decompress(KEPT.read_bytes()))
    told = {**atlas.pop("circumstances"), "command": f"gpruntime atlas --scale {atlas['scale']} --seed {atlas['seed']}"}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "atlas.html").write_text(page_of(atlas, told, site="../index.html"), "utf-8")


if __name__ == "__main__":
    keep((Path(sys.argv[1]) / "atlas.html").read_text("utf-8"))
