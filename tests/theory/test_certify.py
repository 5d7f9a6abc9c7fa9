"""Bounds with a certificate: what the issue of a proof must show, and what is refused."""

import json
import math
from fractions import Fraction

import pytest

from gpruntime import BadInput, BadPart, RunSpec
from gpruntime.exact import solve
from gpruntime.theory import Certificate, NoCertificate, certify
from tests.theory import own

MANY = 2**60


def a_spec(**fields):
    return RunSpec(**{"algorithm": "gpstar-single", "budget": MANY} | fields)


def parsimony(n):
    return a_spec(problem="majority", algorithm="gp-single", accept="parsimony", n=n)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_and_has_the_harmonic_potential_and_the_bound_is_the_mean(n):
    spec = a_spec(problem="and", n=n, init="unity:leaves=1")
    bounds = [certify(spec, ["level"], direction) for direction in ("upper", "lower")]
    mean = 1 + 3 * n * sum(Fraction(1, k) for k in range(1, n))
    for one in bounds:
        assert one.coefficients == {f"level:{k}": Fraction(3 * n, k) for k in range(n - 1, 0, -1)}
        assert one.bound == mean == solve(spec, rational=True).mean
        assert one.tight == n - 1
        assert one.check().holds


# certified lower bound, exact mean, certified upper bound; found before with features of the same kind
TABLE = {2: (5.73, 7.4391293, 9.64), 3: (10.1, 15.0324310, 21.95)}


@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.long)])
def test_majority_with_parsimony(n):
    low, mean, high = TABLE[n]
    lower, upper = certify(parsimony(n), direction="lower"), certify(parsimony(n))
    assert low <= float(lower.bound) <= mean <= float(upper.bound) <= high
    assert upper.mean == pytest.approx(mean, abs=1e-7)
    features = ["level", "leaves", "absent", "surplus", "burden", own.one_more]
    better = [certify(parsimony(n), features, direction) for direction in ("lower", "upper")]
    assert lower.bound < better[0].bound < better[1].bound < upper.bound
    assert all(one.check().holds for one in (lower, upper, *better))


@pytest.mark.long
def test_majority_with_parsimony_at_four_variables():
    lower, upper = certify(parsimony(4), direction="lower"), certify(parsimony(4))
    assert 12.7 <= float(lower.bound) <= 24.4111392 <= float(upper.bound) <= 37.0
    assert upper.states == upper.check().visited == 2407  # the optimum is not counted


@pytest.mark.parametrize("init", ["unity:leaves=2", pytest.param("unity", marks=pytest.mark.long)])
def test_order_and_the_potential_of_the_lemma(init):
    spec = a_spec(problem="order", n=2, init=init)
    lower, upper = certify(spec, direction="lower"), certify(spec)
    lemma = certify(spec, potential=own.lemma)
    mean = solve(spec).mean
    assert lower.bound <= mean <= upper.bound <= lemma.bound
    assert all(one.check().holds for one in (lower, upper, lemma))
    assert certify(spec, potential=own.lemma, direction="lower").witnesses[0].drift > 1


def test_a_false_potential_is_refused_with_its_state():
    refused = certify(a_spec(problem="and", n=4, init="x1"), potential=own.too_low)
    assert isinstance(refused, NoCertificate)
    (witness,) = refused.witnesses
    assert witness.drift == Fraction(99, 100)
    assert len(witness.tree.split()) == 3  # two variables of four
    assert sum(chance for _, chance, _ in witness.moves) == Fraction(2, 12)
    assert "0.99" in refused.sentences()[0]


def test_floats_that_are_nearly_right_are_refused_with_a_hint():
    refused = certify(a_spec(problem="and", n=4, init="x1"), potential=own.in_floats)
    assert "let it give fractions" in refused.why


def test_where_the_time_is_infinite_a_stuck_state_is_shown():
    for direction in ("upper", "lower"):
        refused = certify(a_spec(problem="majority", n=3), direction=direction)
        assert "infinite" in refused.why
        assert refused.witnesses[0].moves == ()


def test_where_the_features_do_not_do_the_states_are_shown():
    refused = certify(parsimony(2), ["leaves"])
    assert refused.why.startswith("no combination of leaves has positive drift")
    assert len(refused.witnesses) == 2
    assert all(one.moves for one in refused.witnesses)


