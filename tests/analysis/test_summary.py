"""From a table to answers: curves, words, and the studies that have little to say."""

import dataclasses
import math
import re

import numpy as np
import pytest

from gpruntime import RunSpec
from gpruntime.analysis import MORE_LAWS, summarise
from gpruntime.show.figures import curve_figure, overview_figure
from gpruntime.show.times import times_figure
from tests.analysis.real_runs import real_runs
from tests.runs_help import planted_table, study_table, together


def majority(n, **more):
    return RunSpec(problem="majority", algorithm="gp-single", n=n, **more)


def words_of(summary):
    parts = summary.sentences() + summary.open_questions()
    for curve in summary.curves:
        parts += curve.sentences() + curve.caveats() + [curve._repr_html_()]
    for comparison in summary.comparisons:
        parts += [*comparison.sentences(), comparison.answer(), comparison._repr_html_()]
    parts += [check.verdict() + check._repr_html_() for check in summary.bounds]
    parts += [cell._repr_html_() for cell in summary.cells]
    return "\n".join([*parts, summary._repr_html_()])


def assert_words(summary):
    text = words_of(summary)
    assert not re.search(r"\bnan\b|\bNone\b|\binf\b", text)
    return text


def test_empty_study():
    summary = summarise(study_table([majority(5)], 2).slice(0, 0))
    assert summary.cells == summary.curves == ()
    assert "No runs yet" in assert_words(summary)
    assert summary.to_records() == {"cells": [], "laws": [], "comparisons": [], "bounds": []}


def test_one_size():
    text = assert_words(summarise(study_table([majority(10)], 20)))
    assert "No law: one size with a known mean, and a law needs 4." in text


@pytest.mark.parametrize("runs", [1, 2])
def test_hardly_any_runs(runs):
    assert_words(summarise(study_table([majority(n) for n in (1, 2, 3, 5, 8, 12)], runs)))


def test_no_success():
    specs = [RunSpec(problem="majority", algorithm="gpstar-single", n=n, init="tlopt") for n in (4, 5, 6, 7, 8)]
    text = assert_words(summarise(study_table(specs, 10)))
    assert "none of 10 runs reached the optimum" in text
    assert "fewer than two runs reached the optimum" in text
    assert "as the theory says" in text


def test_all_stopped():
    text = assert_words(summarise(study_table([majority(n, budget=2) for n in (20, 30, 40, 50)], 10)))
    assert "10 of 10 runs stopped by the budget" in text
    assert "runs were stopped by the budget" in text


@pytest.mark.parametrize(
    ("how", "said"), [("stuck", "stuck for ever"), ("budget", "stopped by the budget"), ("", "")], ids=str
)
def test_only_what_happened_is_said_of_the_runs_that_did_not_end(how, said):
    """Where runs were stuck, none was stopped; where some were both, both are told."""
    ends = [how] * 10 if how else ["stuck"] * 5 + ["budget"] * 5
    times = np.random.default_rng(3).integers(50, 500, 30)
    specs = [RunSpec(problem="majority", algorithm="gpstar-single", n=n, budget=500) for n in (10, 20, 40, 80)]
    cells = [planted_table(spec, times, ["optimum"] * 20 + ends) for spec in specs]
    summary = summarise(together(cells))
    (curve,) = summary.curves
    assert {cell.not_ended for cell in summary.cells} == {said or "stuck for ever and stopped by the budget"}
    pictures = [overview_figure(summary), times_figure(curve), curve_figure(curve)]
    named = pictures[-1].figure.axes[0].get_legend_handles_labels()[1]
    words = " ".join([*curve.sentences(), *curve.caveats(), *(drawing.caption for drawing in pictures), *named])
    assert ("stuck" in words, "stopped" in words) == (how != "budget", how != "stuck")


def test_stuck_runs_give_a_law_of_the_others_and_say_so():
    specs = [RunSpec(problem="majority", algorithm="gpstar-single", n=n) for n in (4, 6, 9, 13, 20)]
    summary = summarise(study_table(specs, 300))
    (curve,) = summary.curves
    assert curve.given_optimum
    text = assert_words(summary)
    assert "E[time | optimum] ≈" in text
    assert "E[time] is infinite" in text
    assert all(cell.mean.value == math.inf for cell in summary.cells)


def test_censored_sizes_are_left_out_of_the_law_by_name():
    generator = np.random.default_rng(1)
    tables = [planted_table(majority(n), generator.gamma(9, n * n / 9, 50)) for n in (10, 20, 40, 80)]
    outcomes = ["optimum"] * 30 + ["budget"] * 20
    tables.append(planted_table(majority(160, budget=9000), np.full(50, 9000), outcomes))
    (curve,) = summarise(together(tables)).curves
    assert curve.not_fitted == ((160, "runs were stopped by the budget"),)
    assert [int(n) for n in curve.fit.points.n] == [10, 20, 40, 80]
    assert "Not in the fit: n = 160" in " ".join(curve.sentences())


def test_curves_are_settings_over_n():
    specs = [majority(n, init=init) for n in (4, 6) for init in ("unity", "bad")]
    specs += [majority(n, max_leaves_allowed=3 * n) for n in (4, 6)]
    names = [curve.name for curve in summarise(study_table(specs, 5)).curves]
    assert names == [
        "(1+1) GP-single on MAJORITY, initial tree bad",
        "(1+1) GP-single on MAJORITY, initial tree unity",
        "(1+1) GP-single on MAJORITY, initial tree unity, at most 3n leaves",
    ]
    limited = [majority(n, max_leaves_allowed=3 * n + 1) for n in (4, 6)]
    (curve,) = summarise(study_table(limited, 5)).curves  # a limit that depends on n is one setting
    assert curve.name.endswith("at most M(n) leaves")
    assert [cell.n for cell in curve.cells] == [4, 6]


