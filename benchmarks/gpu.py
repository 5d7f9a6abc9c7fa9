"""Whole runs on a GPU beside one core and all cores of the same machine: steps a second.

A step is an offspring. On the GPU the time is that of all: seeds, initial trees, steps, the reduction and what the
engine finishes; compiling is not in it. The processor's runs are the first of the same. Each is at its best of two.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor

from rich.console import Console
from rich.table import Table

from gpruntime.engine import run_many
from gpruntime.gpu import summarise_runs
from gpruntime.gpu.device import all_devices
from gpruntime.model.spec import RunSpec

SEED, ROUNDS = 1, 2
# problem, algorithm, n, runs on the GPU, runs on a core
JOBS = [
    ("majority", "gp-single", 10, 300_000_000, 200_000),
    ("majority", "gp-single", 30, 100_000_000, 50_000),
    ("majority", "gp-single", 100, 30_000_000, 10_000),
    ("majority", "gp-single", 300, 3_000_000, 2_000),
    ("majority", "gp-single", 1000, 500_000, 500),
    ("majority", "gp-multi", 100, 10_000_000, 10_000),
    ("majority", "gp-single accept=parsimony", 100, 10_000_000, 10_000),
    ("majority", "gpstar-single", 30, 10_000_000, 5_000),
    ("order", "gp-single", 10, 20_000_000, 100_000),
    ("order", "gp-single", 30, 5_000_000, 20_000),
    ("order", "gp-single", 100, 3_000_000, 3_000),
    ("order", "gp-single", 1000, 30_000, 200),
    ("order", "gp-multi", 100, 300_000, 3_000),
]


def steps_on_a_core(job: tuple[str, str, int, int, int]) -> tuple[int, float]:
    """Steps and seconds of a core's runs."""
    problem, algorithm, n, _, runs = job
    spec = RunSpec(problem=problem, algorithm=algorithm, n=n)
    run_many(spec, seed=SEED, runs=1, method="stepping")
    begun = time.perf_counter()
    table = run_many(spec, seed=SEED, runs=runs, method="stepping").table
    return int(table[:, 1].sum()) - runs, time.perf_counter() - begun


def main() -> None:
    """Prints the table."""
    device, cores = all_devices()[0], len(os.sched_getaffinity(0))
    table = Table(title=f"steps a second: {device.name}, one core and {cores} cores of the same machine")
    for name in (
        "problem",
        "algorithm",
        "n",
        "runs",
        "GPU",
        "one core",
        f"{cores} cores",
        "GPU / core",
        "by the engine",
    ):
        table.add_column(name, justify="right")
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as pool:
        for job in JOBS:
            problem, algorithm, n, runs, _ = job
            spec = RunSpec(problem=problem, algorithm=algorithm, n=n)
            alone = [steps / seconds for steps, seconds in (steps_on_a_core(job) for _ in range(ROUNDS))]
            together = sum(steps / seconds for steps, seconds in pool.map(steps_on_a_core, [job] * cores))
            summarise_runs(spec, SEED, min(runs, 100_000), machine=device)
            best, by_the_engine = 0.0, 0
            for _ in range(ROUNDS):
                begun = time.perf_counter()
                found = summarise_runs(spec, SEED, runs, machine=device)
                best = max(best, (found.steps() / (time.perf_counter() - begun)))
                by_the_engine = found.by_the_engine
            core = max(alone)
            shown = [f"{best:.2e}", f"{core:.2e}", f"{together:.2e}", f"{best / core:,.0f}", f"{by_the_engine:,}"]
            table.add_row(problem, algorithm, str(n), f"{runs:,}", *shown)
    Console(width=130).print(table)
