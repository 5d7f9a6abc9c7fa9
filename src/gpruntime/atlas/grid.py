"""The standard study: every problem × algorithm × initial tree, with sizes and runs as the problem's work allows.

A problem is found in the registry. One that has parameters is taken with its defaults, and with `MORE` of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gpruntime.model.errors import BadInput, known
from gpruntime.model.problem import Problem
from gpruntime.model.problems import PROBLEMS, problem_named
from gpruntime.model.spec import RunSpec

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
)
INITS = ("unity", "unity:leaves=1", "bad", "tlopt")
SCALES = ("quick", "full", "tiny")


@dataclass(frozen=True)
class Scale:
    """How far the study goes.

    Attributes:
        fast, slow: sizes where an operation is constant work, and where a tree is read whole.
        runs: of each cell.
        least: evaluations that every run may have; of 20·n² and this the larger is its budget.
        exact: the largest n that is solved exactly.
    """

    name: str
    fast: tuple[int, ...]
    slow: tuple[int, ...]
    runs: int
    least: int
    exact: int


_SCALES = {
    "quick": Scale("quick", (5, 10, 20, 40, 80, 160), (3, 4, 5, 6, 8, 11), 50, 10_000, 2),
    "full": Scale("full", (5, 10, 20, 40, 80, 160, 320, 640, 1280), (3, 4, 5, 6, 8, 11, 16, 22), 400, 100_000, 2),
    "tiny": Scale("tiny", (3, 5, 8, 12), (2, 3, 4, 5), 12, 500, 1),
}


def scale_named(name: str) -> Scale:
    """The scale of this name."""
    return _SCALES[known("scale", name, SCALES)]


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
    found = []
    for problem in _problems(only):
        for algorithm, accept in ALGORITHMS:
            for init in INITS:
                specs = tuple(_specs(problem, algorithm, accept, init, scale))
                if specs:
                    found.append(Setting(specs, scale.runs))
    return found


def _problems(only: Sequence[str]) -> Iterable[Problem]:
    for id_, problem in PROBLEMS.items():
        if not only or id_ in only:
            yield problem
            yield from (problem_named(more) for more in MORE.get(id_, ()))


def _specs(problem: Problem, algorithm: str, accept: str, init: str, scale: Scale) -> Iterable[RunSpec]:
    for n in scale.fast if problem.adds_up else scale.slow:
        with suppress(BadInput):  # this tree or this size is not for this problem
            yield RunSpec(
                problem=problem.id,
                algorithm=algorithm,
                accept=accept,
                init=init,
                n=n,
                budget=max(scale.least, 20 * n * n),  # some runs end, and take longer than anybody waits
            )
