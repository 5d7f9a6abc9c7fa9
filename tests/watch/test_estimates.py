"""What many runs say on the page: infinite and unknown are told as such, and every number is the analysis's."""

import json
import math

import numpy as np
import pytest

from gpruntime import RunSpec, run_many
from gpruntime.analysis.curves import make_curve
from gpruntime.analysis.estimates import mean, proportion
from gpruntime.analysis.profiles import profiles
from gpruntime.engine.columns import EVALUATIONS, OUTCOME, WIDTH
from gpruntime.model.errors import BadInput
from gpruntime.watch import many
from gpruntime.watch.choice import law_of
from gpruntime.watch.estimates import cell_of, cell_to_json, law_to_json, profile_to_json
from gpruntime.watch.many import Cells, law, many_runs
from gpruntime.watch.recording import Stop
from gpruntime.watch.source import method_of

SPEC = RunSpec(problem="majority", algorithm="gpstar-single", n=50, budget=10_000)
OPTIMUM, STUCK, BUDGET = range(3)


def told(*ends, spec=SPEC):
    """The estimates of planted runs, each an outcome and its evaluations."""
    table = np.zeros((len(ends), WIDTH), np.int64)
    table[:, [OUTCOME, EVALUATIONS]] = ends
    answer = cell_to_json(cell_of(spec, 0, table))
    json.dumps(answer, allow_nan=False)
    return answer


def test_with_28_of_50_runs_stuck_mean_and_median_are_infinite():
    times = list(range(1000, 1000 + 22 * 50, 50))
    cell = told(*((OPTIMUM, time) for time in times), *[(STUCK, 6_627)] * 28)
    for name in ("mean", "median"):
        assert cell[name]["text"] == "∞, 28 of 50 runs stuck"
        assert cell[name]["value"] is None
    given = mean(np.array(times, float))
    assert [cell["given_optimum"][end] for end in ("value", "low", "high")] == [given.value, given.low, given.high]
    share = proportion(28, 50)
    assert [cell["stuck"][end] for end in ("value", "low", "high")] == [0.56, share.low, share.high]
    assert cell["stuck"]["text"] == "28 (56 %)"


def test_two_successes_have_an_interval_that_is_not_symmetric():
    given = told((OPTIMUM, 40_000), (OPTIMUM, 290_000), *[(STUCK, 10)] * 28)["given_optimum"]
    assert 0 < given["low"] < given["value"] < given["high"]
    assert given["value"] / given["low"] == pytest.approx(given["high"] / given["value"])


def test_fewer_stuck_than_half_leave_the_median_open_above():
    cell = told(*((OPTIMUM, time) for time in range(100, 112)), *[(STUCK, 5)] * 8)
    assert (cell["mean"]["short"], cell["median"]["value"]) == ("∞", 109)
    assert cell["median"]["interval"] == "[105, ∞]"


def test_beyond_the_budget_a_time_is_at_least_something():
    cell = told(*((OPTIMUM, time) for time in range(100, 105)), *[(BUDGET, 10_000)] * 6)
    assert cell["median"]["text"] == "> 10,000, 6 of 11 runs stopped by the budget"
    assert cell["mean"]["value"] is None
    assert cell["mean"]["at_least"] == pytest.approx((510 + 60_000) / 11)
    assert cell["mean"]["text"].startswith("at least ")
    assert "only of the runs that ended within the budget" in cell["given_optimum"]["text"]


def test_all_runs_reached_the_optimum():
    cell = told(*((OPTIMUM, time) for time in range(100, 150)))
    assert cell["mean"]["value"] == cell["given_optimum"]["value"] == 124.5
    assert (cell["stuck"]["text"], cell["stuck"]["interval"]) == ("0", "[0 %, 7.1 %]")


def test_the_runs_are_estimated_after_fixed_numbers_of_them_and_at_the_end(monkeypatch):
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=12, budget=10**9)
    table = run_many(spec, seed=3, runs=20).table
    monkeypatch.setattr(many, "_LOOKS", (5, 10))
    monkeypatch.setattr(many, "_by_engine", lambda *_: iter(np.array_split(table, 7)))
    pieces = list(many_runs(spec, 3, 20, Stop(), Cells()))
    cells = [piece["cell"] for piece in pieces if "cell" in piece]
    assert cells == [cell_to_json(cell_of(spec, 3, table[:runs])) for runs in (5, 10, 20)]


NAMES = [("problem", "order"), ("algorithm", "gpstar-single"), ("seed", "2"), ("runs", "30")]


