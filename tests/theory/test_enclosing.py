"""Where trees grow without end: cells hold all trees, potentials hold there, two-sided answers hold with rounding."""

import itertools
import json
import math
import random
from fractions import Fraction

import pytest

from gpruntime import BadInput, RunSpec, Tree, run_many
from gpruntime.exact import solve
from gpruntime.model.initial import balanced
from gpruntime.theory import Certificate, NoCertificate, certify, enclose, verify
from gpruntime.theory.cells import Beyond, cells_of, differences
from tests import parts
from tests.theory import own

MANY = 2**60


def a_spec(problem="majority", algorithm="gp-single", n=1, **fields):
    return RunSpec(problem=problem, algorithm=algorithm, n=n, budget=MANY, **fields)


# ---- cells


@pytest.mark.parametrize("beyond", [Beyond(1, 1), Beyond(1, 0), Beyond(2, 3)])
@pytest.mark.parametrize("is_signed", [True, False])
def test_every_pair_of_counts_is_in_one_cell(beyond, is_signed):
    cells, size = cells_of(beyond, is_signed), 20
    held = []
    for cell in cells:
        for steps in itertools.product(range(size + 1), repeat=len(cell.directions)):
            moves = [(k * x, k * y) for k, (x, y) in zip(steps, cell.directions, strict=True)]
            held.append(tuple(map(sum, zip(cell.corner, *moves, strict=True))))
    inside = [pair for pair in held if max(pair) <= size]
    expected = [(a, b) for a in range(size + 1) for b in range(size + 1 if is_signed else 1)]
    assert sorted(inside) == expected


def test_differences_give_the_polynomial():
    def p(x, y):
        return 3 * x**3 - 2 * x * y**2 + 7 * y - 5

    degree = 3
    at_corner = {(x, y): Fraction(p(x, y)) for x in range(4) for y in range(4 - x)}
    found = differences(at_corner)
    assert max(map(sum, found)) == degree
    for x, y in [(0, 0), (9, 2), (4, 13)]:
        assert p(x, y) == sum(value * math.comb(x, i) * math.comb(y, j) for (i, j), value in found.items())


# ---- certificates


def drift(spec, certificate, tree):
    """By trying all proposals."""
    mutation, fitness, total = spec.mutation_in_fractions, spec.problem.fitness(tree, spec.n), Fraction(0)
    here = certificate.at(tree)
    for operation, chance in mutation.proposals(tree):
        offspring = tree.copy()
        mutation.apply(offspring, operation)
        gain = (spec.problem.fitness(offspring, spec.n) - fitness) * spec.problem.direction
        if spec.accept.accepts(gain, len(offspring.leaves) - len(tree.leaves)):
            total += chance * (here - certificate.at(offspring))
    return total


CLOSED = [
    {},
    pytest.param({"n": 2, "init": "unity:leaves=2"}, marks=pytest.mark.long),
    {"substitute": "nodes"},
    {"last_leaf": "empty", "weights": (2, 1, 1)},
    {"problem": "wmajority:weights=powers", "init": "unity:leaves=3"},
    {"problem": "and", "n": 4},
]


@pytest.mark.parametrize("fields", CLOSED, ids=str)
def test_the_drift_is_one_or_more_at_trees_of_any_size(fields):
    spec = a_spec(**fields)
    found = certify(spec)
    assert isinstance(found, Certificate)
    assert found.states is None
    assert found.check().holds
    random_ = random.Random(str(fields))
    kinds = [spec.primitives.terminal(code) for code in range(spec.primitives.size)]
    for _ in range(6):
        few = random_.sample(kinds, random_.randint(1, len(kinds)))
        terminals = [terminal for terminal in few for _ in range(random_.randint(1, 30))]
        tree = balanced(terminals, spec.primitives.functions[0])
        if spec.problem.fitness(tree, spec.n) != spec.best:
            assert drift(spec, found, tree) >= 1, tree


@pytest.mark.parametrize(
    "fields",
    [
        {"problem": "and", "algorithm": "gpstar-multi", "n": 3},
        {"problem": "and", "algorithm": "gp-multi", "n": 2, "accept": "parsimony"},
        {"problem": "and", "n": 3, "operations": "power:beta=1.5"},
    ],
    ids=str,
)
def test_with_many_operations_a_potential_of_levels_is_closed_by_one(fields):
    found = certify(a_spec(**fields))
    assert isinstance(found, Certificate)
    assert all(name.startswith("level:") for name in found.coefficients)
    assert found.check().holds
    less = {name: str(value * Fraction(99, 100)) for name, value in found.coefficients.items()}
    assert not verify({**found.to_record(), "coefficients": less}).holds


