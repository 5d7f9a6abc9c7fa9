"""Studies: two workers against one, the price of storing, and a summary of ten million rows."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gpruntime.study import Plan, Study, run_study

console = Console(width=110)
SUMMARY = """
    select problem, algorithm, n, count(*) as runs, avg(evaluations) as mean, stddev(evaluations) as deviation,
           median(evaluations) as median, max(max_leaves) as largest
    from runs group by all order by all
"""


def main() -> None:
    """Prints all tables."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        workers_table(Path(folder))
        storing_table(Path(folder))
        summary_table(Path(folder))


def timed_study(plan: Plan, folder: Path, workers: int) -> float:
    """Seconds that a whole study takes, start of the workers included."""
    begun = time.perf_counter()
    run_study(plan, folder, workers=workers)
    return time.perf_counter() - begun


def workers_table(folder: Path) -> None:
    """One worker, then two, on the same plan; the other way round; the best of each."""
    plan = Plan.of(seed=1, problem="majority", algorithm="gp-single", n=1000, runs=60_000)
    seconds = {1: float("inf"), 2: float("inf")}
    for number, workers in enumerate((1, 2, 2, 1)):
        seconds[workers] = min(seconds[workers], timed_study(plan, folder / f"workers{number}", workers))
    shards = len(Study.load(folder / "workers0").entries)
    table = Table(title=f"(1+1) GP-single on MAJORITY, n = 1000, 60,000 runs, {os.cpu_count()} cores, {shards} shards")
    for name in ("workers", "seconds", "against one"):
        table.add_column(name, justify="right")
    for workers, took in seconds.items():
        table.add_row(str(workers), f"{took:.1f}", f"{seconds[1] / took:.2f}×")
    console.print(table)


def storing_table(folder: Path) -> None:
    """What a study of a million runs takes beyond computing them."""
    plan = Plan.of(seed=1, problem="majority", algorithm="gp-single", n=100, runs=1_000_000)
    run_study(Plan.of(problem="majority", algorithm="gp-single", n=2, runs=10), folder / "warm", workers=0)  # imports
    begun = time.perf_counter(), time.process_time()
    run_study(plan, folder / "storing", workers=0)
    wall, processor = time.perf_counter() - begun[0], time.process_time() - begun[1]
    computing = Study.load(folder / "storing").sql("select sum(seconds) as s from runs").to_pylist()[0]["s"]
    size = sum(path.stat().st_size for path in (folder / "storing" / "shards").iterdir())
    table = Table(title="a million runs of (1+1) GP-single on MAJORITY, n = 100, in one process")
    for name in ("seconds in all", "of the processor", "computing", "the rest", "share of computing", "bytes a run"):
        table.add_column(name, justify="right")
    rest = wall - computing
    table.add_row(
        f"{wall:.1f}",
        f"{processor:.1f}",
        f"{computing:.1f}",
        f"{rest:.1f}",
        f"{100 * rest / computing:.1f} %",
        f"{size / 1e6:.1f}",
    )
    console.print(table)


def summary_table(folder: Path) -> None:
    """Ten million rows: loading with all checksums, and summarising."""
    plan = Plan.of(
        seed=1, problem="majority", algorithm=["gp-single", "gpstar-single"], n=[1, 2, 3, 4, 5], runs=1_000_000
    )
    run_study(plan, folder / "many")
    table = Table(title="ten million rows")
    for name in ("step", "seconds"):
        table.add_column(name, justify="right" if name == "seconds" else "left")
    begun = time.perf_counter()
    study = Study.load(folder / "many")
    table.add_row(f"load and check {len(study.entries)} shards", f"{time.perf_counter() - begun:.2f}")
    begun = time.perf_counter()
    assert study.sql(SUMMARY).num_rows == 10
    table.add_row("summary of ten cells by SQL", f"{time.perf_counter() - begun:.2f}")
    begun = time.perf_counter()
    study.progress()
    table.add_row("status", f"{time.perf_counter() - begun:.2f}")
    begun = time.perf_counter()
    assert study.table().num_rows == 10_000_000
    table.add_row("the whole table in memory, in order", f"{time.perf_counter() - begun:.2f}")
    console.print(table)
    console.print(
        f"largest memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB"
    )


if __name__ == "__main__":
    main()
