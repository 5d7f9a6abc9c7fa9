"""The fitness-level method: chances against the model's own proposals, bounds against the exact mean."""

import math
from fractions import Fraction

import pytest

from gpruntime import BadInput, RunSpec, Tree, acceptance
from gpruntime.theory import certify, levels
from gpruntime.theory.walk import Walk, initial_law
from tests.theory import own

SETTINGS = [
    {"problem": "and", "n": 4, "init": "x1"},
    {"problem": "majority", "algorithm": "gp-single", "accept": "parsimony", "n": 2},
    {"problem": "majority", "n": 2},
    {"problem": "order", "algorithm": "gp-single", "n": 2, "max_leaves_allowed": 3, "init": "unity:leaves=2"},
    {"problem": own.far, "algorithm": "gp-single", "accept": "parsimony", "n": 1, "init": "grow:leaves=3"},
    {"problem": own.twice, "n": 2},
]


def a_spec(**fields):
    return RunSpec(**{"algorithm": "gpstar-single", "budget": 2**60} | fields)


def improvement(spec, tree):
    """The chance that one evaluation improves, by trying all proposals."""
    mutation, fitness, total = spec.mutation_in_fractions, spec.problem.fitness(tree, spec.n), Fraction(0)
    for operation, chance in mutation.proposals(tree):
        offspring = tree.copy()
        mutation.apply(offspring, operation)
        gain = (spec.problem.fitness(offspring, spec.n) - fitness) * spec.problem.direction
        fits = spec.max_leaves_allowed is None or len(offspring.leaves) <= spec.max_leaves_allowed
        total += chance * (gain > 0 and fits)
    return total


def all_trees(spec):
    """A tree of each state, by the verifier's walk."""
    walk = Walk(spec)
    waiting = [walk.state(tree) for tree, _ in initial_law(spec, walk.by_counts)]
    seen = {}
    while waiting:
        state = waiting.pop()
        if id(state) not in seen and state.fitness != spec.best:
            seen[id(state)] = state
            waiting += [after for after, _ in walk.moves(state)]
    return list(seen.values())


@pytest.mark.parametrize("fields", SETTINGS, ids=lambda fields: str(fields["problem"]))
def test_chances_are_those_of_all_trees_that_can_be_reached(fields):
    spec = a_spec(**fields)
    found, chances = levels(spec), {}
    for tree, fitness in all_trees(spec):
        chances.setdefault(fitness, []).append(improvement(spec, tree))
    assert {level.fitness for level in found.levels} == set(chances)
    for level in found.levels:
        assert (level.least, level.largest) == (min(chances[level.fitness]), max(chances[level.fitness]))
        assert level.states == len(chances[level.fitness])
        for text, chance in ((level.least_tree, level.least), (level.largest_tree, level.largest)):
            assert improvement(spec, Tree.parse(text, spec.primitives)) == chance


@pytest.mark.parametrize("fields", SETTINGS, ids=lambda fields: str(fields["problem"]))
def test_bounds_are_on_their_side_of_the_mean(fields):
    found = levels(a_spec(**fields))
    assert found.lower <= found.mean * (1 + 1e-12)
    if found.bound is None:
        assert min(level.least for level in found.levels) == 0
    else:
        assert found.mean * (1 - 1e-12) <= found.entered_bound <= float(found.bound) * (1 + 1e-12)
        assert found.skipping >= 0


def test_on_and_nothing_is_lost():
    found = levels(a_spec(problem="and", n=5, init="x1"))
    assert found.bound == 1 + 15 * sum(Fraction(1, k) for k in range(1, 5))
    assert [level.least for level in found.levels] == [Fraction(k, 15) for k in range(4, 0, -1)]
    assert float(found.bound) == pytest.approx(found.mean) == pytest.approx(found.lower)
    assert found.skipping == pytest.approx(0)


def test_the_method_is_no_better_than_the_best_potential_of_levels():
    spec = a_spec(problem="order", n=2, init="unity:leaves=2")
    assert certify(spec, ["level"]).bound <= levels(spec).bound


def test_an_infinite_time_has_no_bound():
    found = levels(a_spec(problem="majority", n=2))
    assert math.isinf(found.mean)
    assert found.bound is None
    assert "no chance to improve at once" in found.sentences()[0]
    assert found.to_record()["mean_is_infinite"]


def test_words_latex_html_and_a_figure():
    found = levels(a_spec(problem="and", n=3, init="x1"))
    assert found.table(rational=True)[1].split() == ["2", "1", "1.000000", "2/9", "2/9"]
    assert r"$1$ & $1$ & $1.0000$ & $1/9$ & $1/9$ \\" in found.to_latex()
    assert "<svg" in found._repr_html_()
    assert "Σ 1/p_k" in repr(found)
    assert [row["p_least"] for row in found.plot().records] == [pytest.approx(2 / 9), pytest.approx(1 / 9)]


@acceptance
def downhill(gain, growth):
    return gain >= -1


def test_a_rule_that_accepts_worse_offspring_is_refused():
    spec = a_spec(problem="majority", algorithm="gp-single", accept=downhill, n=2, max_leaves_allowed=3, init="x1")
    with pytest.raises(BadInput, match="a level is not left for ever"):
        levels(spec)
    assert certify(spec).check().holds
