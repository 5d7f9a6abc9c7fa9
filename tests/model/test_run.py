import itertools
import json
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import ALGORITHMS, BadInput, Outcome, Run, RunSpec, simulate
from gpruntime.model.run import rebuild
from gpruntime.model.trace import steps_from_lines, trace_lines
from tests.statistics_help import assert_mean

RUNS = 4_000


def times(runs: int = RUNS, **settings) -> list[int]:
    spec = RunSpec(n=1, **settings)
    results = [simulate(spec, seed=1, run=run) for run in range(runs)]
    assert all(result.outcome is Outcome.OPTIMUM for result in results)
    return [result.evaluations for result in results]


# ---- n = 1, solved by hand. f is 0 or 1, so a run waits for its first improvement.


@pytest.mark.statistical
def test_n1_GPstar_single_on_MAJORITY():
    """E = 5/2.

    Two uniform leaves. Unless both are x̄ (chance 1/4) the tree is optimal: 1 evaluation. From (x̄ x̄), D = 2, only the
    substitution x̄ → x improves: 1/3 · 1/2 = 1/6, so 6 more evaluations on average. E = 1 + 1/4 · 6 = 5/2.
    """
    assert_mean(times(problem="majority", algorithm="gpstar-single"), 5 / 2)


@pytest.mark.statistical
def test_n1_GPstar_single_on_ORDER():
    """E = 199/55.

    Optimal if the first leaf is x: 1/2. The join and two leaves are 3 nodes, so x comes to the front with 2 of the 6
    (node, side) pairs: insertion improves with 1/3 · 1/2 · 1/3 = 1/18. Substituting the first leaf by x improves with
    1/3 · 1/2 · 1/2 = 1/12. Deleting the first leaf improves (x̄ x) only: 1/3 · 1/2 = 1/6. So (x̄ x̄) improves with 5/36,
    (x̄ x) with 11/36, and E = 1 + 1/4 · 36/5 + 1/4 · 36/11 = 199/55.
    """
    assert_mean(times(problem="order", algorithm="gpstar-single"), 199 / 55)


@pytest.mark.statistical
def test_n1_GP_single_on_MAJORITY_with_at_most_two_leaves():
    """E = 29/14.

    Write a for the expected further evaluations from (x̄ x̄) and b from x̄; every other tree is optimal.
    (x̄ x̄): substitution by x ends (1/6) and by x̄ stays (1/6), insertion is too large (1/3), deletion gives x̄ (1/3).
    x̄: substitution by x ends (1/6) and by x̄ stays (1/6), insertion of x ends (1/6) and of x̄ gives (x̄ x̄) (1/6),
    deletion keeps the last leaf (1/3). So a = 1 + a/2 + b/3 and b = 1 + b/2 + a/6, hence a = 30/7, E = 1 + a/4 = 29/14.
    """
    assert_mean(times(problem="majority", algorithm="gp-single", max_leaves_allowed=2), 29 / 14)


@pytest.mark.statistical
def test_n1_GP_single_on_ORDER_with_at_most_two_leaves():
    """E = 257/71.

    Further evaluations a from (x̄ x̄), b from x̄, c from (x̄ x).
    (x̄ x̄): first → x ends 1/12, second → x gives (x̄ x) 1/12, deletion gives x̄ 1/3, else stays 1/2.
    (x̄ x): first → x ends 1/12, deleting the first ends 1/6, second → x̄ gives (x̄ x̄) 1/12, deleting it x̄ 1/6, else 1/2.
    x̄: → x ends 1/6, x inserted left ends 1/12, right gives (x̄ x) 1/12, x̄ inserted gives (x̄ x̄) 1/6, else stays 1/2.
    a = 2 + c/6 + 2b/3, c = 2 + a/6 + b/3, b = 2 + c/6 + a/3: b = 336/71, a = 420/71, c = 324/71.
    E = 1 + a/4 + c/4 = 257/71.
    """
    assert_mean(times(problem="order", algorithm="gp-single", max_leaves_allowed=2), 257 / 71)


@pytest.mark.statistical
@pytest.mark.parametrize("algorithm", ["gp-multi", "gpstar-multi"])
def test_n1_multi_with_substitutions_only(algorithm):
    """From (x̄ x̄), k = 1 + Pois(1) substitutions: E[2⁻ᵏ] = e^(−1/2)/2.

    MAJORITY: after k substitutions just one leaf was touched with chance 2 · 2⁻ᵏ, and then x̄ stands there with 1/2;
    otherwise both were touched and are x̄ with 1/4. Failure 1/4 + 2⁻ᵏ/2, on average (1 + e^(−1/2))/4. A failed offspring
    is (x̄ x̄) again, so accepting it or not makes no difference: E = 1 + 4/(3 − e^(−1/2)).
    ORDER: the first leaf was touched with chance 1 − 2⁻ᵏ and is x with 1/2: E = 1 + 2/(1 − e^(−1/2)/2); the second leaf
    does not matter.
    """
    root = math.exp(-0.5)
    common = {"algorithm": algorithm, "init": "(!x1 !x1)", "weights": (1, 0, 0), "budget": 10**6}
    assert_mean(times(problem="majority", **common), 1 + 4 / (3 - root))
    assert_mean(times(problem="order", **common), 1 + 2 / (1 - root / 2))


