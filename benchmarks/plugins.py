"""Problems of a user's own: against the same problem built in, against the model, and against DEAP."""

from __future__ import annotations

import itertools
import operator
import random
import time
from collections.abc import Callable

from deap import gp
from rich.console import Console
from rich.table import Table

from benchmarks.deap_program import hvl_prime, make_step, random_tree
from gpruntime import Run, RunSpec, run_many
from gpruntime.model.part import load_file

console = Console(width=110)
ROUNDS = 7
SECONDS = 0.05  # of one measurement of Python
STEPS = 300_000  # of one measurement of the engine
PARTS = load_file("problem", "tests/parts.py")


def main() -> None:
    """Prints the table."""
    table = Table(title=f"problems of one's own, (1+1) GP-single: ns per step, the best of {ROUNDS}")
    for name in ("what", "n", "own, compiled", "against", "ns", "ratio", "asked"):
        table.add_column(name, justify="left" if name in ("what", "against") else "right")
    for n in (100, 1000):
        add(table, "MAJORITY by counts", n, own("majority", n), "built in", own_name("majority", n), "own ≤ 1.5 ×")
        add(table, "ORDER by first occurrences", n, own("order", n), "built in", own_name("order", n), "own ≤ 2 ×")
    by_leaves = own("order_by_leaves", 100)
    add(table, "ORDER by leaves", 100, by_leaves, "the model", model("order_by_leaves", 100), "≥ 200 ×")
    add(table, "ORDER by leaves", 100, by_leaves, "DEAP", deap_order(100), "≥ 50 ×")
    add(table, "wrong rows of AND, OR", 6, own("wrong_rows", 6), "DEAP", deap_rows(6), "")
    console.print(table)


def add(
    table: Table, what: str, n: int, ours: Callable[[], float], against: str, other: Callable[[], float], asked: str
) -> None:
    """A row: both measured in turn."""
    times = [(ours(), other()) for _ in range(ROUNDS)]
    mine, theirs = (min(column) for column in zip(*times, strict=True))
    ratio = mine / theirs if "own" in asked else theirs / mine
    table.add_row(what, f"{n:,}", f"{mine:,.1f}", against, f"{theirs:,.1f}", f"{ratio:,.2f}", asked)


def own(name: str, n: int) -> Callable[[], float]:
    """ns per step of a problem of tests/parts.py."""
    return engine(RunSpec(problem=PARTS[name], algorithm="gp-single", n=n, budget=STEPS))


def own_name(name: str, n: int) -> Callable[[], float]:
    """ns per step of one that is built in."""
    return engine(RunSpec(problem=name, algorithm="gp-single", n=n, budget=STEPS))


def engine(spec: RunSpec, least: int = STEPS) -> Callable[[], float]:
    """ns per step, initial trees included."""
    run_many(spec, seed=0, runs=1, method="stepping")
    runs = 1
    while run_many(spec, seed=1, runs=runs, method="stepping").evaluations.sum() < least:
        runs *= 2

    def measure() -> float:
        begun = time.perf_counter_ns()
        steps = run_many(spec, seed=1, runs=runs, method="stepping").evaluations.sum()
        return float((time.perf_counter_ns() - begun) / steps)

    return measure


def repeated(step: Callable[[], object]) -> Callable[[], float]:
    """ns of a call, called for a while."""

    def measure() -> float:
        begun, calls = time.perf_counter_ns(), 0
        while time.perf_counter_ns() < begun + SECONDS * 1e9:
            step()
            calls += 1
        return (time.perf_counter_ns() - begun) / calls

    return measure


def model(name: str, n: int) -> Callable[[], float]:
    """ns per offspring of the model; a new run where one has ended."""
    spec = RunSpec(problem=PARTS[name], algorithm="gp-single", n=n, budget=STEPS)
    steps = itertools.chain.from_iterable(Run(spec, seed) for seed in itertools.count())
    return repeated(lambda: next(steps))


def deap_order(n: int) -> Callable[[], float]:
    """ns per offspring of ORDER as a user of DEAP would write it."""
    random.seed(1)
    return repeated(make_step(n, "order", 3 * n))


def deap_rows(n: int) -> Callable[[], float]:
    """The same truth table in DEAP: compiled by it into Python, and called for each row."""
    random.seed(1)
    pset = gp.PrimitiveSet("main", 2 * n)
    pset.addPrimitive(operator.and_, 2)
    pset.addPrimitive(operator.or_, 2)
    rows = [[(row >> i) & 1 for i in range(n)] for row in range(2**n)]
    inputs = [[bit ^ sign for bit in row for sign in (0, 1)] for row in rows]
    terminals, joins = pset.terminals[object], pset.primitives[object]
    tree = random_tree(terminals, joins[0], 2 * n)

    def step() -> int:
        offspring = type(tree)(tree)
        hvl_prime(offspring, terminals, random.choice(joins))
        program = gp.compile(offspring, pset)
        return sum(program(*row) != all(plain) for row, plain in zip(inputs, rows, strict=True))

    return repeated(step)
