"""Where no browser can start, tests are skipped with the reason, in CI they fail, and pictures are one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser_help import CHROMIUM, why_none
from tests.conftest import need_browser

LIBATOMIC = "error while loading shared libraries: libatomic.so.1: cannot open shared object file"


@pytest.fixture
def no_driver(monkeypatch, tmp_path):
    """A driver that cannot start, as on a Debian without libatomic1."""
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho 'node: {LIBATOMIC}' >&2\nexit 127\n")
    node.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    monkeypatch.setattr("tests.browser_help.CHROMIUM", str(node))  # it is there
    monkeypatch.delenv("CI", raising=False)


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_tests_are_skipped_with_the_reason():
    with pytest.raises(pytest.skip.Exception, match=f"needs Debian's libatomic1.*{LIBATOMIC}$"):
        need_browser()


@pytest.mark.usefixtures("no_driver")
def test_in_CI_they_fail(monkeypatch):
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="libatomic1"):
        need_browser()


def test_without_chromium_too(monkeypatch):
    monkeypatch.setattr("tests.browser_help.CHROMIUM", "/nowhere/chromium")
    assert why_none() == "needs Debian's chromium at /nowhere/chromium"


@pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="the line would be about chromium")
@pytest.mark.usefixtures("no_driver")
def test_pictures_are_refused_in_one_line():
    told = subprocess.run([sys.executable, "-m", "docs.make_screenshots"], capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("gpruntime: playwright's driver does not start (it needs Debian's libatomic1)")
    assert told.stderr.count("\n") == 1
