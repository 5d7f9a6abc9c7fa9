"""The engine against DEAP and the model, skipping against stepping, and growth with n."""

from __future__ import annotations

import itertools
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.deap_program import make_step
from gpruntime import Run, RunSpec
from gpruntime.engine.columns import EVALUATIONS
from gpruntime.engine.execute import Execution, run_many

console = Console(width=110)
PROBLEMS = ("majority", "order")
ROUNDS = 9
SLICE = 200_000  # proposals and leaves planted: some hundredths of a second
SIZES = (10, 100, 1_000, 10_000, 100_000, 1_000_000)


def main() -> None:
    """Prints all tables."""
    for problem in PROBLEMS:  # compile, and warm up
        run_many(RunSpec(problem=problem, algorithm="gpstar-single", n=50), method="stepping")
        run_many(RunSpec(problem=problem, algorithm="gpstar-single", n=50), method="skipping")
    step_table()
    skipping_table()
    growth_table()
    memory_table()
    compile_table()


# ---- ns per step


def slice_seconds(spec: RunSpec, runs: int, method: str) -> tuple[list[float], int]:
    """Seconds of each slice of so many runs, always the same slices, and their evaluations.

    Stepping begins when the first tree has been planted.
    """
    execution = Execution(spec, 1, np.arange(runs), method)
    if method == "stepping":
        execution.slice(1)
    before = execution.evaluations()
    begun, seconds = time.perf_counter(), []
    while not execution.done:
        execution.slice(SLICE)
        seconds.append(time.perf_counter() - begun)
    return np.diff(seconds, prepend=0.0).tolist(), int(execution.out[:, EVALUATIONS].sum()) - before


