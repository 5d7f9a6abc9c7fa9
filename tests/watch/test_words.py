"""The words for a step, one sentence for each reason there is."""

import pytest

from gpruntime import RunSpec, Tree
from gpruntime.model.mutation import Operation
from gpruntime.model.run import Outcome
from gpruntime.model.terminals import Terminal
from gpruntime.watch.narrator import Narrator
from gpruntime.watch.words import beginning, ending
from tests.watch import own


def x(variable):
    return Terminal(variable, False)


def bar(variable):
    return Terminal(variable, True)


def told(problem, tree, *operations, accepted, after, n=3, **more):
    more = {"algorithm": "gp-single", **({} if problem in ("order", "majority") else {"budget": 10}), **more}
    spec = RunSpec(problem=problem, n=n, init=tree, **more)
    parsed = Tree.parse(tree)
    narrator = Narrator(spec, parsed, spec.problem.fitness(parsed, n))
    return tuple(narrator.describe(operations, accepted, after)[:2])


SENTENCES = [
    (
        told("order", "(x1 (x2 x3))", Operation("insert", 2, "left", bar(3)), accepted=False, after=2),
        ("insert x̄3 left of x3", "rejected: x̄3 would come before x3, fitness 3 → 2"),
    ),
    (
        told("order", "(!x1 (x2 !x3))", Operation("substitute", 0, None, x(1)), accepted=True, after=2),
        ("substitute x̄1 → x1", "accepted: x1 is now expressed, fitness 1 → 2"),
    ),
    (
        told("order", "(x1 (x2 !x3))", Operation("insert", 3, "right", x(1)), accepted=True, after=2),
        ("insert x1 right of the whole tree", "accepted: neutral, fitness 2 → 2"),
    ),
    (
        told("order", "(x1 (x2 !x3))", Operation("insert", 4, "left", x(1)), accepted=True, after=2),
        ("insert x1 left of a subtree of 2 leaves", "accepted: neutral, fitness 2 → 2"),
    ),
    (
        told("order", "(x1 x2)", Operation("delete", 1), accepted=False, after=1),
        ("delete x2", "rejected: x2 would be gone, fitness 2 → 1"),
    ),
    (
        told("order", "(x1 x2)", Operation("substitute", 1, None, x(3)), accepted=True, after=2),
        ("substitute x2 → x3", "accepted: neutral, x2 is gone, x3 is now expressed, fitness 2 → 2"),
    ),
    (
        told(
            "order",
            "(x1 x2)",
            Operation("substitute", 1, None, x(1)),
            accepted=False,
            after=1,
            algorithm="gpstar-single",
        ),
        ("substitute x2 → x1", "rejected: x2 would be gone, fitness 2 → 1"),
    ),
    (
        told("order", "(x1 x2)", Operation("delete", 1), accepted=False, after=1, n=2, max_leaves_allowed=2),
        ("delete x2", "rejected: x2 would be gone, fitness 2 → 1"),
    ),
    (
        told(
            "order", "(x1 (x2 x2))", Operation("insert", 0, "left", x(1)), accepted=False, after=2, max_leaves_allowed=3
        ),
        ("insert x1 left of x1", "rejected: 4 leaves, the limit is 3"),
    ),
    (
        told("order", "(x1 x1)", Operation("delete", 1), accepted=False, after=1, algorithm="gpstar-single"),
        ("delete x1", "rejected: neutral, and only improvements are accepted, fitness 1 → 1"),
    ),
    (
        told("majority", "(x1 (x1 !x1))", Operation("insert", 0, "left", bar(1)), accepted=True, after=1),
        ("insert x̄1 left of x1", "accepted: neutral, fitness 1 → 1"),
    ),
    (
        told("majority", "((x1 !x1) x2)", Operation("insert", 0, "left", bar(1)), accepted=False, after=1),
        ("insert x̄1 left of x1", "rejected: x̄1 would outnumber x1 (2 to 1), fitness 2 → 1"),
    ),
    (
        told("majority", "(x1 x2)", Operation("substitute", 1, None, bar(2)), accepted=False, after=1),
        ("substitute x2 → x̄2", "rejected: x2 would be gone, fitness 2 → 1"),
    ),
    (
        told("majority", "x1", Operation("delete", 0), accepted=True, after=1),
        ("delete x1: the only leaf, it stays", "accepted: neutral, fitness 1 → 1"),
    ),
    (
        told("majority", "x1", Operation("delete", 0), accepted=False, after=0, last_leaf="empty"),
        ("delete x1", "rejected: x1 would be gone, fitness 1 → 0"),
    ),
    (
        told("majority", "()", Operation("insert", None, None, x(2)), accepted=True, after=1, last_leaf="empty"),
        ("insert x2: the only leaf", "accepted: x2 is now expressed, fitness 0 → 1"),
    ),
    (
        told("majority", "()", Operation("delete"), accepted=True, after=0, last_leaf="empty"),
        ("delete: the tree is empty", "accepted: neutral, fitness 0 → 0"),
    ),
    (
        told("majority", "(x1 x2)", Operation("substitute", 2), accepted=True, after=2, substitute="nodes"),
        ("substitute a join by a join: nothing changes", "accepted: neutral, fitness 2 → 2"),
    ),
    (
        told(
            "order",
            "(!x1 x3)",
            Operation("delete", 0),
            Operation("insert", 0, "left", x(1)),
            accepted=True,
            after=2,
            algorithm="gpstar-multi",
        ),
        ("delete x̄1; then insert x1 left of x3", "accepted: x1 is now expressed, fitness 1 → 2"),
    ),
    (
        told("order", "(x1 (x2 x3))", Operation("delete", 3, "right"), accepted=False, after=2, operator="hvl"),
        ("delete: the whole tree becomes its right child", "rejected: x1 would be gone, fitness 3 → 2"),
    ),
    (
        told("order", "(x1 (x2 x3))", Operation("delete", 1), accepted=True, after=3, operator="hvl"),
        ("delete x2: a leaf has no children, nothing changes", "accepted: neutral, fitness 3 → 3"),
    ),
    (
        told("order", "(x1 x1)", Operation("delete", 0), accepted=True, after=1, accept="parsimony"),
        ("delete x1", "accepted: equal and not larger (parsimony), fitness 1 → 1"),
    ),
    (
        told("order", "x1", Operation("insert", 0, "right", x(1)), accepted=False, after=1, accept="parsimony"),
        ("insert x1 right of x1", "rejected: equal and larger (parsimony), fitness 1 → 1"),
    ),
    (
        told(
            "order", "x1", Operation("substitute", 0, None, x(1)), accepted=False, after=1, accept="parsimony-smaller"
        ),
        ("substitute x1 → x1", "rejected: equal and not smaller (parsimony-smaller), fitness 1 → 1"),
    ),
    (
        told("order", "x1", Operation("insert", 0, "right", x(2)), accepted=True, after=2, accept="parsimony"),
        ("insert x2 right of x1", "accepted: x2 is now expressed, fitness 1 → 2"),
    ),
    (
        told("majority", "(x1 x2)", Operation("delete", 1), accepted=False, after=1, accept="parsimony"),
        ("delete x2", "rejected: x2 would be gone, fitness 2 → 1"),
    ),
    (
        told(
            "order",
            "x1",
            *[Operation("insert", 0, "right", x(2))] * 3,
            accepted=False,
            after=2,
            accept=own.not_much_larger,
            operations="exactly:k=3",
            budget=10,
        ),
        (
            "; then ".join(["insert x2 right of x1"] * 3),
            "rejected: better but 3 leaves larger (not_much_larger), x2 would be expressed, fitness 1 → 2",
        ),
    ),
    (
        told("majority", "(x1 x2)", Operation("delete", 1), accepted=True, after=1, accept=own.smaller, budget=10),
        ("delete x2", "accepted: worse but smaller (smaller), x2 is gone, fitness 2 → 1"),
    ),
    (
        told(own.weighted, "(x1 !x3)", Operation("substitute", 1, None, x(3)), accepted=True, after=4),
        ("substitute x̄3 → x3", "accepted: x3 is now expressed (+3), fitness 1 → 4"),
    ),
    (
        told(own.weighted, "(x1 x3)", Operation("insert", 0, "left", bar(3)), accepted=False, after=1),
        ("insert x̄3 left of x1", "rejected: x̄3 would come before x3 (−3), fitness 4 → 1"),
    ),
    (
        told(own.up_to_three, "(x1 x1)", Operation("insert", 0, "left", x(1)), accepted=True, after=3),
        ("insert x1 left of x1", "accepted: x1 now adds 3, not 2, fitness 2 → 3"),
    ),
    (
        told(own.two_thirds, "(x1 x1)", Operation("insert", 0, "left", bar(1)), accepted=True, after=1),
        ("insert x̄1 left of x1", "accepted: neutral, fitness 1 → 1"),
    ),
    (
        told(own.two_thirds, "(x1 x2)", Operation("insert", 0, "left", bar(1)), accepted=False, after=1),
        ("insert x̄1 left of x1", "rejected: x1 would no longer be expressed, fitness 2 → 1"),
    ),
    (
        told(own.kinds, "(x1 x1)", Operation("substitute", 0, None, x(2)), accepted=True, after=2 / 3),
        ("substitute x1 → x2", "accepted: better, fitness 0.333333 → 0.666667"),
    ),
    (
        told(own.wrong_rows, "(or x1 x2)", Operation("substitute", 2, function="and"), accepted=True, after=0, n=2),
        ("substitute or → and", "accepted: better, fitness 2 → 0"),
    ),
    (
        told(own.wrong_rows, "(or x1 x2)", Operation("substitute", 2, function="or"), accepted=True, after=2, n=2),
        ("substitute or → or: nothing changes", "accepted: neutral, fitness 2 → 2"),
    ),
    (
        told(own.wrong_rows, "x1", Operation("insert", 0, "left", x(2), "or"), accepted=False, after=2, n=2),
        ("insert x2 left of x1 under or", "rejected: worse, fitness 1 → 2"),
    ),
    (
        told("order", "x1", *[Operation("insert", 0, "right", x(1))] * 6, accepted=True, after=1, algorithm="gp-multi"),
        (
            "insert x1 right of x1; then insert x1 right of x1; then insert x1 right of x1; and 3 more operations",
            "accepted: neutral, fitness 1 → 1",
        ),
    ),
]


