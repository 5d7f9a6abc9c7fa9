"""Estimates from a summary are those of the rows it was made of, for times as long as 64 bits hold."""

import io
import math

import numpy as np
import pytest

from gpruntime.analysis import summarise
from gpruntime.analysis.cells import estimate_cell
from gpruntime.analysis.formatting import Above
from gpruntime.analysis.runs import SummaryTimes
from gpruntime.engine.summary import RunsSummary, bin_begins, bin_ends
from gpruntime.study import Plan
from gpruntime.study.shard import Piece
from gpruntime.study.summaries import decoded, encode, row_of
from tests.runs_help import planted_table

RUNS = 3000
PLAN = Plan.of(problem="majority", algorithm="gpstar-single", n=8, runs=RUNS, store="summaries", extremes=5)
SPEC = PLAN.cells[0].spec
OLD_LAST = 3071  # the last bin of earlier versions: 2⁵³ − 2⁴⁶ evaluations and all above


def estimate_summary(summary):
    return estimate_cell(SummaryTimes(summary.spec, summary))


def times_of(least, most):
    return np.random.default_rng(1).integers(least, most, RUNS)


def summary_of(times, keep=5):
    table = np.zeros((len(times), 11), np.int64)
    table[:, 1] = times
    found = RunsSummary(SPEC, 0, 0)
    found.add(table, 0, keep, np)
    return found


def as_stored(found, plan=PLAN):
    """Written by a study and read again."""
    (again,) = decoded(io.BytesIO(encode(found)), (Piece(SPEC.cell_id, 0, found.runs),), plan)
    return again


def of_an_earlier_version(found):
    """The same summary with the bins of earlier versions, as they stored it."""
    found.histogram[OLD_LAST] += found.histogram[OLD_LAST + 1 :].sum()
    found.histogram[OLD_LAST + 1 :] = 0
    return found


@pytest.mark.attack
@pytest.mark.parametrize(
    ("least", "most"), [(1, 2**20), (2**52, 2**54), (2**53, 2**55), (2**60, 2**63 - 1), (1, 2**63 - 1)]
)
def test_a_summary_says_what_the_rows_say(least, most):
    times = times_of(least, most)
    ours = estimate_summary(as_stored(summary_of(times)))
    (theirs,) = summarise(planted_table(SPEC, times)).cells
    assert ours.deviation == pytest.approx(theirs.deviation)
    for mine, its in ((ours.mean, theirs.mean), (ours.expected_running_time, theirs.expected_running_time)):
        assert (mine.value, mine.low, mine.high) == pytest.approx((its.value, its.low, its.high), rel=1e-4)
    for probability, its in theirs.quantiles.items():
        mine = ours.quantiles[probability]
        assert its.value / (1 + 1 / 64) < mine.value <= its.value
        assert its.low / (1 + 1 / 64) < mine.low <= its.low
        assert its.high <= mine.high < its.high * (1 + 1 / 64)
    for time in (least, 2**53 - 1, int(np.median(times)), most):
        near = int(np.searchsorted(ours.survival.times, time, side="right"))
        if near:
            end = ours.survival.times[near - 1]
            assert ours.survival.at(time) == (times > end).mean()


@pytest.mark.attack
def test_bins_of_long_times():
    edges = np.array([*(2**e + d for e in range(1, 63) for d in (-1, 0, 1)), 2**63 - 1, 2**63 - 2], np.int64)
    found = summary_of(edges)
    bins = np.flatnonzero(found.histogram)
    begins, ends = bin_begins()[bins], bin_ends()[bins]
    for begin, end, count in zip(begins.tolist(), ends.tolist(), found.histogram[bins].tolist(), strict=True):
        assert sum(begin <= edge <= end for edge in edges.tolist()) == count
        assert (end - begin + 1) * 64 <= max(begin, 64)
    assert bin_ends()[-1] == 2**63 - 1


@pytest.mark.attack
@pytest.mark.parametrize("keep", [0, 5])
def test_what_earlier_versions_did_not_know_is_not_made_up(keep):
    """Moments are exact, quantiles below are known, and one in the open bin is only above where that begins."""
    plan = Plan.of(problem="majority", algorithm="gpstar-single", n=8, runs=RUNS, store="summaries", extremes=keep)
    times = np.concatenate([times_of(1000, 10**6)[:1200], times_of(2**53, 2**55)[1200:]])
    found = as_stored(of_an_earlier_version(summary_of(times, keep)), plan)
    assert (found.runs, found.total) == (RUNS, sum(times.tolist()))
    ours = estimate_summary(found)
    (theirs,) = summarise(planted_table(SPEC, times)).cells
    assert ours.mean.value == pytest.approx(theirs.mean.value)
    assert ours.deviation == pytest.approx(theirs.deviation)
    assert (ours.mean.low, ours.mean.high) == pytest.approx((theirs.mean.low, theirs.mean.high), rel=5e-3)
    known, unknown = ours.quantiles[0.25], ours.quantiles[0.5]
    assert known.value == pytest.approx(theirs.quantiles[0.25].value, rel=1 / 64)
    assert isinstance(unknown.value, Above)
    assert unknown.value < theirs.quantiles[0.5].value
    assert "earlier version" in unknown.remark
    assert "10¹⁵" in str(unknown)
    assert str(unknown).startswith("> ")
    assert ours.survival.at(10**7) == 0.6
    assert ours.survival.at(2**54) is None


@pytest.mark.attack
def test_parts_of_an_earlier_version_and_of_this_one_add_up():
    """The runs in the open bin may be anywhere among the longer ones, so ranks there are known to an interval only."""
    old, new = times_of(2**53, 2**55)[:1000], times_of(2**53, 2**55)[1000:]
    both = as_stored(of_an_earlier_version(summary_of(old)))
    both.merge(summary_of(new), 5)
    ours = estimate_summary(both)
    (theirs,) = summarise(planted_table(SPEC, np.concatenate([old, new]))).cells
    assert ours.mean.value == pytest.approx(theirs.mean.value)
    for probability in (0.05, 0.25, 0.5, 0.75, 0.95):
        mine, its = ours.quantiles[probability], theirs.quantiles[probability]
        assert isinstance(mine.value, Above)
        assert mine.value < its.value
        assert mine.low <= its.low
        assert isinstance(mine.high, Above) or mine.high >= its.high


def test_times_just_below_are_no_open_bin():
    times = np.array([2**53 - 1, 2**53 - 2**46, 5])
    found = as_stored(summary_of(times))
    assert row_of(found)["bins"] == [5, OLD_LAST]
    assert estimate_summary(found).quantiles[0.95].value == 2**53 - 2**46


def test_runs_stopped_by_a_budget_beyond_the_bins_of_earlier_versions():
    plan = Plan.of(problem="majority", algorithm="gpstar-single", n=8, runs=4, budget=2**60, store="summaries")
    table = np.zeros((4, 11), np.int64)
    table[:, 0], table[:, 1] = (0, 0, 0, 2), (2**58, 2**58 + 1, 2**59, 2**60)
    found = RunsSummary(plan.cells[0].spec, 0, 0)
    found.add(table, 0, 4, np)
    ours = estimate_summary(found)
    assert ours.restricted.value == pytest.approx((2 * 2**58 + 1 + 2**59 + 2**60) / 4)
    assert ours.restricted.high < 2**61
    assert ours.quantiles[0.5].value == 2**58
    assert ours.quantiles[0.95].value == Above(2**60)
    assert not math.isinf(ours.expected_running_time.high)
