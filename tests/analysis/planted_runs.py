"""How often planted laws are recognised and covered: python -m tests.analysis.planted_runs (a minute or two)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpruntime.analysis.estimates import mean
from gpruntime.analysis.laws import fit_laws
from tests.analysis.test_laws import planted

TRIALS = 300


def coverage(lower: Callable[[float], float]) -> float:
    """The share of trials in which the interval of the constant 3 of 3·n ln n + lower(n) holds it."""
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(TRIALS):
        law = fit_laws(planted(generator, "n log n", 3.0, lower=lower)).of("n log n")
        covered += law.constant.low <= 3.0 <= law.constant.high
    return covered / TRIALS


def short_range() -> tuple[float, float]:
    """n log n with exponential times, 30 runs, n = 100 … 400: how often undecided from n log² n, how often unlikely."""
    generator = np.random.default_rng(1)
    undecided = excluded = 0
    for _ in range(TRIALS):
        fit = fit_laws(planted(generator, "n log n", 3.0, [100, 150, 200, 300, 400], runs=30, shape=1.0))
        excluded += fit.of("n log n").unlikely
        undecided += not fit.of("n log n").unlikely and not fit.of("n log^2 n").unlikely
    return undecided / TRIALS, excluded / TRIALS


def few_runs(runs: int, trials: int = 2000) -> float:
    """The share of intervals of the mean of this many exponential times that hold it."""
    samples = np.random.default_rng(1).exponential(size=(trials, runs))
    return sum(found.low <= 1 <= found.high for found in map(mean, samples)) / trials


if __name__ == "__main__":
    for runs in (2, 3, 5, 10, 19, 20, 50):
        print(f"mean of {runs} exponential times: covered in {100 * few_runs(runs):.1f} % of 2,000 trials")
    for text, factor, power in (
        ("", 0, 0),
        (" + 0.3·n", 0.3, 1),
        (" + n", 1, 1),
        (" + 3·n", 3, 1),
        (" + 10·√n", 10, 0.5),
    ):
        share = coverage(lambda n, factor=factor, power=power: factor * n**power)
        print(f"3·n·ln n{text}: constant covered in {100 * share:.1f} % of {TRIALS} trials")
    undecided, excluded = short_range()
    print(f"short range: undecided in {100 * undecided:.1f} %, the truth called unlikely in {100 * excluded:.1f} %")
