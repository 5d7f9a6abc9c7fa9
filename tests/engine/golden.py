"""Some hundreds of runs whose numbers must never change: what they are, and their numbers on a line each.

`python -m tests.engine.golden > tests/engine/golden.txt` writes the file anew, and is only for new settings: a line
that changes is a published number that changed. A line has the setting, the numbers of the first run, and digests of
the table of all its runs, the words the stream stands at, the trace and the improvements.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gpruntime import ALGORITHMS, BadInput, RunSpec
from gpruntime.engine.columns import Improvements
from gpruntime.engine.execute import Execution

FILE = Path(__file__).with_name("golden.txt")
RUNS, SEED, SETTINGS = 3, 18, 40

_SIZES = (1, 2, 3, 5, 8, 13, 20, 33, 50, 100, 200, 400, 1000, 3000)
_TREES = ("unity", "unity", "insertion", "bad", "tlopt", "grow", "insertion:leaves=1", "((!x1 x1) (!x1 (x1 x1)))")
_WEIGHTS = ((1, 1, 1), (1, 1, 1), (1, 1, 1), (2, 1, 0.5), (1, 3, 1), (0, 1, 1), (1, 0, 1), (0, 1, 0), (0, 0, 1))


def settings() -> Iterator[tuple[str, str, RunSpec]]:
    """(method, what is noted besides, spec): so many for each problem, algorithm and method, always the same."""
    for problem in ("order", "majority"):
        for algorithm in ALGORITHMS:
            for method in ("stepping", "skipping") if "star" in algorithm else ("stepping",):
                draw = random.Random(f"{problem} {algorithm} {method}")
                found = 0
                while found < SETTINGS:
                    spec = _spec(draw, problem, algorithm, method)
                    if spec is not None:
                        found += 1
                        yield method, draw.choice(("", "", "trace", "improvements")), spec


def _spec(draw: random.Random, problem: str, algorithm: str, method: str) -> RunSpec | None:
    n = draw.choice(_SIZES)
    most = 40_000 if method == "stepping" else 10**8 if "single" in algorithm else 200_000
    try:
        return RunSpec(
            problem=problem,
            algorithm=algorithm,
            n=n,
            init=draw.choice(_TREES),
            weights=draw.choice(_WEIGHTS),
            poisson_mean=draw.choice((1.0, 1.0, 0.5, 4.0)) if "multi" in algorithm else 1.0,
            substitute=draw.choice(("leaves", "leaves", "nodes")),
            last_leaf=draw.choice(("keep", "keep", "empty")),
            max_leaves_allowed=draw.choice((None, None, 2 * n, 2 * n + 7)),
            budget=draw.choice((1, 10, 1000, most, most, most)),
        )
    except BadInput:  # an initial tree larger than allowed
        return None


def line(method: str, noted: str, spec: RunSpec) -> str:
    """The setting and its numbers."""
    execution = Execution(
        spec, SEED, np.arange(RUNS), method, tracing=noted == "trace", improvements=noted == "improvements"
    )
    trace = hashlib.sha256()
    while not execution.done:
        trace.update(execution.slice(7_001).tobytes())
    parts = [execution.out, execution.run.rng]
    if noted == "improvements":
        found = Improvements.from_rows(execution.notes(), RUNS, spec)
        parts += [found.offsets, found.evaluations, found.fitness, found.leaves]
    digests = [hashlib.sha256(part.tobytes()).hexdigest()[:12] for part in parts]
    setting = " ".join(f"{name}={value}" for name, value in spec.law().items())
    first = " ".join(map(str, execution.out[0].tolist()))
    return f"{method} {setting} budget={spec.budget} | {first} | {' '.join(digests)} {trace.hexdigest()[:12]}"


if __name__ == "__main__":
    for setting in settings():
        print(line(*setting))
