"""Inside runs: against a plain loop over the model's own steps."""

import numpy as np
import pytest

from gpruntime import Run, RunSpec
from gpruntime.analysis import inside
from tests.runs_help import study_table, together, watched_table

SPEC = RunSpec(problem="order", algorithm="gp-single", n=8)


@pytest.fixture(scope="module")
def course():
    other = RunSpec(problem="majority", algorithm="gpstar-single", n=6)
    majority, order = inside(together([watched_table(SPEC, 25), watched_table(other, 25)]))
    assert (majority.spec, order.spec) == (other, SPEC)
    return order


def steps():
    for number in range(25):
        run = Run(SPEC, 1, number)
        yield [(1, run.fitness, len(run.tree.leaves))] + [(s.evaluations, s.fitness, s.leaves) for s in run]


def test_fixed_targets(course):
    runs = list(steps())
    for column, target in enumerate(course.targets):
        until = sorted(next(at for at, fitness, _ in run if fitness >= target) for run in runs)
        assert course.reached[column] == 25
        assert course.mean[column] == pytest.approx(np.mean(until))
        assert course.bands[:, column].tolist() == [until[2], until[12], until[22]]  # ⌈25p⌉-th smallest
    assert course.targets[-1] == 8


def test_sizes_at_the_last_improvement(course):
    runs = list(steps())
    for column, time in enumerate(course.times):
        sizes = []
        for run in runs:
            best, size = -1, 0
            for at, fitness, leaves in run:
                if at <= time and fitness > best:
                    best, size = fitness, leaves
            sizes.append(size)
        assert course.leaves[1, column] == sorted(sizes)[12]


def test_runs_that_never_get_there():
    (course,) = inside(watched_table(RunSpec(problem="majority", algorithm="gpstar-single", n=6, init="tlopt"), 5))
    assert course.reached[-1] == 0
    assert course.to_records()[-1]["mean_evaluations"] is None
    assert "0 of 5 runs reached fitness 6" in " ".join(course.sentences())


def test_without_improvements_there_is_nothing_to_see():
    assert inside(study_table([SPEC], 3)) == ()
