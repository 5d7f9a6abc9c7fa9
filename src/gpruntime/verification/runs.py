"""What parts are tried on: runs that engine and model make alike and twice, and trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gpruntime.engine import WatchedRun, run_many, unsupported
from gpruntime.model.acceptance import ACCEPTANCES, Acceptance
from gpruntime.model.initial import Initial
from gpruntime.model.problem import Problem
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.run import Run, simulate
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Tree
from gpruntime.verification.elsewhere import Answers
from gpruntime.verification.finding import BAD, GOOD, UNKNOWN, Finding

SIZES = (1, 2, 3, 5)
RUNS = 4  # of a setting
_STEPS = 200  # of a run that is compared
_LAWS = ("one", "poisson:mean=1", "exactly:k=2", "power:beta=1.5")


def problems_of_ours() -> list[Problem]:
    """One that sees the order of the leaves, and one that does not: each has forms of its own."""
    by_sight = {problem.sees: problem for problem in reversed(list(PROBLEMS.values())) if problem.can_skip}
    return list(by_sight.values())


def agreement(problem: Problem, rule: Acceptance, where: str) -> Finding:
    """Step by step, under a rule and the strict one."""
    what, steps, runs = "engine = model", 0, 0
    for n, law in itertools.product(SIZES, _LAWS):
        for accept in (rule, ACCEPTANCES["strict"]):
            spec = RunSpec(
                problem=problem.id,
                algorithm="gp-single",
                n=n,
                accept=accept.id,
                operations=law,
                budget=_STEPS // (n + 1),
            )
            if (why := unsupported(spec)) is not None:
                return Finding(UNKNOWN, what, why)
            model, watched = Run(spec, n), WatchedRun(spec, n, method="stepping")
            for step, wanted in zip(watched, model, strict=False):
                steps += 1
                if step != wanted:
                    return Finding(BAD, what, f"they differ at evaluation {wanted.evaluations} of {_setting(spec)}")
            (whole,) = run_many(spec, seed=n, runs=1, method="stepping").results(str(model.tree))
            if not whole == watched.result() == simulate(spec, n):
                return Finding(BAD, what, f"they end otherwise: {_setting(spec)}")
            runs += 1
    return Finding(GOOD, what, f"{steps:,} steps of {runs} runs, {where}")


def _setting(spec: RunSpec) -> str:
    return f"{spec.algorithm.variant}, n = {spec.n}, seed {spec.n}"


def runs_again(spec: RunSpec) -> Finding:
    """The same runs twice."""
    what = "the same address gives the same run"
    first = [simulate(spec, 1, run) for run in range(RUNS)]
    again = [simulate(spec, 1, run) for run in reversed(range(RUNS))][::-1]
    for run, (result, other) in enumerate(zip(first, again, strict=True)):
        if result != other:
            times = f"{result.evaluations:,} evaluations, then {other.evaluations:,}"
            return Finding(BAD, what, f"run {run} on {spec.problem.name} had {times}, or ended otherwise")
    return Finding(GOOD, what, f"{RUNS} runs on {spec.problem.name}, twice, in another order")


def run_answers(spec: RunSpec) -> Answers:
    """What every process must say of these runs."""
    results = [simulate(spec, 1, run) for run in range(RUNS)]
    return {
        f"run {result.run} on {spec.problem.name}": f"{result.evaluations:,} evaluations, fitness {result.fitness}, "
        f"tree {result.tree}"
        for result in results
    }


def some_trees(primitives: Primitives, n: int, each: int) -> Iterator[Tree]:
    """A few at random, this many of each of several sizes."""
    for leaves, number in itertools.product((1, 2, 3, 5, 8), range(each)):
        yield Initial.parse(f"insertion:leaves={leaves}", n, primitives).build(Stream(number, (0, 0, 0, n), leaves))
