"""Lessons: what they say is what their runs show, and what many runs come to."""

import json
from fractions import Fraction

import pytest

from gpruntime import BadInput, Run, RunSpec, run_many
from gpruntime.exact import solve
from gpruntime.model.tree import Tree
from gpruntime.watch.choice import choice_of
from gpruntime.watch.export import page_of_lesson
from gpruntime.watch.lessons import END, LESSONS, lesson_named
from gpruntime.watch.recording import Recording, Stop
from gpruntime.watch.window import course, window
from tests.command_help import gpruntime
from tests.watch.test_export import data_of


def told(name, run="pair", beside=False):
    """The recorded steps of a lesson's run, by evaluation, as the page tells them; and its end."""
    words = dict(LESSONS[name].runs[run])
    versus = words.pop("versus", None)
    if beside:
        words["start"] = words.pop("algorithm")
        words |= {"algorithm": versus, **({"start_accept": words.pop("accept")} if "accept" in words else {})}
    choice = choice_of(list(words.items()))
    recording = Recording(choice.watched, choice.seed, choice.run)
    *_, last = course(recording, Stop())
    block = window(recording, 1, 1000, Stop())
    return {2 + place: step for place, step in enumerate(block["steps"])}, last["end"], choice.watched


def verdict(steps, at):
    return f"{steps[at][4]} | {steps[at][5]}"


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_a_lesson_is_whole(lesson):
    assert lesson_named(lesson.name) is lesson
    for part in lesson.parts:
        own = lesson.runs[part.run]
        assert {name: values[0] for name, values in part.tries.items()}.items() <= own.items()
        if part.question is not None:
            assert len(set(part.question.choices)) == len(part.question.choices) > part.question.answer >= 0
    assert lesson.parts[-1].tries  # the reader has the last word
    data = data_of(page_of_lesson(lesson))
    assert data["lesson"] == json.loads(json.dumps(lesson.to_json()))
    scenes = {tuple(sorted(scene["state"].items())): scene for scene in data["scenes"]}
    for part in lesson.parts:
        runs = scenes[tuple(sorted(lesson.runs[part.run].items()))]["runs"]
        last = max(run["end"]["evaluations"] for run in runs)
        for place in (part.at, part.question.then if part.question else None):
            assert place is None or place == END or 1 <= place <= last
        for run in runs:  # every step is in the file: a lesson has no place that cannot be shown
            assert sum(len(block["steps"]) for block in run["blocks"].values()) == run["end"]["evaluations"] - 1


def test_an_unknown_lesson_is_one_line():
    with pytest.raises(BadInput, match="did you mean trap"):
        lesson_named("strap")


def test_the_trap():
    _, end, spec = told("trap", "strict")
    assert (end["outcome"], end["evaluations"]) == ("stuck", 1)
    assert end["proof"].startswith("All 312 single operations on this tree, tried: 64 substitutions gain at most 0;")
    assert spec.problem.deficits(Run(spec, 0).tree.terminals(), 4) == [-1, -1, -1, 5]
    assert told("trap", "weak")[1]["evaluations"] == 31
    steps, end, _ = told("trap", "multi")
    assert end["evaluations"] == 1004
    assert all(len(step[3]) <= 4 * 9 and not step[0] for at, step in steps.items() if at < 1001)
    means = {
        (algorithm, n): mean(problem="majority", algorithm=algorithm, n=n, init="tlopt")
        for algorithm, n in (("gp-single", 4), ("gpstar-multi", 4), ("gpstar-multi", 3))
    }
    assert means == {
        ("gp-single", 4): ("30.4", "1.0"),
        ("gpstar-multi", 4): ("2333.0", "105.3"),
        ("gpstar-multi", 3): ("201.3", "8.7"),
    }