def test_the_law_is_the_analysiss():
    specs, seed, runs = law_of([*NAMES, ("ns", "4,8,16,32,64,128")])
    answer = law(specs, seed, runs, Stop(), Cells())
    curve = make_curve([cell_of(spec, seed, run_many(spec, seed=seed, runs=runs).table) for spec in specs])
    assert answer["words"] == curve.headline()
    assert answer["name"] == curve.fit.best.law.name
    sizes, times = zip(*answer["line"], strict=True)
    assert (round(sizes[0]), round(sizes[-1])) == (int(curve.fit.points.n[0]), 128)
    assert times[-1] == pytest.approx(math.exp(curve.fit.best.fit.log_value(np.array([128.0]))[0]))


def test_where_the_sizes_are_too_few_to_tell_laws_apart_there_is_none():
    answer = law(*law_of([*NAMES, ("ns", "4,8,16,32,64")]), Stop(), Cells())
    assert (answer["name"], answer["line"]) == ("", [])
    assert (
        answer["words"]
        == "No law can be told: 5 sizes over a factor of 16 are too few (it takes 6 over a factor of 30)."
    )
    assert any("cannot be told apart" in sentence for sentence in answer["more"])


def test_a_law_that_only_a_power_rivals_is_not_told_on_few_sizes():
    """n²/ln n is none of the list: n² was named, with a narrow constant, where a free power fits as well."""
    generator, cells = np.random.default_rng(0), []
    for n in (10, 20, 40, 80, 160):
        table = np.zeros((100, WIDTH), np.int64)
        table[:, EVALUATIONS] = 100 * n * n / math.log(n) * generator.gamma(10, 0.1, 100)
        cells.append(cell_of(RunSpec(problem="order", algorithm="gp-single", n=n), 1, table))
    fit = make_curve(cells).fit
    assert (fit.best.law.id, fit.rivals) == ("n^2", ())
    assert fit.rival_powers
    answer = law_to_json(cells)
    assert (answer["name"], answer["line"]) == ("", [])
    assert answer["words"].startswith("No law can be told: 5 sizes")


def test_without_a_law_it_is_said_why():
    answer = law(*law_of([*NAMES, ("ns", "4,8,8")]), Stop(), Cells())
    assert answer["line"] == []
    assert answer["words"] == "No law: 2 sizes with a known mean, and a law needs 4."


def test_a_law_runs_again_only_what_is_not_known(monkeypatch):
    cells = Cells()
    specs, seed, runs = law_of([*NAMES, ("ns", "4,8")])
    law(specs, seed, runs, Stop(), cells)
    asked = []
    monkeypatch.setattr(many, "_by_engine", lambda spec, *_: asked.append(spec.n) or iter(()))
    law(specs, seed, runs, Stop(), cells)
    assert asked == []


@pytest.mark.parametrize("ns", ["", "4,", "4,x", "0,8", "100001", ",".join(map(str, range(3, 44)))])
def test_bad_sizes_are_refused(ns):
    with pytest.raises(BadInput):
        law_of([*NAMES, ("ns", ns)])


@pytest.mark.parametrize(
    "fields",
    [
        {"problem": "order", "algorithm": "gp-single", "n": 5},
        {"problem": "majority", "algorithm": "gpstar-single", "n": 5},
        {"problem": "and", "algorithm": "cgp:gates=n", "n": 4, "budget": 60},
        {"problem": "order", "algorithm": "gp-single", "n": 3, "operator": "hvl"},
    ],
    ids=["larger", "stuck", "smaller and budget", "hvl"],
)
def test_the_profile_is_that_of_the_analysis(fields):
    """Of the engine's runs and of the model's: the same numbers as from columns."""
    spec = RunSpec(**{"budget": 10_000, **fields})
    pieces = list(many_runs(spec, 3, 40, Stop(), Cells()))
    (given,) = (piece["profile"] for piece in pieces if "profile" in piece)
    (expected,) = profiles(run_many(spec, runs=40, seed=3, improvements=True, method=method_of(spec)))
    assert json.loads(json.dumps(given)) == json.loads(json.dumps(profile_to_json(expected)))
    kinds = {time["kind"] for _, time in given["targets"]}
    assert ("stuck" in kinds) == (fields["algorithm"] == "gpstar-single")
    assert ("budget" in kinds) == (spec.budget == 60)
    assert (given["horizon"] is None) == (spec.budget != 60)
    if kinds == {"known"}:
        assert given["budgets"][-1][2]["value"] == 1