def chance_to_improve_majority_n1(negative: int, most: int = 24) -> float:
    """P(an offspring of x̄ … x̄ is optimal), k = 1 + Pois(1), by following the counts (c(x), c(x̄)) for k operations.

    Written out apart from the model: with p of T = p + q leaves x, an operation substitutes, inserts or deletes with
    1/3 each, a leaf is x with chance p/T, a new terminal is x with 1/2, and the last leaf is never deleted.
    Left out is P(k > 24) < 1e-23.
    """
    law = {(0, negative): Fraction(1)}
    chance = 0.0
    for k in range(1, most + 1):
        following: dict[tuple[int, int], Fraction] = {}

        def add(state, weight, into=following):
            if weight:
                into[state] = into.get(state, Fraction(0)) + weight

        for (p, q), weight in law.items():
            out_x, out_bar = Fraction(p, p + q), Fraction(q, p + q)
            third = weight / 3
            for gain_p, gain_q in ((1, 0), (0, 1)):
                add((p + gain_p, q + gain_q), third / 2)
                add((p - 1 + gain_p, q + gain_q), third * out_x / 2)
                add((p + gain_p, q - 1 + gain_q), third * out_bar / 2)
            if p + q == 1:
                add((p, q), third)
            else:
                add((p - 1, q), third * out_x)
                add((p, q - 1), third * out_bar)
        law = following
        improved = sum(weight for (p, q), weight in law.items() if p >= q and p >= 1)
        chance += float(improved) * math.exp(-1) / math.factorial(k - 1)
    return chance


@pytest.mark.statistical
def test_n1_GPstar_multi_on_MAJORITY():
    """E = 1 + 1/4 · 1/s with s the chance that an offspring of (x̄ x̄) is optimal: a mixture over k."""
    s = chance_to_improve_majority_n1(2)
    assert 1 / 6 * math.exp(-1) < s < 1
    assert_mean(times(problem="majority", algorithm="gpstar-multi"), 1 + 1 / 4 / s)


# ---- conventions of measurement


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("problem", ["order", "majority"])
def test_an_optimal_initial_tree_takes_one_evaluation(problem, algorithm):
    result = simulate(RunSpec(problem=problem, algorithm=algorithm, n=2, init="(x2 x1)", budget=1))
    assert (result.outcome, result.evaluations, result.fitness, result.leaves, result.max_leaves) == (
        Outcome.OPTIMUM,
        1,
        2,
        2,
        2,
    )


def test_outcomes_and_their_precedence():
    stuck = simulate(RunSpec(problem="majority", algorithm="gpstar-single", n=3, init="tlopt", budget=1))
    assert (stuck.outcome, stuck.evaluations, stuck.fitness) == (Outcome.STUCK, 1, 2)
    stopped = simulate(RunSpec(problem="order", algorithm="gpstar-single", n=30, budget=17))
    assert (stopped.outcome, stopped.evaluations) == (Outcome.BUDGET, 17)
    assert sum(stopped.proposed.values()) == 16


def test_a_larger_budget_continues_the_same_run():
    short = simulate(RunSpec(problem="order", algorithm="gp-multi", n=8, budget=20), seed=4)
    run = Run(RunSpec(problem="order", algorithm="gp-multi", n=8), seed=4)
    for _ in itertools.islice(run, 19):
        pass
    assert str(run.tree) == short.tree


