"""Checks a user-defined algorithm by its runs on problems of ours.

The same address gives the same run; every fitness it asks for is counted; it ends at the optimum or with its budget;
and the tree of its record has the fitness that the record says, which is the best that it found.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

from gpruntime.model.run import Outcome, RunResult, run_of
from gpruntime.model.search_part import SearchPart
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.verification.elsewhere import Answers, same_elsewhere
from gpruntime.verification.finding import BAD, GOOD, UNKNOWN, Finding
from gpruntime.verification.runs import RUNS, problems_of_ours, run_answers, runs_again

_N, _BUDGET = 3, 300


def of_search(part: SearchPart) -> Iterator[Finding]:
    """What was found about an algorithm."""
    specs = _specs(part)
    yield runs_again(specs[0])
    yield _counts(specs)
    yield _ends_as_it_says(specs)
    yield same_elsewhere(part, answers, f"{RUNS} runs on {specs[0].problem.name}")


def _specs(part: SearchPart) -> list[RunSpec]:
    return [
        RunSpec(problem=problem.id, algorithm=algorithm, n=_N, search=part.id, budget=_BUDGET)
        for problem in problems_of_ours()
        for algorithm in ("gp-single", "gp-multi")
    ]


def answers(part: SearchPart) -> Answers:
    """What every process must say of it."""
    return run_answers(_specs(part)[0])


def _counts(specs: list[RunSpec]) -> Finding:
    what, evaluations = "it counts what it evaluates", 0
    for spec in specs:
        for run in range(RUNS):
            calls, result = _counted(spec, run)
            if calls > result.evaluations:
                words = f"run {run} asked {calls:,} times for a fitness and counts {result.evaluations:,} evaluations"
                return Finding(BAD, what, f"{words}: only evaluate may ask")
            if calls < result.evaluations:
                words = f"run {run} counts {result.evaluations:,} evaluations, and asked {calls:,} times for a fitness"
                return Finding(BAD, what, words)
            evaluations += calls
    return Finding(GOOD, what, f"all of {evaluations:,} evaluations")


def _counted(spec: RunSpec, run: int) -> tuple[int, RunResult]:
    """A run, and how often it asked for a fitness."""
    problem, calls = spec.problem, 0
    counting = type(problem).__new__(type(problem))  # not a copy: of a part there is one, and others use it
    counting.__dict__.update(problem.__dict__)
    fitness = problem.fitness

    def count(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return fitness(*arguments)

    counting.__dict__["fitness"] = count
    twin = copy.copy(spec)
    twin.__dict__["problem"] = counting
    result = run_of(twin, 2, run).result()
    return calls, result


def _ends_as_it_says(specs: list[RunSpec]) -> Finding:
    what, ends = "how it ends", Counter[Outcome]()
    for spec in specs:
        problem = spec.problem
        for run in range(RUNS):
            search: Any = run_of(spec, 3, run)
            result = search.result()
            ends[result.outcome] += 1
            fitness = problem.fitness(Tree.parse(result.tree or "()", spec.primitives), spec.n)
            seen = search.improvements[-1][1]
            if fitness != result.fitness:
                words = f"the record of run {run} says fitness {result.fitness}, and its tree has {fitness}"
                return Finding(BAD, what, f"{words}: a tree that was evaluated must not be changed")
            if (result.fitness - seen) * problem.direction > 0:
                return Finding(
                    BAD, what, f"run {run} says fitness {result.fitness}, and never found better than {seen}"
                )
            if result.evaluations > _BUDGET:
                return Finding(BAD, what, f"run {run} had {result.evaluations:,} evaluations, of {_BUDGET:,} allowed")
            if (result.outcome is Outcome.OPTIMUM) != (seen == spec.best):
                return Finding(BAD, what, f"run {run} says {result.outcome}, and its best fitness is {seen}")
            if result.outcome is Outcome.OPTIMUM and result.fitness != spec.best:
                return Finding(BAD, what, f"run {run} says optimum, and fitness {result.fitness}")
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(ends.items()))
    if not ends[Outcome.OPTIMUM]:
        return Finding(UNKNOWN, what, f"{outcomes}: no run found an optimum with {_BUDGET:,} evaluations")
    return Finding(GOOD, what, f"{outcomes}; records say what their trees are")
