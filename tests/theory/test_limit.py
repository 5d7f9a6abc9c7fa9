"""The mean field: against the model's single steps, known limits, exact means, and runs."""

import json
import math

import numpy as np
import pytest
from scipy import optimize, special

from gpruntime import BadInput, RunSpec, run_many
from gpruntime.model.stream import Stream
from gpruntime.theory import best_insertion, gumbel, limit
from gpruntime.theory.limits import at_size
from gpruntime.theory.transitions import Grid
from gpruntime.theory.variables import variables_of
from tests import parts
from tests.figures_help import colliding, not_drawn

MAJORITY = {"problem": "majority", "algorithm": "gp-single", "n": 100}


@pytest.fixture(scope="module")
def of_majority():
    return limit(RunSpec(**MAJORITY), (1280, 102_400, 10**6, 10**12))


# ---- against the model


@pytest.mark.parametrize("accept", ["weak", "strict", "parsimony"])
@pytest.mark.parametrize("problem", ["majority", "plus-c-majority", "wmajority:weights=3/1/1/1/1/1/1/1", "and"])
def test_one_step_of_the_model(problem, accept):
    """dp/ds is n times the expected change by one offspring, its two halves of a substitution drawn apart."""
    law = {"problem": problem, "algorithm": "gp-single", "n": 8, "weights": (2, 3, 4), "accept": accept, "budget": 9}
    tree = RunSpec(**law).init.build(Stream(1, (1, 2, 3, 4), 0))
    spec = RunSpec(**law, init=str(tree))
    signs = 1 + spec.primitives.signed
    counts = np.zeros((8, 2), int)
    for leaf in tree.terminals():
        counts[leaf.variable - 1, int(leaf.negated)] += 1
    variables = variables_of(spec)
    grid = Grid(spec, variables, 12)
    expected = np.zeros((13, 13 if spec.primitives.signed else 1))

    def gain(i, state, moved):
        ask, n = spec.problem.answer, spec.n
        return spec.problem.direction * (ask(i + 1, *moved, n) - ask(i + 1, *state, n))

    def moves(i, moved, chance):
        expected[tuple(moved[: expected.ndim])] += chance
        expected[tuple(counts[i])] -= chance

    def stepped(step):
        """(chance, variable, its state afterwards, gain) of a uniform new leaf, or of a uniform leaf that goes."""
        found = []
        for i, state in enumerate(counts):
            for sign in range(signs):
                chance = 1 / (8 * signs) if step > 0 else state[sign] / counts.sum()
                moved = state + step * np.eye(2, dtype=int)[sign]
                if chance:
                    found.append((chance, i, moved, gain(i, state, moved)))
        return found

    come, gone = stepped(1), stepped(-1)
    for weight, some, growth in ((3, come, 1), (4, gone, -1)):
        for chance, i, moved, gained in some:
            moves(i, moved, weight / 9 * chance * spec.accept.accepts(gained, growth))
    for out, i, moved_out, lost in gone:
        for in_, j, moved_in, gained in come:
            chance = 2 / 9 * out * in_ * spec.accept.accepts(lost + gained, 0)
            moves(i, moved_out, chance)
            moves(j, moved_in, chance)
    by_state = (grid.derivative(grid.start()) * variables.shares[:, None]).sum(axis=0)
    assert np.abs(by_state).max() > 0.01 or accept == "strict"
    assert by_state == pytest.approx(expected.ravel(), abs=1e-13)  # n·(1/n of the variables)


# ---- limits that are known


def test_the_numbers_of_majority(of_majority):
    """The first by a fixed point that is known: τ solves I₀(τ) − I₁(τ) = 2."""
    tends_to = optimize.brentq(lambda x: special.iv(0, x) - special.iv(1, x) - 2, 3, 6)
    assert of_majority.leaves == pytest.approx(tends_to, abs=2e-5)
    assert of_majority.constant == pytest.approx(7.277, abs=5e-4)
    said = {one.n: one for one in of_majority.predictions}
    assert said[1280].constant == pytest.approx(4.389, abs=5e-4)
    assert said[102_400].constant == pytest.approx(4.702, abs=5e-4)
    assert said[102_400].leaves == pytest.approx(3.2155, abs=5e-5)
    assert said[10**6].constant == pytest.approx(4.84, abs=5e-3)
    assert said[10**12].constant == pytest.approx(5.42, abs=5e-3)


