"""Ten million runs summarised: seconds and memory, through duckdb from Parquet files and as one Arrow table."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from gpruntime import RunSpec
from tests.runs_help import planted_table

RUNS_PER_CELL = 500_000
SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def write(folder: Path) -> None:
    """Planted gamma-distributed times of two algorithms at ten sizes, a file for each cell."""
    generator = np.random.default_rng(1)
    for constant, algorithm in ((5, "gp-single"), (7, "gpstar-single")):
        for n in SIZES:
            times = 1 + generator.gamma(4, constant * n * np.log(n) / 4, RUNS_PER_CELL)
            table = planted_table(RunSpec(problem="order", algorithm=algorithm, n=n), times)
            pq.write_table(table, folder / f"{algorithm}-{n}.parquet")


def measure(folder: str, way: str) -> None:
    """In a process of its own, so that its peak memory is its own."""
    import duckdb

    from gpruntime.analysis import summarise

    begun = time.perf_counter()
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"CREATE VIEW runs AS SELECT * FROM read_parquet('{folder}/*.parquet')")
    runs = connection if way == "duckdb" else pq.read_table(folder)
    summary = summarise(runs)
    seconds = time.perf_counter() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{way:>8}: {summary.runs:,} runs in {seconds:.1f} s and {memory:.2f} GB")


def main() -> None:
    """Writes the files, then summarises them in both ways."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        for way in ("duckdb", "arrow"):
            code = f"from benchmarks.analysis import measure; measure({folder!r}, {way!r})"
            subprocess.run([sys.executable, "-c", code], check=True)