OTHERS = [
    {"problem": "majority", "algorithm": "gp-single", "n": 2, "max_leaves_allowed": 4},
    {"problem": "order", "algorithm": "gp-single", "n": 2, "max_leaves_allowed": 3, "init": "x1"},
    {"problem": "order", "algorithm": "gp-single", "n": 1, "max_leaves_allowed": 4, "last_leaf": "empty"},
    {"problem": own.twice, "n": 2},
    {"problem": own.twice, "algorithm": "gp-single", "accept": own.not_larger, "n": 2},
    {"problem": own.far, "algorithm": "gp-single", "accept": "parsimony", "n": 1, "init": "grow:leaves=3"},
    {"problem": "majority", "algorithm": "gp-single", "accept": "parsimony", "n": 2, "weights": (0.1, 0.3, 0.2)},
    {"problem": "and", "algorithm": "gp-single", "accept": "parsimony", "n": 3, "substitute": "nodes"},
    {"problem": "wmajority:weights=powers", "accept": "parsimony", "algorithm": "gp-single", "n": 2},
    {"problem": "sorting", "algorithm": "gp-single", "accept": "parsimony", "n": 2, "init": "unity:leaves=2"},
]


@pytest.mark.parametrize("fields", OTHERS, ids=lambda fields: str(fields["problem"]))
def test_every_kind_of_setting_has_bounds_that_hold(fields):
    """The verifier walks the model's own proposals: it finds the same states, chances and bounds."""
    spec = a_spec(**fields)
    mean = solve(spec).mean
    for direction in ("lower", "upper"):
        found = certify(spec, [] if direction == "upper" else ["level", "leaves"], direction)
        assert isinstance(found, Certificate), found
        assert found.mean == pytest.approx(float(mean), rel=1e-9)
        assert (found.bound <= mean + 1e-9) if direction == "lower" else (found.bound >= mean - 1e-9)
        checked = found.check()
        assert (checked.holds, checked.bound) == (True, found.bound)
        assert found.states in (None, checked.visited)


def test_progress_is_told_of_states_that_are_found_and_looked_at():
    told = []
    found = certify(parsimony(3), ["level", "leaves"], progress=lambda *at: told.append(at))
    assert [done for done, _ in told] == [100, 200, 300] * 2
    assert told[-1] == (300, found.states)


def test_products_of_features_are_at_least_as_good():
    plain, products = certify(parsimony(2), ["level", "leaves"]), certify(parsimony(2), ["level", "level*leaves"])
    assert isinstance(plain, NoCertificate) or products.bound <= plain.bound


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"algorithm": "gpstar-multi", "problem": "order"}, "an offspring can have many operations"),
        ({"algorithm": "gp-single", "problem": "order"}, "trees grow without end"),
        ({"algorithm": "smo-single"}, "keeps several trees"),
        ({"n": 40}, "too large"),
    ],
)
def test_what_cannot_be_done_is_one_line(fields, words):
    with pytest.raises(BadInput, match=words):
        certify(a_spec(**{"problem": "majority", "n": 2} | fields))


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (["leafs"], "did you mean leaves"),
        (["level:x"], "level:K"),
        ([own.first_variable], "must be the same for trees that a run treats alike"),
        ([own.raises], "raised ZeroDivisionError"),
        ([own.no_number], "must be a number"),
        ([3], "must be names"),
    ],
)
def test_bad_features_are_one_line(features, words):
    with pytest.raises((BadInput, BadPart), match=words):
        certify(a_spec(problem="and", n=3), features)


def test_a_certificate_in_words_latex_html_and_a_figure():
    found = certify(a_spec(problem="and", n=3, init="x1"), ["level"])
    assert found.sentences()[0] == "E[evaluations] ≤ 29/2 (14.5)"
    assert found.sentences()[1] == "φ = 9/2·[f ≥ 2] + 9·[f ≥ 1], and 0 at the optimum"
    assert r"\le 1 + \mathrm{E}[\varphi(X_0)] = \frac{29}{2}" in found.to_latex()
    assert r"\frac{9}{2}\,[f \ge 2]" in found.to_latex()
    assert "<svg" in found._repr_html_()
    assert repr(found).startswith("<Certificate: (1+1) GP*-single on AND")
    assert [row["bound"] for row in found.plot().records] == [14.5, 10.0]
    assert [row["exact"] for row in found.plot().records] == pytest.approx([14.5, 10.0])
    assert found.at("(and x1 x2)") == 10
    assert found.at("(and (and x1 x2) x3)") == 1
    refused = certify(a_spec(problem="majority", n=2))
    assert refused._repr_html_()
    assert json.dumps(refused.to_record())


def test_the_bound_is_that_of_the_law_of_the_initial_tree():
    spec = a_spec(problem="and", n=2, init="insertion:leaves=2")
    found = certify(spec, ["level"])
    alone = [certify(spec.replace(init=tree), ["level"]).bound for tree in ("(and x1 x1)", "(and x1 x2)")]
    assert found.bound == sum(alone) / 2
    assert math.isclose(found.mean, float(found.bound))
