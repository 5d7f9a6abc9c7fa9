"""The standard study: every problem × algorithm × initial tree, with sizes and runs as the problem's work allows.

A problem is found in the registry. One that has parameters is taken with its defaults, and with `MORE` of them. An
algorithm with a population is taken in one standard setting, where it is compiled; those of circuits and truth tables
on Boolean problems, from uniform programs. SMO-GP runs until the whole front,
or until the first optimal tree where the best fitness for each size is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gpruntime.model.algorithms import algorithm_named
from gpruntime.model.errors import BadInput, known
from gpruntime.model.problem import Problem
from gpruntime.model.problems import PROBLEMS, problem_named
from gpruntime.model.spec import RunSpec
from gpruntime.paper.scale import doubling

MORE = {
    "worder": ("worder:weights=powers",),
    "wmajority": ("wmajority:weights=powers",),
    "sorting": tuple(f"sorting:measure={measure}" for measure in ("ham", "las", "run", "exc")),
    "max": ("max:functions=+*,t=2",),
}
ALGORITHMS = (
    ("gp-single", ""),
    ("gp-multi", ""),
    ("gpstar-single", ""),
    ("gpstar-multi", ""),
    ("gp-single", "parsimony"),
    ("gp-multi", "parsimony"),
    ("smo-single", ""),
    ("one-plus-lambda-single:lambda=8", ""),
    ("mu-plus-one-single:mu=8", ""),
    ("cgp:gates=2n", ""),
    ("cgpstar:gates=2n", ""),
    ("gsgp", ""),
)
INITS = ("unity", "unity:leaves=1", "bad", "tlopt")  # circuits and truth tables start uniformly for the first of them
_PROGRAM_EVALUATIONS = 100_000  # that a run of a circuit or a truth table may have: some take n·2^n


@dataclass(frozen=True)
class Scale:
    """How far the study goes."""

    name: str
    fast: tuple[int, ...]  # sizes where an operation is constant work
    slow: tuple[int, ...]  # sizes where a tree is read whole
    programs: tuple[int, ...]  # sizes for circuits and truth tables
    fronts: tuple[int, ...]  # sizes for SMO-GP in place of the fast ones: it keeps a tree of each size
    runs: int  # of each cell
    least: int  # evaluations that every run may have: its budget is this or 20·n², for SMO-GP 100·n², if that is more
    exact: int  # the largest n that is solved exactly


SCALES = {
    "quick": Scale("quick", doubling(5, 160), (3, 4, 5, 6, 8, 11), (3, 4, 5, 6, 11), doubling(5, 80), 50, 10_000, 2),
    "full": Scale(
        "full",
        doubling(5, 1280),
        (3, 4, 5, 6, 8, 11, 16, 22),
        (3, 4, 5, 6, 8, 11, 14),
        doubling(5, 160),
        400,
        100_000,
        2,
    ),
    "tiny": Scale("tiny", (3, 5, 8, 12), (2, 3, 4, 5), (2, 3, 4), (3, 4, 6, 8), 12, 500, 1),
}


def scale_named(name: str) -> Scale:
    """The scale of this name."""
    return SCALES[known("scale", name, tuple(SCALES))]


@dataclass(frozen=True)
class Setting:
    """One entry of the atlas, before it is run.

    Attributes:
        specs: over n.
        runs: of each.
    """

    specs: tuple[RunSpec, ...]
    runs: int


def settings_of(scale: Scale, only: Sequence[str] = ()) -> list[Setting]:
    """All settings, or those of some problems."""
    for name in only:
        if name not in PROBLEMS:
            raise BadInput("problem", name, f"is none of ours: {', '.join(PROBLEMS)}")
    grid = (
        tuple(_specs(problem, algorithm, accept, init, scale))
        for problem in _problems(only)
        for algorithm, accept in ALGORITHMS
        for init in INITS
    )
    return [Setting(specs, scale.runs) for specs in grid if specs]


def _problems(only: Sequence[str]) -> Iterable[Problem]:
    for id_, problem in PROBLEMS.items():
        if not only or id_ in only:
            yield problem
            yield from (problem_named(more) for more in MORE.get(id_, ()))


def _specs(problem: Problem, algorithm: str, accept: str, init: str, scale: Scale) -> Iterable[RunSpec]:
    family = algorithm_named(algorithm).family
    fronts = family is not None and "front" in family.goals
    programs = family is not None and not family.representation.is_tree
    trees = scale.slow if not problem.adds_up else scale.fronts if fronts else scale.fast
    sizes = scale.programs if programs else trees
    least = max(scale.least, _PROGRAM_EVALUATIONS) if programs else scale.least
    for n in sizes:
        with suppress(BadInput):  # this start or this size is not for this problem
            spec = RunSpec(
                problem=problem.id,
                algorithm=algorithm,
                accept=accept,
                init=init,
                n=n,
                until="optimum" if fronts and problem.best_of_size(1, n) is None else "",
                budget=max(least, (100 if fronts else 20) * n * n),  # some take longer than anybody waits
            )
            is_boolean = spec.problem.table(n, True) is not None
            if is_boolean if programs else family is None or spec.primitives.is_binary:  # others the model would run
                yield spec
