"""Several cores: whole runs by threads, studies by processes, an own problem, and what the model runs in Python.

1, 2, 4, … cores, up to all, make the same runs, as many as take one core some seconds: `./run bench cores=16` for 16 of
them. What is compiled or imported once is not counted, but the start of a study's workers is.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from gpruntime import RunSpec, problem, run_many
from gpruntime.study import Plan, run_study
from gpruntime.systems import available_cores

console = Console(width=110)
SECONDS = 8.0


@problem(sees="counts", best=lambda n: n)
def two_thirds(i, plain, bar, n):  # noqa: ARG001
    """An own problem that is compiled."""
    return plain >= 1 and 3 * plain >= 2 * (plain + bar)


@problem(sees="leaves", best=lambda n: n)
def by_a_string(leaves, n):
    """One outside Numba's subset: the model runs it, in Python."""
    return min(n, len("".join(sorted({chr(97 + leaf) for leaf in leaves.tolist()}))))


class Work(NamedTuple):
    """What is measured: `make(runs, workers)` makes runs."""

    name: str
    make: Callable[[int, int], object]
    runs: int


def main(seconds: str = "") -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        works = [
            *(whole_runs(*setting) for setting in (("majority", 100), ("order", 100), ("order", 1000))),
            whole_runs(two_thirds, 100),
            whole_runs(by_a_string, 10, budget=300),
            *(study(name, 100, Path(folder)) for name in ("majority", "order")),
        ]
        report(works, float(seconds or SECONDS))


def whole_runs(name: object, n: int, **more: int) -> Work:
    """`run_many`."""
    spec = RunSpec(problem=name, algorithm="gp-single", n=n, **{"budget": 10**7, **more})  # type: ignore[arg-type]
    make = lambda runs, workers: run_many(spec, seed=1, runs=runs, workers=workers)  # noqa: E731
    return Work(f"run_many, {spec.problem.name}, n = {n}", make, 100)


def study(name: str, n: int, folder: Path) -> Work:
    """`run_study`, start of the workers and storing included."""

    def make(runs: int, workers: int) -> None:
        plan = Plan.of(seed=1, problem=name, algorithm="gp-single", n=n, runs=runs)
        run_study(plan, folder / f"{name}-{runs}-{workers}-{time.monotonic_ns()}", workers=workers)

    return Work(f"run_study, {name}, n = {n}", make, 10_000)


def report(works: list[Work], about: float) -> None:
    """Measures and prints, line by line."""
    numbers = [2**k for k in range(11) if 2**k < available_cores()] + [available_cores()]
    table = Table(title=f"(1+1) GP-single on {available_cores()} cores")
    for name in ("what", "runs", "one core, s", *(f"× on {number}" for number in numbers[1:])):
        table.add_column(name, justify="left" if name == "what" else "right")
    for work in works:
        runs = enough(work, about)
        seconds = {number: timed(work, runs, number) for number in numbers}
        ratios = [f"{seconds[1] / seconds[number]:.2f}" for number in numbers[1:]]
        table.add_row(work.name, f"{runs:,}", f"{seconds[1]:.1f}", *ratios)
    console.print(table)


def enough(work: Work, about: float) -> int:
    """How many runs take so many seconds; what must be compiled is, meanwhile."""
    runs = work.runs
    timed(work, runs, 1)
    while (took := timed(work, runs, 1)) < about / 4:
        runs *= 2
    return round(runs * about / took)


def timed(work: Work, runs: int, workers: int) -> float:
    """Seconds."""
    begun = time.perf_counter()
    work.make(runs, workers)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