def engine_step(problem: str, n: int) -> Callable[[], tuple[list[float], int]]:
    """Measures whole runs of (1+1) GP-single by slices; at n = 10⁶ the first 7n evaluations of one."""
    spec = RunSpec(problem=problem, algorithm="gp-single", n=n, budget=7 * n if n > 100_000 else None)
    return lambda: slice_seconds(spec, max(1, 50_000 // n), "stepping")


def sum_of_best(rounds: list[list[float]]) -> float:
    """Each slice at its best: what else runs on the machine only ever adds to one."""
    return sum(map(min, zip(*rounds, strict=True)))


def usual_leaves(problem: str, n: int) -> int:
    """The mean of the leaves a run begins and ends with: DEAP and the model take longer the larger the tree."""
    ends = run_many(RunSpec(problem=problem, algorithm="gp-single", n=n), seed=1, runs=10).leaves
    return round((2 * n + float(ends.mean())) / 2)


def model_step(problem: str, n: int) -> Callable[[], float]:
    """Measures ns per offspring of the model, on trees of the usual size."""
    leaves = usual_leaves(problem, n)
    run = Run(RunSpec(problem=problem, algorithm="gp-single", n=n, init=f"unity:leaves={leaves}"), 1)

    def measure() -> float:
        begun, done = time.perf_counter_ns(), 0
        for _ in itertools.islice(run, max(20, 20_000 // n)):
            done += 1
        return (time.perf_counter_ns() - begun) / max(done, 1)

    return measure


def deap_step(problem: str, n: int) -> Callable[[], float]:
    """Measures ns per offspring of the program with DEAP, on trees of the usual size."""
    random.seed(1)
    step = make_step(n, problem, usual_leaves(problem, n))
    steps = max(50, 100_000 // n)

    def measure() -> float:
        begun = time.perf_counter_ns()
        for _ in range(steps):
            step()
        return (time.perf_counter_ns() - begun) / steps

    return measure


def step_table() -> None:
    """ns per step by n; DEAP and the model where they take less than minutes."""
    table = Table(title=f"(1+1) GP-single from unity: ns per step, slices at their best of {ROUNDS}")
    for name in ("problem", "n", "DEAP", "model", "engine", "DEAP / engine", "model / engine", "to n = 1000"):
        table.add_column(name, justify="right")
    rows = list(itertools.product(PROBLEMS, SIZES))
    slow = {(p, n): (deap_step(p, n) if n <= 1000 else None, model_step(p, n) if n <= 100 else None) for p, n in rows}
    engine = {row: engine_step(*row) for row in rows}
    slow_times, engine_times = {row: [] for row in rows}, {row: [] for row in rows}
    for _, row in itertools.product(range(ROUNDS), rows):
        slow_times[row].append([measure() if measure else math.nan for measure in slow[row]])
        engine_times[row].append(engine[row]())
    step = {
        row: sum_of_best([seconds for seconds, _ in times]) / times[0][1] * 1e9 for row, times in engine_times.items()
    }
    for problem, n in rows:
        best = list(map(min, zip(*slow_times[problem, n], strict=True)))
        shown = ["" if math.isnan(x) else f"{x:,.0f}" for x in best]
        ratios = ["" if math.isnan(x) else f"{x / step[problem, n]:,.0f}" for x in best]
        to_1000 = f"{step[problem, n] / step[problem, 1000]:.1f}"
        table.add_row(problem, f"{n:,}", *shown, f"{step[problem, n]:.1f}", *ratios, to_1000)
    console.print(table)


# ---- skipping


def run_seconds(spec: RunSpec, method: str, seed: int, runs: int = 1) -> tuple[float, int]:
    """Seconds and evaluations of whole runs."""
    begun = time.perf_counter()
    columns = run_many(spec, seed=seed, runs=runs, method=method)
    return time.perf_counter() - begun, int(columns.evaluations.sum())


def skipping_table() -> None:
    """Whole runs of ORDER at n = 3000, stepping and skipping: time per evaluation, since their runs differ."""
    table = Table(title="(1+1) GP*-single from unity, whole runs: ns per evaluation, median of 5 runs")
    for name in ("problem", "n", "stepping", "skipping", "stepping / skipping"):
        table.add_column(name, justify="right")
    for problem, n in (("order", 1000), ("order", 3000), ("majority", 300)):
        spec = RunSpec(problem=problem, algorithm="gpstar-single", n=n)
        times = {"stepping": [], "skipping": []}
        for seed, method in itertools.product(range(5), times):
            seconds, evaluations = run_seconds(spec, method, seed)
            times[method].append(seconds / evaluations * 1e9)
        stepping, skipping = (float(np.median(times[method])) for method in times)
        table.add_row(problem, f"{n:,}", f"{stepping:.2f}", f"{skipping:.4f}", f"{stepping / skipping:,.0f}")
    console.print(table)


def growth_table() -> None:
    """Seconds of a skipping run as n doubles: several runs at once, each slice at its best, all sizes in turn."""
    table = Table(
        title="(1+1) GP*-single from unity, skipping: seconds per run, slices at their best of 7, as n doubles"
    )
    for name in ("n", *(f"{p} {c}" for p in PROBLEMS for c in ("evaluations", "seconds", "factor"))):
        table.add_column(name, justify="right")
    sizes = [15_625 * 2**i for i in range(7)]
    found: dict[str, list[tuple[float, float]]] = {}
    for problem in PROBLEMS:
        specs = [RunSpec(problem=problem, algorithm="gpstar-single", n=n) for n in sizes]
        runs = [max(4, 3_000_000 // n) for n in sizes]
        run_seconds(specs[0], "skipping", 1)  # compiles
        rounds = [[slice_seconds(spec, k, "skipping") for spec, k in zip(specs, runs, strict=True)] for _ in range(7)]
        found[problem] = [
            (sum_of_best([seconds for seconds, _ in calls]) / k, calls[0][1] / k)
            for k, calls in zip(runs, zip(*rounds, strict=True), strict=True)
        ]
    for i, n in enumerate(sizes):
        row = [f"{n:,}"]
        for problem in PROBLEMS:
            seconds, evaluations = found[problem][i]
            factor = f"{seconds / found[problem][i - 1][0]:.2f}" if i > 0 else ""
            row += [f"{evaluations:.3g}", f"{seconds:.3f}", factor]
        table.add_row(*row)
    console.print(table)


def memory_table() -> None:
    """Bytes of all arrays at the end of a run, per leaf of its largest tree."""
    table = Table(title="Memory of all arrays at the end of a run from unity")
    for name in ("problem", "method", "n", "max_leaves", "bytes", "bytes per leaf"):
        table.add_column(name, justify="right")
    for problem, method, n in itertools.product(PROBLEMS, ("stepping", "skipping"), (10_000, 1_000_000)):
        algorithm = "gp-single" if method == "stepping" else "gpstar-single"
        budget = 40 * n if method == "stepping" else None
        spec = RunSpec(problem=problem, algorithm=algorithm, n=n, budget=budget)
        execution = Execution(spec, 1, np.array([0]), method)
        while not execution.done:
            execution.slice()
        size, leaves = execution.bytes(), int(execution.out[0, 4])
        table.add_row(problem, method, f"{n:,}", f"{leaves:,}", f"{size:,}", f"{size / leaves:.0f}")
    console.print(table)


# ---- compiling

FIRST_CALL = """
import sys, time
from gpruntime import RunSpec
from gpruntime.engine import run_many
spec = RunSpec(problem=sys.argv[1], algorithm="gpstar-single", n=5)
begun = time.process_time()
run_many(spec, method=sys.argv[2])
print(time.process_time() - begun)
"""


def first_call(problem: str, method: str, cache: str) -> float:
    """Seconds of the processor for the first call in a new process."""
    command = [sys.executable, "-c", FIRST_CALL, problem, method]
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    return float(subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)


def compile_table() -> None:
    """The first call of each problem and method, without and with the code on disk."""
    table = Table(title="First call of run_many in a new process, seconds of the processor, the best of 3")
    for name in ("problem", "method", "compiling", "from disk"):
        table.add_column(name, justify="right")
    for problem, method in itertools.product(PROBLEMS, ("stepping", "skipping")):
        compiled, loaded = [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                compiled.append(first_call(problem, method, cache))
                loaded.append(first_call(problem, method, cache))
        table.add_row(problem, method, f"{min(compiled):.1f}", f"{min(loaded):.2f}")
    console.print(table)