def test_the_size_limit_rejects_and_still_costs():
    run = Run(RunSpec(problem="order", algorithm="gp-single", n=4, max_leaves_allowed=8), seed=2)
    steps = list(run)
    too_large = [step for step in steps if step.offspring_leaves > 8]
    assert too_large
    assert not any(step.accepted for step in too_large)
    assert run.result().evaluations == 1 + len(steps)
    assert run.result().max_leaves <= 8


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["order", "majority"]),
    st.sampled_from(list(ALGORITHMS)),
    st.integers(1, 6),
    st.sampled_from(["unity", "bad", "insertion", "grow", "grow:join=0.5", "unity:leaves=3"]),
    st.sampled_from(["keep", "empty"]),
    st.sampled_from(["leaves", "nodes", "functions"]),
    st.sampled_from(["hvl-prime", "hvl"]),
    st.integers(0, 2**63 - 1),
)
def test_a_run_tells_the_truth(problem, algorithm, n, init, last_leaf, substitute, operator, seed):
    """What a run reports agrees with its steps, and its trace rebuilds the final tree through the text."""
    dialect = {} if operator == "hvl" else {"last_leaf": last_leaf, "substitute": substitute}
    spec = RunSpec(problem=problem, algorithm=algorithm, n=n, init=init, operator=operator, budget=150, **dialect)
    lines = list(trace_lines(Run(spec, seed)))
    header, footer = json.loads(lines[0])["header"], json.loads(lines[-1])["footer"]
    steps = list(steps_from_lines(lines))
    result = simulate(spec, seed)
    assert footer == {**result.record(), "tree": result.tree}
    assert result.evaluations == 1 + len(steps)
    assert str(rebuild(spec, header["tree"], steps)) == result.tree
    assert result.fitness == spec.problem.fitness(rebuild(spec, header["tree"], steps).terminals(), n)
    assert result.max_leaves == max([header["leaves"], *(step.offspring_leaves for step in steps if step.accepted)])
    for kind in result.proposed:
        counts = [sum(o.kind == kind for o in step.operations) for step in steps]
        assert result.proposed[kind] == sum(counts)
        assert result.accepted[kind] == sum(c for c, step in zip(counts, steps, strict=True) if step.accepted)
    fitness = header["fitness"]
    for step in steps:
        better = step.offspring_fitness > fitness
        equal = step.offspring_fitness == fitness
        assert step.accepted == (better or (equal and not spec.algorithm.strict))
        assert step.fitness == (step.offspring_fitness if step.accepted else fitness)
        assert len(step.operations) == 1 or spec.algorithm.multi
        fitness = step.fitness


def test_runs_are_addressed():
    spec = RunSpec(problem="order", algorithm="gp-single", n=6)
    assert simulate(spec, seed=3, run=5) == simulate(spec, seed=3, run=5)
    assert len({simulate(spec, seed=s, run=r).tree for s in (0, 1) for r in range(5)}) == 10
    with pytest.raises(BadInput):
        simulate(spec, seed=-1)


GOLDEN = [
    (
        {"problem": "order", "algorithm": "gp-multi", "n": 3},
        ("((!x3 (!x2 (!x1 (!x2 x2)))) x2)", 8, "(x1 (x3 (!x3 x2)))"),
    ),
    (
        {"problem": "order", "algorithm": "gpstar-multi", "n": 3, "poisson_mean": 3.0},
        ("(((x3 !x1) (x2 !x3)) (!x2 !x3))", 6, "((x1 ((x3 (!x1 !x1)) (x2 !x3))) (!x2 !x3))"),
    ),
    (
        {"problem": "majority", "algorithm": "gp-single", "n": 3, "init": "insertion"},
        ("((!x1 (x1 (x3 x1))) (x3 !x2))", 5, "((!x1 (x2 (x3 x1))) ((x2 x3) (!x2 !x2)))"),
    ),
    (
        {"problem": "order", "algorithm": "gp-single", "n": 3, "init": "grow:join=0.6"},
        ("!x2", 20, "((x3 ((x2 !x2) !x3)) (x3 x1))"),
    ),
    (
        {"problem": "order", "algorithm": "gp-single", "n": 3, "init": "bad", "substitute": "nodes"},
        ("(((!x1 !x1) !x1) ((!x1 !x1) !x1))", 37, "((((x1 !x1) x1) (((x2 !x2) (!x1 x3)) !x1)) (x3 !x3))"),
    ),
    (
        {"problem": "order", "algorithm": "gp-single", "n": 2, "init": "!x1", "weights": (1, 1, 4), "budget": 60},
        ("!x1", 52, "(x2 x1)"),
    ),
    (
        {
            "problem": "order",
            "algorithm": "gp-single",
            "n": 2,
            "init": "!x1",
            "last_leaf": "empty",
            "weights": (1, 1, 4),
        },
        ("!x1", 9, "(x2 x1)"),
    ),
    (
        {"problem": "order", "algorithm": "gp-single", "n": 4, "operator": "hvl"},
        ("(((((x1 !x4) x3) !x2) !x1) ((x3 x3) !x4))", 16, "(x2 ((x4 ((x1 !x2) x3)) !x2))"),
    ),
]


@pytest.mark.parametrize(("setting", "end"), GOLDEN)
def test_golden_runs(setting, end):
    """Draw by draw the same for ever: a changed number means that the order of draws has changed."""
    run = Run(RunSpec(**setting), seed=7)
    run.result()
    assert (run.initial_tree, run.evaluations, str(run.tree)) == end


@pytest.mark.statistical
def test_multi_makes_one_plus_poisson_operations():
    """λ = 3: the mean number of operations is 4."""
    run = Run(RunSpec(problem="order", algorithm="gp-multi", n=30, poisson_mean=3.0, budget=3000), seed=1)
    assert_mean([len(step.operations) for step in run], 4.0)
