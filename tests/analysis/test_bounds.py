"""Bounds: their values by hand, when they apply, and what a planted time says about them."""

import math

import numpy as np
import pyarrow as pa
import pytest

from gpruntime import BadPart, RunSpec, bound, problem
from gpruntime.analysis import BOUNDS, formatting, summarise
from gpruntime.model.bound import LOWER, UPPER
from tests.runs_help import planted_table, together

BY_ID = {bound.id: bound for bound in BOUNDS}


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("thm:oneonegp", 10 * 30),
        ("cor:star-order", 100),
        ("cor:majority_gp_wc", 100 * 30 * math.log(math.log(10))),
        ("cor:majority_gp_ac", 10 * 30 * math.log(10)),
        ("thm:majority_gp_overall", 10 * math.log(10) + 20 * 30 * 10 * math.log(math.log(10))),
        ("thm:majority_gpstar_multi_wc", (10 / (2 * math.e)) ** 5),
        ("later:majority_upper", 20 * math.log(20) + 10 * math.log(10) ** 3),
        ("later:majority_lower", 20 + 10 * math.log(10)),
    ],
)
def test_values_by_hand(bound, expected):
    """n = 10, T_max = 30, T_init = 20."""
    assert math.exp(BY_ID[bound].log(10.0, 30.0, 20.0)) == pytest.approx(expected)


def applying(**fields):
    spec = RunSpec(**fields)
    return {bound.id for bound in spec.problem.bounds if bound.applies(spec)}


def test_when_they_apply():
    star = {"problem": "order", "algorithm": "gpstar-single", "n": 5}
    assert applying(**star) == {"thm:oneonegp", "cor:star-order"}
    assert applying(**star, init="unity:leaves=50") == {"thm:oneonegp"}  # not known to be O(n)
    assert applying(**star, weights=(0, 1, 1)) == set()
    assert applying(**star, max_leaves_allowed=50) == set()
    weak = {"problem": "majority", "algorithm": "gp-single", "n": 5}
    assert "cor:majority_gp_ac" in applying(**weak)
    assert "cor:majority_gp_ac" not in applying(**weak, init="bad")
    assert applying(problem="majority", algorithm="gpstar-single", n=5) == {"cor:majority_gpstar_single_bound"}
    assert applying(problem="majority", algorithm="gpstar-multi", n=5, poisson_mean=2.0, init="tlopt") == set()


def check(bound, power, algorithm="gpstar-single", problem="order", runs=80):
    generator = np.random.default_rng(2)
    sizes = (10, 20, 40, 80, 160, 320)
    tables = [
        planted_table(RunSpec(problem=problem, algorithm=algorithm, n=n), generator.gamma(20, 5 * n**power / 20, runs))
        for n in sizes
    ]
    return next(check for check in summarise(together(tables)).bounds if check.bound.id == bound)


def test_tight_loose_and_contradicted():
    tight = check("cor:star-order", 2.0, runs=4000)
    assert "tight up to n^±0.05" in tight.verdict()
    assert [ratio.value for _, ratio in tight.ratios] == pytest.approx([5.0] * 6, rel=0.1)
    loose = check("cor:star-order", 1.5)
    assert loose.trend.low < -0.5 < loose.trend.high
    assert "loose by about n^0.5" in loose.verdict() or "loose by about n^0.4" in loose.verdict()
    assert f"(interval {formatting.interval(loose.trend.low, loose.trend.high)})" in loose.verdict()
    assert "would be wrong" in check("cor:star-order", 2.5).verdict()
    assert "no clear trend" in check("cor:star-order", 2.0, runs=20).verdict()
    assert "loose" in check("later:majority_lower", 1.5, "gp-single", "majority").verdict()
    assert "would be wrong" in check("later:majority_lower", 0.5, "gp-single", "majority").verdict()


def test_measured_largest_trees_are_used():
    with_leaves = check("thm:oneonegp", 2.0)  # planted T_max = 2n
    assert [ratio.value for _, ratio in with_leaves.ratios] == pytest.approx([2.5] * 6, rel=0.1)


def test_registry_is_whole():
    assert len(BY_ID) == len(BOUNDS)
    for known in BOUNDS:
        assert known.source
        assert known.conditions
        assert known.status
        assert (known.log is None) == (known.kind not in (UPPER, LOWER))


def test_the_error_of_the_largest_tree_and_its_covariance_count():
    """log(mean time) − log(mean T_max): with T_max in proportion to the time, the ratio is exact but for n."""
    generator = np.random.default_rng(2)
    tables = []
    for n in (10, 20, 40):
        times = generator.integers(50, 200, 60) * n
        table = planted_table(RunSpec(problem="order", algorithm="gp-single", n=n), times)
        place = table.column_names.index("max_leaves")
        tables.append(table.set_column(place, "max_leaves", pa.array(times // n)))
    check = next(c for c in summarise(together(tables)).bounds if c.bound.id == "thm:oneonegp")
    for n, ratio in check.ratios:
        assert ratio.value == pytest.approx(1.0)
        assert ratio.high / ratio.low < 1.001, n


@problem(
    sees="counts",
    best=lambda n: n,
    bounds=[
        bound("O(n²)", lambda n: n * n, source="a proof of mine", certainty="proved", algorithms=("gp-single",)),
        bound("Ω(T_max)", lambda n, t_max: t_max, source="a guess", certainty="conjectured", kind="lower"),
    ],
)
def bounded(i, plain, bar, n):
    return plain >= bar + 2


def test_bounds_of_ones_own_are_held_against_its_runs():
    generator = np.random.default_rng(2)
    tables = [
        planted_table(
            RunSpec(problem=bounded, algorithm="gp-single", n=n, budget=10**9), generator.integers(3, 7, 60) * n * n
        )
        for n in (10, 20, 40)
    ]
    summary = summarise(together(tables))
    found = {check.bound.formula: check for check in summary.bounds}
    assert set(found) == {"O(n²)", "Ω(T_max)"}
    assert [ratio.value for _, ratio in found["O(n²)"].ratios] == pytest.approx([4.5] * 3, rel=0.1)
    assert "a proof of mine" in summary.text()
    assert {row["certainty"] for row in found["Ω(T_max)"].to_records()} == {"conjectured"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"certainty": "sure"}, "must be one of proved, reported, conjectured"),
        ({"certainty": "proved", "kind": "middle"}, "must be one of upper, lower, infinite"),
        ({"certainty": "proved", "kind": "infinite"}, "needs a function of n, unless it is infinite"),
    ],
)
def test_a_bound_that_says_what_cannot_be_is_refused(fields, words):
    with pytest.raises(BadPart, match=words):
        bound("O(n)", lambda n: n, source="nowhere", **fields)


def test_a_bound_that_fails_says_so():
    with pytest.raises(BadPart, match=r"raised ValueError: .*given n = 10"):
        bound("O(0)", lambda n: 0 * n, source="nowhere", certainty="proved").log(10.0, 20.0, 20.0)

    def f(i, plain, bar, n):
        return 0

    with pytest.raises(BadPart, match="must be a list of what"):
        problem(sees="counts", best=lambda n: n, bounds=["O(n)"])(f)
