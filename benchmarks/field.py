"""The field's problems against straightforward DEAP programs of the same, and how a step grows with n.

A step is an offspring of the (1+1) GP-single: HVL-Prime, the fitness, keep it? Both begin with random trees of 3n
leaves and go on for few steps at that size (of 60 for regression, where n is the number of points). Times are those of
the processor, so that what else runs on the machine does not count.
"""

from __future__ import annotations

import itertools
import random
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from deap import gp
from rich.console import Console
from rich.table import Table

from benchmarks.deap_program import step_of
from benchmarks.populations import smo_table
from gpruntime import RunSpec, run_many
from gpruntime.model.deap import primitive_set
from gpruntime.model.problems import problem_named

console = Console(width=118)
ROUNDS = 5
SECONDS = 0.05  # of one measurement of DEAP
STEPS = 400  # of a run: the tree stays near its first size
Evaluate = Callable[[Any], Any]


# ---- the same problems for DEAP: from the names of the leaves, or by DEAP's compiler


def leaf_list(tree: Any) -> list[str]:
    """The names of the leaves from left to right."""
    return [node.value for node in tree if isinstance(node, gp.Terminal)]


def complement(name: str) -> str:
    """The other terminal of the same variable."""
    return name[4:] if name.startswith("not_") else "not_" + name


def _weighted(n: int, expressed: Callable[[list[str]], set[str]]) -> Evaluate:
    weights = {f"x{i}": i for i in range(1, n + 1)}
    return lambda tree: sum(weights[leaf] for leaf in expressed(leaf_list(tree)))


def _ordered(leaves: list[str]) -> set[str]:
    path: set[str] = set()
    for leaf in leaves:
        if leaf not in path and complement(leaf) not in path:
            path.add(leaf)
    return {leaf for leaf in path if not leaf.startswith("not_")}


def _frequent(enough: Callable[[int, int], bool]) -> Callable[[list[str]], set[str]]:
    def expressed(leaves: list[str]) -> set[str]:
        counts = Counter(leaves)
        return {
            leaf for leaf in counts if not leaf.startswith("not_") and enough(counts[leaf], counts[complement(leaf)])
        }

    return expressed


def _sorted_by(measure: str, n: int) -> Evaluate:
    def evaluate(tree: Any) -> int:
        r = [int(leaf[1:]) for leaf in dict.fromkeys(leaf_list(tree))]
        if measure == "inv":
            return sum(a < b for a, b in itertools.combinations(r, 2))
        if measure == "ham":
            return sum(place == element for place, element in enumerate(r, 1))
        if measure == "las":
            return _longest(r)
        if measure == "run":
            return -(1 + sum(a > b for a, b in itertools.pairwise(r)) + n - len(r))
        ranks = {element: place for place, element in enumerate(sorted(r))}
        seen: set[int] = set()
        cycles = 0
        for place in range(len(r)):
            cycles += place not in seen
            while place not in seen:
                seen.add(place)
                place = ranks[r[place]]
        return -(len(r) - cycles + (n - len(r) + 1 if len(r) < n else 0))

    return evaluate


def _longest(elements: list[int]) -> int:
    last: list[int] = []
    for element in elements:
        place = bisect_left(last, element)
        last[place : place + 1] = [element]
    return len(last)


def _clean_in_order(tree: Any) -> int:
    leaves = leaf_list(tree)
    bad = {complement(leaf) for leaf in leaves if leaf.startswith("not_")}
    return _longest([int(leaf[1:]) for leaf in dict.fromkeys(leaves) if leaf[0] == "x" and leaf not in bad])


def _alternating(tree: Any) -> int:
    above: list[tuple[str, int]] = []  # joins that wait for children, and for how many
    bad = 0
    for node in tree:
        bad += bool(above) and above[-1][0] == node.name
        if above:
            above[-1] = above[-1][0], above[-1][1] - 1
            while above and above[-1][1] == 0:
                above.pop()
        if node.arity:
            above.append((node.name, node.arity))
    return len(_ordered(leaf_list(tree))) - bad


def _by_rows(pset: Any, wanted: Callable[[list[int]], int], n: int) -> Evaluate:
    """As DEAP's examples do it: compiled to Python, called for each row."""
    rows = [[row >> i & 1 for i in range(n)] for row in range(2**n)]
    answers = [wanted(row) for row in rows]

    def evaluate(tree: Any) -> int:
        program = gp.compile(tree, pset)
        return -sum(program(*row) != answer for row, answer in zip(rows, answers, strict=True))

    return evaluate


def _selected(row: list[int]) -> int:
    """What a multiplexer gives."""
    bits = {6: 2, 11: 3}[len(row)]
    return row[bits + sum(row[i] << i for i in range(bits))]


def _fitted(pset: Any, n: int) -> Evaluate:
    """The absolute errors at n points of the quartic function."""
    points = [-1 + 2 * i / (n - 1) for i in range(n)]
    wanted = [x**4 + x**3 + x**2 + x for x in points]

    def evaluate(tree: Any) -> float:
        program = gp.compile(tree, pset)
        errors = (abs(program(x) - y) for x, y in zip(points, wanted, strict=True))
        return -sum(error for error in errors if error > 0.01)

    return evaluate


def _value(pset: Any, depth: int) -> Evaluate:
    return lambda tree: gp.compile(tree, pset)(1) if tree.height <= depth else -tree.height


class Row(NamedTuple):
    """A problem at two sizes, its DEAP program, and the ratio that is asked for."""

    problem: str
    n: int
    larger: int
    deap: Callable[[Any, int], Evaluate]
    asked: str = ""


