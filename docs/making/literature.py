"""The literature's report on the site: the page of `gpruntime paper` for all papers but the founding one, made once.

    gpruntime paper NAMES… -o FOLDER && python -m docs.making.literature FOLDER

keeps the page in docs/data/literature.html.xz, without its links to the folder's other files, so that building the site
takes no minutes for it. The page says when it was made, and with what.
"""

from __future__ import annotations

import lzma
import re
import sys
from pathlib import Path

from docs.making.places import DOCS
from gpruntime.paper.papers import PAPERS

KEPT = DOCS / "data" / "literature.html.xz"
_FILES = re.compile(r',? ?<a href="figures/[^"]*">[^<]*</a>')


def command() -> str:
    """What makes the page."""
    return " ".join(["gpruntime paper", *(name for name in PAPERS if PAPERS[name].claims and name != "founding")])


def keep(page: str) -> None:
    """Keeps a page."""
    place = page.index('id="provenance"')
    page = page[:place] + page[place:].replace("The runs are", f"Made by <code>{command()}</code>. The runs are", 1)
    KEPT.write_bytes(lzma.compress(_FILES.sub("", page).encode("utf-8"), preset=9))


def make_literature(folder: Path) -> None:
    """Writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_bytes(lzma.decompress(KEPT.read_bytes()))


if __name__ == "__main__":
    keep((Path(sys.argv[1]) / "report.html").read_text("utf-8"))
