"""Real runs up to n = 10⁵, and what they say: python -m tests.analysis.real_runs (some minutes)."""

from __future__ import annotations

from gpruntime import Columns, RunSpec, run_many
from gpruntime.analysis import summarise
from gpruntime.show.terminal import summary_text

SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
RUNS = {
    ("majority", "gp-single", "bad"): (1000, 1000, 1000, 1000, 1000, 400, 400, 200, 200, 100, 100, 50, 50),
    ("order", "gp-single", "unity"): (1000, 1000, 1000, 1000, 1000, 400, 400, 200, 200, 100, 50, 50, 25),
    ("order", "gpstar-single", "unity"): (1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 400, 400, 200, 200, 200),
}


def real_runs(least: int = 10) -> list[Columns]:
    """The runs from a size on, with seed 1."""
    return [
        run_many(RunSpec(problem=problem, algorithm=algorithm, init=init, n=n), seed=1, runs=runs)
        for (problem, algorithm, init), counts in RUNS.items()
        for n, runs in zip(SIZES, counts, strict=True)
        if n >= least
    ]


if __name__ == "__main__":
    print(summary_text(summarise(real_runs())))
