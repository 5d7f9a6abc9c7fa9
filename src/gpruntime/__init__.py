"""gpruntime: a laboratory for the runtime analysis of genetic programming.

from gpruntime import RunSpec, run_many
run_many(RunSpec(problem="majority", algorithm="gp-single", n=20), seed=1, runs=1000).mean_time()

The folders follow the data:

model        what the theory defines, in plain Python
engine       the same runs, compiled
verification whether a user-defined part is what it says it is (`from gpruntime import verify`)
gpu          the same runs on a GPU (`run_many(…, device="gpu")`)
exact        expected times and success probabilities, solved (`from gpruntime.exact import solve`)
theory       what a proof needs: certified bounds
study        grids of runs that lose nothing (`from gpruntime.study import Plan, Study, run_study`)
analysis     runs in, estimates out (`from gpruntime.analysis import summarise`)
show         figures and reports of them
watch        one run to look at in the browser
paper        the founding paper, claim by claim (`gpruntime paper`)
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
from gpruntime.model.problems.majority import MAJORITY
from gpruntime.model.problems.order import ORDER

if TYPE_CHECKING:
    from gpruntime.engine import Columns, WatchedRun, run_many

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
    "Run",
    "RunResult",
    "RunSpec",
    "Search",
    "Step",
    "Terminal",
    "Tree",
    "WatchedRun",
    "__version__",
    "acceptance",
    "bound",
    "operator",
    "problem",
    "run_many",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """The engine's names, on first use: importing Numba takes longer than all the rest."""
    if name in ("Columns", "WatchedRun", "run_many"):
        from gpruntime import engine

        return getattr(engine, name)
    if name == "verify":
        return importlib.import_module("gpruntime.verification").verify
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
