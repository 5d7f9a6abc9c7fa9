"""When a population is stuck, by brute force: over all offspring of all its members."""

import itertools
import random
from collections import Counter

import pytest

from gpruntime import BadInput, RunSpec, Search, Tree, acceptance, run_many, simulate
from gpruntime.model.populations.mu_plus_one import MuPlusOne
from gpruntime.model.populations.one_plus_lambda import OnePlusLambda
from gpruntime.model.populations.smo import Smo, dominates
from gpruntime.model.search import Individual
from gpruntime.model.stream import Stream
from tests.model.test_stuck import SMALL, SUPPORTS, TALL

LAMBDA, MU = "one-plus-lambda-single:lambda=3", "mu-plus-one-single:mu=2"
TREES = [*SMALL[::3], *TALL[::3], "(!x1 (!x1 (!x1 x2)))", "(!x2 (!x2 (!x2 x1)))", "(!x1 (!x1 (!x1 (x2 x2))))"]


def spec_of(algorithm, problem="majority", n=2, **fields):
    return RunSpec(problem=problem, algorithm=algorithm, n=n, **{"budget": 3000, **fields})


def seen(text, spec):
    tree = Tree.parse(text)
    fitness = spec.problem.fitness(tree, spec.n)
    return Individual(tree, fitness, fitness * spec.problem.direction)


def offspring(one, spec):
    """All that can be drawn, as far as it is within the size limit."""
    for operation, chance in spec.mutation.proposals(one.tree):
        child = one.tree.copy()
        spec.mutation.apply(child, operation)
        if chance > 0 and (spec.max_leaves_allowed is None or len(child.leaves) <= spec.max_leaves_allowed):
            fitness = spec.problem.fitness(child, spec.n)
            yield Individual(child, fitness, fitness * spec.problem.direction)


def rank(one, spec):
    return one.score, -len(one.tree.leaves) if "parsimony" in spec.accept.id else 0


@pytest.mark.parametrize("accept", ["weak", "strict", "parsimony", "parsimony-smaller"])
@pytest.mark.parametrize("weights", SUPPORTS)
def test_one_parent_against_trying_all(accept, weights):
    """Of λ offspring, each any of those there are, the best must be accepted for some choice of them."""
    for text, limit in itertools.product(TREES, (None, 5)):
        spec = spec_of(LAMBDA, accept=accept, weights=weights, max_leaves_allowed=limit)
        search, parent = OnePlusLambda(spec), seen(text, spec)
        if parent.score == 2:
            continue
        search.population, search.evaluations = [parent], 1
        accepted = any(
            spec.accept.accepts(child.score - parent.score, len(child.tree.leaves) - len(parent.tree.leaves))
            for child in offspring(parent, spec)
        )
        assert search.is_stuck() == (not accepted), text


@pytest.mark.parametrize("accept", ["strict", "parsimony-smaller"])
@pytest.mark.parametrize("weights", [weights for weights in SUPPORTS if weights[0]])
@pytest.mark.parametrize("problem", ["majority", "order"])
def test_two_trees_against_trying_all(problem, accept, weights):
    """An offspring of either must be better than the worse of them."""
    draw, ends = random.Random(1), Counter()
    texts = [text for text in TREES if seen(text, spec_of(MU, problem)).score < 2]
    for first, second in [*((text, text) for text in texts), *(draw.sample(texts, 2) for _ in range(150))]:
        spec = spec_of(MU, problem, accept=accept, weights=weights, max_leaves_allowed=5)
        search = MuPlusOne(spec)
        search.population = [seen(first, spec), seen(second, spec)]
        worst = min(rank(one, spec) for one in search.population)
        stays = any(rank(child, spec) > worst for one in search.population for child in offspring(one, spec))
        assert search.is_stuck() == (not stays), (first, second)
        ends[stays] += 1
    assert (problem, accept) != ("majority", "strict") or min(ends[True], ends[False]) > 0


@pytest.mark.parametrize(
    "fields",
    [
        {"algorithm": "mu-plus-one-single:mu=2,crossover=0.1"},
        {"algorithm": MU, "weights": (0, 1, 1)},
        {"algorithm": MU, "accept": "weak"},
        {"algorithm": "mu-plus-one-single:mu=3"},
        {"algorithm": "smo-single", "accept": "", "until": "optimum"},
    ],
)
def test_what_is_not_decided_is_never_called_stuck(fields):
    """Two trees from which no single operation is accepted: a crossing, other weights, ties, a third tree might be."""
    spec = spec_of(**{"accept": "strict", "max_leaves_allowed": 9, **fields})
    search = spec.family.search(spec)
    search.population = [seen("(!x1 (!x1 (!x1 x2)))", spec)] * 2
    assert not search.is_stuck()
    plain = MuPlusOne(spec_of(MU, accept="strict", max_leaves_allowed=9))
    plain.population = search.population
    assert plain.is_stuck()


