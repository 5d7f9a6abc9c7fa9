"""The field's problems, held against their definitions, written again in the plainest way."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import PROBLEMS, BadInput, RunSpec, Tree, simulate
from gpruntime.exact import solve
from gpruntime.model import Stream, stuck
from gpruntime.model.problems import problem_named
from gpruntime.model.problems.sorting import MEASURES
from gpruntime.model.problems.weights import weights_of
from tests.field import SIZES, VARIANTS
from tests.statistics_help import assert_mean


def texts(primitives, leaves):
    """All trees with so many leaves."""
    if leaves == 1:
        yield from (str(primitives.terminal(code)) for code in range(primitives.size))
    for left in range(1, leaves):
        for name in primitives.functions:
            for a, b in itertools.product(texts(primitives, left), texts(primitives, leaves - left)):
                yield f"({name} {a} {b})" if name else f"({a} {b})"


@st.composite
def trees(draw, primitives, most=12):
    """A tree over these primitives."""
    terminals = st.integers(0, primitives.size - 1).map(lambda code: str(primitives.terminal(code)))

    def join(parts):
        calls = [st.tuples(st.just(name), *[parts] * primitives.arity(name)) for name in primitives.functions]
        return st.one_of(calls).map(lambda words: f"({' '.join(words)})")

    return Tree.parse(draw(st.recursive(terminals, join, max_leaves=most)), primitives)


def value(node, leaf, functions):
    """What a tree comes to."""
    if node.is_leaf:
        return leaf(node.terminal)
    return functions[node.function](*(value(child, leaf, functions) for child in node.children))


# ---- all of them


@pytest.mark.parametrize(
    "name", [variant for id_, variants in VARIANTS.items() if id_ not in SIZES for variant in variants]
)
def test_the_best_fitness_is_reached_and_not_exceeded(name):
    """By brute force. What a table of sampled rows wants may be had with fewer leaves."""
    problem = problem_named(name)
    assert problem_named(problem.id) is problem
    n = 1 if "majority" in name or "parity" in name else 2
    primitives = problem.primitives(n)
    most = 4 if primitives.size * len(primitives.functions) <= 6 else 2
    every = [text for leaves in range(1, most + 1) for text in texts(primitives, leaves)]
    found = [problem.fitness(Tree.parse(text), n) for text in every]
    assert max(found, key=lambda fitness: fitness * problem.direction) == problem.best(n)


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=str)
def test_each_says_what_it_is_and_where_it_comes_from(problem):
    assert problem.line
    assert problem.cite
    assert [one.number for one in PROBLEMS.values()].count(problem.number) == 1


@pytest.mark.parametrize(
    ("name", "n", "words"),
    [
        ("worder:weights=lineal", 3, "must be equal, linear, powers, drawn:SEED"),
        ("worder:weights=powers", 80, "n ≤ 60"),
        ("wmajority:weights=1/2", 3, "has 2 weights for n = 3"),
        ("wmajority:weights=0/0", 2, "must add up to 1"),
        ("wmajority:weights=drawn:1/0", 2, "MOST from 1"),
        ("plus-c-majority:c=0", 3, "c=0: must be a whole number from 1"),
        ("plus-c-majority:c=x", 3, "must be a whole number"),
        ("plus-c-majority:d=1", 3, "d is not known; it takes c=2"),
        ("two-thirds-majority:c=1", 3, "it takes no parameters"),
        ("sorting:measure=rnu", 3, "did you mean run"),
        ("and-or", 40, "2^40 rows"),
        ("and-or:unwanted=18", 3, "2^21 rows"),
        ("and:unwanted=20", 40, "59 in all can be"),
        ("xor", 61, "more than 60 bits"),
        ("xor:seed=1", 3, "has no meaning without sampled rows"),
        ("xor:rows=-1", 3, "must be from 1"),
        ("and:negated=2", 3, "must be 0 or 1"),
        ("and:unwanted=-1", 3, "must be a whole number from 0"),
        ("max:functions=-", 3, "must be one of +, +*"),
        ("max:t=0", 3, "must be a number above 0"),
        ("max:t=1/0", 3, "must be a number above 0"),
        ("max", 60, "can be 50 at most"),
        ("max:t=2048", 50, "more than 60 bits"),
        ("max:depth=-2", 3, "must be from 1 to 50, or 0 for n"),
        ("alternate:terminals=sorting", 3, "must be one of order, majority"),
        ("multiplexer", 5, "has 3, 6, 11 or 20 inputs"),
        ("parity:kind=evne", 3, "did you mean even"),
        ("parity", 21, "2^21 rows"),
        ("regression", 1, "is the number of points"),
        ("regression:function=cubic", 20, "must be one of quartic"),
    ],
)
def test_parameters_without_meaning_are_one_line(name, n, words):
    with pytest.raises(BadInput) as refused:
        RunSpec(problem=name, algorithm="gp-single", n=n, budget=10)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_bounds_are_about_runs_that_can_be():
    """Each applies to the runs it names, and has a value there; parameters can take it away."""
    names = ["worder", "wmajority:weights=powers", "sorting:measure=inv", "sorting:measure=las", "and", "max"]
    for name in names:
        problem = problem_named(name)
        assert problem.bounds
        for bound in problem.bounds:
            for variant in bound.algorithms:
                assert bound.applies(RunSpec(problem=name, algorithm=variant, n=5, budget=9))
            assert bound.log is None or 0 < bound.log(20.0, 60.0, 40.0) < 20 * math.log(20)
    for name in ("and:negated=1", "max:functions=+*", "max:depth=3"):
        assert not problem_named(name).bounds


# ---- weights


def test_weights():
    assert weights_of(4, "linear").tolist() == [1, 2, 3, 4]
    assert weights_of(4, "powers").tolist() == [1, 2, 4, 8]
    assert weights_of(3, "7/0/2").tolist() == [7, 0, 2]
    assert weights_of(60, "powers").sum() == 2**60 - 1
    drawn = weights_of(500, "drawn:4/10")
    assert weights_of(20, "drawn:4/10").tolist() == drawn[:20].tolist()
    assert set(drawn.tolist()) == set(range(1, 11))
    assert weights_of(5, "drawn:4").tolist() != weights_of(5, "drawn:5").tolist()


@settings(max_examples=30)
@given(st.data())
def test_weighted_problems_add_up_what_is_expressed(data):
    for weighted, plain in (("worder", "order"), ("wmajority", "majority")):
        problem = problem_named(f"{weighted}:weights=5/0/7/2")
        tree = data.draw(trees(problem.primitives(4)))
        expressed = PROBLEMS[plain].expressed(tree.terminals(), 4)
        assert problem.fitness(tree, 4) == sum((5, 0, 7, 2)[i - 1] for i in expressed)


def test_variants_of_majority():
    tree = Tree.parse("((x1 (x1 x1)) ((!x1 x2) (x2 (x2 (!x2 !x2)))))")  # 3 to 1, and 3 to 2
    assert [problem_named(f"plus-c-majority:c={c}").fitness(tree, 2) for c in (1, 2, 3)] == [2, 1, 0]
    assert PROBLEMS["two-thirds-majority"].fitness(tree, 2) == 1
    assert PROBLEMS["two-thirds-majority"].fitness(Tree.parse("((x1 x1) !x1)"), 1) == 1  # two thirds are enough


# ---- SORTING


def kept(leaves):
    return list(dict.fromkeys(leaves))


def by_definition(measure, leaves, n):
    """The five measures of r, as they are defined, INV doubled."""
    r = kept(leaves)
    pairs = list(itertools.combinations(r, 2))
    if measure == "inv":
        return 1 if len(r) == 1 else 2 * sum(a < b for a, b in pairs)
    if measure == "ham":
        return sum(place == element for place, element in enumerate(r))
    if measure == "las":
        chosen = (c for size in range(len(r) + 1) for c in itertools.combinations(r, size) if list(c) == sorted(c))
        return max(len(c) for c in chosen)
    if not r:
        return n + 1
    if measure == "run":
        return 1 + sum(a > b for a, b in itertools.pairwise(r)) + n - len(r)
    swaps, ranks = 0, [sorted(r).index(element) for element in r]
    for place in range(len(ranks)):  # the least number of exchanges that sort it
        while ranks[place] != place:
            other = ranks[place]
            ranks[place], ranks[other] = ranks[other], ranks[place]
            swaps += 1
    return swaps + (n - len(r) + 1 if len(r) < n else 0)


@given(st.lists(st.integers(0, 5), max_size=12), st.sampled_from(sorted(MEASURES)))
def test_sortedness_by_definition(leaves, measure):
    assert MEASURES[measure].function(leaves, 6) == by_definition(measure, leaves, 6)


def lost(measure, n, smaller_only=False):
    """Lists without repetition from which no accepted single operations lead to the optimum, under parsimony.

    Elements that occur again can be deleted, and then are. Every gap can be inserted at, whatever the tree's shape.
    """
    better = 1 if MEASURES[measure].better == "larger" else -1
    lists = [r for size in range(1, n + 1) for r in itertools.permutations(range(n), size)]
    score = {r: better * by_definition(measure, r, n) for r in lists}
    reached = {r for r in lists if r == tuple(range(n))}
    before = {}
    for r in lists:
        for offspring in one_operation(r, n):
            gain, growth = score.get(tuple(kept(offspring)), -math.inf) - score[r], len(offspring) - len(r)
            if gain > 0 or (gain == 0 and (growth < 0 or (growth == 0 and not smaller_only))):
                before.setdefault(tuple(kept(offspring)), []).append(r)
    waiting = list(reached)
    while waiting:
        for r in before.get(waiting.pop(), ()):
            if r not in reached:
                reached.add(r)
                waiting.append(r)
    return sorted(set(lists) - reached)


def one_operation(r, n):
    for place, element in itertools.product(range(len(r) + 1), range(n)):
        yield (*r[:place], element, *r[place:])
        if place < len(r):
            yield (*r[:place], element, *r[place + 1 :])
    if len(r) > 1:
        yield from (r[:place] + r[place + 1 :] for place in range(len(r)))


def test_the_traps_of_sorting_under_parsimony():
    """The smallest n with a trap: EXC 3, RUN 4, HAM 5; INV and LAS have none."""
    for measure, first in (("exc", 3), ("run", 4), ("ham", 5), ("inv", None), ("las", None)):
        for n in range(2, 6 if first == 5 else 5):
            assert bool(lost(measure, n)) == (first is not None and n >= first), (measure, n)
    assert (2, 1, 0) in lost("exc", 3)
    assert (2, 1, 0, 3, 4) in lost("ham", 5)
    assert lost("ham", 4, smaller_only=True)


def test_a_trap_of_sorting_is_endless_in_the_exact_chain():
    spec = RunSpec(
        problem="sorting:measure=exc", algorithm="gp-single", n=3, accept="parsimony", init="(x3 (x2 x1))", budget=9
    )
    assert solve(spec).endless == 1
    assert solve(RunSpec(problem="sorting:measure=las", algorithm="gp-single", n=3, accept="parsimony",
                         init="(x3 (x2 x1))", budget=9)).optimum == pytest.approx(1)  # fmt: skip


# ---- Boolean functions

BOOLEAN = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "xor": lambda a, b: a != b,
    "nand": lambda a, b: not (a and b),
    "nor": lambda a, b: not (a or b),
    "not": lambda a: not a,
    "if": lambda a, b, c: b if a else c,
}


def errors(tree, wanted, rows):
    """On how many of these rows a tree errs."""
    return sum(
        value(tree.root, lambda t, row=row: row[t.variable - 1] != t.negated, BOOLEAN) != wanted(row) for row in rows
    )


WANTED = {"and": all, "and-or": all, "xor": lambda row: sum(row) % 2 == 1}


@pytest.mark.parametrize("name", WANTED)
@pytest.mark.parametrize("negated", [0, 1])
@settings(max_examples=20)
@given(data=st.data())
def test_wrong_rows_by_the_truth_table(name, negated, data):
    """With more rows than a word has, and with fewer; AND alone has the number of missing variables."""
    n, unwanted = data.draw(st.sampled_from([(2, 1), (3, 2), (6, 1)]))
    problem = problem_named(f"{name}:unwanted={unwanted},negated={negated}")
    tree = data.draw(trees(problem.primitives(n), 9))
    rows = list(itertools.product((False, True), repeat=n + unwanted))
    assert problem.fitness(tree, n) == errors(tree, lambda row: WANTED[name](row[:n]), rows)


@pytest.mark.parametrize("kind", ["even", "odd"])
@settings(max_examples=20)
@given(data=st.data())
def test_PARITY_by_the_truth_table(kind, data):
    n = data.draw(st.sampled_from([2, 4, 7]))
    problem = problem_named(f"parity:kind={kind}")
    tree = data.draw(trees(problem.primitives(n)))
    rows = list(itertools.product((False, True), repeat=n))
    assert problem.fitness(tree, n) == errors(tree, lambda row: sum(row) % 2 == (kind == "odd"), rows)


@settings(max_examples=20)
@given(data=st.data())
def test_MULTIPLEXER_by_the_truth_table(data):
    n, bits = data.draw(st.sampled_from([(3, 1), (6, 2), (11, 3)]))
    problem = PROBLEMS["multiplexer"]
    tree = data.draw(trees(problem.primitives(n), 8))
    rows = list(itertools.product((False, True), repeat=n))
    assert problem.fitness(tree, n) == errors(
        tree, lambda row: row[bits + sum(2**i * row[i] for i in range(bits))], rows
    )


def test_the_multiplexer_is_found_right():
    text = "(if a1 (if a0 d3 d2) (if a0 d1 d0))"
    assert PROBLEMS["multiplexer"].fitness(Tree.parse(text, PROBLEMS["multiplexer"].primitives(6)), 6) == 0
    assert PROBLEMS["multiplexer"].least_optimal_leaves(6) == 7


@settings(max_examples=30)
@given(st.data())
def test_missing_variables_and_wrong_rows_of_AND(data):
    tree = data.draw(trees(PROBLEMS["and"].primitives(4)))
    missing = PROBLEMS["and"].fitness(tree, 4)
    assert errors(tree, all, list(itertools.product((False, True), repeat=4))) == 2**missing - 1


@pytest.mark.parametrize("name", WANTED)
@settings(max_examples=20)
@given(data=st.data())
def test_errors_on_sampled_rows(name, data):
    n, rows = 5, data.draw(st.sampled_from([3, 64, 65, 130]))
    problem = problem_named(f"{name}:rows={rows},seed=7")
    stream = Stream(7, (0, 0, 0, 1), 0)
    words = [[stream.word() for _ in range(n)] for _ in range(-(-rows // 64))]
    sampled = [[words[row // 64][i] >> row % 64 & 1 == 1 for i in range(n)] for row in range(rows)]
    tree = data.draw(trees(problem.primitives(n)))
    assert problem.fitness(tree, n) == errors(tree, WANTED[name], sampled)


@pytest.mark.parametrize("n", [2, 5, 8])
def test_AND_from_one_leaf_takes_3nH_offspring(n):
    """By hand: GP*-single improves by insertions alone."""
    spec = RunSpec(problem="and", algorithm="gpstar-single", n=n, init="unity:leaves=1")
    offspring = 3 * n * sum(Fraction(1, i) for i in range(1, n))
    assert solve(spec, rational=True).expected == 1 + offspring
    if n == 5:
        assert_mean([simulate(spec, 1, run).evaluations for run in range(150)], float(1 + offspring))


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_XOR_is_stuck_at_once_from_one_leaf(n):
    spec = RunSpec(problem="xor", algorithm="gpstar-single", n=n, init="x1")
    assert stuck(Tree.parse("x1"), spec) == (n >= 3)
    assert simulate(spec, 0, 0).outcome == ("stuck" if n >= 3 else "optimum")
    if n >= 3:
        assert simulate(spec, 0, 0).evaluations == 1


# ---- MAX

NUMBERS = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b}


def depth(node):
    return 0 if node.is_leaf else 1 + max(depth(node.left), depth(node.right))


@settings(max_examples=30)
@given(st.data())
def test_MAX_by_the_value(data):
    limit = data.draw(st.integers(1, 4))
    t = data.draw(st.sampled_from(["1", "2", "3/2", "0.25"]))
    for functions in ("+", "+*"):
        problem = problem_named(f"max:functions={functions},t={t}")
        one, other = (data.draw(trees(problem.primitives(limit), 16)) for _ in range(2))
        fitness = [problem.fitness(tree, limit) for tree in (one, other)]
        values = [value(tree.root, lambda _, t=t: Fraction(t), NUMBERS) for tree in (one, other)]
        for tree, found, exact in zip((one, other), fitness, values, strict=True):
            assert (found > 0) == (depth(tree.root) <= limit)
            if found < 0:
                assert found == limit - depth(tree.root)
            elif functions == "+":
                assert found == exact * Fraction(t).denominator
        if min(fitness) > 0:
            assert (fitness[0] > fitness[1], fitness[0] == fitness[1]) == (
                values[0] > values[1],
                values[0] == values[1],
            )


@pytest.mark.parametrize("t", ["1", "2", "3", "1/4", "5/2"])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 12])
def test_the_optimum_of_MAX(t, limit):
    """t·2^D, and for sums and products the value of the full tree, which is right for t < 1 too."""
    number = Fraction(t)
    assert problem_named(f"max:t={t}").best(limit) == number.numerator * 2**limit
    best = number
    for _ in range(limit):
        best = max(2 * best, best * best)
    if number >= 1:
        assert best == max(2 * number, number**2) ** 2 ** (limit - 1)
    problem = problem_named(f"max:functions=+*,t={t}")
    above_zero = problem.data(limit)[3]
    power = best.numerator.bit_length() - best.denominator.bit_length()
    power -= best < Fraction(2) ** power
    assert problem.best(limit) == pytest.approx(float(power + best / Fraction(2) ** power - 1) + above_zero, rel=1e-12)


def test_values_far_beyond_floats_are_kept_apart():
    problem = problem_named("max:functions=+*,t=2")
    full = "x1"
    for _ in range(12):
        full = f"(mul {full} {full})"
    tree = Tree.parse(full)
    assert problem.fitness(tree, 12) == problem.best(12) == 4097  # log₂ of 2^4096, and 1
    tree.substitute_function(0, "add")
    assert 0 < problem.fitness(tree, 12) < problem.best(12)


# ---- the founding paper's wishes


@pytest.mark.parametrize(
    ("text", "order", "majority"),
    [
        ("x1", 1, 1),
        ("(join x1 x2)", 2, 2),
        ("(join x1 (prime x2 !x1))", 2, 2),
        ("(join x1 (join x2 !x1))", 1, 1),
        ("(prime (prime !x1 x1) (prime x1 x2))", -1, 0),
        ("(join (prime (join x1 x2) !x2) (prime !x2 x1))", 2, 1),
    ],
)
def test_ALTERNATE_by_hand(text, order, majority):
    tree = Tree.parse(text)
    assert PROBLEMS["alternate"].fitness(tree, 2) == order
    assert problem_named("alternate:terminals=majority").fitness(tree, 2) == majority


@pytest.mark.parametrize(
    ("leaves", "fitness"),
    [("x1 x2 x3", 3), ("x1 x3 x2", 2), ("x3 x2 x1", 1), ("x1 x2 x1 x3 x3", 3), ("x1 x2 x3 !x2", 2), ("!x1 !x2", 0)],
)
def test_ORDER_AND_MAJORITY_by_hand(leaves, fitness):
    terminals = [Tree.parse(leaf).leaves[0].terminal for leaf in leaves.split()]
    assert PROBLEMS["order-and-majority"].fitness(terminals, 3) == fitness


# ---- regression


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("quartic", "(mul (add x (mul x x)) (add 1 (mul x x)))"),
        ("quintic", "(mul x (mul (sub (mul x x) 1) (sub (mul x x) 1)))"),
        ("sextic", "(mul (mul x x) (mul (sub (mul x x) 1) (sub (mul x x) 1)))"),
    ],
)
def test_the_polynomials_are_fitted_exactly(function, text):
    problem = problem_named(f"regression:function={function}")
    assert problem.fitness(Tree.parse(text, problem.primitives(20)), 20) == 0
    assert problem.fitness(Tree.parse(f"(add 0.5 {text})", problem.primitives(20)), 20) == pytest.approx(10)


@settings(max_examples=30)
@given(st.data())
def test_errors_of_a_formula(data):
    functions = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b if abs(b) >= 1e-9 else 1.0,
    }
    problem = problem_named("regression:function=nguyen-7")
    tree = data.draw(trees(problem.primitives(5)))
    total = 0.0
    for x in (0, 0.5, 1, 1.5, 2):
        leaf = lambda terminal, x=x: x if str(terminal) == "x" else float(str(terminal))  # noqa: E731
        error = abs(value(tree.root, leaf, functions) - math.log(x + 1) - math.log(x * x + 1))
        total += error if error > 0.01 else 0
    assert problem.fitness(tree, 5) == pytest.approx(total)


def test_formulas_never_overflow():
    problem = PROBLEMS["regression"]
    text = "2"
    for _ in range(9):
        text = f"(mul {text} {text})"
    huge = f"(div {text} (sub x x))"
    assert problem.fitness(Tree.parse(text, problem.primitives(4)), 4) == 4e6
    assert problem.fitness(Tree.parse(huge, problem.primitives(4)), 4) < 20
