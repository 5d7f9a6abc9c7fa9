"""docs/definitions.md: the tests it names are there, and what no other test holds."""

import ast
import re

import pytest

from gpruntime import RunSpec, Tree, problem, run_many, simulate
from gpruntime.engine import unsupported
from gpruntime.model.stuck import stuck
from tests import parts
from tests.docs_help import ROOT
from tests.strategies import stream


def named_tests():
    """What the page names, as (file, function)."""
    page = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
    return re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)


def test_every_definition_names_a_test_that_is_there():
    page = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| |")]
    assert len(rows) > 15
    assert [row for row in rows if "`tests/" not in row.rsplit(" | ", 1)[1]] == []
    assert len(named_tests()) == page.count("tests/")  # none is written in another way
    for file, name in named_tests():
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}::{name}"


def test_every_attack_of_the_page_on_reliability_is_there():
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/.]+)`", page)
    assert len(named) > 30
    assert [file for file in named if not (ROOT / file).exists()] == []


def test_size_is_the_number_of_leaves():
    """(not (not a0)) has one leaf and three nodes, (and a0 d0) two leaves and three nodes, as many."""
    fields = {"problem": "multiplexer", "n": 3, "budget": 50}
    spec = RunSpec(algorithm="smo-single until=optimum", init="(not (not a0))", **fields)
    small, large = (Tree.parse(text, spec.primitives) for text in ("(not (not a0))", "(and a0 d0)"))
    assert small.node_count == large.node_count
    search = spec.family.search(spec)
    search.initial = lambda: small
    search.mutate = lambda _: large
    search.advance()
    search.advance()
    ranks = [(one.score, len(one.tree.leaves)) for one in search.population]
    assert ranks == [(-4, 1)]  # as good and larger: dominated, though it has as many nodes
    limited = RunSpec(algorithm="gp-single", init="(not (not a0))", max_leaves_allowed=3, **fields)
    assert simulate(limited, 1).max_leaves <= 3


def test_other_laws_of_k_are_never_called_stuck():
    """Deletions alone at a tree that has nothing to lose: one operation, and 1 + Pois(λ), are stuck there."""
    fields = {"problem": "order", "algorithm": "gp-single", "n": 2, "init": "(!x1 !x2)", "weights": (0, 0, 1)}
    strict = {**fields, "accept": "strict", "budget": 20}
    for law in ("one", "poisson:mean=1"):
        assert simulate(RunSpec(**strict, operations=law)).outcome == "stuck"
    for law in ("exactly:k=2", "power", "table:p=0.5/0.5"):
        assert simulate(RunSpec(**strict, operations=law)).outcome == "budget"
    single = RunSpec(problem="majority", algorithm="gpstar-single", n=1, init="(!x1 (!x1 !x1))", budget=20)
    multi = RunSpec(problem="majority", algorithm="gpstar-multi", n=1, init="(!x1 (!x1 !x1))", budget=20)
    tree = Tree.parse("(!x1 (!x1 !x1))")
    assert (stuck(tree, single), stuck(tree, multi)) == (True, False)  # a deficit of 3: two operations get out


@pytest.mark.parametrize("operator", ["hvl-prime", "hvl"])
@pytest.mark.parametrize("name", ["order", "and-or", "multiplexer", parts.colours], ids=str)
def test_who_runs_what(name, operator):
    """Populations are compiled for HVL-Prime and functions of two arguments, the (1+1) GP for all."""
    fields = {"problem": name, "n": 3, "operator": operator, "budget": 9}
    assert unsupported(RunSpec(algorithm="gp-single", **fields)) is None
    compiled = operator == "hvl-prime" and name in ("order", "and-or")
    for algorithm in ("smo-single until=optimum", "one-plus-lambda-single", "mu-plus-one-single"):
        assert (unsupported(RunSpec(algorithm=algorithm, **fields)) is None) == compiled


def test_grow_is_not_uniform_with_other_functions_or_terminals():
    """On AND-OR with n = 2 a function has probability 1/5; uniform over two functions and two terminals were 1/2."""
    initial = RunSpec(problem="and-or", algorithm="gp-single", n=2, init="grow", budget=9).init
    assert initial.join == 1 / 5
    joins = sum(len(initial.build(stream(number)).leaves) > 1 for number in range(2000))
    assert abs(joins / 2000 - 1 / 5) < 4 * (0.2 * 0.8 / 2000) ** 0.5


@problem(sees="counts", best=lambda n: n + 2, variables=lambda n: n + 2)
def two_more_counted(i, plain, bar, n):
    return plain > bar


@problem(sees="first", best=lambda n: n + 2, variables=lambda n: n + 2)
def two_more_first(i, sign, n):
    return sign == 1


@pytest.mark.parametrize("own", [two_more_counted, two_more_first, parts.colours], ids=str)
def test_the_sum_runs_over_all_variables(own):
    """n + 2 variables, or three names at any n: the best fitness is that of all of them."""
    text = "(mix red (mix green green blue) (mix blue blue red))" if own is parts.colours else "(x1 (x2 x3))"
    spec = RunSpec(problem=own, algorithm="gp-single", n=1, init=text, budget=5)
    assert own.fitness(Tree.parse(text, spec.primitives), 1) == spec.best
    columns = run_many(spec, runs=1)
    assert (columns.outcome[0], columns.evaluations[0]) == ("optimum", 1)
