"""When a run ends: with the evaluation of an optimal tree that is kept. One definition for all algorithms."""

import math

import pytest

from gpruntime import BadInput, RunSpec, Tree, acceptance, run_many, simulate
from gpruntime.engine.columns import row_of
from gpruntime.exact import solve
from gpruntime.model.populations.concatenation import Concatenation
from gpruntime.model.populations.one_plus_lambda import OnePlusLambda
from tests import parts

OURS = ["weak", "strict", "parsimony", "parsimony-smaller"]


RULES = [*OURS, *parts.RULES]
SAME = {  # as the (1+1) GP with the same rule; a tie with the only tree is decided by lot in (μ+1)
    "one-plus-lambda-single:lambda=1": RULES,
    "mu-plus-one-single:mu=1": ["strict", "parsimony-smaller"],
    "concatenation-single:steps=1000000": RULES,
}
CASES = [(algorithm, rule) for algorithm, rules in SAME.items() for rule in rules]


def with_stream_of(spec, other):
    """The spec with the random stream of another one."""
    spec.__dict__["cell"] = other.cell
    return spec


def outcome(result):
    """What an algorithm of one tree and one of several have in common."""
    return result.outcome, result.evaluations, result.fitness, result.leaves, result.max_leaves, result.proposed


@pytest.mark.attack
@pytest.mark.parametrize(("algorithm", "rule"), CASES, ids=str)
@pytest.mark.parametrize("problem", ["order", "majority"])
def test_with_one_tree_and_one_offspring_it_is_the_1_1_GP_draw_for_draw(problem, algorithm, rule):
    """Model and engine, from the same stream; some of these rules reject an optimal offspring."""
    fields = {"problem": problem, "n": 3, "accept": rule, "init": "unity:leaves=4", "budget": 400}
    plain = RunSpec(algorithm="gp-single", **fields)
    spec = with_stream_of(RunSpec(algorithm=algorithm, **fields), plain)
    ours, theirs = (
        run_many(spec, seed=3, runs=30).results(),
        run_many(plain, seed=3, runs=30, method="stepping").results(),
    )
    for run, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if one.outcome != other.outcome and algorithm.startswith("concatenation"):
            assert (one.outcome, other.outcome) == ("budget", "stuck")  # it is never stuck: new trees would come
            continue
        assert outcome(one) == outcome(other)
        if run < 6:
            assert row_of(simulate(spec, 3, run)) == row_of(one)
            assert simulate(spec, 3, run).tree == simulate(plain, 3, run).tree


@pytest.mark.attack
@pytest.mark.parametrize(
    "algorithm", ["gp-single", "one-plus-lambda-single:lambda=1", "one-plus-lambda-single:lambda=3"]
)
def test_an_optimum_that_the_rule_rejects_does_not_end_a_run(algorithm):
    """ORDER, n = 1, from x̄₁ by insertions alone, under a rule that lets no tree grow: nobody ever leaves x̄₁."""
    spec = RunSpec(
        problem="order", algorithm=algorithm, n=1, init="!x1", weights=(0, 1, 0), accept=parts.not_larger, budget=50
    )
    assert (simulate(spec, 1).outcome, simulate(spec, 1).evaluations) == ("stuck", 1)
    assert run_many(spec, seed=1, runs=5).solved().value == 0
    exact = solve(spec)
    assert (exact.optimum, exact.stuck) == (0, 1)


@pytest.mark.attack
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("problem", ["order", "majority"])
def test_the_chain_of_one_offspring_is_that_of_the_1_1_GP(problem, rule):
    fields = {"problem": problem, "n": 2, "accept": rule, "init": "unity:leaves=2", "max_leaves_allowed": 3}
    one = solve(RunSpec(algorithm="gp-single", budget=1, **fields))
    other = solve(RunSpec(algorithm="one-plus-lambda-single:lambda=1", budget=1, **fields))
    for name in ("optimum", "stuck", "endless"):
        assert float(getattr(other, name)) == pytest.approx(float(getattr(one, name)), abs=1e-12)
    assert other.times.at_most(9) == pytest.approx(one.times.at_most(9), rel=1e-12)


def ends_with(search, trees):
    """How it ends, if these are the offspring that it makes."""
    made = iter(trees)
    search.mutate = lambda _: Tree.parse(next(made))
    result = search.result()
    return result.outcome, result.evaluations, result.tree, [noted[1] for noted in search.improvements]


def test_a_generation_goes_on_after_an_optimum_that_is_rejected():
    """Of two optimal offspring the second one is accepted: it ends the run, though the first came before."""
    fields = {"problem": "order", "n": 2, "accept": parts.not_larger, "init": "(!x1 !x2)", "budget": 9}
    larger, as_large = "(x1 (x2 x2))", "(x1 x2)"
    spec = RunSpec(algorithm="one-plus-lambda-single:lambda=3", **fields)
    assert ends_with(OnePlusLambda(spec), [larger, as_large]) == ("optimum", 3, as_large, [0, 2])
    assert ends_with(OnePlusLambda(spec), [larger] * 8) == ("budget", 9, "(!x1 !x2)", [0])
    spec = RunSpec(algorithm="concatenation-single:steps=100", **fields)
    assert ends_with(Concatenation(spec), [larger, larger, as_large]) == ("optimum", 4, as_large, [0, 2])


@pytest.mark.attack
@pytest.mark.parametrize("algorithm", ["one-plus-lambda-single:lambda=3", "concatenation-single:steps=9"])
@pytest.mark.parametrize("rule", [parts.not_larger, parts.by_two_or_smaller], ids=str)
def test_the_engine_goes_on_too(algorithm, rule):
    """Row by row, with the improvements."""
    for problem in ("order", "majority"):
        spec = RunSpec(problem=problem, algorithm=algorithm, n=2, accept=rule, init="unity:leaves=2", budget=200)
        columns = run_many(spec, seed=5, runs=40, improvements=True)
        for run in range(40):
            search = spec.family.search(spec, 5, run)
            assert row_of(search.result()) == columns.table[run].tolist()
            noted = [part.tolist() for part in columns.improvements.of(run)]
            assert noted == [list(part) for part in zip(*search.improvements, strict=True)]


def test_a_rule_that_lets_a_tree_grow_by_two_may_never_end():
    """It is strict for growths of −1, 0 and 1, which are all where functions have two arguments, and only there."""

    @acceptance
    def strict_or_two_more(gain, growth):
        return gain > 0 or (gain == 0 and growth >= 2)

    RunSpec(problem="majority", algorithm="gp-single", n=3, accept=strict_or_two_more)
    with pytest.raises(BadInput, match="nothing proves"):
        RunSpec(problem="multiplexer", algorithm="gp-single", n=3, accept=strict_or_two_more)


@pytest.mark.statistical
@pytest.mark.parametrize("rule", [parts.not_larger, parts.by_two_or_smaller], ids=str)
def test_the_chain_of_several_offspring_agrees_with_runs(rule):
    """P(optimum within 30 evaluations) by 20,000 runs, within four standard errors; an early end would raise it."""
    spec = RunSpec(
        problem="order",
        algorithm="one-plus-lambda-single:lambda=3",
        n=2,
        accept=rule,
        init="unity:leaves=3",
        max_leaves_allowed=4,
        budget=30,
    )
    exact, share = float(solve(spec).times.at_most(30)), run_many(spec, seed=11, runs=20_000).solved().value
    assert 0.05 < exact < 0.95
    assert abs(share - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)
