"""Goals: when they are met, and that they depend on the first runs alone."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gpruntime.study.cell import Fixed, Goal, Tally


def tally(times, optimal=None):
    return Tally.of(np.array(times, np.int64), np.ones(len(times), bool) if optimal is None else np.array(optimal))


def test_a_fixed_number_is_all_there_is():
    assert Fixed(7).first_target() == 7
    assert Fixed(7).next_target(tally(range(1, 8))) == 7


def test_the_interval_is_students():
    times = [3, 5, 8, 13, 21]
    low, high = stats.t.interval(0.95, 4, np.mean(times), stats.sem(times))
    assert math.isclose(tally(times).relative_half_width(0.95), (high - low) / 2 / np.mean(times), rel_tol=1e-12)


def test_runs_without_the_optimum_have_no_part_in_the_mean():
    assert tally([3, 5, 999], [True, True, False]).relative_half_width(0.95) == tally([3, 5]).relative_half_width(0.95)
    assert tally([5], [True]).relative_half_width(0.95) == math.inf


@given(st.lists(st.integers(1, 2**62), max_size=20), st.integers(0, 20))
def test_adding_up_is_exact_in_any_order(times, cut):
    parts = [tally(times[cut:]), tally(times[:cut])]
    for one in parts[1:]:
        parts[0].add(one)
    assert parts[0] == Tally(len(times), len(times), sum(times), sum(t * t for t in times))


def test_looks_are_fixed_and_end_at_the_ceiling():
    goal, looks = Goal(None, 10**6, 100), []
    at = goal.first_target()
    while not looks or at > looks[-1]:
        looks.append(at)
        at = goal.next_target(Tally(runs=at))
    assert looks == [32, 40, 50, 63, 79, 99, 100]


def test_a_goal_is_met_by_optima_and_by_the_interval():
    assert Goal(None, 3, 99).met(tally([1, 2, 3]))
    assert not Goal(None, 4, 99).met(tally([1, 2, 3]))
    same = tally([100, 101] * 50)
    assert Goal(0.01, None, 99).met(same)
    assert not Goal(1e-6, None, 99).met(same)
    assert not Goal(0.01, 101, 999).met(same)  # both, if both are asked for


@given(st.integers(1, 500), st.integers(1, 500), st.integers(0, 10**6))
def test_a_tighter_goal_never_asks_for_fewer_runs(a, b, seed):
    optimal = np.random.default_rng(seed).random(700) < 0.5

    def runs(goal):
        at = goal.first_target()
        while True:
            then = goal.next_target(tally([1] * at, optimal[:at]))
            if then == at:
                return at
            at = then

    loose, tight = Goal(None, min(a, b), 700), Goal(None, max(a, b), 700)
    assert tight.extends(loose)
    assert runs(loose) <= runs(tight)


def test_rules_that_extend():
    assert Fixed(5).extends(Fixed(4))
    assert not Fixed(4).extends(Fixed(5))
    assert not Fixed(4).extends(Goal(None, 3, 4))
    assert not Goal(0.1, None, 50).extends(Goal(0.01, None, 50))
    assert Goal(0.01, 5, 60).extends(Goal(0.02, None, 50))
