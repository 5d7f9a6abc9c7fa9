"""A browser for the tests and pictures of pages, or the reason why there is none."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
ARGUMENTS += ["--disable-component-update", "--disable-sync"]


def why_none() -> str | None:
    """What keeps a browser from starting, or None."""
    if not Path(CHROMIUM).exists():
        return f"needs Debian's chromium at {CHROMIUM}"
    tried = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True)
    if tried.returncode != 0:
        said = (tried.stderr.strip().splitlines() or ["without a word"])[-1]
        return f"playwright's driver does not start (it needs Debian's libatomic1): {said}"
    return None


@contextmanager
def chromium() -> Iterator[Any]:
    """Chromium, as long as it is needed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
