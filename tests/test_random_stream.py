"""docs/random-stream.md: an implementation that follows its words makes the engine's runs."""

import itertools
import json
import re

import pytest

from gpruntime import RunSpec, run_many, simulate
from gpruntime.model.spec import DEFAULTS
from tests.docs_help import ROOT
from tests.page_of_draws import Problem, Run, Setting, Words, cell_of, table_of_poisson


def literals(n):
    return [f"{sign}x{i}" for i in range(1, n + 1) for sign in ("", "!")]


def order(tree):
    first = {}
    for code in tree.codes():
        first.setdefault(code // 2, code)
    return sum(code % 2 == 0 for code in first.values())


def majority(n):
    def fitness(tree):
        codes = tree.codes()
        return sum(codes.count(2 * i) >= max(codes.count(2 * i + 1), 1) for i in range(n))

    return fitness


def sorted_pairs(tree):
    kept = list(dict.fromkeys(tree.codes()))
    return 1 if len(kept) == 1 else 2 * sum(a < b for a, b in itertools.combinations(kept, 2))


def value(node, row):
    """Of a Boolean program; a terminal is a number in the row."""
    if not node.children:
        return row[node.terminal]
    parts = [value(child, row) for child in node.children]
    return {
        "and": lambda: all(parts),
        "or": lambda: any(parts),
        "not": lambda: not parts[0],
        "if": lambda: parts[1] if parts[0] else parts[2],
    }[node.function]()


def wrong(target, rows):
    return lambda tree: sum((tree.root is not None and value(tree.root, row)) != target(row) for row in rows)


def sampled(variables, rows, seed):
    """Rows of a truth table, by the page."""
    words, found = Words(seed, (0, 0, 0, 1), 0), []
    for begin in range(0, rows, 64):
        columns = [words.word() for _ in range(variables)]
        found += [[column >> i & 1 == 1 for column in columns] for i in range(min(64, rows - begin))]
    return found


def weights(n, seed, most):
    words = Words(seed, (0, 0, 0, 0), 0)
    return [1 + words.below(most) for _ in range(n)]


def weighted_order(n, heavy):
    def fitness(tree):
        first = {}
        for code in tree.codes():
            first.setdefault(code // 2, code)
        return sum(heavy[code // 2] for code in first.values() if code % 2 == 0)

    return fitness


def problem_of(text, n):
    """The problems of this test, as docs/model.md and `gpruntime problems` define them."""
    all_rows = list(itertools.product((False, True), repeat=n))
    if text == "order":
        return Problem(literals(n), {"": 2}, order, n)
    if text == "majority":
        return Problem(literals(n), {"": 2}, majority(n), n)
    if text.startswith("worder"):
        heavy = weights(n, 5, 9)
        return Problem(literals(n), {"": 2}, weighted_order(n, heavy), sum(heavy))
    if text == "sorting":
        return Problem([f"x{i}" for i in range(1, n + 1)], {"": 2}, sorted_pairs, n * (n - 1))
    if text == "multiplexer":  # n = 3
        target = wrong(lambda row: row[2] if row[0] else row[1], all_rows)
        return Problem(["a0", "d0", "d1"], {"and": 2, "or": 2, "not": 1, "if": 3}, target, 0, larger=False)
    rows = sampled(n, 20, 3) if "rows" in text else all_rows
    return Problem([f"x{i}" for i in range(1, n + 1)], {"and": 2, "or": 2}, wrong(all, rows), 0, larger=False)


def settings():
    """One for each sentence of the page, and some at random."""
    for problem, n in (("order", 4), ("majority", 4)):
        for algorithm in ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi"):
            yield Setting(problem, algorithm, n)
        for init in ("unity:leaves=1", "unity:leaves=5", "insertion", "grow", "grow:join=0.6", "bad", "tlopt"):
            yield Setting(problem, "gp-single", n, init)
        for law in ("power", "power:beta=2.5", "power:most=6", "table:p=0.5/0/0.5/0", "exactly:k=3"):
            yield Setting(problem, "gp-single", n, operations=law)
        yield Setting(problem, "gp-single", 1, operations="power")
        yield Setting(problem, "gp-single", n, operations="table:p=1")
        for mean in (0.0, 0.3, 2.5):
            yield Setting(problem, "gp-multi", n, poisson_mean=mean)
        for odds in ((3, 7, 11), (0, 1, 1), (1, 0, 2), (1, 1, 0), (0, 1, 0)):
            yield Setting(problem, "gp-single", n, weights=odds, max_leaves_allowed=20)
        for rule in ("parsimony", "parsimony-smaller"):
            yield Setting(problem, "gp-single", n, accept=rule)
        yield Setting(problem, "gp-single", n, substitute="nodes")
        yield Setting(problem, "gp-multi", n, "grow:leaves=3,join=0.4", last_leaf="empty", weights=(1, 1, 3))
        yield Setting(problem, "gpstar-multi", n, max_leaves_allowed=9)
        yield Setting(problem, "gp-single", n, operator="hvl")
        yield Setting(problem, "gp-multi", n, "grow:join=0.5", operator="hvl", weights=(1, 2, 1))
        for deletion in ("node-unbiased", "depth-unbiased"):
            yield Setting(problem, "gp-single", n, operator=deletion)
            yield Setting(
                problem, "gp-multi", n, "unity:leaves=2", operator=deletion, last_leaf="empty", weights=(1, 1, 3)
            )
    yield Setting("worder:weights=drawn:5/9", "gp-single", 5)
    for init in ("unity", "insertion", "grow:join=0.5", "unity:leaves=3"):
        yield Setting("sorting", "gp-single", 5, init)
        yield Setting("sorting", "gp-multi", 5, init, last_leaf="empty", weights=(1, 1, 2))
        for algorithm in ("gp-single", "gp-multi"):
            yield Setting("and-or", algorithm, 4, init, substitute="nodes")
            yield Setting("multiplexer", algorithm, 3, init, substitute="nodes")
        yield Setting("and-or", "gp-single", 4, init, operations="power:beta=2.0", accept="parsimony")
        yield Setting("and-or:rows=20,seed=3", "gp-single", 6, init, substitute="nodes", last_leaf="empty")
        yield Setting("multiplexer", "gp-single", 3, init, last_leaf="empty", weights=(1, 1, 4))
    for problem, n in (("and-or", 4), ("multiplexer", 3)):
        yield Setting(problem, "gp-single", n, operator="hvl", substitute="nodes")
        yield Setting(problem, "gp-multi", n, "grow:join=0.5", operator="hvl", substitute="nodes")


def populations():
    for problem, n in (("order", 3), ("majority", 3)):
        yield Setting(problem, "smo-single", n, until="optimum")
        yield Setting(problem, "one-plus-lambda-multi:lambda=3", n)
        yield Setting(problem, "one-plus-lambda-single:lambda=3", n, accept="parsimony")
        yield Setting(problem, "mu-plus-one-single:mu=3", n)
        yield Setting(problem, "mu-plus-one-single:mu=3", n, accept="parsimony-smaller")
        yield Setting(problem, "mu-plus-one-multi:mu=3,crossover=0.5", n, max_leaves_allowed=30)
        yield Setting(problem, "concatenation-single:steps=9", n, "unity:leaves=3")
        yield Setting(problem, "qd-single", n, "unity:leaves=9", max_leaves_allowed=12)
        yield Setting(problem, "qd-multi:height=5,crossover=0.2", n, "unity:leaves=1", accept="parsimony")
    yield Setting("and-or", "concatenation-single:steps=9", 3, "unity:leaves=3", substitute="nodes")
    yield Setting("and-or", "qd-single", 3, substitute="nodes")
    yield Setting("and-or", "smo-single", 3, until="optimum", substitute="nodes", last_leaf="empty")


def spec_of(setting):
    fields = {name: getattr(setting, name) for name in setting.__dataclass_fields__}
    return RunSpec(**fields)


def name(setting):
    return " ".join(map(str, setting.law().values()))


def follows(setting, theirs, run):
    """Holds a run to the one that the page makes; returns that."""
    ours = Run(setting, problem_of(setting.problem, setting.n), 7, run).go()
    same = (ours.fitness, ours.leaves, ours.max_leaves) == (theirs.fitness, theirs.leaves, theirs.max_leaves)
    if theirs.outcome == "stuck":  # the page does not say when a run is: it stays as it is
        assert (ours.outcome, same) == ("budget", True)
    else:
        assert (ours.outcome, ours.evaluations, same) == (theirs.outcome, theirs.evaluations, True)
        assert (ours.proposed, ours.accepted) == (theirs.proposed, theirs.accepted)
    return ours


@pytest.mark.parametrize("setting", [*settings()], ids=name)
def test_the_page_makes_the_engines_runs(setting):
    spec = spec_of(setting)
    for run, theirs in enumerate(run_many(spec, seed=7, runs=4, method="stepping").results()):
        ours = follows(setting, theirs, run)
        if run == 0:
            assert simulate(spec, 7, run).tree == ours.tree


@pytest.mark.parametrize("setting", [*populations()], ids=name)
def test_the_page_makes_the_runs_of_populations(setting):
    """Those of the model, to which the engine is held elsewhere."""
    for run in range(4):
        theirs = simulate(spec_of(setting), 7, run)
        assert follows(setting, theirs, run).tree == theirs.tree


def test_the_examples_of_the_page():
    """The law of a run as it stands there; a key that no run had before would have to be added."""
    page = (ROOT / "docs" / "random-stream.md").read_text(encoding="utf-8")
    examples = [json.loads(line) for line in page.splitlines() if line.startswith("{")]
    assert len(examples) == 2
    for law in examples:
        assert RunSpec(**law, budget=9).law() == {
            **law,
            **({"weights": tuple(law["weights"])} if "weights" in law else {}),
        }
        assert RunSpec(**law, budget=9).cell == cell_of(law)
    keys = {key for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
    assert set(DEFAULTS) - {"budget"} <= keys


def test_the_table_of_the_page_ends():
    assert table_of_poisson(0.0) == [1.0]
    assert table_of_poisson(1.0)[-1] == 1.0
