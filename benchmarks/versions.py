"""The engine beside an earlier version of itself: `./run bench versions=REVISION`, in turn, in one call.

Each version has a process of its own that is asked for one measurement after the other: processor time of the same runs
from the same seeds, which must agree in their numbers. First calls are measured in new processes with an empty cache.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

console = Console(width=110)
ROOT = Path(__file__).parent.parent
ROUNDS = 5
PROBLEMS = ("majority", "order")
BEFORE_FLAT = "f61ec64"  # the last version that had a compiler of its own

PROBE = """
import json, os, sys, time
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # one core
if sys.argv[1] == "ordinary":  # a version of Numba that the engine's own compiler was not tried with
    import numba
    numba.__version__ = "0"
from gpruntime import RunSpec
from gpruntime.engine import run_many
for line in sys.stdin:
    problem, algorithm, n, method, budget, runs = json.loads(line)
    spec = RunSpec(problem=problem, algorithm=algorithm, n=n, budget=budget)
    begun = time.process_time()
    columns = run_many(spec, seed=1, runs=runs, method=method)
    print(json.dumps([time.process_time() - begun, int(columns.evaluations.sum())]), flush=True)
"""


class Work(NamedTuple):
    """What is measured: runs of one setting."""

    problem: str
    algorithm: str
    n: int
    method: str
    budget: int | None
    runs: int


class Version:
    """A version of the engine in a process of its own."""

    def __init__(self, source: Path, cache: str, way: str = "own") -> None:
        environment = {**os.environ, "PYTHONPATH": str(source), "XDG_CACHE_HOME": cache}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen([sys.executable, "-P", "-c", PROBE, way], env=environment, **pipes)

    def measure(self, work: Work) -> tuple[float, int]:
        """Seconds of the processor, and evaluations."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(work), file=self._process.stdin, flush=True)
        seconds, evaluations = json.loads(self._process.stdout.readline())
        return seconds, evaluations

    def __enter__(self) -> Version:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


@contextlib.contextmanager
def sources_of(revision: str) -> Iterator[Path]:
    """The sources of an earlier version, in a folder that goes away."""
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", "--", revision, "src"]
    archive = subprocess.run(command, capture_output=True)
    if archive.returncode != 0:
        print(f"gpruntime: bench versions={revision}: must be a revision of this clone's history", file=sys.stderr)
        sys.exit(2)
    packed = archive.stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
        yield Path(folder) / "src"


def works() -> Iterator[tuple[str, Work]]:
    """What is compared, with a name for each kind."""
    for problem, n in itertools.product(PROBLEMS, (100, 1_000, 10_000, 100_000)):
        budget = 30 * n if n > 10_000 else None
        yield "a step of GP-single", Work(problem, "gp-single", n, "stepping", budget, max(1, 50_000 // n))
    for problem, n in itertools.product(PROBLEMS, (100, 1_000, 10_000)):
        yield "a step of GP-multi", Work(problem, "gp-multi", n, "stepping", 30 * n, max(1, 50_000 // n))
    for problem, n in itertools.product(PROBLEMS, (3_000, 30_000, 250_000)):
        yield "a skipping run of GP*-single", Work(problem, "gpstar-single", n, "skipping", None, max(2, 300_000 // n))


def run_table(revision: str, before: Path) -> None:
    """Steps and whole runs, both versions in turn, each at its best."""
    table = Table(title=f"Processor time of the same runs, each side at its best of {ROUNDS}, in turn")
    for name in ("what", "problem", "n", f"{revision}, ns", "now, ns", "now / then"):
        table.add_column(name, justify="right")
    with (
        tempfile.TemporaryDirectory() as cache,
        Version(before, cache) as then,
        Version(ROOT / "src", cache) as now,
    ):
        for problem, algorithm in itertools.product(PROBLEMS, ("gp-single", "gp-multi", "gpstar-single")):
            method = "skipping" if algorithm == "gpstar-single" else "stepping"
            for version in (then, now):
                version.measure(Work(problem, algorithm, 5, method, 100, 1))  # compiles
        for what, work in works():
            times = [(then.measure(work), now.measure(work)) for _ in range(ROUNDS)]
            evaluations = times[0][0][1]
            assert all(made == evaluations for pair in times for _, made in pair), f"{work}: other numbers"
            best = [min(pair[i][0] for pair in times) for i in range(2)]
            per = work.runs if work.method == "skipping" else evaluations
            shown = [f"{seconds / per * 1e9:,.1f}" for seconds in best]
            table.add_row(what, work.problem, f"{work.n:,}", *shown, f"{best[1] / best[0]:.2f}")
    console.print(table)


def first_call_table(revision: str, before: Path) -> None:
    """First calls with an empty cache: then, then without its own compiler, and now; and now from disk."""
    table = Table(title="First call in a new process, seconds of the processor, the best of 3")
    names = ("problem", "method", revision, f"{revision}, Numba's ordinary way", "now", "now / ordinary", "from disk")
    for name in names:
        table.add_column(name, justify="right")
    sides = ((before, "own"), (before, "ordinary"), (ROOT / "src", "own"))
    for problem, method in itertools.product(PROBLEMS, ("stepping", "skipping")):
        work = Work(problem, "gpstar-single", 5, method, None, 1)
        rounds = []
        for _ in range(3):
            seconds = []
            for source, way in sides:
                with tempfile.TemporaryDirectory() as cache:
                    with Version(source, cache, way) as version:
                        seconds.append(version.measure(work)[0])
                    if source is not before:
                        with Version(source, cache, way) as again:
                            seconds.append(again.measure(work)[0])
            rounds.append(seconds)
        own, ordinary, now, disk = (min(column) for column in zip(*rounds, strict=True))
        shown = [f"{own:.1f}", f"{ordinary:.1f}", f"{now:.1f}", f"{now / ordinary:.2f}", f"{disk:.2f}"]
        table.add_row(problem, method, *shown)
    console.print(table)


def main(revision: str = BEFORE_FLAT) -> None:
    """Prints both tables."""
    with sources_of(revision) as before:
        run_table(revision, before)
        first_call_table(revision, before)
