"""Algorithms with populations: SMO-GP against a program with DEAP, how it grows with n, and what each of them takes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from deap import base
from rich.console import Console
from rich.table import Table

from benchmarks.deap_program import hvl_prime, majority, order, primitives, random_tree
from gpruntime import RunSpec, run_many

console = Console(width=110)
PROBLEMS = {"majority": majority, "order": order}
ROUNDS = 3
SIZES = (10, 20, 50, 100, 200)
MOST = 100_000  # offspring of one measurement of the engine
DEAP_STEPS = 3_000
OTHERS = (
    "gp-single",
    "smo-single",
    "one-plus-lambda-single:lambda=8",
    "mu-plus-one-single:mu=10",
    "mu-plus-one-single:mu=10,crossover=0.5",
    "concatenation-single",
)


def main() -> None:
    """Prints the tables."""
    smo_table()
    family_table()


def engine(spec: RunSpec) -> Callable[[], float]:
    """ns of the processor per offspring, of whole runs or as far as the budget goes."""
    run_many(spec, seed=0, runs=1, method="stepping")
    runs = 1
    while run_many(spec, seed=1, runs=runs, method="stepping").evaluations.sum() < MOST:
        runs *= 2

    def measure() -> float:
        begun = time.process_time_ns()
        made = run_many(spec, seed=1, runs=runs, method="stepping").evaluations.sum()
        return float((time.process_time_ns() - begun) / made)

    return measure


def deap_smo(problem: str, n: int) -> Callable[[], float]:
    """The same of SMO-GP as a user of DEAP would write it, from an initial tree on: clone, change, walk, compare."""
    pset, evaluate = primitives(n), PROBLEMS[problem]
    terminals, join = pset.terminals[object], pset.primitives[object][0]
    toolbox = base.Toolbox()
    random.seed(1)
    first = random_tree(terminals, join, 2 * n)
    population = [(evaluate(first, n), len(first), first)]

    def step() -> None:
        child = toolbox.clone(random.choice(population)[2])
        hvl_prime(child, terminals, join)
        fitness, size = evaluate(child, n), len(child)
        if not any(f >= fitness and s <= size and (f, s) != (fitness, size) for f, s, _ in population):
            population[:] = [one for one in population if not (fitness >= one[0] and size <= one[1])]
            population.append((fitness, size, child))

    def measure() -> float:
        begun = time.process_time_ns()
        for _ in range(DEAP_STEPS):
            step()
        return (time.process_time_ns() - begun) / DEAP_STEPS

    return measure


def smo_table(sizes: tuple[int, ...] = SIZES) -> None:
    """By n; DEAP goes on with one run, the engine makes whole ones. The evaluations are those of a whole front."""
    table = Table(title=f"SMO-GP-single from unity: ns per offspring, the best of {ROUNDS}")
    for name in ("problem", "n", "evaluations", "DEAP", "engine", "DEAP / engine", "asked"):
        table.add_column(name, justify="right")
    for problem in PROBLEMS:
        for n in sizes:
            spec = RunSpec(problem=problem, algorithm="smo-single", n=n)
            ours, theirs = engine(spec), deap_smo(problem, n)
            times = [(ours(), theirs()) for _ in range(ROUNDS)]
            mine, other = (min(column) for column in zip(*times, strict=True))
            mean = run_many(spec, seed=1, runs=10).evaluations.mean()
            asked = "≥ 50 ×" if n == 50 else ""
            table.add_row(
                problem, str(n), f"{mean:,.0f}", f"{other:,.0f}", f"{mine:,.0f}", f"{other / mine:,.0f}", asked
            )
    console.print(table)


def family_table() -> None:
    """Each algorithm beside the (1+1) GP."""
    table = Table(title=f"from unity, budget {MOST:,}: ns per offspring, the best of {ROUNDS}")
    for name in ("algorithm", *(f"{problem}, n = {n}" for problem in PROBLEMS for n in (50, 500))):
        table.add_column(name, justify="left" if name == "algorithm" else "right")
    for algorithm in OTHERS:
        row = []
        for problem in PROBLEMS:
            for n in (50, 500):
                limit = 4 * n if "crossover" in algorithm else None
                spec = RunSpec(problem=problem, algorithm=algorithm, n=n, budget=MOST, max_leaves_allowed=limit)
                measure = engine(spec)
                row.append(f"{min(measure() for _ in range(ROUNDS)):,.0f}")
        table.add_row(algorithm, *row)
    console.print(table)