@pytest.mark.parametrize("n", [2, 20, 1000, 10**6])
def test_and_is_exact(n):
    """1 + 3n·H_(n−1), and the law of that sum of waiting times."""
    found = limit(RunSpec(problem="and", algorithm="gpstar-single", n=20, init="unity:leaves=1"))
    harmonic = float(special.digamma(n) + np.euler_gamma)
    assert found.at(n).mean == pytest.approx(1 + 3 * n * harmonic, rel=1e-6)
    assert found.constant == pytest.approx(3, rel=1e-6)
    assert found.at(n).leaves == pytest.approx(1 - 1 / n, rel=1e-4)  # the first leaf is none of the limit's
    for time in (n, 3 * n * math.log(n) + n):
        assert found.chance(n, 1 + time) == pytest.approx((1 - math.exp(-time / (3 * n))) ** (n - 1), rel=1e-5)


def test_parsimony_leaves_a_leaf_for_each_variable():
    """Of absent variables one is hit by an insertion in 6n evaluations, once all have one leaf."""
    found = limit(RunSpec(**MAJORITY, accept="parsimony"))
    assert found.leaves == pytest.approx(1, abs=1e-6)
    assert found.constant == pytest.approx(6, rel=1e-5)


def test_leaves_may_grow_for_ever():
    """By weak acceptance on AND a variable has a law of Poisson, but for 0: its mean is above what it is fed with."""
    found = limit(RunSpec(problem="and", algorithm="gp-single", n=100))
    assert found.leaves is None
    assert found.constant is None
    assert "go on growing" in str(found)


def test_plus_c_has_no_constant():
    """Its trees grow without a limit, and T/(n ln n) with them."""
    found = limit(RunSpec(problem="plus-c-majority", algorithm="gp-single", n=100, budget=9), least=1e-16)
    assert (found.leaves, found.constant) == (None, None)
    assert [found.at(n).constant for n in (10**3, 10**6, 10**12)] == pytest.approx([20.39, 22.19, 25.48], abs=0.01)


def test_a_skewness_that_tends_to_gumbels(of_majority):
    assert of_majority.at(10**15).skewness == pytest.approx(1.1395, abs=0.03)
    assert of_majority.at(100).skewness > of_majority.at(10**6).skewness > 1.1395


@pytest.mark.long
@pytest.mark.parametrize(("n", "share"), [(100, 0.466), (1000, 0.457), (10**4, 0.452)])
def test_the_best_odds_of_insertion(n, share):
    """To two digits: the curve is flat there."""
    odds, mean = best_insertion(RunSpec(**MAJORITY), n)
    assert odds == pytest.approx(share, abs=0.004)
    assert mean < limit(RunSpec(**MAJORITY)).at(n).mean


# ---- kinds of variables


def test_weights_that_are_equal_make_one_kind(of_majority):
    found = limit(RunSpec(problem="wmajority", algorithm="gp-single", n=100))
    assert found.at(1280).mean == pytest.approx(of_majority.at(1280).mean, rel=1e-9)


def test_a_problem_of_ones_own(of_majority):
    found = limit(RunSpec(problem=parts.majority, algorithm="gp-single", n=100, budget=10**9))
    assert found.at(1280).mean == pytest.approx(of_majority.at(1280).mean, rel=1e-9)


def test_kinds_that_differ_and_trees():
    """In this order: two kinds by their weights, and each of them again by its leaves."""
    law = {"problem": "wmajority:weights=1/2/1/2", "algorithm": "gp-single", "n": 4}
    assert variables_of(RunSpec(**law)).shares.tolist() == [0.5, 0.5]
    found = variables_of(RunSpec(**law, init="(x1 (x2 !x2))"))
    assert sorted(found.shares.tolist()) == [0.25, 0.25, 0.25, 0.25]
    assert found.start(2, 2).sum() == pytest.approx(4)


# ---- against runs


@pytest.mark.parametrize(
    "law",
    [
        {"problem": "majority", "algorithm": "gp-single"},
        {"problem": "majority", "algorithm": "gp-single", "accept": "parsimony", "weights": (1, 2, 1)},
        pytest.param({"problem": "plus-c-majority", "algorithm": "gp-single", "budget": 10**7}, marks=pytest.mark.long),
        {"problem": "two-thirds-majority", "algorithm": "gp-single", "init": "unity:leaves=5n", "budget": 10**7},
    ],
    ids=lambda law: " ".join(map(str, law.values())),
)
def test_runs_have_the_means(law):
    spec = RunSpec(**law, n=160)
    runs = run_many(spec, seed=3, runs=200)
    found = limit(spec, least=1e-9).against({160: (runs.evaluations.tolist(), 0)})
    assert abs(found.compared[0].z) < 4
    assert found.compared[0].law.p > 0.001


