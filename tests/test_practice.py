"""What `./run bench practice` compares, and that the page shows what was measured."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import practice
from benchmarks.deap_population import evaluator, population_run
from benchmarks.practice_results import Arm, Ended, kept
from benchmarks.practice_tables import difference, draw, median_time, seconds_to_success, sheets, solved
from gpruntime import Tree
from gpruntime.model.deap import primitive_set, to_deap
from gpruntime.model.problems import problem_named
from tests.strategies import trees_over

PAGE = Path(__file__).parents[1] / "docs" / "practice.md"


@pytest.mark.parametrize(("name", "n"), practice.PROBLEMS)
@settings(max_examples=15)
@given(data=st.data())
def test_both_sides_give_a_tree_the_same_fitness(name, n, data):
    tree = data.draw(trees_over(problem_named(name).primitives(n), most=25))
    assert_alike(name, n, tree)


def assert_alike(name, n, tree):
    problem = problem_named(name)
    with np.errstate(all="ignore"):
        theirs = evaluator(name, n)(to_deap(tree, primitive_set(problem, n)))
    assert theirs == pytest.approx(problem.fitness(tree, n), rel=1e-12)  # the two add errors up in different orders
    return theirs


@pytest.mark.parametrize(
    ("name", "n", "text"),
    [
        ("multiplexer", 6, "(if a0 (if a1 d3 d1) (if a1 d2 d0))"),
        ("parity", 4, None),
        ("regression:function=quartic", 20, "(mul x (add 1 (mul x (add 1 (mul x (add 1 x))))))"),
        ("regression:function=sextic", 20, "(mul (sub (mul (mul x x) x) x) (sub (mul (mul x x) x) x))"),
    ],
)
def test_both_sides_know_an_optimum(name, n, text):
    tree = Tree.parse(text or even("x1", even("x2", even("x3", "x4")), last=True), problem_named(name).primitives(n))
    assert assert_alike(name, n, tree) == 0


def even(a, b, last=False):
    """x1 xor …, from NAND; in the end its complement."""
    both = f"(nand {a} {b})"
    odd = f"(nand (nand {a} {both}) (nand {b} {both}))"
    return f"(nand {odd} {odd})" if last else odd


def test_both_sides_cut_large_values_and_protect_division():
    """2^128 is beyond 10³⁰, where values are cut: so is 2^256, and their quotient is 1."""
    power = "2"
    for _ in range(7):
        power = f"(mul {power} {power})"
    name, n = "regression:function=quartic", 20
    primitives = problem_named(name).primitives(n)
    one = assert_alike(name, n, Tree.parse("1", primitives))
    assert assert_alike(name, n, Tree.parse(f"(div {power} (mul {power} {power}))", primitives)) == one
    assert assert_alike(name, n, Tree.parse("(div 2 (sub x x))", primitives)) == one


def test_DEAPs_run_ends_with_the_budget_or_the_optimum():
    short = population_run("parity", 6, seed=1, budget=700)
    assert short.evaluations == 700
    assert short.fitness > 0
    assert short == population_run("parity", 6, seed=1, budget=700)
    long = population_run("regression:function=quartic", 20, seed=0, budget=practice.BUDGET)
    assert long.fitness == 0
    assert long.evaluations < practice.BUDGET


def test_restarts_are_runs_one_after_the_other(monkeypatch):
    made = []

    def one(_spec, _seed, numbers):
        made.append(list(numbers))
        return [Ended(10, 0.0 if number == 1 else number + 1.0, number) for number in numbers]

    monkeypatch.setattr(practice, "runs_of", one)
    assert practice.restarted(None, range(2)) == [Ended(20, 0.0, 1), Ended(50, 6.0, 5)]
    assert made == [[0, 5], [1, 6], [7], [8], [9]]


def test_the_difference_has_the_interval_that_Newcombe_prints():
    """1998, table II, example (a): 56 of 70 and 48 of 80."""
    a, b = (Arm([1] * all_, [0.0] * some + [1.0] * (all_ - some), [1] * all_) for some, all_ in ((56, 70), (48, 80)))
    found = difference(a, b)
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_a_median_beyond_the_budget_says_so():
    arm = Arm([5, 7, 25_000], [0.0, 1.0, 1.0], [1, 1, 1])
    assert median_time(arm).short() == "> 25,000"
    assert [solved(arm, by).value for by in (4, 5, 9)] == pytest.approx([0, 1 / 3, 1 / 3])


def test_seconds_to_a_success_count_the_failed_runs():
    """Two of four find it, in 100 evaluations of 1 s each."""
    arm = Arm([10, 10, 40, 40], [0.0, 0.0, 1.0, 1.0], [1] * 4, seconds=100.0)
    found = seconds_to_success(arm)
    assert found.value == pytest.approx(50)
    assert found.low < 50 < found.high
    assert seconds_to_success(Arm([10], [1.0], [1], seconds=1.0)).value is None


def test_a_small_measurement(tmp_path, monkeypatch):
    monkeypatch.setattr(practice, "BUDGET", 600)
    monkeypatch.setattr(practice, "DEAP_RUNS", 2)
    monkeypatch.setattr(practice, "RUNS", 2)
    results = practice.measured(1, tmp_path / "kept.json", [("parity", 4)])
    assert kept(tmp_path / "kept.json") == results
    assert [len(arm.leaves) for arm in results["parity-4"].values()] == [2] * 5
    assert all(time <= 600 for arm in results["parity-4"].values() for time in arm.evaluations)
    assert [sheet.rows[0][0] for sheet in sheets(results)] == ["parity-4"] * 7
    assert draw(results).startswith('<svg xmlns="http://www.w3.org/2000/svg" role="img"')


def test_the_page_has_the_tables_of_what_is_kept():
    page = PAGE.read_text("utf-8")
    assert [sheet.title for sheet in sheets(kept()) if sheet.markdown() not in page] == []


@pytest.mark.parametrize("told", ["many", "0", "-1"])
def test_a_bad_number_of_rounds_is_one_line(told, capsys):
    with pytest.raises(SystemExit) as ended:
        practice.main(told)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"gpruntime: bench practice={told}: must be a number of rounds from 1, or kept\n"
