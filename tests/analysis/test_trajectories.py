"""Inside runs: against a plain loop over the model's own steps."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from gpruntime import Run, RunSpec, run_many
from gpruntime.analysis import trajectories
from gpruntime.model.errors import BadPart
from gpruntime.model.part import Part
from gpruntime.show.versus import trajectories_figure
from tests.parts import missing, small_losses, two_thirds
from tests.runs_help import planted_table, study_table, together, watched_table

SPEC = RunSpec(problem="order", algorithm="gp-single", n=8)


@pytest.fixture(scope="module")
def course():
    other = RunSpec(problem="majority", algorithm="gpstar-single", n=6)
    majority, order = trajectories(together([watched_table(SPEC, 25), watched_table(other, 25)]))
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
    (course,) = trajectories(
        watched_table(RunSpec(problem="majority", algorithm="gpstar-single", n=6, init="tlopt"), 5)
    )
    assert course.reached[-1] == 0
    assert course.to_records()[-1]["mean_evaluations"] is None
    assert "0 of 5 runs reached fitness 6" in " ".join(course.sentences())


def test_without_improvements_there_is_nothing_to_see():
    assert trajectories(study_table([SPEC], 3)) == ()


def improvements_in_the_model(spec, runs):
    """For each run of the model: (evaluations, fitness, leaves) of the initial tree, and wherever it got better."""
    for number in range(runs):
        run = Run(spec, 1, number)
        noted = [(1, run.fitness, len(run.tree.leaves))]
        before = run.fitness
        for step in run:
            if (step.fitness - before) * spec.problem.direction > 0:
                noted.append((step.evaluations, step.fitness, step.leaves))
            before = step.fitness
        yield noted


def assert_as_in_the_model(course, spec, runs):
    """Fixed targets and sizes, by a plain loop."""
    noted = list(improvements_in_the_model(spec, runs))
    direction = spec.problem.direction
    for column, target in enumerate(course.targets):
        until = [next((at for at, fitness, _ in run if (fitness - target) * direction >= 0), math.inf) for run in noted]
        assert course.reached[column] == sum(time < math.inf for time in until)
        assert course.bands[1, column] == sorted(until)[math.ceil(runs / 2) - 1]
    starts = [run[0][1] * direction for run in noted]
    assert course.targets[0] * direction <= min(starts)
    for column, time in enumerate(course.times):
        sizes = sorted([leaves for at, _, leaves in run if at <= time][-1] for run in noted)
        assert course.leaves[1, column] == sizes[math.ceil(runs / 2) - 1]


MINIMISED = [
    {"problem": "and", "n": 6, "init": "unity:leaves=1"},
    {"problem": "xor", "n": 4},
    {"problem": "and-or", "n": 4},
    {"problem": "parity", "n": 4},
    {"problem": "multiplexer", "n": 3},
    {"problem": "regression", "n": 4},
    {"problem": "sorting:measure=run", "n": 5},
    {"problem": missing, "n": 6, "init": "unity:leaves=1"},
]


@pytest.mark.attack
@pytest.mark.parametrize("keys", MINIMISED, ids=lambda keys: str(keys["problem"]))
def test_where_smaller_is_better(keys):
    spec = RunSpec(algorithm="gp-single", budget=200, **keys)
    columns = run_many(spec, seed=1, runs=20, improvements=True)
    (course,) = trajectories(columns)
    assert_as_in_the_model(course, spec, 20)
    if not spec.problem.is_own:
        assert course.targets[-1] == spec.best
        assert course.reached[-1] == sum(outcome == "optimum" for outcome in columns.outcome)
    assert (np.diff(course.targets) < 0).all()
    assert not any("-0" in str(record["fitness"]) for record in course.to_records())
    assert trajectories_figure(course).records == course.to_records()


@pytest.mark.attack
@pytest.mark.parametrize("problem", [missing, two_thirds])
def test_a_problem_that_is_not_loaded(problem, monkeypatch):
    """As in a table from a file: which fitness is better is seen from the runs."""
    spec = RunSpec(problem=problem, algorithm="gp-single", n=6, init="unity:leaves=1", budget=300)
    table = run_many(spec, seed=1, runs=20, improvements=True).to_arrow()
    stopped = table.filter(pc.equal(table["outcome"].cast("string"), "budget"))
    (loaded,) = trajectories(table)
    monkeypatch.setattr(Part, "_live", {})
    (course,) = trajectories(table)
    assert not course.spec.problem.is_loaded
    assert course.to_records() == loaded.to_records()
    assert_as_in_the_model(course, spec, 20)
    with pytest.raises(BadPart, match="not loaded"):
        assert course.spec.problem.direction
    if len(stopped):
        assert len(trajectories(stopped)) == 1


@pytest.mark.attack
def test_where_nothing_says_which_fitness_is_better(monkeypatch):
    """No run reached the optimum, and none improved, or the rule may accept losses: no picture is better than a lie."""
    spec = RunSpec(problem=missing, algorithm="gp-single", n=6, init="unity:leaves=1", budget=1)
    lossy = RunSpec(problem=missing, algorithm="gp-single", n=9, init="unity:leaves=1", budget=12, accept=small_losses)
    tables = [run_many(this, seed=1, runs=20, improvements=True).to_arrow() for this in (spec, lossy)]
    assert set(tables[1]["outcome"].to_pylist()) == {"budget"}
    monkeypatch.setattr(Part, "_live", {})
    assert [trajectories(table) for table in tables] == [(), ()]


@pytest.mark.attack
@pytest.mark.parametrize("problem", ["order", missing])
def test_a_rule_that_accepts_losses(problem):
    spec = RunSpec(problem=problem, algorithm="gp-single", n=6, accept=small_losses, budget=300, init="unity:leaves=3")
    columns = run_many(spec, seed=1, runs=20, improvements=True)
    (course,) = trajectories(columns)
    assert_as_in_the_model(course, spec, 20)
    falls = [np.diff(columns.improvements.of(row)[1] * spec.problem.direction).min(initial=0) for row in range(20)]
    assert min(falls) < 0  # or the test shows nothing


@pytest.mark.attack
def test_times_and_levels_of_many_bits():
    """Neither the product of a time and the number of runs, nor all levels of a weighted sum, fit the memory."""
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=4)
    table = planted_table(spec, np.full(40, 2**62))
    lists = {
        "improvement_evaluations": [1, 2**61, 2**62],
        "improvement_fitness": [1, 2, 4],
        "improvement_leaves": [1, 2, 9],
    }
    for name, values in lists.items():
        table = table.append_column(name, pa.array([values] * 40, pa.list_(pa.int64())))
    (course,) = trajectories(table)
    assert course.times[-1] == 2**62
    assert course.leaves[1, -1] == 9
    assert course.leaves[1, course.times < 2**61].max() == 1
    spec = RunSpec(problem="worder:weights=powers", algorithm="gp-single", n=50)
    (course,) = trajectories(run_many(spec, seed=1, runs=5, improvements=True))
    assert course.targets[-1] == spec.best > 2**49
    assert course.reached[-1] == 5
