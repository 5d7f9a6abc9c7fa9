"""The server as a browser and as a stranger meet it. It runs in a process of its own."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from gpruntime import Run, RunSpec, run_many
from gpruntime.watch.serve import USUAL_PORT
from gpruntime.watch.window import tree_to_json
from tests.watch.conftest import Served

pytestmark = pytest.mark.processes

RUN = "problem=order&algorithm=gp-single&n=12&seed=4"
SPEC = RunSpec(problem="order", algorithm="gp-single", n=12)


def lines(response):
    return [json.loads(line) for line in response.text.splitlines()]


def test_the_page_and_its_parts(served):
    for path, kind in (("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css")):
        answer = served.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)


def test_a_course_is_the_models(served):
    pieces = lines(served.get(f"/api/course?{RUN}"))
    result = Run(SPEC, seed=4).result()
    assert pieces[-1]["end"]["evaluations"] == result.evaluations
    assert pieces[-1]["end"]["outcome"] == result.outcome
    points = [point for piece in pieces for point in piece.get("points", [])]
    assert points[-1][:3] == [result.evaluations, result.fitness, result.leaves]


def test_steps_are_the_models(served):
    answer = served.get(f"/api/steps?{RUN}&from=30&count=20").json()
    run = Run(SPEC, seed=4)
    while run.evaluations < 30:
        run.step()
    assert answer["tree"] == tree_to_json(run.tree)
    assert [bool(step[0]) for step in answer["steps"]] == [run.step().accepted for _ in range(20)]


def test_many_runs_are_the_engines(served):
    pieces = lines(served.get(f"/api/many?{RUN}&runs=40"))
    told = [run for piece in pieces for run in piece.get("runs", [])]
    columns = run_many(SPEC, seed=4, runs=40)
    assert [run[1] for run in told] == columns.evaluations.tolist()
    assert [run[0] for run in told] == columns.outcome
    assert pieces[-1] == {"end": "done"}
    assert [piece["cell"]["runs"] for piece in pieces if "cell" in piece][-1] == 40


def test_a_setting_is_checked_before_anything_is_made(served):
    assert served.get(f"/api/check?{RUN}").json() == {}
    refused = served.get(f"/api/check?{RUN.replace('n=12', 'n=0')}")
    assert refused.status_code == 422
    assert refused.json()["error"]["name"] == "n"


def test_the_law_over_sizes(served):
    answer = served.get(f"/api/law?{RUN.replace('n=12', 'ns=4,8,16,32,64,128')}&runs=30").json()
    assert answer["words"].startswith("E[time] ≈ ")
    assert [round(point[0]) for point in (answer["line"][0], answer["line"][-1])] == [4, 128]


@pytest.mark.parametrize(
    ("path", "status", "name"),
    [
        ("/api/course?problem=order", 422, "algorithm"),
        (f"/api/course?{RUN}&n=3", 422, "n"),
        ("/api/course?problem=order&algorithm=gp-single&n=10001", 422, "n"),
        (f"/api/steps?{RUN}&count=1001", 422, "count"),
        (f"/api/steps?{RUN}&from=0", 422, "from"),
        (f"/api/many?{RUN}&runs=1001", 422, "runs"),
        ("/api/many?problem=order&algorithm=gp-single&n=100001", 422, "n"),
        ("/api/law?problem=order&algorithm=gp-single&ns=3,100001", 422, "n"),
        ("/api/law?problem=order&algorithm=gp-single&ns=" + ",".join(map(str, range(50))), 422, "ns"),
        ("/api/course?%ff=1", 400, "query"),
        ("/api/course?init=" + "x" * 20000, 414, "address"),
    ],
)
def test_errors_are_json_with_name_value_and_what_is_allowed(served, path, status, name):
    answer = served.get(path)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error["name"] == name
    assert set(error) == {"name", "value", "allowed", "message"}


def test_only_get(served):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        answer = httpx.request(method, f"{served.base}/api/course?{RUN}", timeout=30)
        assert answer.status_code == 405
        assert "error" in answer.json()
    assert httpx.head(f"{served.base}/api/course?{RUN}", timeout=30).status_code == 405
    assert httpx.head(f"{served.base}/", timeout=30).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "localhost:1", "evil.example:{port}", "0.0.0.0:{port}", ""]
)
def test_a_foreign_host_is_refused(served, host):
    for path in ("/", "/api/course?" + RUN):
        answer = served.get(path, headers={"host": host.format(port=served.port)})
        assert answer.status_code == 403
        assert answer.json()["error"]["name"] == "host"


def test_our_names_are_known(served):
    for name in ("127.0.0.1", "localhost", "LOCALHOST"):
        assert served.get("/", headers={"host": f"{name}:{served.port}"}).status_code == 200


def test_other_origins_get_nothing_and_are_allowed_nothing(served):
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        answer = served.get(f"/api/course?{RUN}", headers=headers)
        assert answer.status_code == 403
    own = served.get(f"/api/course?{RUN}", headers={"origin": served.base, "sec-fetch-site": "same-origin"})
    assert own.status_code == 200
    for answer in (own, served.get("/"), served.get("/nowhere")):
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["x-content-type-options"] == "nosniff"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_it_listens_on_the_loopback_address_only(served):
    with Path(f"/proc/{served.process.pid}/net/tcp").open(encoding="utf-8") as file:
        listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
    assert [address for address in listening if int(address.split(":")[1], 16) == served.port] == [
        f"0100007F:{served.port:04X}"
    ]


HEAVY = [
    "/api/course?problem=order&algorithm=gpstar-single&n=10000&seed={seed}",
    "/api/steps?problem=order&algorithm=gpstar-single&n=9000&from=90000000&count=5&seed={seed}",
    "/api/many?problem=majority&algorithm=gp-multi&n=100000&runs=1000&seed={seed}",
    "/api/many?problem=order&algorithm=gpstar-multi&n=100000&poisson_mean=100&init=bad&runs=1000&seed={seed}",
    "/api/course?problem=order&algorithm=gp-single&n=200&operator=hvl&seed={seed}",  # compiled first, which takes long
]


# The command, with a line on its output for each computation that begins, and one for how it ends. To read a request is
# none.
TELLING = """
import sys
from gpruntime.cli.start import main
from gpruntime.watch import jobs
from gpruntime.watch.recording import Stopped

