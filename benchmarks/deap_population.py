"""DEAP's population GP on the problems of practice, with the settings of its own examples.

The functions, terminals and fitness are ours (`gpruntime.model.deap.primitive_set`). Programs are evaluated from DEAP's
list of nodes with a stack: a truth table is one whole number, a bit for each row, and n points are a vector of
NumPy's. With `gp.compile`, as in the examples, an evaluation takes longer.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from deap import algorithms, base, creator, gp, tools

from benchmarks.practice_results import Ended
from gpruntime.model.deap import primitive_set
from gpruntime.model.problems import problem_named

creator.create("FewestErrors", base.Fitness, weights=(-1.0,))
creator.create("Program", gp.PrimitiveTree, fitness=creator.FewestErrors)

POPULATION = 500
DEEPEST = 17
Evaluate = Callable[[Any], float]


class Settings(NamedTuple):
    """Of a population GP: rates, the tournament, initial trees and those that a mutation puts in, with their depths."""

    crossover: float
    mutation: float
    tournament: int
    initial: tuple[Callable[..., Any], int, int]
    inserted: tuple[Callable[..., Any], int, int]


# Of the examples multiplexer.py, parity.py and symbreg.py that come with DEAP.
SETTINGS = {
    "multiplexer": Settings(0.8, 0.1, 7, (gp.genFull, 2, 4), (gp.genGrow, 0, 2)),
    "parity": Settings(0.5, 0.2, 3, (gp.genFull, 3, 5), (gp.genGrow, 0, 2)),
    "regression": Settings(0.5, 0.1, 3, (gp.genHalfAndHalf, 1, 2), (gp.genFull, 0, 2)),
}


def population_run(problem: str, n: int, seed: int, budget: int, size: int = POPULATION) -> Ended:
    """A run of DEAP's `eaSimple`, which ends with the first optimum or after so many evaluations."""
    random.seed(seed)
    settings = SETTINGS[problem.partition(":")[0]]
    toolbox = _toolbox(problem, n, settings)
    population = toolbox.population(n=size)
    evaluations, best = 0, population[0]
    with np.errstate(all="ignore"):
        while True:
            for individual in population:
                if individual.fitness.valid:
                    continue
                individual.fitness.values = (toolbox.evaluate(individual),)
                evaluations += 1
                if not best.fitness.valid or individual.fitness > best.fitness:
                    best = individual
                (errors,) = best.fitness.values
                if errors == 0 or evaluations == budget:
                    return Ended(evaluations, errors, sum(node.arity == 0 for node in best))
            parents = toolbox.select(population, len(population))
            population = algorithms.varAnd(parents, toolbox, settings.crossover, settings.mutation)


def _toolbox(problem: str, n: int, settings: Settings) -> Any:
    pset = primitive_set(problem_named(problem), n)
    toolbox = base.Toolbox()
    make, low, high = settings.initial
    toolbox.register("expression", make, pset=pset, min_=low, max_=high)
    toolbox.register("individual", tools.initIterate, creator.Program, toolbox.expression)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", evaluator(problem, n))
    toolbox.register("select", tools.selTournament, tournsize=settings.tournament)
    toolbox.register("mate", gp.cxOnePoint)
    make, low, high = settings.inserted
    toolbox.register("inserted", make, min_=low, max_=high)
    toolbox.register("mutate", gp.mutUniform, expr=toolbox.inserted, pset=pset)
    for name in ("mate", "mutate"):
        toolbox.decorate(name, gp.staticLimit(key=operator.attrgetter("height"), max_value=DEEPEST))
    return toolbox


# ---- the fitness


def evaluator(problem: str, n: int) -> Evaluate:
    """The fitness of a tree of DEAP's: 0 is the optimum."""
    name, _, parameters = problem.partition(":")
    if name == "regression":
        return _missed(*_POINTS[parameters.partition("=")[2]], n)
    columns = [sum((row >> place & 1) << row for row in range(2**n)) for place in range(n)]
    if name == "parity":
        names = [f"x{i}" for i in range(1, n + 1)]
        wanted = sum((1 - row.bit_count() % 2) << row for row in range(2**n))
    else:
        bits = {6: 2, 11: 3}[n]
        names = [*(f"a{i}" for i in range(bits)), *(f"d{i}" for i in range(2**bits))]
        wanted = sum((row >> bits + row % 2**bits & 1) << row for row in range(2**n))
    return _wrong_rows(dict(zip(names, columns, strict=True)), wanted, 2**2**n - 1)


def _wrong_rows(terminals: dict[str, int], wanted: int, everything: int) -> Evaluate:
    functions: dict[str, Callable[..., int]] = {
        "and_": operator.and_,
        "or_": operator.or_,
        "not_": lambda a: a ^ everything,
        "if_": lambda a, b, c: c ^ a & (b ^ c),
        "nand": lambda a, b: a & b ^ everything,
        "nor": lambda a, b: (a | b) ^ everything,
    }

    def evaluate(tree: Any) -> float:
        stack: list[int] = []
        push, pop = stack.append, stack.pop
        for node in reversed(tree):  # from the last leaf up: the first argument is on top
            arity = node.arity
            if arity == 0:
                push(terminals[node.value])
            elif arity == 2:
                push(functions[node.name](pop(), pop()))
            elif arity == 1:
                push(functions[node.name](pop()))
            else:
                push(functions[node.name](pop(), pop(), pop()))
        return (pop() ^ wanted).bit_count()

    return evaluate


_POINTS: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "quartic": (lambda x: x**4 + x**3 + x**2 + x, -1, 1),
    "sextic": (lambda x: x**6 - 2 * x**4 + x**2, -1, 1),
    "nguyen-7": (lambda x: np.log(x + 1) + np.log(x**2 + 1), 0, 2),
}
_CONSTANTS = ("-1", "0.5", "1", "2")
_HIT, _MOST_ERROR, _MOST_VALUE, _NEAR_ZERO = 0.01, 1e6, 1e30, 1e-9


def _divide(a: Any, b: Any, out: Any) -> None:
    out.fill(1.0)
    np.divide(a, b, out=out, where=np.abs(b) >= _NEAR_ZERO)


def _missed(target: Callable[[Any], Any], low: float, high: float, n: int) -> Evaluate:
    """The sum of the errors. Values are cut at 10³⁰ as ours are, but only where one was larger: then once more."""
    x = np.linspace(low, high, n)
    wanted = target(x)
    terminals = {"x": x} | {name: np.full(n, float(name)) for name in _CONSTANTS}
    functions = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": _divide}
    memory = np.zeros((0, n))
    rows: list[Any] = []  # of the memory: a value of a function each

    def value(tree: Any, cut: bool) -> tuple[Any, int]:
        stack: list[Any] = []
        push, pop = stack.append, stack.pop
        used = 0
        for node in reversed(tree):
            if node.arity == 0:
                push(terminals[node.value])
                continue
            row = rows[used]
            used += 1
            functions[node.name](pop(), pop(), row)
            if cut:
                np.clip(row, -_MOST_VALUE, _MOST_VALUE, out=row)
            push(row)
        return pop(), used

    def evaluate(tree: Any) -> float:
        nonlocal memory, rows
        if len(tree) > len(rows):
            memory = np.zeros((2 * len(tree), n))
            rows = list(memory)
        values, used = value(tree, cut=False)
        if used and not np.abs(memory[:used]).max() <= _MOST_VALUE:  # so, as it may be no number
            values, _ = value(tree, cut=True)
        errors = np.minimum(np.abs(values - wanted), _MOST_ERROR)
        return float(errors[errors > _HIT].sum())

    return evaluate
