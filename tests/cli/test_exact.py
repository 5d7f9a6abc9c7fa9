import json
from pathlib import Path

import pytest

from tests.command_help import gpruntime

STRICT = ["exact", "--problem", "majority", "--algorithm", "gpstar-single"]


def test_the_answer_in_words():
    done = gpruntime(*STRICT, "-n", "2", "--rational", "--at", "3,10")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("(1+1) GP*-single on MAJORITY, n = 2, initial tree unity\n")
    assert "answer         rational\n" in done.stdout
    assert "P(stuck)       0.0614346591  = 173/2816\n" in done.stdout
    assert "P(optimum within 10 evaluations)" in done.stdout


def test_json():
    done = gpruntime(*STRICT, "-n", "2", "--rational", "--json", "--at", "1")
    record = json.loads(done.stdout)
    assert record["fractions"]["mean"] == "32810947/3634125"
    assert record["p_stuck"] == pytest.approx(173 / 2816)
    assert record["quantiles"]["0.5"] == 3
    assert record["at_most"] == {"1": pytest.approx(86 / 256)}
    assert [level["fitness"] for level in record["levels"]] == [0, 1, 2]


def test_a_truncated_answer_says_by_how_much_it_may_be_off():
    done = gpruntime("exact", "--problem", "order", "--algorithm", "gpstar-multi", "-n", "1")
    assert "truncated at 18 operations and 7 leaves: runs of probability 1.2e-05 are lost" in done.stdout
    assert "P(optimum)     0.9999880534 to 1.0000000000\n" in done.stdout
    assert "    mean         at least 2.69310363\n" in done.stdout
    assert "    not lost     mean 2.69312387, deviation 2.72026094, of the runs that are not lost\n" in done.stdout
    assert "no upper bound: an offspring can have many operations, and nothing is known of ORDER" in done.stdout
    done = gpruntime("exact", "--problem", "and", "--algorithm", "gp-multi", "-n", "2", "--json", "--at", "3")
    record = json.loads(done.stdout)
    low, high = record["mean_bounds"]
    assert (record["p_optimum"], record["p_optimum_bounds"], record["p_stuck_bounds"]) == (1, [1, 1], [0, 0])
    assert low < high < low + 1e-8
    assert record["certificate"]["direction"] == "upper"
    assert (
        record["more_than_bounds"]["3"][0] <= 1 - record["at_most_bounds"]["3"][0] <= record["more_than_bounds"]["3"][1]
    )
    done = gpruntime(*STRICT, "-n", "2", "--init", "tlopt")
    assert "the optimum is never reached" in done.stdout


def test_several_trees():
    done = gpruntime(
        "exact", "--problem", "order", "--algorithm", "smo-single", "-n", "1", "--init", "!x1", "--rational"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "mean         6.89473684  = 131/19\n" in done.stdout
    assert "  on the front    P(reached)" in done.stdout
    done = gpruntime("exact", "--problem", "order", "--algorithm", "smo-multi", "-n", "1")
    assert done.returncode == 2
    assert "--algorithm smo-multi: exact answers for several trees exist for one operation" in done.stderr


def test_runs_that_may_never_end_need_no_budget_here():
    words = ["exact", "--problem", "order", "--algorithm", "gp-single", "-n", "2", "--weights", "1,0,1"]
    done = gpruntime(*words, "--max-leaves", "4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "P(neither)     0.4338027423" in done.stdout
    assert "P(neither)" not in gpruntime(*STRICT, "-n", "2").stdout


MINE = Path(__file__).parent.parent / "exact/parts.py"


def test_a_problem_of_ones_own():
    words = ["exact", "--problem", f"{MINE}:two_thirds", "--algorithm", "gpstar-single", "-n", "1"]
    done = gpruntime(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("(1+1) GP*-single on two_thirds, n = 1, initial tree unity\n")
    assert "states         3, counts up to renaming of variables\n" in done.stdout
    assert "P(optimum)     0.7500000000\n" in done.stdout
    assert "evaluations    infinite in the mean, since a run may never reach the optimum\n" in done.stdout
    record = json.loads(gpruntime(*words, "--json").stdout)
    assert (record["p_stuck"], record["mean_is_infinite"]) == (0.25, True)
    large = gpruntime("exact", "--problem", f"{MINE}:weighted_order", "--algorithm", "gpstar-single", "-n", "3")
    assert (large.returncode, large.stdout) == (2, "")
    assert large.stderr.startswith("gpruntime: -n 3: too large: about 5.9e+06 states")
    assert large.stderr.endswith("; the largest n that fits is 2\n")


def test_a_leaf_limit_of_our_choice_is_said():
    done = gpruntime("exact", "--problem", "majority", "--algorithm", "gp-single", "-n", "1")
    assert "answer         truncated at 158 leaves: runs of probability " in done.stdout
    assert "  P(optimum)     1.0000000000\n  P(stuck)       0.0000000000\n" in done.stdout  # by a certificate


@pytest.mark.attack
def test_a_truncated_answer_in_json_has_bounds_and_no_mean():
    words = ["exact", "--problem", "order", "--algorithm", "gp-single", "-n", "2", "--at", "3", "--json"]
    record = json.loads(gpruntime(*words).stdout)
    unknown = ("p_optimum", "p_stuck", "p_endless", "mean", "standard_deviation", "mean_is_infinite")
    assert [record[name] for name in unknown] == [None] * 6
    assert record["p_optimum_bounds"] == pytest.approx([0.6944068861, 1])
    assert record["p_stuck_bounds"] == pytest.approx([0, record["p_lost"]])
    assert record["mean_at_least"] < record["mean_not_lost"] < 7
    assert record["quantiles"]["0.05"] == 1
    assert (record["quantiles"]["0.5"], record["quantile_bounds"]["0.5"]) == (None, [3, 9])
    assert record["quantile_bounds"]["0.99"] == [32, None]
    assert record["at_most"] == {"3": None}
    assert record["at_most_bounds"]["3"] == pytest.approx([0.3249733438, 0.3971763908])
    assert record["levels"] == []
    assert "50% 3 to 9, 75% at least 7" in gpruntime(*words[:-1]).stdout


@pytest.mark.attack
def test_the_rule_is_that_of_run():
    for algorithm in ("smo-single", "gp-single"):
        words = ["--problem", "order", "--algorithm", algorithm, "-n", "1", "--init", "!x1", "--json"]
        exact, run = (json.loads(gpruntime(command, *words).stdout) for command in ("exact", "run"))
        assert exact["accept"] == run["accept"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-n", "30"], "gpruntime: -n 30: too large: "),
        (["-n", "2", "--at", "x"], "gpruntime: --at x: must be a whole number"),
        (["-n", "2", "--budget", "9"], "gpruntime: --budget 9: exact answers are for runs without a budget; --at B "),
        (
            ["-n", "2", "--algorithm", "gp-single", "--rational"],
            "gpruntime: --max-leaves none: must be an integer: fractions need finitely many states",
        ),
    ],
)
def test_bad_input_is_one_line(words, line):
    done = gpruntime(*STRICT, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1
