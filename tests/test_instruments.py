"""Instruments: worst trees by hand, drift and chances that agree with exact probabilities, sizes with the model's."""

import dataclasses
import json
import math
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from gpruntime import HvlPrime, Run, RunSpec, operator
from gpruntime.cli.main import commands
from gpruntime.instruments import drift, formulas_for, improvement, improvement_chances, size_over_time, steps, worst
from gpruntime.instruments.formulas import FORMULAS
from gpruntime.instruments.steps import offspring_of
from gpruntime.model.errors import BadInput
from tests import parts


def test_the_worst_tree_of_majority_has_most_complements():
    spec = RunSpec(problem="majority", algorithm="gp-single", n=1, max_leaves_allowed=8)
    found = worst(spec, 3, first=10)
    assert found.looked_at == 16  # two shapes, two terminals
    assert [tree.tree.count("!") for tree in found.trees][:2] == [3, 2]
    times = [tree.time.value for tree in found.trees]
    assert times == sorted(times, reverse=True)
    assert times[-1] == 1.0  # optimal from the start


def test_drift_of_one_variable():
    # n = 1 from !x1: x1 is inserted in front (1/3 · 1/2 · 1/2), or written over it (1/3 · 1/2)
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=1, init="!x1")
    (level,) = drift(spec, runs=400, seed=3)
    exact = 1 / 12 + 1 / 6
    assert level.level == 0
    for estimate in (level.drift, level.improvement):
        error = math.sqrt(exact * (1 - exact) / level.evaluations)
        assert abs(estimate.value - exact) < 5 * error
        assert estimate.low < estimate.value < estimate.high
    assert level.leaves.value == 1.0


def test_a_potential_of_ones_own():
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=1, init="!x1")
    (level,) = drift(spec, runs=20, potential=lambda tree, n: 10.0 * len(tree.leaves))
    assert 0 < level.drift.value < 10


@pytest.mark.attack
@pytest.mark.parametrize(
    "fields",
    [
        {"max_leaves_allowed": 7},
        {"max_leaves_allowed": 6, "algorithm": "gp-multi"},
        {"accept": parts.not_larger, "budget": 200},
        {"problem": "and", "init": "unity:leaves=1", "max_leaves_allowed": 5},
    ],
    ids=str,
)
def test_p_k_has_one_meaning(fields):
    """On the same runs: a better offspring that is rejected, by the limit or by the rule, is no improvement."""
    fields = {"problem": "order", "algorithm": "gp-single", "n": 5, "init": "unity:leaves=4", **fields}
    told, held = (instrument(RunSpec(**fields), runs=40, seed=3) for instrument in (drift, improvement_chances))
    assert [(one.level, one.evaluations, one.improvement) for one in told] == [
        (one.level, one.evaluations, one.chance) for one in held
    ]


# ---- p_k against formulas


@pytest.mark.parametrize("algorithm", ["gp-single", "gp-multi"])
@pytest.mark.parametrize("problem", ["order", "and"])
def test_the_columns_are_the_steps_of_the_model(problem, algorithm):
    spec = RunSpec(problem=problem, algorithm=algorithm, n=4, init="unity:leaves=2")
    run = Run(spec, 3, 2)
    fitness, leaves, told = run.fitness, len(run.tree.leaves), []
    for step in run:
        gain = (step.offspring_fitness - fitness) * spec.problem.direction
        told.append([step.evaluations, fitness, leaves, gain, step.accepted, step.leaves])
        fitness, leaves = step.fitness, step.leaves
    columns = [np.stack(some, axis=1) for some in offspring_of(spec, 3, 2)]
    assert np.concatenate(columns).tolist() == told


