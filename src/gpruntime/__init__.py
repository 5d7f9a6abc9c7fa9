"""gpruntime: a laboratory for the runtime analysis of genetic programming.

from gpruntime import RunSpec, simulate
simulate(RunSpec(problem="majority", algorithm="gp-single", n=20), seed=1)

The folders follow the data:

model    what the theory defines, in plain Python
cli      the command `gpruntime`
"""

from gpruntime._version import __version__
from gpruntime.model import (
    ALGORITHMS,
    MAJORITY,
    ORDER,
    BadInput,
    BadTree,
    Outcome,
    Run,
    RunResult,
    RunSpec,
    Step,
    Terminal,
    Tree,
    simulate,
)

__all__ = [
    "ALGORITHMS",
    "MAJORITY",
    "ORDER",
    "BadInput",
    "BadTree",
    "Outcome",
    "Run",
    "RunResult",
    "RunSpec",
    "Step",
    "Terminal",
    "Tree",
    "__version__",
    "simulate",
]
