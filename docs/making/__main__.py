"""Builds the site into site/: `./run site`. Any warning of MkDocs and any link that leads nowhere stops it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

from docs.making.atlas import make_atlas
from docs.making.links import broken_links
from docs.making.literature import make_literature
from docs.making.notebooks import make_pages
from docs.making.pictures import make_pictures
from docs.making.places import DOCS, PARTS, ROOT, SITE
from docs.making.playground import make_playground
from docs.making.scenes import make_scenes


def main() -> None:
    """All of it. The paper's report takes longest: one that is there stays; `rm -r .site` makes it anew."""
    for name in ("scenes", "pictures", "notebooks", "playground", "atlas", "literature"):
        shutil.rmtree(PARTS / name, ignore_errors=True)
    _step("scenes", lambda: make_scenes(PARTS / "scenes"))
    _step("pictures", lambda: make_pictures(PARTS / "pictures"))
    _step("notebooks", lambda: make_pages(DOCS / "notebooks", PARTS / "notebooks"))
    _step("playground", lambda: make_playground(PARTS / "playground"))
    _step("atlas", lambda: make_atlas(PARTS / "atlas"))
    _step("the literature's report", lambda: make_literature(PARTS / "literature"))
    if not (PARTS / "paper" / "report.html").exists():
        _step("the paper's report", lambda: _call("gpruntime", "paper", "-o", str(PARTS / "paper")))
    _step("pages", lambda: _call("mkdocs", "build", "--strict", "--quiet", "--clean"))
    broken = broken_links(SITE)
    for line in broken:
        print(f"gpruntime: {line}", file=sys.stderr)
    if broken:
        sys.exit(1)
    pages = len(list(SITE.rglob("*.html")))
    print(f"{pages} pages in site/; to read them: python3 -m http.server -d site, then http://localhost:8000")


def _step(what: str, make: object) -> None:
    begun = time.monotonic()
    assert callable(make)
    make()
    print(f"{what}: {time.monotonic() - begun:.0f} s", flush=True)


def _call(*words: str) -> None:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
