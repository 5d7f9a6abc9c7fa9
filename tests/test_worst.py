"""The worst initial trees: all trees of a size, enumerated and solved again without the package's own chains."""

import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from gpruntime import RunSpec, problem
from gpruntime.cli.main import commands
from gpruntime.exact import solve, solve_each
from gpruntime.instruments import worst
from gpruntime.model.errors import BadInput
from tests import parts


def texts_of(primitives, leaves):
    """All trees with this number of leaves, as text."""
    if leaves == 1:
        return [str(primitives.terminal(code)) for code in range(primitives.size)]
    found = []
    for function in primitives.functions:
        arity = primitives.arity(function)
        for sizes in itertools.product(range(1, leaves), repeat=arity):
            if sum(sizes) == leaves:
                arguments = itertools.product(*(texts_of(primitives, size) for size in sizes))
                found += [f"({' '.join([function, *some]).strip()})" for some in arguments]
    return found


def reaching(kernel, target):
    """From where the target can be reached."""
    for _ in range(len(kernel)):
        more = target | (kernel @ target > 0)
        if (more == target).all():
            break
        target = more
    return target


def means_by_hand(spec, leaves):
    """E[evaluations] from each tree: the chain of whole trees, from the model's proposals, by dense linear algebra."""
    rows, fitness, initial = {}, {}, texts_of(spec.primitives, leaves)
    waiting = list(initial)

    def value(tree):
        text = str(tree)
        if text not in fitness:
            fitness[text] = spec.problem.fitness(tree, spec.n) * spec.problem.direction
        return fitness[text]

    best = spec.best * spec.problem.direction
    while waiting:
        text = waiting.pop()
        if text in rows:
            continue
        tree, rows[text] = spec.replace(init=text).init.tree, {}
        if value(tree) == best:
            continue
        for operation, chance in spec.mutation.proposals(tree):
            offspring = tree.copy()
            spec.mutation.apply(offspring, operation)
            growth = len(offspring.leaves) - len(tree.leaves)
            fits = spec.max_leaves_allowed is None or len(offspring.leaves) <= spec.max_leaves_allowed
            if fits and spec.accept.accepts(value(offspring) - value(tree), growth):
                result = str(offspring)
                rows[text][result] = rows[text].get(result, 0) + chance
                waiting.append(result)
    place = {text: number for number, text in enumerate(rows)}
    kernel = np.zeros((len(rows), len(rows)))
    for text, row in rows.items():
        for result, chance in row.items():
            kernel[place[text], place[result]] += chance
    optimal = np.array([fitness[text] == best for text in rows])
    can_miss = reaching(kernel, ~reaching(kernel, optimal))
    inner = np.flatnonzero(~optimal & ~can_miss)
    equations = np.diag(kernel.sum(axis=1)) - kernel
    means = np.where(can_miss, math.inf, 1.0)
    means[inner] += np.linalg.solve(equations[np.ix_(inner, inner)], np.ones(len(inner)))
    return {text: means[place[text]] for text in initial}