def test_a_generation_that_the_budget_cuts_off_proves_nothing():
    """XOR from one leaf is stuck at once. But a budget may end with a parent that was not to be one."""
    assert simulate(spec_of(LAMBDA, "xor", 3, accept="strict", init="x1")).evaluations == 1
    trap, out = "(!x1 (!x1 (!x1 (x2 x2))))", "(x1 x2)"
    ends = {}
    for budget in (3, 4, 5, 9):
        search = OnePlusLambda(spec_of(LAMBDA, accept="strict", init="(!x1 !x2)", budget=budget, last_leaf="empty"))
        found = iter(["!x1", trap, "(!x1 x2)", "(x2 (x2 x2))", out, out, out, out])
        search.mutate = lambda _, found=found: Tree.parse(next(found))
        ends[budget] = (str(search.result().outcome), search.evaluations, str(search.population[0].tree))
    assert ends[3] == ("budget", 3, trap)
    assert ends[4] == ends[5] == ends[9] == ("stuck", 4, trap)


@pytest.mark.parametrize("algorithm", ["one-plus-lambda-single:lambda=1", "mu-plus-one-single:mu=1"])
def test_with_one_of_one_it_is_stuck_where_the_1_1_GP_is(algorithm):
    """From the same stream: the same outcome, after as many evaluations, with the same tree."""
    plain, ends = spec_of("gpstar-single", n=4, init="unity:leaves=9"), Counter()
    spec = spec_of(algorithm, n=4, init="unity:leaves=9", accept="strict")
    for number in range(40):
        search = spec.family.search(spec, 3, number)
        search.stream = Stream(3, plain.cell, number)
        ours, theirs = search.result(), simulate(plain, 3, number)
        assert (ours.outcome, ours.evaluations, ours.tree) == (theirs.outcome, theirs.evaluations, theirs.tree)
        ends[str(ours.outcome)] += 1
    assert ends["stuck"] > 2 < ends["optimum"]


@acceptance
def better_and_not_larger(gain, growth):
    return gain > 0 and growth <= 0


def test_a_rule_of_ones_own_may_reject_an_improvement():
    """x1 becomes optimal by an insertion only, which the rule rejects: the run is stuck, as the (1+1) GP is."""
    for algorithm in ("gp-single", "one-plus-lambda-single:lambda=1", "one-plus-lambda-single:lambda=2"):
        spec = spec_of(algorithm, n=2, accept=better_and_not_larger, init="x1", budget=None)
        assert (simulate(spec, 1).outcome, simulate(spec, 1).evaluations) == ("stuck", 1)
        assert (run_many(spec, seed=1, runs=1).outcome[0], run_many(spec, seed=1, runs=1).evaluations[0]) == (
            "stuck",
            1,
        )


def test_strict_runs_of_one_operation_need_no_budget():
    for algorithm in (LAMBDA, MU):
        for number in range(20):
            end = simulate(spec_of(algorithm, n=3, accept="strict", init="unity:leaves=7", budget=None), 2, number)
            assert str(end.outcome) in ("optimum", "stuck")
    with pytest.raises(BadInput, match="nothing proves"):
        spec_of(LAMBDA, accept="parsimony-smaller", budget=None)


@pytest.mark.parametrize("weights", [weights for weights in SUPPORTS if weights != (0, 1, 0)])
@pytest.mark.parametrize("last_leaf", ["keep", "empty"])
def test_SMO_always_accepts_some_offspring(weights, last_leaf):
    """Populations as runs keep them, within a size limit too."""
    for number, limit in itertools.product(range(6), (None, 6)):
        spec = spec_of(
            "smo-single until=optimum", n=3, weights=weights, last_leaf=last_leaf, max_leaves_allowed=limit, budget=60
        )
        search = Smo(spec, 4, number)
        while search.outcome is None:
            search.advance()
            children = (child for one in search.population for child in offspring(one, spec))
            assert any(not any(dominates(one, child) for one in search.population) for child in children)


class Given(Search):
    """Stops to change, and says so."""

    def start(self):
        self.population = [self.evaluate(self.initial())]

    def step(self):
        self.population = [self.evaluate(self.mutate(self.population[0].tree))]

    def is_stuck(self):
        return self.evaluations == 3


def test_an_algorithm_of_ones_own_may_bring_a_proof():
    spec = RunSpec(problem="order", algorithm="gp-single", n=9, init="bad", budget=100, search=Given)
    assert (simulate(spec).outcome, simulate(spec).evaluations) == ("stuck", 3)
