"""Cartesian GP: a step against the same written straightforwardly in Python, and how it grows with the gates.

The Python program does what a framework does: nodes are objects' numbers in a list, each row of the truth table is
evaluated by itself, and what is active is found by walking back from the output.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from gpruntime import RunSpec, run_many

console = Console(width=110)
ROUNDS, MOST, PYTHON_SECONDS = 3, 200_000, 1.0
SETTINGS = (("and", 5, 10), ("and", 10, 20), ("multiplexer", 6, 30), ("parity", 8, 40))
GATES = (10, 30, 100, 300, 1_000)


def main() -> None:
    """Prints the tables."""
    step_table()
    gates_table()


def engine(spec: RunSpec, most: int = MOST) -> Callable[[], float]:
    """ns of the processor per offspring."""
    run_many(spec, workers=1)
    runs = 1
    while run_many(spec, seed=1, runs=runs, workers=1).evaluations.sum() < most:
        runs *= 2

    def measure() -> float:
        begun = time.process_time_ns()
        made = run_many(spec, seed=1, runs=runs, workers=1).evaluations.sum()
        return float((time.process_time_ns() - begun) / made)

    return measure


FUNCTIONS = {
    "and": (2, lambda a, b: a and b),
    "or": (2, lambda a, b: a or b),
    "nand": (2, lambda a, b: not (a and b)),
    "nor": (2, lambda a, b: not (a or b)),
    "not": (1, lambda a: not a),
    "if": (3, lambda a, b, c: b if a else c),
}
TARGETS: dict[str, Callable[[tuple[bool, ...]], bool]] = {
    "and": all,
    "multiplexer": lambda row: row[2 + row[0] + 2 * row[1]],
    "parity": lambda row: sum(row) % 2 == 0,
}


def python(problem: str, n: int, gates: int) -> Callable[[], float]:
    """The (1+1) CGP with neutral moves and SAM, from a uniform genotype on."""
    names = RunSpec(problem=problem, algorithm="cgp:gates=2n", n=n, budget=1).primitives.functions
    functions = [FUNCTIONS[name] for name in names]
    width, rows = 1 + max(arity for arity, _ in functions), list(itertools.product((False, True), repeat=n))
    wanted = [TARGETS[problem](row) for row in rows]
    random.seed(1)

    def values(gene: int) -> int:
        if gene == gates * width:
            return n + gates
        return n + gene // width if gene % width else len(functions)

    def active(genes: list[int]) -> set[int]:
        found, waiting = set[int](), [genes[-1]]
        while waiting:
            node = waiting.pop()
            if node >= n and node not in found:
                found.add(node)
                at = (node - n) * width
                waiting += genes[at + 1 : at + 1 + functions[genes[at]][0]]
        return found

    def output(genes: list[int], order: list[int], row: tuple[bool, ...]) -> bool:
        known: dict[int, bool] = dict(enumerate(row))
        for node in order:
            at = (node - n) * width
            arity, function = functions[genes[at]]
            known[node] = function(*(known[i] for i in genes[at + 1 : at + 1 + arity]))
        return known[genes[-1]]

    def errors(genes: list[int]) -> int:
        order = sorted(active(genes))
        return sum(output(genes, order, row) != want for row, want in zip(rows, wanted, strict=True))

    def mutated(parent: list[int]) -> list[int]:
        genes, of_parent = parent.copy(), active(parent)
        while True:
            gene = random.randrange(len(genes))
            others = [value for value in range(values(gene)) if value != genes[gene]]
            if others:
                genes[gene] = random.choice(others)
            node, place = n + gene // width, gene % width
            used = gene == len(genes) - 1 or (node in of_parent and place <= functions[parent[(node - n) * width]][0])
            if used and genes[gene] != parent[gene]:
                return genes

    state = [[random.randrange(values(gene)) for gene in range(gates * width + 1)]]
    state.append([errors(state[0])])

    def measure() -> float:
        begun, steps = time.process_time_ns(), 0
        while time.process_time_ns() - begun < PYTHON_SECONDS * 1e9:
            child = mutated(state[0])
            wrong = errors(child)
            if wrong <= state[1][0]:
                state[0], state[1] = child, [wrong]
            steps += 1
        return (time.process_time_ns() - begun) / steps

    return measure


def step_table() -> None:
    """By problem."""
    table = Table(title=f"(1+1) CGP: ns per offspring, the best of {ROUNDS}")
    for column in ("problem", "n", "gates", "Python", "engine", "Python / engine", "asked"):
        table.add_column(column, justify="right")
    for problem, n, gates in SETTINGS:
        spec = RunSpec(problem=problem, algorithm=f"cgp:gates={gates}", n=n, budget=MOST)
        ours, theirs = engine(spec), python(problem, n, gates)
        times = [(theirs(), ours()) for _ in range(ROUNDS)]
        slow, fast = (min(column) for column in zip(*times, strict=True))
        ratio = f"{slow / fast:,.0f}"
        table.add_row(problem, f"{n}", f"{gates}", f"{slow:,.0f}", f"{fast:,.0f}", ratio, "≥ 100 ×")
    console.print(table)


def gates_table() -> None:
    """By the number of gates. Which gates are active is looked at for all, and only these are worked out."""
    table = Table(title=f"6-multiplexer, by the gates: ns per offspring, the best of {ROUNDS}")
    for column in ("gates", "ns", "largest active, mean of 10 runs"):
        table.add_column(column, justify="right")
    for gates in GATES:
        spec = RunSpec(problem="multiplexer", algorithm=f"cgp:gates={gates}", n=6, budget=MOST // 10)
        ours = engine(spec, MOST // 10)
        largest = run_many(spec.replace(budget=2000), seed=1, runs=10).max_leaves.mean()
        table.add_row(f"{gates:,}", f"{min(ours() for _ in range(ROUNDS)):,.0f}", f"{largest:,.0f}")
    console.print(table)


if __name__ == "__main__":
    main()