def tried(spec, tree):
    """P(one operation improves), by making all of them."""
    fitness, found = spec.problem.fitness(tree, spec.n), Fraction(0)
    for operation, chance in spec.mutation.proposals(tree):
        offspring = tree.copy()
        spec.mutation.apply(offspring, operation)
        if (spec.problem.fitness(offspring, spec.n) - fitness) * spec.problem.direction > 0:
            found += Fraction(chance).limit_denominator(10**9)
    return found


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.id)
@pytest.mark.parametrize("accept", ["", "parsimony"])
def test_no_tree_of_a_run_is_below_a_formula(formula, accept):
    spec = RunSpec(problem=formula.problem, algorithm="gp-single", n=4, accept=accept, init="x1")
    assert formula in formulas_for(spec)
    positive = 0
    for number in range(4):
        run = Run(spec, 5, number)
        for _ in run:
            if run.fitness != spec.best:
                bound = formula.chance(spec.n, run.fitness, len(run.tree.leaves))
                assert tried(spec, run.tree) >= bound
                positive += bound > 0
    assert positive > 0


def test_a_formula_speaks_of_its_own_setting_only():
    spec = RunSpec(problem="order", algorithm="gp-single", n=4, budget=100)
    assert len(formulas_for(spec)) == 2
    others = [{"weights": (1, 1, 2)}, {"max_leaves_allowed": 9}, {"operator": "hvl"}, {"algorithm": "smo-single"}]
    for other in [*others, {"operations": "exactly:k=2"}, {"problem": "worder"}]:
        assert formulas_for(spec.replace(**other)) == []
    multi = spec.replace(algorithm="gp-multi")
    assert FORMULAS[0].of(multi, 1, 5) == pytest.approx(FORMULAS[0].of(spec, 1, 5) / math.e)


def test_the_chance_on_and_is_its_formula():
    """From one leaf GP*-single improves by inserting one of k missing variables, and not otherwise: k/3n."""
    levels = improvement_chances(
        RunSpec(problem="and", algorithm="gpstar-single", n=5, init="unity:leaves=1"), runs=400, seed=4
    )
    assert [one.level for one in levels] == [4, 3, 2, 1]
    for one in levels:
        (held,) = one.held
        exact = one.level / 15
        assert held.bound.value == pytest.approx(exact)
        assert abs(one.chance.value - exact) < 5 * math.sqrt(exact * (1 - exact) / one.evaluations)
        assert one.to_record()["and_beyond"] == pytest.approx(one.chance.value - exact)


def test_a_bound_that_is_too_large_fails(monkeypatch):
    wrong = dataclasses.replace(FORMULAS[-1], chance=lambda n, k, leaves: Fraction(k, n))
    monkeypatch.setattr(improvement, "formulas_for", lambda spec: [wrong])
    levels = improvement_chances(RunSpec(problem="and", algorithm="gpstar-single", n=5, init="x1"), runs=50)
    assert {one.held[0].verdict() for one in levels} == {"fails"}
    assert improvement.verdicts(levels)[0].endswith(": of 4 levels, it fails at 4.")
    assert improvement.verdicts([]) == ["No formula for p_k is known here."]


# ---- size over time


def test_sizes_are_those_of_the_model():
    spec = RunSpec(problem="majority", algorithm="gp-single", n=5)
    sizes = size_over_time(spec, runs=6, seed=2)
    courses = []
    for number in range(6):
        run = Run(spec, 2, number)
        courses.append({1: len(run.tree.leaves)} | {step.evaluations: step.leaves for step in run})
    assert sizes[-1].evaluations >= max(map(max, courses)) > sizes[-2].evaluations
    for one in sizes:
        held = [course.get(one.evaluations, course[max(course)]) for course in courses]
        assert one.leaves.value == pytest.approx(np.mean(held))
        assert one.going == sum(max(course) > one.evaluations for course in courses)
        assert one.band[1] == sorted(held)[2]


ALL = [["drift"], ["improvement"], ["size"], ["worst", "--leaves", "3"]]


