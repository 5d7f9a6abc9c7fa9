"""What tests in several rooms ask for."""

import os

import pytest

from tests.browser_help import chromium, why_none


@pytest.fixture(scope="module")
def browser():
    """Chromium. Where it cannot start, the test is skipped with the reason; in CI it fails."""
    need_browser()
    with chromium() as started:
        yield started


def need_browser() -> None:
    why = why_none()
    if why is not None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(why)
