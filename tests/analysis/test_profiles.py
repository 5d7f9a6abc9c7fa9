"""Profiles: values made by hand, stuck and stopped runs, smaller is better, and a plain loop over the same runs."""

import math

import numpy as np
import pyarrow as pa
import pytest

from gpruntime import BadInput, RunSpec, run_many
from gpruntime.analysis import profiles
from gpruntime.analysis.estimates import mean, proportion
from gpruntime.analysis.formatting import Above
from gpruntime.show.profiles import profile_figure, profiles_text
from gpruntime.study.ioh_read import read_ioh
from tests.analysis.test_trajectories import improvements_in_the_model
from tests.parts import missing, small_losses
from tests.runs_help import planted_table, study_table
from tests.study.studies import command, run_here, small_plan
from tests.study.test_ioh_read import write

STRICT = RunSpec(problem="majority", algorithm="gpstar-single", n=4)
STUCK = [("optimum", 10), ("stuck", 20), ("optimum", 2), ("stuck", 9)]
COURSES = [[(1, 1), (3, 3), (10, 4)], [(1, 2), (5, 3)], [(1, 0), (2, 4)], [(1, 1), (7, 2)]]


def planted(spec=STRICT, ends=STUCK, courses=COURSES):
    table = planted_table(spec, np.array([at for _, at in ends]), [outcome for outcome, _ in ends])
    lists = {
        "improvement_evaluations": [[at for at, _ in run] for run in courses],
        "improvement_fitness": [[fitness for _, fitness in run] for run in courses],
        "improvement_leaves": [[1] * len(run) for run in courses],
    }
    for name, values in lists.items():
        table = table.append_column(name, pa.array(values, pa.list_(pa.int64())))
    return table


def at(profile, time):
    """The last budget that is looked at, up to a time."""
    place = max(i for i, budget in enumerate(profile.at_budgets) if budget.evaluations <= time)
    return place, profile.at_budgets[place]


def test_stuck_runs_never_reach_a_target():
    (profile,) = profiles(planted())
    assert [target.fitness for target in profile.at_targets] == [0, 1, 2, 3, 4]
    best, middle = profile.at_targets[-1], profile.at_targets[2]
    assert (best.chance, best.mean.value, best.median.value) == (proportion(2, 4), math.inf, math.inf)
    assert (best.given.value, best.ert.value) == (6, (10 + 20 + 2 + 9) / 2)
    assert (middle.mean.value, middle.median.value, middle.ert.value) == (13 / 4, 2, 13 / 4)
    assert middle.mean == mean(np.array([3.0, 1, 2, 7]))
    assert profile.horizon is None
    place, last = at(profile, 10)
    assert last.evaluations == 10
    assert last.mean.value == (4 + 3 + 4 + 2) / 4
    distance = mean(np.array([0.0, 1, 0, 2]))
    assert (last.mean.low, last.mean.high) == (4 - distance.high, 4 - distance.low)
    assert last.median.value == 4  # two of four have it
    assert last.solved.value == (5 + 4 + 5 + 3) / 20
    assert profile.attained[place].tolist() == [1, 1, 1, 0.75, 0.5]
    assert (profile.low[place, 3], profile.high[place, 3]) == (proportion(3, 4).low, proportion(3, 4).high)
    assert [profile.front(part)[place] for part in (0.5, 0.51, 0.75, 0.76, 1)] == [4, 3, 3, 2, 2]
    place, early = at(profile, 3)
    assert profile.attained[place].tolist() == [1, 1, 0.75, 0.5, 0.25]
    assert early.mean.value == (3 + 2 + 4 + 1) / 4


def test_beyond_the_budget_nothing_is_known():
    ends = [("optimum", 10), ("budget", 12), ("optimum", 2), ("budget", 12)]
    (profile,) = profiles(planted(STRICT.replace(budget=12), ends))
    best = profile.at_targets[-1]
    assert best.chance == proportion(2, 4)
    assert best.mean.value is None
    assert isinstance(best.median.value, Above)
    assert best.ert.value == (10 + 12 + 2 + 12) / 2
    assert profile.horizon == profile.at_budgets[-1].evaluations == 12
    records = profile_figure(profile).records
    assert "12" in profile_figure(profile).caption
    assert records[4]["median_evaluations"] == best.median.value
    assert profile.attainment_records()[-1]["p_attained"] == 0.5