def test_neutral_moves():
    left, end, spec = told("neutral")
    right, strict_end, _ = told("neutral", beside=True)
    assert [sum(steps[at][0] for at in range(2, 12)) for steps in (left, right)] == [9, 0]
    assert (end["evaluations"], strict_end["evaluations"]) == (77, 439)
    assert right[15][1] == 5
    assert not any(right[at][0] for at in range(16, 439))
    assert verdict(right, 439).startswith("substitute x̄6 → x6 | accepted: x6 is now expressed")
    assert verdict(left, 21) == "delete x̄6 | accepted: neutral, fitness 4 → 4"
    assert "x6 is now expressed" in verdict(left, 28)
    tree = Tree.parse("(((x3 x3) !x6) ((x5 (((!x3 x4) x2) (x2 !x5))) (!x4 (x4 x1))))")  # of the right run, from 15 on
    helping = []
    for operation, chance in spec.mutation.proposals(tree):
        offspring = tree.copy()
        spec.mutation.apply(offspring, operation)
        if spec.problem.fitness(offspring, 6) > 5:
            helping.append((operation.kind, Fraction(chance).limit_denominator(10**6)))
    assert [kind for kind, _ in helping].count("insert") == 9
    assert len(helping) == 12
    assert round(1 / sum(chance for _, chance in helping)) == 81
    assert len(list(spec.mutation.proposals(tree))) == 708
    seed_11 = dict(LESSONS["neutral"].runs["pair"], seed="11")
    del seed_11["versus"]
    first = choice_of(list(seed_11.items()))
    other = choice_of(list({**seed_11, "algorithm": "gpstar-single", "start": "gp-single"}.items()))
    assert Run(other.watched, 11).result().evaluations < Run(first.watched, 11).result().evaluations
    found = {
        (algorithm, n): mean(problem="order", algorithm=algorithm, n=n)
        for algorithm in ("gp-single", "gpstar-single")
        for n in (6, 100)
    }
    assert found == {
        ("gp-single", 6): ("65.2", "2.1"),
        ("gpstar-single", 6): ("122.1", "6.3"),
        ("gp-single", 100): ("2761.7", "40.0"),
        ("gpstar-single", 100): ("25829.7", "1169.3"),
    }


def test_stuck():
    steps, end, spec = told("stuck", "run")
    assert (end["outcome"], end["evaluations"]) == ("stuck", 15)
    assert not any(steps[at][0] for at in range(2, 15))
    assert spec.problem.deficits(Run(spec, 0).tree.terminals(), 6)[::4] == [3, 1]
    assert verdict(steps, 15) == "substitute x̄5 → x6 | accepted: x5 is now expressed, fitness 4 → 5"
    assert "All 708 single operations" in end["proof"]
    exact = solve(spec)
    assert (f"{float(exact.stuck):.4f}", f"{float(exact.mean):.1f}") == ("0.1831", "123.9")


def test_bloat():
    left, end, _ = told("bloat")
    right, weak_end, _ = told("bloat", beside=True)
    assert (left[end["evaluations"]][2], right[weak_end["evaluations"]][2]) == (8, 41)
    assert "insert x5" in verdict(right, 23)
    assert verdict(right, 23).endswith("accepted: neutral, fitness 4 → 4")
    assert verdict(left, 23).startswith("insert x̄8")
    assert "rejected: equal and larger (parsimony)" in verdict(left, 23)
    assert verdict(right, 26) == "delete x3 | rejected: x3 would be gone, fitness 5 → 4"
    common = {"problem": "majority", "algorithm": "gp-single", "init": "bad"}
    assert mean(**common, n=8) == ("105.0", "2.0")
    assert mean(**common, n=8, accept="parsimony") == ("114.2", "2.5")
    assert mean(**common, n=8, column="leaves") == ("19.6", "0.2")
    assert mean(**common, n=8, accept="parsimony", column="leaves")[0] == "8.6"
    assert mean(**common, n=100) == ("2407.9", "26.3")
    assert mean(**common, n=100, accept="parsimony") == ("2700.7", "33.8")


def mean(column="evaluations", **words):
    """Of 2,000 runs of seed 1, with half of its 95 % interval."""
    values = getattr(run_many(RunSpec(**words), seed=1, runs=2000), column)
    return f"{values.mean():.1f}", f"{1.96 * values.std(ddof=1) / len(values) ** 0.5:.1f}"


def test_the_command_lists_them():
    done = gpruntime("watch", "--list-lessons")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [*LESSONS, "next:"]


def test_rewiring():
    left, end, spec = told("rewiring")
    right, strict_end, strict = told("rewiring", beside=True)
    assert (end["evaluations"], strict_end["evaluations"]) == (50, 830)
    assert str(spec.init) == str(strict.init)
    assert "gate 3 now reads gate 2 instead of x1" in verdict(left, 9)
    assert verdict(left, 9).endswith("fitness 1 → 1")
    assert "the output is now gate 3 instead of gate 2 | accepted: neutral, gate 3 comes in" in verdict(left, 47)
    assert verdict(left, 50).endswith("accepted: x2 is now used, fitness 1 → 0")
    assert all(
        "gate 3 now reads" in verdict(right, 830) and change in verdict(right, 830)
        for change in ("x4", "gate 2", "output")
    )


@pytest.mark.long
def test_how_long_rewiring_takes():
    """100,800 genotypes each."""
    specs = (told("rewiring", beside=beside)[2] for beside in (False, True))
    assert [round(float(solve(one.replace(budget=None)).mean), 1) for one in specs] == [146.4, 8603.5]
    means = [
        mean(problem="and", algorithm=f"{name}:gates={gates}", n=4)
        for gates in ("n-1", "2n")
        for name in ("cgp", "cgpstar")
    ]
    assert means == [("93.8", "4.4"), ("2151.2", "225.1"), ("16.8", "0.7"), ("50.7", "6.7")]
