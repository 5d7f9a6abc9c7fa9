"""How well last programs generalise: their errors on all rows, where the fitness sees a sample."""

from __future__ import annotations

from functools import cache

import numpy as np

from gpruntime.analysis.estimates import Estimate, Values, mean, proportion
from gpruntime.engine import WatchedRun, run_many
from gpruntime.model.problems import problem_named
from gpruntime.model.spec import RunSpec


@cache
def wrong_shares(spec: RunSpec, seed: int, runs: int) -> Values:
    """The share of all rows on which the last program of each run errs."""
    rows = 2.0**spec.primitives.variables
    if not spec.representation.is_tree:
        wrong = run_many(spec, seed=seed, runs=runs).wrong_on_all_rows
        assert wrong is not None, "the fitness sees a sample"
        return np.array(wrong / rows)
    kept = [f"{name}={value}" for name, value in spec.problem.parameters.items() if name != "rows" and value]
    complete = problem_named(":".join([spec.problem.id.partition(":")[0], *([",".join(kept)] if kept else [])]))
    wrong_rows = []
    for number in range(runs):
        run = WatchedRun(spec, seed, number)
        run.result()
        wrong_rows.append(float(complete.fitness(run.tree, spec.n)))
    return np.array(wrong_rows) / rows


def mean_error(spec: RunSpec, seed: int, runs: int) -> Estimate:
    """Their mean."""
    return mean(wrong_shares(spec, seed, runs))


def share_with_error(most: float, spec: RunSpec, seed: int, runs: int) -> Estimate:
    """The share of runs whose last program errs on at most this share of the rows."""
    shares = wrong_shares(spec, seed, runs)
    return proportion(int((shares <= most).sum()), len(shares))