def test_planted_errors_are_found():
    record = certify(a_spec()).to_record()
    little = Fraction(1, 10**12)
    assert verify(record).holds
    for name, value in record["coefficients"].items():
        lower = {**record["coefficients"], name: str(Fraction(value) * Fraction(9, 10))}
        assert not verify({**record, "coefficients": lower}).holds, name
        fewer = {other: value for other, value in record["coefficients"].items() if other != name}
        assert not verify({**record, "coefficients": fewer}).holds, name
        negative = {**record["coefficients"], name: f"-{value}"}
        assert not verify({**record, "coefficients": negative}).holds, name
    assert not verify({**record, "bound": str(Fraction(record["bound"]) - little)}).holds
    exchanged = verify({**record, "spec": {**record["spec"], "init": "(!x1 !x1)"}})
    assert "its potential gives" in exchanged.why
    heavier = verify({**record, "spec": {**record["spec"], "weights": [1, 9, 1]}})
    assert not heavier.holds
    assert heavier.witness is None or heavier.witness.drift < 1


def test_what_holds_at_small_trees_only_is_refused():
    """With T left out the drift is 1 at all trees of few leaves, and falls as 1/T."""
    record = certify(a_spec()).to_record()
    small = {**record, "coefficients": {"level:0": "1000", "surplus": "1000"}, "bound": "100000"}
    checked = verify(small)
    assert not checked.holds
    assert "at all trees" in checked.why or checked.witness.drift < 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"problem": "order", "n": 2}, "nothing is known of ORDER beyond"),
        ({"problem": parts.two_thirds}, "nothing is known"),
        ({"accept": own.not_larger, "n": 1, "operations": "table:p=0.5/0.5"}, "own rule"),
        ({"n": 3, "problem": "and", "algorithm": "gp-multi", "max_leaves_allowed": 9}, "there must be no limit"),
        ({"n": 5}, "trees or more stand for all"),
    ],
    ids=str,
)
def test_why_there_is_none_is_one_line(fields, words):
    with pytest.raises(BadInput, match=words) as error:
        certify(a_spec(**fields))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("fields", "said", "words"),
    [
        ({}, {"direction": "lower"}, "a potential bounds from above"),
        ({}, {"features": [own.one_more]}, "nothing is known of it"),
        ({"problem": "and", "algorithm": "gp-multi", "n": 2}, {"features": ["leaves"]}, "only level:K"),
    ],
    ids=["a lower bound", "a function", "leaves"],
)
def test_features_that_are_not_known_beyond_are_one_line(fields, said, words):
    with pytest.raises(BadInput, match=words):
        certify(a_spec(**fields), **said)


@pytest.mark.parametrize("name", ["level", "leaves*level"])
def test_a_named_potential_is_checked_as_it_is(name):
    """With 1 for each coefficient; a better one exists for each name."""
    spec = a_spec("and", n=2)
    assert isinstance(certify(spec, [name, "level"]), Certificate)
    refused = certify(spec, potential=name)
    assert isinstance(refused, NoCertificate)
    assert refused.witnesses[0].drift < 1
    with pytest.raises(BadInput, match="nothing is known of it"):
        certify(spec, potential=own.harmonic)


def test_where_no_potential_is_found_a_state_shows_why():
    found = certify(a_spec(algorithm="gpstar-multi", n=2))
    assert isinstance(found, NoCertificate)
    assert found.witnesses[0].moves == ()


def test_words_latex_html_and_a_figure():
    found = certify(a_spec(problem="and", n=2))
    assert found.sentences()[2].startswith("The drift of φ is at least 1 at all trees, however large")
    assert r"\le 1" in found.to_latex()
    assert "<svg" in found._repr_html_()
    records = found.plot().records
    assert all(row["exact"] <= row["bound"] for row in records)
    assert found.at(Tree.parse("(x1 x1)")) == found.at("x2") == 7


# ---- two-sided answers


@pytest.mark.parametrize(
    "fields",
    [
        {"accept": "parsimony", "n": 2},
        {"problem": "order", "algorithm": "gpstar-single", "n": 2, "init": "unity:leaves=2"},
        {"problem": "and", "algorithm": "gpstar-single", "n": 6, "init": "x1"},
        {"problem": "sorting:measure=exc", "accept": "parsimony", "n": 2, "init": "unity:leaves=2"},
        {"max_leaves_allowed": 4, "n": 1},
    ],
    ids=str,
)
def test_they_hold_the_exact_fraction(fields):
    spec = a_spec(**fields)
    low, high = enclose(spec).mean
    exact = solve(spec, rational=True).expected
    assert low < high
    assert Fraction(low) <= exact <= Fraction(high)
    assert high - low < 1e-6 * exact


