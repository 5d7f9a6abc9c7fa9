"""Every problem, rule and law of k, ours and a user's own: the engine and the model make the same run.

Problems and rules come from the registries and from tests/parts.py: one that is added has its tests.
"""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpruntime import Run, RunSpec, run_many
from gpruntime.engine import WatchedRun, unsupported
from gpruntime.engine.columns import improvements_of, row_of
from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.model.operations import LAWS
from gpruntime.model.problems import problem_named
from gpruntime.model.run import simulate
from tests import field, parts

EVERY = [*field.EVERY, *(pytest.param(problem, id=problem.name) for problem in parts.PROBLEMS)]
RULES = [*ACCEPTANCES.values(), *parts.RULES]
WEIGHTS = [(1, 1, 1), (1, 1, 1), (2, 1, 0.5), (0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 1), (0, 1, 0)]


def test_each_law_of_k_is_tried():
    assert {law.partition(":")[0] for law in parts.LAWS} == set(LAWS)


def lockstep(spec: RunSpec, seed: int) -> None:
    """Step by step with a trace, and as a whole without."""
    model = Run(spec, seed)
    if unsupported(spec) is None:
        watched = WatchedRun(spec, seed, method="stepping")
        assert watched.initial_tree == model.initial_tree
        for ours, theirs in zip(watched, model, strict=True):
            assert ours == theirs
        assert watched.result() == model.result()
    result = model.result()
    (again,) = run_many(spec, seed=seed, runs=1, method="stepping").results(str(model.tree))
    assert again == result


@pytest.mark.parametrize("problem", EVERY)
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_engine_and_the_model_make_the_same_run(problem, rule):
    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def check(data):
        found = problem_named(problem)
        n = data.draw(st.sampled_from(field.sizes_of(found, (1, 2, 3, 4))))
        limit = data.draw(st.sampled_from([None, None, 9, 12]))
        spec = RunSpec(
            problem=problem,
            algorithm="gp-single",
            n=n,
            init=data.draw(
                st.sampled_from(["unity", "insertion", "grow:join=0.5", "unity:leaves=1", "unity:leaves=9"])
            ),
            accept=rule,
            operations=data.draw(st.sampled_from(parts.LAWS)),
            weights=data.draw(st.sampled_from(WEIGHTS)),
            substitute=data.draw(st.sampled_from(["", "leaves", "nodes", "functions"])),
            last_leaf=data.draw(st.sampled_from(["keep", "empty"])),
            max_leaves_allowed=limit and max(limit, 2 * n, found.least_optimal_leaves(n)),
            budget=data.draw(st.sampled_from([1, 10, 60])),
        )
        lockstep(spec, data.draw(st.integers(0, 1000)))

    check()


@pytest.mark.attack
@pytest.mark.parametrize("rule", [parts.not_larger, parts.by_two_or_smaller], ids=str)
@pytest.mark.parametrize("problem", ["order", "majority"])
def test_an_improvement_that_the_rule_rejects_is_not_entered(problem, rule):
    """As a whole, where proposals are made in a row: the fitness of a rejected offspring is not its parent's."""
    spec = RunSpec(problem=problem, algorithm="gp-single", n=3, accept=rule, init="unity:leaves=4", budget=200)
    rows = run_many(spec, seed=3, runs=30, method="stepping").table.tolist()
    assert rows == [row_of(simulate(spec, 3, run)) for run in range(30)]


@pytest.mark.parametrize("operations", ["one", "poisson:mean=1"])
def test_the_only_leaf_takes_functions_of_one_argument_along(operations):
    fields = {"problem": "multiplexer", "algorithm": "gp-single", "n": 3, "init": "(not (not a0))", "budget": 40}
    for seed in range(20):
        lockstep(RunSpec(**fields, last_leaf="empty", weights=(1, 1, 2), operations=operations), seed)


