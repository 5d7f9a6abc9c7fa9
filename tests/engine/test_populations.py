"""Populations: from the same address the engine and the model make the same run, whatever the problem sees."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from gpruntime import PROBLEMS, BadInput, Outcome, RunSpec, run_many, simulate
from gpruntime.engine import unsupported
from gpruntime.engine.columns import row_of
from gpruntime.engine.execute import Execution
from gpruntime.engine.params import BUDGET
from gpruntime.engine.params import STUCK as IS_STUCK
from gpruntime.model.problems import problem_named
from gpruntime.study import BadPlan, Plan, Study, run_study
from gpruntime.study.export import export_csv
from gpruntime.study.replay import replay
from tests import field, parts
from tests.statistics_help import assert_mean

CROSSING = ["mu-plus-one-single:mu=3,crossover=0.5", "mu-plus-one-multi:mu=4,crossover=1.0"]
ALGORITHMS = [
    "smo-single",
    "smo-multi",
    "one-plus-lambda-single:lambda=3",
    "one-plus-lambda-multi:lambda=4",
    "mu-plus-one-single:mu=3",
    "mu-plus-one-multi:mu=5",
    "concatenation-single:steps=20",
    "concatenation-multi:steps=7",
]
INITS = ["unity", "insertion", "grow:join=0.6", "unity:leaves=9"]
RULES = ["weak", "strict", "parsimony", "parsimony-smaller"]
LAWS = ["", "", "power:beta=1.5"]


@st.composite
def specs(draw, problem, algorithm):
    found, family = problem_named(problem), algorithm.partition("-")[0]
    n = draw(st.sampled_from(field.sizes_of(found, (2, 3, 4, 5))))
    one_leaf = str(found.primitives(n).terminal(0))
    fields = {"init": draw(st.sampled_from([*INITS, one_leaf])), "operations": draw(st.sampled_from(LAWS))}
    fields["substitute"] = draw(st.sampled_from(["leaves", "nodes"]))
    fields["last_leaf"] = draw(st.sampled_from(["keep", "empty"]))
    fields["weights"] = draw(st.sampled_from([(1, 1, 1), (1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 0, 1)]))
    limit = draw(st.sampled_from([None, 14, 25]))
    limit = limit or 40 if "crossover" in algorithm else limit
    fields["max_leaves_allowed"] = limit and max(limit, found.least_optimal_leaves(n))
    if family == "smo":
        known = isinstance(problem, str) and RunSpec(problem=problem, algorithm="gp-single", n=n, budget=1).front
        fields["until"] = draw(st.sampled_from(["front", "optimum"] if known else ["optimum"]))
    else:
        fields["accept"] = draw(st.sampled_from(RULES))
    return RunSpec(problem=problem, algorithm=algorithm, n=n, budget=draw(st.integers(1, 300)), **fields)


def in_lockstep(spec, seed, runs):
    columns = run_many(spec, seed=seed, runs=runs, improvements=True)
    for run in range(runs):
        search = spec.family.search(spec, seed, run)
        assert row_of(search.result()) == columns.table[run].tolist()
        noted = [part.tolist() for part in columns.improvements.of(run)]
        assert noted == [list(part) for part in zip(*search.improvements, strict=True)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("problem", ["order", "majority"])
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_lockstep(problem, algorithm, data):
    in_lockstep(data.draw(specs(problem, algorithm)), data.draw(st.integers(0, 2**63 - 1)), 3)


@pytest.mark.parametrize("algorithm", CROSSING)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_crossing_in_lockstep(algorithm, data):
    in_lockstep(data.draw(specs("majority", algorithm)), data.draw(st.integers(0, 2**63 - 1)), 3)


def can_have(problem, algorithm):
    """Concatenation joins two trees, by a function of two arguments."""
    primitives = problem_named(problem).primitives(3)
    return not algorithm.startswith("concatenation") or 2 in map(primitives.arity, primitives.functions)


EVERY = [
    (problem, algorithm)
    for problem in [*PROBLEMS, *parts.PROBLEMS]
    for algorithm in [*ALGORITHMS, *CROSSING]
    if can_have(problem, algorithm)
]


def test_who_cannot_be_joined_is_refused():
    for algorithm in ("concatenation-single", "concatenation-multi"):
        with pytest.raises(BadInput, match="joins trees, and colours has no function of two arguments"):
            RunSpec(problem=parts.colours, algorithm=algorithm, n=3, budget=9)


@pytest.mark.long
@pytest.mark.parametrize(("problem", "algorithm"), EVERY, ids=str)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_lockstep_of_every_problem(problem, algorithm, data):
    in_lockstep(data.draw(specs(problem, algorithm)), data.draw(st.integers(0, 2**63 - 1)), 3)


STUCK = [
    {"algorithm": "one-plus-lambda-single:lambda=3", "n": 4, "init": "unity:leaves=9"},
    {"algorithm": "one-plus-lambda-single:lambda=5", "n": 4, "weights": (1, 0, 1), "accept": "parsimony-smaller"},
    {"algorithm": "one-plus-lambda-single:lambda=2", "n": 3, "weights": (0, 0, 1), "accept": "weak"},
    {"algorithm": "mu-plus-one-single:mu=3", "n": 3, "init": "(!x1 (!x1 (!x1 (!x2 x3))))"},
    {"algorithm": "mu-plus-one-single:mu=2", "n": 4, "weights": (1, 0, 1), "accept": "parsimony-smaller"},
    {"algorithm": "mu-plus-one-single:mu=4", "n": 3, "init": "(!x1 (!x1 (!x1 x2)))"},
    {"algorithm": "mu-plus-one-single:mu=2", "n": 6, "init": "grow:join=0.4", "weights": (1, 0, 1)},
    {
        "algorithm": "one-plus-lambda-single:lambda=3",
        "n": 4,
        "problem": "order",
        "weights": (1, 0, 1),
        "init": "(!x1 x2)",
    },
    {"algorithm": "mu-plus-one-single:mu=2", "n": 4, "problem": "order", "weights": (1, 0, 1), "init": "(!x1 x2)"},
]
WHOLE = [
    {"algorithm": "one-plus-lambda-single:lambda=3", "n": 3, "problem": "xor"},
    {"algorithm": "mu-plus-one-single:mu=2", "n": 3, "problem": "xor", "init": "x1"},
    {"algorithm": "mu-plus-one-single:mu=2", "n": 3, "problem": parts.wrong_rows, "weights": (1, 0, 1)},
]


@pytest.mark.parametrize(
    "fields", [*STUCK, *(pytest.param(fields, marks=pytest.mark.long) for fields in WHOLE)], ids=str
)
def test_stuck_runs_in_lockstep(fields):
    """Whatever the budget: at the evaluation at which the model sees it. And those that are not are as if none were."""
    ends = Counter()
    for budget in (1, 2, 7, 20, 3000):
        spec = RunSpec(**{"problem": "majority", "accept": "strict", "budget": budget, **fields})
        in_lockstep(spec, 4, 40)
        never, ours = Execution(spec, 4, np.arange(40), "stepping"), run_many(spec, seed=4, runs=40)
        assert never.params.can_stick
        never.params = replace(never.params, can_stick=False)
        while not never.done:
            never.slice()
        for outcome, row, other in zip(ours.outcome, ours.table.tolist(), never.out.tolist(), strict=True):
            ends[str(outcome)] += 1
            if outcome is Outcome.STUCK:
                assert other[:3] == [BUDGET, budget, row[2]]
            else:
                assert row == other
    assert ends["stuck"] > 5


def test_stuck_runs_in_slices():
    """A slice ends after each offspring: what was proposed and evaluated since the parent changed is taken back."""
    spec = RunSpec(problem="majority", algorithm=ALGORITHMS[2], n=4, init="unity:leaves=9", accept="strict")
    execution = Execution(spec, 4, np.arange(12), "stepping")
    while not execution.done:
        execution.slice(1)
        execution = execution.fork()
    assert execution.out.tolist() == [row_of(simulate(spec, 4, run)) for run in range(12)]
    assert IS_STUCK in execution.out[:, 0]


def test_a_rule_of_ones_own():
    for algorithm in ("one-plus-lambda-multi:lambda=3", "concatenation-multi:steps=9"):
        for rule in parts.RULES:
            in_lockstep(RunSpec(problem="majority", algorithm=algorithm, n=4, accept=rule, budget=300), 5, 4)


@pytest.mark.parametrize("algorithm", [ALGORITHMS[1], ALGORITHMS[3], ALGORITHMS[5], ALGORITHMS[6], CROSSING[1]])
def test_slices_and_growing_memory_do_not_matter(algorithm):
    """From one leaf to hundreds, and to many trees: a slice ends after each offspring."""
    limit = 300 if "crossover" in algorithm else None
    spec = RunSpec(
        problem="majority",
        algorithm=algorithm,
        n=40,
        init="x1",
        weights=(1, 3, 1),
        budget=1500,
        max_leaves_allowed=limit,
    )
    execution = Execution(spec, 3, np.arange(2), "stepping")
    before = execution.memory.bytes()
    while not execution.done:
        execution.slice(1)
        execution = execution.fork()
    assert execution.memory.bytes() > before
    assert execution.out.tolist() == [row_of(simulate(spec, 3, run)) for run in range(2)]


def test_by_hand():
    """SMO-GP at n = 1 from the one leaf x̄₁: three populations that are not the front, solved by hand, 131/19."""
    spec = RunSpec(problem="order", algorithm="smo-single", n=1, init="!x1")
    assert_mean(run_many(spec, seed=8, runs=40_000).evaluations.tolist(), 131 / 19)


@pytest.mark.statistical
@pytest.mark.parametrize("algorithm", [*ALGORITHMS, CROSSING[0]])
def test_engine_and_model_agree_in_law(algorithm):
    """From other seeds: evaluations, sizes and populations by two-sample tests, each p-value at least 10⁻⁴."""
    limit = 30 if "crossover" in algorithm else None
    spec = RunSpec(problem="majority", algorithm=algorithm, n=3, budget=2000, max_leaves_allowed=limit)
    ours = run_many(spec, seed=101, runs=4000).table
    theirs = np.array([row_of(simulate(spec, 202, run)) for run in range(150)])
    for a, b in zip(ours.T, theirs.T, strict=True):
        if a.min() != a.max():
            assert stats.ks_2samp(a, b, method="asymp").pvalue > 1e-4
        else:
            assert set(a) == set(b)


def test_what_is_not_compiled_is_run_by_the_model(capsys):
    spec = RunSpec(problem="order", algorithm="smo-single", n=3, operator="hvl", budget=200)
    assert "compiled for hvl-prime" in unsupported(spec)
    assert run_many(spec, seed=1, runs=2).table.tolist() == [row_of(simulate(spec, 1, run)) for run in range(2)]
    with pytest.raises(BadInput, match="has no steps"):
        Execution(RunSpec(problem="order", algorithm="smo-single", n=3), 1, np.arange(1), "stepping", tracing=True)


def test_a_plan_may_have_both_goals():
    plan = Plan.of(problem="order", algorithm="smo-single", n=2, until=["front", "optimum"], runs=1)
    assert [cell.spec.goal for cell in plan.cells] == ["front", "optimum"]
    with pytest.raises(BadPlan, match="has no front"):
        Plan.of(problem="order", algorithm=["gp-single", "smo-single"], n=2, until="front", runs=1)


def test_a_study_of_populations_and_single_trees(tmp_path):
    plan = Plan.of(
        problem="majority", algorithm=["gp-single", "smo-single until=optimum"], n=[2, 3], runs=3, budget=500
    )
    run_study(Plan.of(problem="majority", algorithm="gp-single", n=[2, 3], runs=3, budget=500), tmp_path / "s")
    published = Study.load(tmp_path / "s").table()
    assert "max_population" not in published.column_names
    run_study(plan, tmp_path / "s")
    study = Study.load(tmp_path / "s")
    rows = study.table().to_pylist()
    assert study.table(["n", "max_population"]).num_rows == len(rows) == 12
    assert [row["max_population"] is None for row in rows] == [row["algorithm"] == "gp-single" for row in rows]
    singles = [row for row in rows if row["algorithm"] == "gp-single"]
    assert [{k: v for k, v in row.items() if k != "max_population"} for row in singles] == published.to_pylist()
    asked = study.sql("select max(max_population) from runs where algorithm like 'smo%'").to_pylist()
    assert list(asked[0].values()) == [max(row["max_population"] or 0 for row in rows)]
    assert all(replay(study, f"{row['cell']}:{row['run']}").equal for row in (rows[0], rows[-1]))
    export_csv(study, tmp_path / "runs.csv")
    assert (tmp_path / "runs.csv").read_text().splitlines()[0].endswith('max_population"')
