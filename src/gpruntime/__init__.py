"""gpruntime: a laboratory for the runtime analysis of genetic programming.

from gpruntime import RunSpec, run_many
run_many(RunSpec(problem="majority", algorithm="gp-single", n=20), seed=1, runs=1000).mean_time()

The folders follow the data:

model        what the theory defines, in plain Python
engine       the same runs, compiled
verification whether a user-defined part is what it says it is (`verify`)
gpu          the same runs on a GPU (`run_many(…, device="gpu")`)
exact        expected times and success probabilities, solved (`solve`)
theory       what a proof needs: certified bounds, closed forms, optimal choices, limits n → ∞
study        grids of runs that lose nothing (`Plan`, `run_study`, `Study`)
analysis     runs in, estimates out (`summarise`)
show         figures, LaTeX and reports of them
instruments  inside a setting: drift, chances of improvement, sizes, worst initial trees
watch        one run to look at in the browser (`watch(spec, "run.html")`)
paper        papers, claim by claim (`gpruntime paper`)
atlas        every problem, algorithm and initial tree on one page (`gpruntime atlas`)
cli          the command `gpruntime`
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gpruntime._version import __version__
from gpruntime.model import (
    ALGORITHMS,
    PROBLEMS,
    BadInput,
    BadPart,
    BadTree,
    Bound,
    HvlPrime,
    NotInstalled,
    Operation,
    Outcome,
    Run,
    RunResult,
    RunSpec,
    Search,
    Step,
    Terminal,
    Tree,
    acceptance,
    bound,
    operator,
    problem,
    simulate,
)
from gpruntime.model.face import no_attribute
from gpruntime.model.problem import Problem
from gpruntime.model.problems.majority import MAJORITY
from gpruntime.model.problems.order import ORDER

if TYPE_CHECKING:
    from gpruntime import watch as watch  # a package, and what it does
    from gpruntime.analysis import summarise
    from gpruntime.engine import Columns, WatchedRun, run_many
    from gpruntime.exact import solve
    from gpruntime.study import Plan, Study, run_study
    from gpruntime.verification import verify

__all__ = [
    "ALGORITHMS",
    "MAJORITY",
    "ORDER",
    "PROBLEMS",
    "BadInput",
    "BadPart",
    "BadTree",
    "Bound",
    "Columns",
    "HvlPrime",
    "NotInstalled",
    "Operation",
    "Outcome",
    "Plan",
    "Run",
    "RunResult",
    "RunSpec",
    "Search",
    "Step",
    "Study",
    "Terminal",
    "Tree",
    "WatchedRun",
    "__version__",
    "acceptance",
    "bound",
    "list_problems",
    "operator",
    "problem",
    "run_many",
    "run_study",
    "simulate",
    "solve",
    "summarise",
    "verify",
    "watch",
]

_LATER = {
    **dict.fromkeys(("Columns", "WatchedRun", "run_many"), "engine"),
    **dict.fromkeys(("Plan", "Study", "run_study"), "study"),
    "solve": "exact",
    "summarise": "analysis",
    "verify": "verification",
}


def list_problems() -> list[Problem]:
    """All problems; `str(problem)` is the name for a spec, `problem.line` says what it is."""
    return list(PROBLEMS.values())


def __getattr__(name: str) -> Any:
    """The names of what takes long to import, on first use: Numba takes longer than all the rest."""
    if name in _LATER:
        return getattr(importlib.import_module(f"gpruntime.{_LATER[name]}"), name)
    if name == "watch":
        return importlib.import_module("gpruntime.watch")
    raise no_attribute(f"module {__name__!r}", name, __all__)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