ROWS = [
    Row("worder:weights=linear", 50, 500, lambda _, n: _weighted(n, _ordered)),
    Row("wmajority:weights=linear", 50, 500, lambda _, n: _weighted(n, _frequent(lambda a, b: a >= b))),
    Row(
        "plus-c-majority:c=2", 50, 500, lambda *_: lambda tree: len(_frequent(lambda a, b: a >= b + 2)(leaf_list(tree)))
    ),
    Row(
        "two-thirds-majority", 50, 500, lambda *_: lambda tree: len(_frequent(lambda a, b: a >= 2 * b)(leaf_list(tree)))
    ),
    *(
        Row(f"sorting:measure={name}", 50, 500, lambda _, n, name=name: _sorted_by(name, n), "≥ 50 ×")
        for name in ("inv", "ham", "las", "run", "exc")
    ),
    Row("and", 50, 500, lambda *_: lambda tree: len(set(leaf_list(tree)))),
    Row("xor", 10, 40, lambda pset, n: _by_rows(pset, lambda row: sum(row) % 2, n)),
    Row("and-or", 6, 12, lambda pset, n: _by_rows(pset, lambda row: min(row), n)),
    Row("max:functions=+", 5, 8, _value),
    Row("max:functions=+*", 5, 8, _value),
    Row("alternate", 50, 500, lambda *_: _alternating),
    Row("order-and-majority", 50, 500, lambda *_: _clean_in_order),
    Row("multiplexer", 6, 11, lambda pset, n: _by_rows(pset, _selected, n), "≥ 300 ×"),
    Row("parity", 5, 10, lambda pset, n: _by_rows(pset, lambda row: 1 - sum(row) % 2, n)),
    Row("regression", 20, 200, _fitted),
]


def main() -> None:
    """Prints the tables."""
    against_deap()
    smo_table((50,))
    parsimony()


def against_deap() -> None:
    """Each problem."""
    table = Table(title=f"the field's problems, (1+1) GP-single at 3n leaves: ns per step, the best of {ROUNDS}")
    for name in ("problem", "n", "gpruntime", "DEAP", "ratio", "asked", "n", "gpruntime", "growth"):
        table.add_column(name, justify="left" if name == "problem" else "right")
    for row in ROWS:
        small, large, theirs = ours(row.problem, row.n), ours(row.problem, row.larger), deap_step(row)
        times = [(small(), theirs(), large()) for _ in range(ROUNDS)]
        mine, other, grown = (min(column) for column in zip(*times, strict=True))
        growth = f"{grown / mine:.2f} × for {row.larger / row.n:.3g} n"
        ratio = f"{other / mine:,.0f} ×"
        table.add_row(
            row.problem,
            f"{row.n}",
            f"{mine:,.0f}",
            f"{other:,.0f}",
            ratio,
            row.asked,
            f"{row.larger}",
            f"{grown:,.0f}",
            growth,
        )
    console.print(table)


def parsimony() -> None:
    """What bloat control costs."""
    table = Table(title=f"parsimony against the weak rule, GP-single at 2n leaves: ns per step, the best of {ROUNDS}")
    for name in ("problem", "n", "parsimony", "weak", "ratio", "asked"):
        table.add_column(name, justify="left" if name == "problem" else "right")
    for problem, n in itertools.product(("majority", "order"), (100, 1000)):
        fields = {"problem": problem, "algorithm": "gp-single", "n": n, "budget": 20_000}
        both = engine(RunSpec(**fields, accept="parsimony"), 300_000), engine(RunSpec(**fields), 300_000)
        times = [[measure() for measure in both] for _ in range(ROUNDS)]
        with_, without = (min(column) for column in zip(*times, strict=True))
        table.add_row(problem, f"{n:,}", f"{with_:.1f}", f"{without:.1f}", f"{with_ / without:.2f}", "≤ 1.3")
    console.print(table)


def ours(problem: str, n: int) -> Callable[[], float]:
    """ns per step."""
    spec = RunSpec(
        problem=problem, algorithm="gp-single", n=n, init=f"unity:leaves={leaves_at(problem, n)}", budget=STEPS
    )
    return engine(spec, 100 * STEPS)


def engine(spec: RunSpec, least: int) -> Callable[[], float]:
    """ns per step, initial trees included, of runs with at least so many steps."""
    run_many(spec, seed=0, runs=1, method="stepping")
    runs = 1
    while run_many(spec, seed=1, runs=runs, method="stepping").evaluations.sum() < least:
        runs *= 2

    def measure() -> float:
        begun = time.process_time_ns()
        steps = run_many(spec, seed=1, runs=runs, method="stepping").evaluations.sum()
        return float((time.process_time_ns() - begun) / steps)

    return measure


def repeated(step: Callable[[], object]) -> Callable[[], float]:
    """ns of a call, called for a while."""

    def measure() -> float:
        begun, calls = time.process_time_ns(), 0
        while time.process_time_ns() < begun + SECONDS * 1e9:
            step()
            calls += 1
        return (time.process_time_ns() - begun) / calls

    return measure


def leaves_at(problem: str, n: int) -> int:
    """Of an initial tree."""
    return 60 if problem == "regression" else 3 * n


def deap_step(row: Row) -> Callable[[], float]:
    """ns per step of DEAP's, a new run after as many steps as ours have."""
    random.seed(1)
    pset = primitive_set(problem_named(row.problem), row.n)
    evaluate = row.deap(pset, row.n)
    left, step = 0, None

    def one() -> None:
        nonlocal left, step
        if left == 0:
            left, step = STEPS, step_of(pset, evaluate, leaves_at(row.problem, row.n))
        left -= 1
        step()

    return repeated(one)