def say(word):
    sys.stdout.write(word + "\\n")
    sys.stdout.flush()

def telling(work):
    def tell(*arguments):
        say("begun")
        try:
            answer = work(*arguments)
        except Stopped:
            say("stopped")
            raise
        say("finished")
        return answer
    return tell

answer = jobs.Jobs.answer
is_reading = lambda self: self._most_waiting == jobs.CONNECTIONS
jobs.Jobs.answer = lambda self, job: answer(self, job if is_reading(self) else telling(job))
jobs._put_all = telling(jobs._put_all)
main()
"""


class Telling(Served):
    """A server that tells what becomes of its computations."""

    def __init__(self):
        super().__init__(program=("-c", TELLING))
        assert [self.next_event() for _ in range(6)] == ["begun", "finished"] * 3  # what `Served` asks for

    def next_event(self):
        return self.process.stdout.readline().strip()


@pytest.fixture(scope="module")
def telling():
    server = Telling()
    yield server
    assert server.end() == (130, [])


@pytest.mark.parametrize("path", [*HEAVY[:-1], pytest.param(HEAVY[-1], marks=pytest.mark.long)])
def test_work_stops_when_nobody_waits_for_it(telling, path):
    """Each of these takes more than ten seconds, and would then be finished."""
    with ask(telling, path.format(seed=1)):
        assert telling.next_event() == "begun"
    assert telling.next_event() == "stopped"
    assert telling.get("/api/steps?" + RUN).status_code == 200
    assert [telling.next_event(), telling.next_event()] == ["begun", "finished"]


def ask(server, address):
    """A connection on which a request was sent."""
    reader = socket.create_connection(("127.0.0.1", server.port))
    reader.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    return reader


def test_ctrl_c_ends_it_quietly_in_the_midst_of_an_answer():
    server = Served()
    with httpx.stream("GET", server.base + HEAVY[0].format(seed=2), timeout=30) as answer:
        received = answer.iter_bytes()
        next(received)
        assert server.end() == (130, [])
        assert b'"end"' not in b"".join(received)  # given up, but in order: one that is cut off would raise here


def test_ctrl_c_twice_in_the_midst_of_much_work():
    server = Served()
    with contextlib.ExitStack() as held:
        for path in HEAVY[:-1]:
            reader = held.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            reader.sendall(f"GET {path.format(seed=3)} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        time.sleep(0.5)
        server.process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        assert server.end() == (130, [])


def test_too_many_at_once_are_told_so():
    """Six compute, sixteen wait, the rest is refused; afterwards all is well."""
    server = Telling()
    with contextlib.ExitStack() as held:
        readers = [held.enter_context(ask(server, HEAVY[1].format(seed=100 + seed))) for seed in range(30)]
        assert [server.next_event() for _ in range(6)] == ["begun"] * 6
        refused = set()
        while len(refused) < 8:
            refused.update(select.select([reader for reader in readers if reader not in refused], [], [])[0])
        assert {reader.recv(12) for reader in refused} == {b"HTTP/1.1 503"}
        answer = server.get("/api/steps?" + RUN)
        assert answer.status_code == 503
        assert answer.json()["error"]["value"] == "busy"
    assert "finished" not in [server.next_event() for _ in range(6)]
    while server.get("/api/steps?" + RUN).status_code != 200:
        time.sleep(0.1)
    assert server.end() == (130, [])


def watch(*words):
    command = [sys.executable, "-m", "gpruntime", "watch", "--no-open", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "{port}"], "--port {port}: is in use; give another, or 0 for any that is free"),
        (["--port", "65536"], "--port 65536: must be at most 65535"),
        (["--port", "http"], "--port http: must be a whole number"),
        (["-n", "10001"], "-n 10001: must be at most 10000 on the page"),
        (["--versus", "gp"], "--versus gp: must be one of"),
        (["--problem", "odrer"], "did you mean order?"),
        (["-o", "/nowhere/x.html"], "-o /nowhere/x.html: the folder /nowhere does not exist"),
        (["-o", "/"], "-o /: is a folder"),
        (["--run", "-1"], "--run -1: must be a whole number, 0 or more"),
    ],
)
def test_bad_input_is_one_line_and_status_2(served, words, message):
    done = watch(*(word.format(port=served.port) for word in words))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert message.format(port=served.port) in done.stderr


def test_without_the_extra_it_says_what_to_install():
    script = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['gpruntime', 'watch'];"
        "from gpruntime.cli.start import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "gpruntime: the page needs Starlette and uvicorn: pip install starlette uvicorn\n"


def test_the_usual_port_taken_any_other_will_do():
    from gpruntime.watch.serve import loopback_socket

    with loopback_socket(None) as first, loopback_socket(None) as second:
        assert second.getsockname()[0] == "127.0.0.1"
        assert second.getsockname()[1] not in (first.getsockname()[1], USUAL_PORT, 0)


def test_ctrl_c_does_not_wait_for_the_compiler(tmp_path):
    """A new machine: nothing is compiled yet, and the user has seen enough at once."""
    command = [sys.executable, "-m", "gpruntime", "watch", "--no-open", "--port", "0"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    kernels = tmp_path / "gpruntime" / "kernels"
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr.readline().startswith("gpruntime: watch at http://127.0.0.1:")
        while not any(kernels.glob("*.lock")):  # it compiles
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read() == ""
    assert len([*kernels.glob("*.kernel")]) < 5  # which is all of them


@pytest.mark.parametrize("display", [":0", ""])
def test_it_opens_a_browser_where_there_is_a_screen(tmp_path, display):
    """Without one, the system might start a browser for the terminal, which would take it over."""
    (tmp_path / "xdg-open").write_text(f'#!/bin/sh\necho "$1" >{tmp_path}/opened\n', encoding="utf-8")
    (tmp_path / "xdg-open").chmod(0o755)
    environment = {**os.environ, "DISPLAY": display, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environment.pop("WAYLAND_DISPLAY", None)
    command = [sys.executable, "-m", "gpruntime", "watch", "-n", "7", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        address = process.stderr.readline().split()[3]
        opened = tmp_path / "opened"
        while display and not (opened.exists() and opened.read_text(encoding="utf-8")):
            time.sleep(0.05)
        time.sleep(0 if display else 1)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert opened.exists() == bool(display)
    assert not display or opened.read_text(encoding="utf-8").strip() == address
