"""Clients that are silent or do not read, on real sockets: the server is free again while they still hold on."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

pytestmark = pytest.mark.processes

ENDLESS = "/api/course?problem=majority&algorithm=gpstar-multi&n=40&init=tlopt&seed={seed}"
SMALL = "/api/steps?problem=order&algorithm=gp-single&n=12&from=1&count=1"
SCRIPT = """
import contextlib, socket
from gpruntime.watch import jobs, serve
for module, name, seconds in {waits}:
    assert hasattr(locals()[module], name)
    setattr(locals()[module], name, seconds)
bound = serve.loopback_socket(0)
bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # what is not read is noticed soon
with contextlib.suppress(KeyboardInterrupt):
    serve.serve(bound, lambda: print(bound.getsockname()[1], flush=True))
"""


@contextlib.contextmanager
def server(*waits):
    """A server with shorter waits, in a process of its own; yields its port. It ends in order, and says nothing."""
    command = [sys.executable, "-c", SCRIPT.format(waits=waits)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        port = int(process.stdout.readline())
        assert get(port, SMALL, timeout=300).status_code == 200  # it has compiled
        try:
            yield port
        finally:
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=20)
    assert told == ""


def get(port, path, timeout=40):
    return httpx.get(f"http://127.0.0.1:{port}{path}", timeout=timeout)


@pytest.fixture
def clients():
    with contextlib.ExitStack() as stack:

        def connect(port, *said, buffer=None):
            client = stack.enter_context(socket.socket())
            if buffer is not None:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            client.connect(("127.0.0.1", port))
            for path in said:
                client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            return client

        yield connect


def eventually(port, path, seconds=40):
    """The first answer that is no refusal."""
    deadline = time.monotonic() + seconds
    while (answer := get(port, path, seconds)).status_code == 503:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return answer


def test_silent_connections_are_hung_up(clients):
    """Those that say nothing, those that stop in the midst of a request, and those that have had an answer."""
    with server(("serve", "STALLED_SECONDS", 3.0)) as port:
        held = [clients(port, "/") for _ in range(5)] + [clients(port) for _ in range(70)]
        for client in held[:40]:
            client.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert get(port, "/").status_code == 503
        assert eventually(port, "/").status_code == 200


@pytest.mark.long
def test_who_does_not_read_is_hung_up(clients):
    course = "/api/course?problem=order&algorithm=gp-single&n=4500&seed={seed}"  # 90 kB, as it is made
    with server(("serve", "STALLED_SECONDS", 1.0)) as port:
        held = [clients(port, course.format(seed=seed), buffer=2048) for seed in range(6)]
        time.sleep(0.5)
        assert get(port, SMALL, 40).status_code == 200
        assert len(held) == 6


def test_long_jobs_make_room_for_those_that_wait(clients):
    with server(("jobs", "TURN_SECONDS", 1.0)) as port:
        held = [clients(port, ENDLESS.format(seed=seed)) for seed in range(6)]
        time.sleep(0.5)
        assert get(port, SMALL, 40).status_code == 200
        assert len(held) == 6


def test_no_job_lasts_for_ever():
    with server(("jobs", "TURN_SECONDS", 0.5), ("jobs", "JOB_SECONDS", 0.5)) as port:
        last = get(port, ENDLESS.format(seed=1)).text.splitlines()[-1]
        assert json.loads(last)["error"]["message"].startswith("stopped: it took long")
