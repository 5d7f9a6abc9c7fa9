"""Makes the pictures of the page in docs/images: `./run screenshots`. Needs Debian's chromium and libatomic1."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from gpruntime import RunSpec
from gpruntime.watch.choice import address_of
from gpruntime.watch.export import write_page
from tests.browser_help import chromium, why_none

IMAGES = Path(__file__).parent / "images"
MAX_BYTES = 200_000
WAIT = 180_000  # milliseconds: the engine may have to be compiled first

# name: the setting, the window, the theme, keys to press
PICTURES: dict[str, tuple[str, tuple[int, int], str, list[str]]] = {
    "watch-run": ("problem=order&algorithm=gpstar-single&n=10&seed=1&at=9", (1280, 860), "light", []),
    "watch-beside": (
        "problem=order&algorithm=gp-single&n=10&seed=4&versus=gpstar-single&at=48",
        (1600, 900),
        "light",
        [],
    ),
    "watch-majority": ("problem=majority&algorithm=gp-single&n=10&seed=0&at=50", (1280, 860), "dark", []),
    "watch-large": ("problem=order&algorithm=gp-single&n=1000&seed=2&at=500", (1280, 860), "light", ["f"]),
    "watch-folded": ("problem=majority&algorithm=gp-single&n=500&seed=2&at=57", (1280, 860), "dark", []),
    "watch-circuit": ("problem=and&algorithm=cgp:gates=2n&n=6&seed=1&at=9", (1280, 800), "light", []),
    "watch-lesson": ("lesson=trap", (1400, 900), "light", []),
    "watch-phone": ("problem=order&algorithm=gp-single&n=10&seed=1&at=14", (375, 760), "light", []),
    "watch-many": (
        "problem=order&algorithm=gp-single&versus=gpstar-single&n=10&seed=1&tab=many&ns=10,20,50,100,200,500,1000&runs=200",
        (1280, 1470),
        "light",
        [],
    ),
    "watch-stuck": (
        "problem=majority&algorithm=gpstar-single&versus=gp-single&n=10&seed=0&tab=many&ns=10,20,50,100&runs=50",
        (1280, 1960),
        "light",
        [],
    ),
}


def main() -> None:
    """Serves the page and takes the pictures."""
    why = why_none()
    if why is not None:
        sys.exit(f"gpruntime: {why}")
    command = [sys.executable, "-m", "gpruntime", "watch", "--no-open", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert server.stderr is not None
        found = re.search(r"http://[^/]+/", server.stderr.readline())
        assert found is not None
        with chromium() as browser:
            for name, picture in PICTURES.items():
                take(browser, found[0], name, *picture)
            take_population(browser)
    finally:
        server.terminate()
        server.wait()


def take(browser: Any, base: str, name: str, setting: str, size: tuple[int, int], theme: str, keys: list[str]) -> None:
    """One picture."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=theme, reduced_motion="reduce")
    page.goto(f"{base}#{setting}")
    if "tab=many" in setting:  # they start by themselves
        page.wait_for_function(
            "() => document.querySelector('#many-status').textContent.startsWith('Done')", timeout=WAIT
        )
    else:
        page.wait_for_selector(".panel[data-at] .badge:not(.computing)", timeout=WAIT)
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_timeout(400)
    keep(page, name)


def take_population(browser: Any) -> None:
    """A run with several trees, which is a file."""
    page = browser.new_page(viewport={"width": 1280, "height": 1010}, color_scheme="light")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "smo.html"
        spec = RunSpec(problem="order", algorithm="smo-single", n=6, budget=10_000)
        write_page(str(file), address_of(spec, 3, 0))
        page.goto(file.as_uri())
        page.wait_for_selector(".dot")
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    keep(page, "watch-population")


def keep(page: Any, name: str) -> None:
    """The page as it stands, as a picture."""
    file = IMAGES / f"{name}.png"
    page.screenshot(path=file)
    page.close()
    # Median cut would give few colours to small marks, and green would turn blue.
    Image.open(file).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(file, optimize=True)
    size_of = file.stat().st_size
    print(f"{file.relative_to(Path.cwd())} {size_of:,} bytes")
    assert size_of <= MAX_BYTES, f"{file} is too large"


if __name__ == "__main__":
    main()