@pytest.mark.parametrize("problem", ["order", "and"])  # maximised, minimised
@pytest.mark.parametrize("words", ALL, ids=lambda words: words[0])
def test_the_tables_of_the_commands_are_aligned(words, problem):
    """Columns end below the ends of their headings; a heading may be of several words."""
    more = ["-n", "2"] if words[0] == "worst" else ["-n", "5", "--runs", "9", "--init", "unity:leaves=1"]
    told = CliRunner().invoke(commands, [*words, "--problem", problem, "--algorithm", "gpstar-single", *more])
    assert told.exit_code == 0, told.output
    heading, *lines = told.output.splitlines()
    assert heading.startswith("  ")
    rows = [line for line in lines if len(line) == len(heading)]
    assert len(rows) >= 2
    for end in (found.end() for found in re.finditer(r"\S(?=  |$)", heading)):
        assert all(line[end - 1] != " " and line[end : end + 2].strip() == "" for line in rows), told.output


def test_trees_that_never_end_are_told_and_not_drawn(tmp_path):
    words = ["--problem", "majority", "--algorithm", "gpstar-single", "-n", "2", "--leaves", "3", "-o", str(tmp_path)]
    told = CliRunner().invoke(commands, ["worst", *words])
    assert told.exit_code == 0, told.output
    assert told.output.splitlines()[1].split()[:2] == ["1", "infinite"]
    records = (tmp_path / "worst.csv").read_text("utf-8").splitlines()
    assert records[1].split(",")[3] == "True"


@pytest.mark.parametrize("words", ALL, ids=lambda words: words[0])
def test_the_commands_print_and_draw(words, tmp_path):
    setting = ["--problem", "and", "--algorithm", "gpstar-single", "--init", "x1"]
    setting += ["-n", "3"] if words[0] == "worst" else ["-n", "5", "--runs", "20"]
    told = CliRunner().invoke(commands, [*words, *setting, "--json", "-o", str(tmp_path)])
    assert told.exit_code == 0, told.output
    lines = [line for line in told.output.splitlines() if not line.startswith("wrote ")]
    assert len(lines) >= 3
    assert all(json.loads(line) for line in lines)
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".pdf", ".png", ".csv"}


@pytest.mark.parametrize("instrument", [drift, improvement_chances, size_over_time])
def test_populations_are_refused_in_a_line(instrument):
    with pytest.raises(BadInput, match="no steps of one tree"):
        instrument(RunSpec(problem="order", algorithm="smo-single", n=3))


@operator
class Again:
    """HVL-Prime, written again: the model makes its runs."""

    def __init__(self, primitives, proportions):
        self.inner = HvlPrime(primitives.variables, proportions, primitives=primitives)

    def draw(self, tree, stream):
        return self.inner.draw(tree, stream)

    def apply(self, tree, operation):
        self.inner.apply(tree, operation)

    def proposals(self, tree):
        return self.inner.proposals(tree)


def steps_of(run):
    """The fitness before each step, the offspring's, and the leaves after it."""
    while run.outcome is None:
        before, step = run.fitness, run.step()
        yield before, step.offspring_fitness, step.leaves


@pytest.mark.attack
@pytest.mark.parametrize("instrument", [drift, improvement_chances, size_over_time])
def test_an_operator_of_ones_own_is_run_by_the_model(instrument, monkeypatch):
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=3, operator=Again, budget=300)
    monkeypatch.setattr(steps, "_SOME", 7)  # of the model's steps at a time
    levels = instrument(spec, runs=20, seed=2)
    runs = [list(steps_of(Run(spec, 2, number))) for number in range(20)]
    if instrument is size_over_time:
        assert levels[0].leaves.value == 6
        assert levels[-1].leaves.value == np.mean([steps_[-1][-1] if steps_ else 6 for steps_ in runs])
        return
    spent = Counter(step[0] for steps_ in runs for step in steps_)
    assert {one.level: one.evaluations for one in levels} == spent
    for one in levels:
        chance = one.improvement if instrument is drift else one.chance
        better = sum(step[1] > step[0] == one.level for steps_ in runs for step in steps_)
        assert chance.value == pytest.approx(better / spent[one.level])


def test_one_tree_is_one_tree():
    words = ["--algorithm", "one-plus-lambda-single", "--problem", "order", "-n", "1", "--init", "!x1", "--budget", "9"]
    told = CliRunner().invoke(commands, ["run", *words])
    assert "  population   at most 1 tree\n" in told.output