@pytest.mark.parametrize(("words", "expected"), SENTENCES, ids=lambda pair: pair[1][:40])
def test_a_step_in_words(words, expected):
    assert tuple(text.replace("x\u0304", "x̄") for text in words) == tuple(t.replace("x\u0304", "x̄") for t in expected)


def test_a_wrong_fitness_is_noticed():
    with pytest.raises(AssertionError, match="disagree"):
        told("order", "(x1 x2)", Operation("delete", 1), accepted=False, after=2)


def test_beginning_and_end():
    spec = RunSpec(problem="order", algorithm="gp-single", n=1000)
    assert beginning(spec, 500, 1) == "the initial tree: fitness 500 of 1,000, 1 leaf"
    assert ending(spec, Outcome.OPTIMUM, 2000) == "optimum: all 1,000 variables are expressed after 2,000 evaluations"
    assert ending(spec, Outcome.STUCK, 1).startswith("stuck: no proposal can ever be accepted again")
    assert ending(spec, Outcome.BUDGET, 1) == "budget: stopped after 1 evaluation"


def test_the_goal_is_the_best_fitness_and_not_n():
    spec = RunSpec(problem=own.weighted, algorithm="gp-single", n=5, budget=10)
    assert beginning(spec, 3, 2) == "the initial tree: fitness 3 of 15, 2 leaves"
    assert ending(spec, Outcome.OPTIMUM, 8) == "optimum: the best fitness, 15, is reached after 8 evaluations"
    spec = RunSpec(problem=own.wrong_rows, algorithm="gp-single", n=4, budget=10)
    assert beginning(spec, 12, 1) == "the initial tree: fitness 12, best 0, smaller is better, 1 leaf"
    spec = RunSpec(problem=own.kinds, algorithm="gp-single", n=3, budget=10)
    assert beginning(spec, 1 / 3, 1) == "the initial tree: fitness 0.333333 of 1, 1 leaf"