@problem(sees="program", best=lambda n: n, functions={"and": 2, "if": 3}, terminals="plain")
def ifs(program, n):
    """How many of n wanted functions the tree has, counting an `if` once."""
    return min(n, sum(token == -2 for token in program) + sum(token == 0 for token in program) // 2)


SETTINGS = [
    ({"problem": "and-or", "algorithm": "gpstar-single", "n": 2}, 2, 37),
    ({"problem": "and-or", "algorithm": "gp-single", "n": 1, "max_leaves_allowed": 3}, 2, None),
    ({"problem": "order", "algorithm": "gpstar-single", "n": 2}, 3, 25.876660491),
    ({"problem": "order", "algorithm": "gpstar-single", "n": 1}, 4, 179 / 11),
    ({"problem": "order", "algorithm": "gp-single", "n": 1, "max_leaves_allowed": 4}, 3, None),
    ({"problem": "order", "algorithm": "gpstar-single", "n": 1, "operator": "hvl"}, 3, None),
    ({"problem": "alternate", "algorithm": "gpstar-single", "n": 1}, 3, 21),
    ({"problem": "majority", "algorithm": "gpstar-single", "n": 2}, 3, math.inf),
    ({"problem": "wmajority:weights=powers", "algorithm": "gpstar-single", "n": 2}, 2, None),
    ({"problem": "worder:weights=powers", "algorithm": "gpstar-single", "n": 2}, 2, None),
    ({"problem": "sorting", "algorithm": "gp-single", "n": 2, "accept": "parsimony"}, 3, None),
    ({"problem": "two-thirds-majority", "algorithm": "gp-single", "n": 1, "max_leaves_allowed": 4}, 3, None),
    ({"problem": ifs, "algorithm": "gp-single", "n": 1, "accept": "parsimony"}, 3, None),
]


@pytest.mark.attack
@pytest.mark.parametrize(("setting", "leaves", "longest"), SETTINGS, ids=str)
def test_all_trees_of_a_size(setting, leaves, longest):
    spec = RunSpec(**setting, budget=9)
    means = means_by_hand(spec, leaves)
    found = worst(spec, leaves, first=3)
    assert (found.looked_at, found.all_trees, found.is_truncated) == (len(means), True, False)
    top = sorted(means.values(), reverse=True)
    assert found.trees[0].time.value == pytest.approx(top[0])
    assert longest is None or top[0] == pytest.approx(longest)
    assert all(tree.is_exact and means[tree.tree] == pytest.approx(tree.time.value) for tree in found.trees)
    answers = solve_each(spec, leaves)
    assert len(answers) == found.different
    assert sum(one.alike for one in answers) == len(means)
    all_means = sorted(mean for one in answers for mean in [one.mean] * one.alike)
    assert all_means == pytest.approx(top[::-1])


def test_several_trees_are_solved_one_by_one():
    for algorithm, problem_ in (("smo-single", "majority"), ("mu-plus-one-single:mu=2", "order")):
        accept = "" if algorithm.startswith("smo") else "strict"
        spec = RunSpec(problem=problem_, algorithm=algorithm, accept=accept, n=1, budget=9)
        means = [solve(spec.replace(init=text)).expected for text in texts_of(spec.primitives, 2)]
        answers = solve_each(spec, 2)
        assert sorted(m for one in answers for m in [one.mean] * one.alike) == pytest.approx(sorted(means))


@pytest.mark.attack
@pytest.mark.statistical
def test_a_truncated_chain_is_measured():
    """GP-single on ORDER: the runs that are not lost take 13.19 evaluations from (!x1 !x2), all runs 16.1."""
    found = worst(RunSpec(problem="order", algorithm="gp-single", n=2), 2, first=9)
    assert (found.looked_at, found.different, found.is_truncated) == (16, 8, True)
    assert "truncated" in found.summary()
    tree = next(tree for tree in found.trees if tree.tree == "(!x1 !x2)")
    assert not tree.is_exact
    assert tree.runs >= 10_000
    assert tree.time.low < 16.10 < tree.time.high
    assert tree.time.high - tree.time.low < 0.6
    exact = [tree for tree in found.trees if tree.is_exact]
    assert [(tree.time.value, tree.alike) for tree in exact] == [(1.0, 2)]  # the optimal ones
    assert Counter(tree.alike for tree in found.trees) == {2: 8}


def test_what_is_infinite_needs_no_runs():
    """Without insertions and from one kind of leaf, ORDER is never solved, however large trees may be."""
    spec = RunSpec(problem="order", algorithm="gp-multi", n=2, weights=(0, 0, 1), budget=2**62)
    found = worst(spec, 2, first=2)
    assert [tree.time.value for tree in found.trees] == [math.inf] * 2
    assert all(tree.is_exact for tree in found.trees)


@pytest.mark.parametrize(
    ("setting", "leaves", "words"),
    [
        ({"problem": "order", "n": 50}, 100, r"leaves = 100: more than 10,000,000 trees .* take fewer leaves, or race"),
        ({"problem": "majority", "n": 9, "algorithm": "smo-single"}, 4, r"5,985 trees .* where 2,000 are the most"),
        ({"problem": parts.colours, "n": 1}, 2, "no tree has this many, where a function has 3 arguments"),
        ({"problem": "multiplexer", "n": 3}, 2, "functions of one argument"),
        ({"problem": "plus-c-majority", "n": 1, "algorithm": "gp-single"}, 2, "give a budget"),
        ({"problem": ifs, "n": 1, "algorithm": "smo-single until=optimum"}, 40, "where 2,000 are the most"),
    ],
)
def test_what_is_refused(setting, leaves, words):
    spec = RunSpec(**{"algorithm": "gpstar-single", **setting}, budget=2**62)
    with pytest.raises(BadInput, match=words):
        worst(spec, leaves)


def test_random_trees_have_all_shapes_and_functions():
    spec = RunSpec(problem="and-or", algorithm="gp-single", n=2, budget=50)
    found = worst(spec, 3, race=40, first=100)
    assert (found.all_trees, found.looked_at) == (False, 40)
    functions = {tree.tree.replace("x2", "x1") for tree in found.trees}
    assert functions == {text.replace("x2", "x1") for text in texts_of(spec.primitives, 3)}
    assert found.different == len({tree.tree for tree in found.trees}) == len(found.trees)
    assert found.summary() == f"{found.different} random trees of this size, raced."


@pytest.mark.attack
def test_the_command_in_words_and_in_json():
    words = ["worst", "--problem", "order", "--algorithm", "gpstar-single", "-n", "2", "--leaves", "3", "--first", "2"]
    told = CliRunner().invoke(commands, words)
    assert told.output.splitlines() == [
        "     mean time  known by  alike",
        "  1      25.88     exact      2",
        "  2      25.73     exact      2",
        "  1  (!x1 (!x1 !x1))",
        "  2  (!x1 (!x2 !x1))",
        "Trees of this size: 128, of which 34 differ. All were solved.",
    ]
    first, _ = map(json.loads, CliRunner().invoke(commands, [*words, "--json"]).output.splitlines())
    assert first["mean"] == pytest.approx(25.876660491, abs=1e-9)
    assert (first["exact"], first["alike"], first["trees_looked_at"]) == (True, 2, 128)
    stuck = CliRunner().invoke(commands, [*words[:2], "majority", *words[3:], "--json"])
    record = json.loads(stuck.output.splitlines()[0])
    assert (record["mean"], record["mean_is_infinite"], record["exact"]) == (None, True, True)
