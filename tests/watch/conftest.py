"""The command `gpruntime watch` as a user starts it, its page in a browser, and what the tests ask of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from urllib.parse import urlencode, urlsplit

import httpx
import pytest


class Served:
    """A server in a process of its own."""

    def __init__(self, *words: str, program: tuple[str, str] = ("-m", "gpruntime")) -> None:
        command = [sys.executable, *program, "watch", "--no-open", "--port", "0", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.told: list[str] = []
        first = self.process.stderr.readline()
        self.told.append(first)
        self.page = re.search(r"http://\S+", first)[0]
        parts = urlsplit(self.page)
        self.port, self.base = parts.port, f"http://{parts.netloc}"
        self._reader = threading.Thread(target=lambda: self.told.extend(self.process.stderr), daemon=True)
        self._reader.start()
        for problem, algorithm in (("order", "gp-single"), ("majority", "gp-single"), ("majority", "gpstar-single")):
            self.get(f"/api/many?problem={problem}&algorithm={algorithm}&n=2&runs=1", timeout=300)  # it has compiled

    def get(self, path: str, **options) -> httpx.Response:
        return httpx.get(self.base + path, **{"timeout": 30, **options})

    def end(self) -> tuple[int, list[str]]:
        """Ctrl-C; returns the exit status and what was told on the error stream after the first line."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(timeout=20)
        self._reader.join(timeout=5)
        self.process.stdout.close()
        self.process.stderr.close()
        return status, self.told[1:]


@pytest.fixture(scope="session")
def served():
    server = Served()
    yield server
    status, told = server.end()
    assert (status, told) == (130, [])


@pytest.fixture
def open_page(browser, served):
    """Opens the page at a setting, or another address; a test that leaves a complaint on the console fails."""
    contexts, complaints = [], []

    def opened(setting=None, width=1400, height=900, address=None, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type != "info" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address or f"{served.base}/#{urlencode(setting)}")
        page.wait_for_selector(".panel[data-at]")
        page.complaints = complaints
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def trap(tmp_path):
    """A file that leaves a mark when it is run, and a pipe, which would be waited for."""
    mark, file, pipe = tmp_path / "mark", tmp_path / "evil.py", tmp_path / "pipe.py"
    file.write_text(
        f"from gpruntime import acceptance\nopen({str(mark)!r}, 'w').close()\n"
        "@acceptance\ndef rule(gain, growth):\n    return gain >= 0\n"
    )
    os.mkfifo(pipe)
    yield file, pipe
    assert not mark.exists()
