"""Certificates of geometric semantic GP: found on numbers of wrong rows, checked table by table."""

from fractions import Fraction

import pytest

from gpruntime import BadInput, RunSpec
from gpruntime.exact import solve
from gpruntime.model.representations.truth_tables import block_law, blocks_of, drawn_block
from gpruntime.theory import Certificate, NoCertificate, certify, verify
from gpruntime.theory.walk import _Branch, _Given
from tests.theory import own

MANY = 2**60


def a_spec(mutation="forcing-point", problem="and", n=3, **fields):
    return RunSpec(problem=problem, algorithm=f"gsgp:mutation={mutation}", n=n, budget=MANY, **fields)


@pytest.mark.parametrize(("n", "init"), [(2, "true"), (3, "true"), (3, "uniform"), (2, "0110")])
def test_forcing_points_have_the_harmonic_potential_and_the_bound_is_the_mean(n, init):
    spec, rows = a_spec(n=n, init=init), 2**n
    for direction in ("upper", "lower"):
        found = certify(spec, ["level"], direction)
        worst = {"true": rows - 1, "uniform": rows, "0110": 3}[init]
        assert found.coefficients == {f"level:{k}": Fraction(2 * rows, k) for k in range(worst, 0, -1)}
        assert found.bound == solve(spec, rational=True).mean
        assert certify(spec, direction=direction, potential=own.by_rows).bound == found.bound
        checked = found.check()
        assert (checked.holds, checked.bound) == (True, found.bound)
    if init == "true":
        assert found.bound == 1 + 2 * rows * sum(Fraction(1, k) for k in range(1, rows))
        assert checked.visited == 2 ** (rows - 1) - 1  # row by row, each wrong or not


OTHERS = [
    a_spec("multiple-size", "multiplexer", 3),
    a_spec("varying-block:v=3", "parity", 3, init="true"),
    a_spec("fixed-block:v=2", "and", 2, accept="weak"),
    a_spec("forcing-point", "and:rows=6", 3, init="true", accept="weak"),
]


@pytest.mark.parametrize("spec", OTHERS, ids=lambda spec: spec.algorithm.id)
def test_other_blocks_rules_and_samples(spec):
    mean = solve(spec).mean
    bounds = [certify(spec, direction=direction) for direction in ("lower", "upper")]
    assert bounds[0].bound <= mean + 1e-9
    assert mean - 1e-9 <= bounds[1].bound
    assert all(one.check().holds for one in bounds)


@pytest.mark.parametrize("mutation", ["forcing-point", "fixed-block:v=2", "fixed-alternative:v=2", "multiple-size"])
def test_the_law_of_blocks_is_that_of_the_draws(mutation):
    blocks, drawn, waiting = blocks_of(a_spec(mutation)), {}, [((), Fraction(1))]
    while waiting:
        answers, chance = waiting.pop()
        try:
            mask, values = drawn_block(blocks, 3, _Given(answers, Fraction(1, 2)))
        except _Branch as branch:
            waiting += [((*answers, answer), chance * each) for answer, each in branch.chances]
            continue
        rows = tuple(row & mask == values for row in range(8))
        drawn[rows] = drawn.get(rows, 0) + chance
    law = {}
    for block, chance in block_law(blocks, 3):
        law[tuple(block.tolist())] = law.get(tuple(block.tolist()), 0) + chance
    assert law == drawn
    assert sum(law.values()) == 1


def test_planted_errors_are_found():
    record = certify(a_spec(init="true"), ["level"]).to_record()
    for name, value in record["coefficients"].items():
        less = {**record["coefficients"], name: str(Fraction(value) - Fraction(1, 10**12))}
        assert not verify({**record, "coefficients": less}).holds
    assert not verify({**record, "bound": str(Fraction(record["bound"]) - Fraction(1, 10**12))}).holds
    assert not verify({**record, "spec": {**record["spec"], "algorithm": "gsgp:mutation=multiple-size"}}).holds
    assert not verify({**record, "spec": {**record["spec"], "init": "uniform"}}).holds


def test_a_false_potential_is_refused_with_its_table():
    refused = certify(a_spec(init="true", n=2), potential="level")
    assert isinstance(refused, NoCertificate)
    assert refused.witnesses[0].drift < 1
    assert set(refused.witnesses[0].tree) <= {"0", "1"}
    stuck = certify(a_spec("fixed-block:v=2", init="true"))
    assert "infinite" in stuck.why


def test_words_a_figure_and_one_table():
    found = certify(a_spec(init="true", n=2), ["level"])
    assert isinstance(found, Certificate)
    assert found.at("1111") == found.bound == Fraction(47, 3)
    assert found.at("0001") == 1
    assert [row["bound"] for row in found.plot().records] == pytest.approx([47 / 3, 13, 9])
    assert "<svg" in found._repr_html_()


@pytest.mark.parametrize(
    ("spec", "features", "words"),
    [
        (a_spec(n=5), [], "too large: tables are looked at one by one, of at most 16 rows"),
        (RunSpec(problem="and", algorithm="cgp", n=3), [], "has circuits, and a potential is for trees"),
        (a_spec(), ["absent"], "absent"),
        (a_spec(init="true"), [own.first_row], "must be the same for trees that a run treats alike"),
    ],
    ids=["rows", "circuits", "another feature", "rows apart"],
)
def test_what_cannot_be_done_is_one_line(spec, features, words):
    with pytest.raises(BadInput, match=words):
        certify(spec, features)