LOOPS = [
    {"problem": "order", "n": 5, "algorithm": "gp-single"},
    {"problem": "majority", "n": 6, "algorithm": "gpstar-single", "budget": 100},
    {"problem": "sorting:measure=run", "n": 4, "algorithm": "gp-single", "budget": 60},
    {"problem": missing, "n": 5, "algorithm": "gp-single", "budget": 60, "init": "unity:leaves=1"},
    {"problem": "order", "n": 4, "algorithm": "gp-single", "accept": small_losses, "budget": 80},
]


@pytest.mark.parametrize("keys", LOOPS, ids=lambda keys: str(keys["problem"]))
def test_as_a_plain_loop_finds_it(keys):
    spec, runs = RunSpec(**keys), 20
    (profile,) = profiles(run_many(spec, seed=1, runs=runs, method="stepping", improvements=True))
    direction, noted = spec.problem.direction, list(improvements_in_the_model(spec, runs))
    targets = [target.fitness for target in profile.at_targets]
    assert [k * direction for k in targets] == sorted({k * direction for k in targets})
    for row, budget in enumerate(profile.at_budgets):
        best = [max(f * direction for at, f, _ in run if at <= budget.evaluations) for run in noted]
        assert budget.mean.value == pytest.approx(direction * np.mean(best))
        assert budget.median.value == direction * sorted(best, reverse=True)[runs // 2 - 1]
        hits = [[score >= k * direction for score in best] for k in targets]
        assert profile.attained[row].tolist() == [sum(hit) / runs for hit in hits]
        assert budget.solved.value == pytest.approx(np.mean(hits))
        for estimate in (budget.mean, budget.median, budget.solved):
            assert estimate.low is None or estimate.low <= estimate.value <= estimate.high
    for target in profile.at_targets:
        times = [next((at for at, f, _ in run if (f - target.fitness) * direction >= 0), math.inf) for run in noted]
        got = [time for time in times if time < math.inf]
        assert target.chance == proportion(len(got), runs)
        assert (target.given.value or 0) == pytest.approx(np.mean(got) if got else 0)


def test_from_a_folder_of_another_tool(tmp_path):
    """What is better than its target counts as the target: the runs that stopped there did not go on."""
    runs = [[(1, 8.5), (3, 1.25), (9, 0.5)], [(1, 4.0), (6, 0.75)], [(1, 4.0), (12, 1.5)]]
    folder = write(tmp_path / "f", runs, function="Sphere", maximization=False)
    (profile,) = profiles(read_ioh(folder, 1))
    best = profile.at_targets[-1]
    assert profile.at_targets[0].fitness == 8.5
    assert best.chance == proportion(2, 3)
    assert best.fitness == 0.75
    assert best.mean.value is None
    assert profile.horizon == 12
    assert profile.at_budgets[-1].mean.value == pytest.approx((0.75 + 0.75 + 1.5) / 3)


def test_where_there_is_nothing_to_see():
    assert profiles(study_table([STRICT], 3)) == ()
    with pytest.raises(BadInput, match="stands in the table twice"):
        profiles(pa.concat_tables([planted(), planted()]))
    with pytest.raises(BadInput, match="level"):
        profiles(planted(), level=1)


def test_words():
    found = profiles(planted())
    assert "fitness 2: 3.2 [0.90, 21]" in profiles_text(found)
    assert found[0].headline().endswith("fitness 4: 2 of 4 runs never end")
    assert "P(reached)" in profiles_text(found, verbose=True)


def test_study_show_has_them(tmp_path):
    run_here(small_plan(problem="order", n=4), tmp_path / "s")
    assert "Profiles: evaluations until a fitness is reached" in command("show", tmp_path / "s").stdout
