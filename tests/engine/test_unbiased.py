"""Node-unbiased and depth-unbiased deletion: the engine and the model make the same run."""

import itertools

import pytest

from gpruntime import RunSpec, run_many
from gpruntime.engine.columns import row_of
from gpruntime.model.run import Outcome, simulate
from tests import parts
from tests.engine.test_parts import EVERY, RULES, lockstep
from tests.shares import long_case

# Each takes seconds to compile: one is quick, the others are run with `-m long`; `tests.engine.plain` has all.
TRIED = [
    pytest.param(
        case.values[0],
        operator,
        id=f"{operator}-{case.id}",
        marks=[] if (case.values[0], operator) == (parts.wrong_rows, "depth-unbiased") else long_case(case).marks,
    )
    for case in EVERY
    for operator in ("node-unbiased", "depth-unbiased")
]


@pytest.mark.parametrize(("problem", "operator"), TRIED)
def test_the_engine_and_the_model_make_the_same_run(problem, operator):
    settings = itertools.product(RULES, ("one", "poisson:mean=1"), ((1, 1, 1), (0, 0, 1)), ("keep", "empty"))
    outcomes = set()
    for number, (rule, law, weights, last_leaf) in enumerate(settings):
        spec = RunSpec(
            problem=problem, algorithm="gp-single", n=3, operator=operator, accept=rule, operations=law,
            weights=weights, last_leaf=last_leaf, substitute="nodes", budget=40,
        )  # fmt: skip
        lockstep(spec, number)
        columns = run_many(spec, seed=number, runs=3)
        assert columns.table.tolist() == [row_of(simulate(spec, number, run)) for run in range(3)]
        outcomes |= set(columns.outcome)
    assert Outcome.STUCK in outcomes