@pytest.mark.parametrize(
    ("own", "ours"),
    [
        (parts.majority, "majority"),
        (parts.order, "order"),
        (parts.order_by_leaves, "order"),
        ("wmajority:weights=equal", "majority"),
        pytest.param("worder:weights=equal", "order", marks=pytest.mark.long),
    ],
    ids=str,
)
def test_our_problems_written_again_agree_draw_by_draw(own, ours):
    for accept, law in itertools.product(ACCEPTANCES, parts.LAWS):
        fields = {"algorithm": "gp-single", "accept": accept, "operations": law, "n": 5, "budget": 300}
        built_in, again = RunSpec(problem=ours, **fields), RunSpec(problem=own, **fields)
        again.__dict__["cell"] = built_in.cell  # the address, and with it the stream
        table, other = (run_many(spec, seed=3, runs=8, method="stepping").table for spec in (built_in, again))
        if built_in.proof is not None and built_in.operations.most > 1:  # stuck is proved for ours alone
            stuck = table[:, 0] == 1
            table, other = table[~stuck], other[~stuck]
        assert table.tolist() == other.tolist()


def test_a_rule_that_weighs_gains_is_the_models_where_fitness_is_a_float():
    """Compiled runs know the order of floats, not how far apart they are."""
    fields = {"algorithm": "gp-single", "n": 3, "budget": 40}
    weighs = RunSpec(problem=parts.far_from_pi, accept=parts.small_losses, **fields)
    assert "only orders floats" in unsupported(weighs)
    assert run_many(weighs, seed=0, runs=30).table.tolist() == [row_of(simulate(weighs, 0, run)) for run in range(30)]
    for problem, rule in ((parts.far_from_pi, parts.not_much_larger), (parts.inversions, parts.small_losses)):
        assert unsupported(RunSpec(problem=problem, accept=rule, **fields)) is None


@pytest.mark.parametrize("operator", ["hvl-prime", "hvl"])
def test_a_proof_of_ones_own_is_asked(operator):
    """Compiled runs cannot ask it; to try single operations would prove nothing for several."""
    fields = {"problem": parts.majority_with_proof, "operator": operator, "n": 3, "weights": (0, 0, 1), "budget": 100}
    for algorithm in ("gpstar-single", "gpstar-multi"):
        spec = RunSpec(algorithm=algorithm, **fields)
        columns = run_many(spec, seed=0, runs=10)
        if algorithm == "gpstar-multi":
            assert columns.table.tolist() == [row_of(simulate(spec, 0, run)) for run in range(10)]
            assert "stuck" in columns.outcome
        assert (unsupported(spec) is None) == (algorithm == "gpstar-single")


@pytest.mark.parametrize(
    "problem",
    [pytest.param(one, marks=pytest.mark.long) if one is parts.not_parity else one for one in parts.PROBLEMS],
    ids=str,
)
def test_a_stuck_run_ends_where_it_got_stuck(problem):
    """Nobody looks for a while; the record says when it was stuck, as the model does, budget or not."""
    free = RunSpec(problem=problem, algorithm="gpstar-single", n=3)
    columns = run_many(free, seed=5, runs=40)
    assert [row_of(simulate(free, 5, run)) for run in range(40)] == columns.table.tolist()
    for run, evaluations in enumerate(columns.evaluations.tolist()):
        bounded = free.replace(budget=evaluations)
        assert run_many(bounded, seed=5, runs=[run]).table.tolist() == [columns.table[run].tolist()]


@pytest.mark.parametrize("problem", [parts.weighted_order, parts.far_from_pi, parts.wrong_rows], ids=str)
def test_improvements_are_the_models(problem):
    spec = RunSpec(problem=problem, algorithm="gp-multi", n=3, budget=200)
    columns = run_many(spec, seed=2, runs=4, improvements=True)
    for run in range(4):
        rows = list(improvements_of(Run(spec, 2, run), run))
        assert [row[1] for row in rows] == columns.improvements.of(run)[0].tolist()
        assert [row[3] for row in rows] == columns.improvements.of(run)[2].tolist()
        assert columns.improvements.of(run)[1].tolist()[-1] == simulate(spec, 2, run).fitness


def test_a_float_fitness_comes_back_as_it_was():
    spec = RunSpec(problem=parts.far_from_pi, algorithm="gp-single", n=4, budget=50)
    columns = run_many(spec, seed=1, runs=5)
    assert columns.fitness.tolist() == [simulate(spec, 1, run).fitness for run in range(5)]
    assert columns.to_arrow()["fitness"].to_pylist() == columns.fitness.tolist()