def test_an_earlier_cut_gives_a_wider_interval(monkeypatch):
    whole = enclose(a_spec())
    monkeypatch.setattr("gpruntime.exact.sizes._MAX_STATES_CUT_OFF", 200)
    rough = enclose(a_spec())
    assert rough.mean[0] < whole.mean[0] < whole.mean[1] < rough.mean[1]
    assert whole.mean[1] - whole.mean[0] < 1e-6
    for t in (1, 10, 50):
        (low, high), (least, most) = whole.more_than(t), rough.more_than(t)
        assert least - 1e-9 <= low <= high <= most + 1e-9


def test_the_error_of_rounding_is_counted(monkeypatch):
    spec = a_spec(accept="parsimony", n=3)
    usual = enclose(spec).mean
    monkeypatch.setattr("gpruntime.theory.enclosing._ROUNDINGS", 10**8)
    wider = enclose(spec).mean
    assert wider[1] - wider[0] > 1000 * (usual[1] - usual[0])


def test_what_each_answer_says_it_is():
    closed, bare, infinite = (
        enclose(a_spec()),
        enclose(a_spec("order", n=1)),
        enclose(a_spec(algorithm="gpstar-single", n=2)),
    )
    assert closed.kind == "cut off, and a certificate bounds what was"
    assert closed.certificate.check().holds
    assert bare.kind == "cut off, with no bound from above"
    assert "no upper bound" in bare.sentences()[0]
    assert bare.to_record()["mean_bounds"][1] is None
    assert infinite.mean == (math.inf, math.inf)
    assert enclose(a_spec(accept="parsimony")).kind == "nothing is cut off"
    for one in (closed, bare, infinite):
        json.dumps(one.to_record(), allow_nan=False)
        assert one._repr_html_()
    several = enclose(a_spec(algorithm="one-plus-lambda-single:lambda=2"))
    assert "keeps several trees" in several.why


SETTINGS = [
    *CLOSED,
    {"n": 2},
    {"init": "(!x1 !x1)"},
    {"init": "unity:leaves=8"},
    {"weights": (1, 1, 2)},
    {"problem": "and", "n": 2, "init": "unity:leaves=1"},
    {"problem": "and", "n": 6, "init": "unity:leaves=1"},
    {"problem": "and", "n": 3, "init": "x1", "substitute": "nodes"},
    {"problem": "and", "algorithm": "gp-multi", "n": 2, "init": "x1"},
    {"problem": "and", "algorithm": "gp-multi", "n": 3},
    {"problem": "and", "algorithm": "gpstar-multi", "n": 4, "init": "x1"},
    {"problem": "and", "algorithm": "gpstar-multi", "n": 3, "poisson_mean": 0.5, "init": "x1"},
    {"problem": "and", "algorithm": "gp-multi", "accept": "parsimony", "n": 3, "init": "x1"},
    {"problem": "and", "n": 3, "init": "x1", "operations": "table:p=0.5/0.3/0.2"},
    {"problem": "order", "n": 1},
    {"problem": "order", "n": 2},
    {"algorithm": "gp-multi"},
    {"algorithm": "gpstar-multi", "n": 2},
    {"accept": "parsimony", "n": 3},
    {"problem": "order", "algorithm": "gpstar-single", "n": 2},
]


def against_runs(fields, runs):
    """The mean and the tail of this many runs are where the answer says, up to four standard errors."""
    spec = a_spec(**fields)
    found, budget = enclose(spec), 10**9
    columns = run_many(spec.replace(budget=budget), seed=12, runs=runs)
    times, (low, high) = columns.evaluations, found.mean
    assert times.max() < budget
    error = 4 * times.std() / math.sqrt(runs)
    assert low - error <= times.mean() <= high + error, (found.mean, times.mean(), error)
    for t in (1, 3, 10, 30, 100):
        least, most = found.more_than(t)
        share = float((times > t).mean())
        error = 4 * math.sqrt(max(most * (1 - least), 1 / runs) / runs) + 1 / runs
        assert least - error <= share <= most + error, (t, least, most, share)
    return found.mean, times.mean(), error


@pytest.mark.statistical
@pytest.mark.parametrize("fields", [SETTINGS[0], SETTINGS[5], SETTINGS[15], SETTINGS[19]], ids=str)
def test_against_runs(fields):
    against_runs(fields, 20_000)


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize("fields", SETTINGS, ids=str)
def test_against_a_million_runs(fields):
    against_runs(fields, 1_000_000)
