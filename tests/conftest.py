"""What tests in several rooms ask for."""

import os
from pathlib import Path

import pytest

from tests.watch.page import ARGUMENTS, CHROMIUM


@pytest.fixture(scope="module")
def browser():
    """Chromium. Where there is none, the test is skipped; in CI it fails."""
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).exists() and "CI" not in os.environ:
        pytest.skip(f"needs Debian's chromium at {CHROMIUM}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()