@pytest.mark.statistical
def test_real_runs_grow_as_they_should():
    """MAJORITY from bad: n log n; ORDER, GP*-single: near n²; ORDER, GP-single: below n^1.5. To 10⁵: the long test."""
    sizes = (16, 32, 64, 128, 256, 512, 1024)
    specs = [majority(n, init="bad") for n in sizes]
    specs += [RunSpec(problem="order", algorithm=a, n=n) for a in ("gp-single", "gpstar-single") for n in sizes]
    by_name = {curve.name: curve.fit for curve in summarise(study_table(specs, 200)).curves}
    bad = by_name["(1+1) GP-single on MAJORITY, initial tree bad"]
    assert not bad.of("n log n").unlikely
    assert bad.of("n^1.5").unlikely
    assert bad.of("n log n").constant.low < 5.06 < bad.of("n log n").constant.high < 7
    weak = by_name["(1+1) GP-single on ORDER, initial tree unity"]
    assert weak.of("n^1.5").unlikely
    assert weak.power.alpha.high < 1.5
    strict = by_name["(1+1) GP*-single on ORDER, initial tree unity"]
    assert strict.of("n log^2 n").unlikely
    assert 1.7 < strict.power.alpha.low < strict.power.alpha.high < 2


@pytest.mark.long
def test_real_runs_up_to_a_hundred_thousand():
    table = real_runs()
    by_name = {curve.name: curve.fit for curve in summarise(table).curves}
    bad = by_name["(1+1) GP-single on MAJORITY, initial tree bad"]
    assert not bad.of("n log n").unlikely
    strict = by_name["(1+1) GP*-single on ORDER, initial tree unity"]
    assert strict.of("n^1.5").unlikely
    assert strict.of("n^3").unlikely
    weak = by_name["(1+1) GP-single on ORDER, initial tree unity"]
    assert weak.of("n^1.5").unlikely
    assert weak.power.alpha.high < 1.5
    more = {curve.name: curve.fit for curve in summarise(table, laws=MORE_LAWS).curves}
    assert more["(1+1) GP*-single on ORDER, initial tree unity"].best.law.id == "n^2/log n"


def test_the_short_answer_carries_the_doubt():
    """Five sizes, as in the plan that `study new` writes, and n² with a large lower-order term."""
    generator = np.random.default_rng(1)
    sizes = (10, 20, 40, 80, 160)
    times = [generator.gamma(4, (1.128 * n**2 + 20.9 * n**1.5) / 4, 100) for n in sizes]
    tables = [planted_table(majority(n), values) for n, values in zip(sizes, times, strict=True)]
    summary = summarise(together(tables))
    (curve,) = summary.curves
    line = next(line for line in summary.sentences() if line.startswith(curve.name))
    assert "Excluded" not in line + " ".join(curve.sentences())
    assert "told from it" in line or "no law is excluded" in line or " power" in line
    assert "c on this range" in line
    assert "Less than two decades of n" in " ".join(curve.sentences())


def test_no_law_where_all_runs_are_alike():
    (curve,) = summarise(together(planted_table(majority(n), np.full(9, n * n)) for n in (10, 20, 40, 80))).curves
    assert curve.fit is None
    assert "all runs are alike" in curve.headline()


def test_results_are_values():
    table = study_table([majority(n) for n in (4, 6, 8, 10)], 30)
    first, second = summarise(table), summarise(table)
    assert first.to_records() == second.to_records()
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.level = 0.5
    done = []
    summarise(table, progress=lambda runs, total: done.append((runs, total)))
    assert done == [(30, 120), (60, 120), (90, 120), (120, 120)]


def test_printed_results_are_short():
    specs = [majority(n, init=init) for n in (4, 6, 9, 13, 20) for init in ("unity", "bad")]
    specs += [RunSpec(problem="majority", algorithm="gpstar-single", n=n) for n in (4, 6, 9, 13, 20)]
    summary = summarise(study_table(specs, 30))
    assert str(summary).startswith("<Summary: 450 runs in 15 cells: ")
    assert "3 curves" in str(summary)
    assert summary.text().startswith("450 runs in 15 cells: ")
    parts = [summary, *summary.cells, *summary.curves, *summary.comparisons, *summary.bounds, summary.curves[0].fit]
    for part in (*parts, *summary.curves[0].fit.ranking):
        assert part.__class__.__name__ in repr(part)
        assert len(str(part)) < 800, part
        assert not re.search(r"\bnan\b|\bNone\b|\barray\b", str(part))


@pytest.mark.statistical
def test_two_free_powers_are_told_apart():
    """What fits poorly and what fits better are two things, and each sentence says which it means."""
    generator = np.random.default_rng(3)
    sizes = (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
    times = {n: generator.gamma(9, 100 * n**1.2 * np.log(n) ** 2 / 9, 3000) for n in sizes}
    (curve,) = summarise(together(planted_table(majority(n), times[n]) for n in sizes)).curves
    assert curve.fit.power.poor
    assert curve.fit.better_power is curve.fit.power_log
    text = " ".join(curve.sentences())
    assert re.search(
        r"With free exponents: the plain power n\^1\.\d+ \([^)]*, a poor fit\); the power with a log", text
    )
    assert re.search(r"The power with a logarithm fits better than [^(]* \([^)]* as likely\): the law may be", text)
    assert "the power with a logarithm fits better" in " ".join(curve.fit.obstacles)
    assert not re.search(r"\b[Ff]ree power\b", text + curve.headline())  # which one?