def test_runs_that_never_end_have_the_chance():
    """By strict acceptance some variables stay suboptimal; one run in two ends."""
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=20)
    found = limit(spec)
    assert found.course.u[-1, 0] == pytest.approx(0.1157, abs=1e-4)  # with no substitution inside a variable
    assert found.at(20).mean is None
    assert "infinite" in str(found)
    solved = [one.value for one in run_many(spec, seed=1, runs=1000).outcome].count("optimum")
    compared = found.against({20: ([1.0] * solved, 1000 - solved)}).compared[0]
    assert compared.what == "P(optimum)"
    assert abs(compared.z) < 4


@pytest.mark.parametrize("n", [1000, pytest.param(10**6, marks=pytest.mark.long)])
def test_substitutions_inside_a_variable_that_take_n_times_as_long(n):
    """Their end is that of n = 40, but for 1/n, and the chance follows: (1 − u)ⁿ."""
    found = limit(RunSpec(problem="majority", algorithm="gpstar-single", n=40), (40,))
    few, many = (found._with_insides(size).course for size in (40, n))
    assert many.times[-1] > 20 * n
    assert many.u[-1, 0] == pytest.approx(few.u[-1, 0], rel=0.05 / 40)
    assert found.at(n).chance == pytest.approx((1 - many.u[-1, 0]) ** n, rel=1e-9)


def test_a_single_leaf_stays_one():
    spec = RunSpec(problem="and", algorithm="gpstar-single", n=20, init="unity:leaves=1")
    assert at_size(spec, 80).init.leaves == 1
    assert at_size(RunSpec(**MAJORITY, init="unity:leaves=64n"), 10).init.leaves == 640


# ---- Gumbel's law


def test_gumbels_law_is_told_from_others():
    draws = np.random.default_rng(1)
    assert gumbel(draws.gumbel(5, 3, size=1000)).p > 0.05
    assert gumbel(draws.normal(size=1000)).p == 0.001
    assert gumbel(draws.exponential(size=1000)).p == 0.001
    small = [gumbel(draws.gumbel(size=50)).p for _ in range(200)]
    assert 0.01 <= np.mean(np.array(small) <= 0.05) <= 0.105  # 0.05 ± 3.5 standard errors


def test_too_few_times():
    with pytest.raises(BadInput, match="at least 20"):
        gumbel([1, 2, 3])


# ---- what it cannot be asked


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"problem": "order", "algorithm": "gp-single"}, "sees first"),
        ({"problem": "majority", "algorithm": "gp-multi"}, "one operation"),
        ({"problem": "majority", "algorithm": "smo-single"}, "one tree"),
        ({"problem": "majority", "algorithm": "gp-single", "max_leaves_allowed": 50}, "free to grow"),
        ({"problem": "majority", "algorithm": "gp-single", "init": "bad"}, "must be unity"),
        ({"problem": "majority", "algorithm": "gp-single", "init": "unity:leaves=900n"}, "may begin with about"),
        ({"problem": "wmajority:weights=powers", "algorithm": "gp-single", "n": 30}, "30 kinds of variables"),
        ({"problem": "plus-c-majority:c=900", "algorithm": "gp-single", "budget": 9}, "at most 250 leaves"),
        ({"problem": "majority", "algorithm": "gp-single", "operator": "hvl", "budget": 9}, "hvl-prime"),
        (
            {"problem": "majority", "algorithm": "gp-single", "weights": (0, 1, 0), "budget": 9},
            "like a power of it, about s\\^−0.48",
        ),
    ],
)
def test_where_there_is_no_mean_field(fields, words):
    with pytest.raises(BadInput, match=words):
        limit(RunSpec(**{"n": 10} | fields))


def test_progress_is_told_of_all_that_takes_seconds(monkeypatch):
    told = []
    found = limit(
        RunSpec(problem="majority", algorithm="gpstar-single", n=2), (2,), progress=lambda *at: told.append(at)
    )
    assert len(told) > len(found.course.times) > 100  # the insides of n = 2, too
    tried = []
    monkeypatch.setattr("gpruntime.theory.limits._NARROW", 0.3)
    best_insertion(RunSpec(**MAJORITY, accept="parsimony"), 100, lambda *at: tried.append(at))
    assert [done for done, _ in tried] == list(range(len(tried)))
    assert tried[-1] == (len(tried) - 1, len(tried))


def test_what_is_printed(of_majority):
    record = json.loads(json.dumps(of_majority.to_record()))
    assert record["constant"] == pytest.approx(7.277, abs=5e-4)
    assert [one["n"] for one in record["predictions"]] == list(of_majority.sizes)
    assert of_majority.to_latex().count(r"\\") == 5
    assert "4.4288" in str(of_majority)
    assert "<svg" in of_majority._repr_html_()
    drawing = of_majority.plot()
    assert not colliding(drawing.figure)
    assert not not_drawn(drawing)
    assert not colliding(gumbel(np.random.default_rng(1).gumbel(size=99)).plot().figure)
