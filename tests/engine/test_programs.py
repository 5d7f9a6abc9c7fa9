"""Circuits and truth tables: the compiled runs are the model's, draw by draw."""

import numpy as np
import pytest

from gpruntime import RunSpec, run_many
from gpruntime.engine.columns import improvements_of
from gpruntime.engine.execute import Execution
from gpruntime.model.run import run_of
from tests import parts

SETTINGS = [
    ("cgp:gates=2n", "and", 5, {}),
    ("cgp:gates=n", "and:rows=70", 7, {}),
    ("cgpstar:gates=n", "and", 4, {"budget": 400}),
    ("cgpstar:gates=n-1", "xor", 3, {"budget": 100}),
    ("cgp:gates=3n,levels-back=n", "xor:unwanted=1,negated=1", 3, {}),
    ("cgp:gates=20,mutation=sam:stop=active", "multiplexer", 3, {}),
    ("cgpstar:gates=2", "multiplexer", 3, {"budget": 50}),
    ("cgp:gates=9,lambda=4", "parity:kind=odd", 3, {}),
    ("cgp:gates=9,ties=uniform", "and-or", 4, {}),
    ("cgp:gates=9,lambda=3,ties=uniform", "and-or:rows=20", 7, {}),
    ("cgp:gates=8,mutation=point:rate=0.1", "and:unwanted=2,negated=1", 3, {}),
    ("cgp:gates=9,lambda=3", "parity", 3, {"accept": "parsimony"}),
    ("cgp:gates=9", "parity", 7, {"accept": "parsimony-smaller"}),
    ("cgp:gates=2", "and", 3, {"init": "and(x2,x2) and(#1,x3) > x1"}),
    ("cgp:gates=6", parts.wrong_rows, 3, {}),
    ("gsgp", "and", 4, {}),
    ("gsgp", "parity:kind=odd", 8, {"accept": "weak"}),
    ("gsgp:mutation=fixed-block:v=2", "and", 4, {}),
    ("gsgp:mutation=varying-block:v=2", "multiplexer", 3, {}),
    ("gsgp:mutation=fixed-alternative:v=2", "xor:unwanted=2", 3, {}),
    ("gsgp:mutation=multiple-size", "and:rows=40,unwanted=1", 4, {}),
    ("gsgp", "xor", 3, {"init": "01101111"}),
]
IDS = [f"{algorithm} on {problem}" for algorithm, problem, _, _ in SETTINGS]


def spec_of(algorithm, problem, n, fields):
    return RunSpec(algorithm=algorithm, problem=problem, n=n, **{"budget": 300, **fields})


@pytest.mark.parametrize("setting", SETTINGS, ids=IDS)
def test_lockstep(setting):
    spec, runs = spec_of(*setting), 6
    columns = run_many(spec, seed=3, runs=runs, improvements=True)
    outcomes = set()
    for number, ours in enumerate(columns.results()):
        theirs = run_of(spec, 3, number)
        noted = [row[1:] for row in improvements_of(theirs, 0)]
        assert ours.record() == theirs.result().record()
        found = columns.improvements.of(number)
        assert [
            (at, spec.problem.direction * int(fitness), size) for at, fitness, size in zip(*found, strict=True)
        ] == noted
        outcomes.add(ours.outcome)
    assert outcomes


def test_some_are_stuck():
    stuck = [setting[0] for setting in SETTINGS if "stuck" in run_many(spec_of(*setting), seed=3, runs=30).outcome]
    assert {"cgpstar:gates=n-1", "cgpstar:gates=2", "gsgp:mutation=fixed-block:v=2"} <= set(stuck)


@pytest.mark.parametrize("setting", [SETTINGS[7], SETTINGS[15]], ids=["circuits", "truth tables"])
def test_slices_and_a_larger_budget_go_on_with_the_same_run(setting):
    spec = spec_of(*setting)
    execution = Execution(spec, 3, np.arange(5), "stepping")
    while not execution.done:
        execution.slice(7)
    whole = run_many(spec, seed=3, runs=5)
    assert (execution.out == whole.table).all()
    shorter = run_many(spec.replace(budget=40), seed=3, runs=5)
    same = whole.evaluations < 40
    assert (shorter.table[same] == whole.table[same]).all()


def test_a_table_of_many_words():
    """A 9-input parity has 8 words; the model judges row by row."""
    spec = RunSpec(problem="parity", algorithm="cgp:gates=30", n=9, budget=60)
    for ours in run_many(spec, seed=1, runs=3).results():
        assert ours.record() == run_of(spec, 1, ours.run).result().record()


def test_the_arrow_table_has_the_errors_on_all_rows():
    table = run_many(RunSpec(problem="and:rows=20", algorithm="gsgp", n=5), seed=1, runs=4).to_arrow()
    assert table.column_names[-2:] == ["max_population", "wrong_on_all_rows"]
    assert min(table["wrong_on_all_rows"].to_pylist()) > 0
