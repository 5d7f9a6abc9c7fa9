"""Trees to and from the real DEAP."""

import operator
import random

import pytest
from deap import gp
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import PROBLEMS, BadInput, Run, RunSpec, Tree
from gpruntime.model.deap import from_deap, primitive_set, to_deap
from tests.strategies import trees_over


@pytest.mark.parametrize("name", ["order", "and", "and-or", "alternate", "max", "multiplexer", "parity", "regression"])
@settings(max_examples=20)
@given(data=st.data())
def test_there_and_back(name, data):
    problem = PROBLEMS[name]
    n = 6 if name == "multiplexer" else 3
    tree = data.draw(trees_over(problem.primitives(n)))
    pset = primitive_set(problem, n)
    there, primitives = to_deap(tree, pset), problem.primitives(n)
    assert isinstance(there, gp.PrimitiveTree)
    assert from_deap(there, primitives) == tree
    assert from_deap(gp.PrimitiveTree.from_string(str(there), pset), primitives) == tree  # as DEAP reads what it writes


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_what_DEAP_grows_is_a_program_of_ours(seed):
    """And has the value that DEAP's compiler gives it."""
    random.seed(seed)
    pset = gp.PrimitiveSet("main", 3)
    pset.addPrimitive(operator.and_, 2)
    pset.addPrimitive(operator.or_, 2)
    grown = gp.PrimitiveTree(gp.genHalfAndHalf(pset, 1, 4))
    program = gp.compile(grown, pset)
    rows = [[bool(row >> i & 1) for i in range(3)] for row in range(8)]
    assert PROBLEMS["and-or"].fitness(from_deap(grown), 3) == sum(program(*row) != all(row) for row in rows)


def test_a_run_begins_with_a_tree_of_DEAPs_and_its_result_goes_back():
    pset = gp.PrimitiveSet("main", 3)
    pset.addPrimitive(operator.and_, 2, name="conjunction")
    pset.renameArguments(ARG0="a", ARG1="b", ARG2="c")
    names = {"conjunction": "and", "a": "x1", "b": "x2", "c": "x3"}
    start = from_deap(gp.PrimitiveTree.from_string("conjunction(a, conjunction(a, b))", pset), names=names)
    assert str(start) == "(and x1 (and x1 x2))"
    run = Run(RunSpec(problem="and", algorithm="gp-single", n=3, init=str(start)), 1)
    assert run.result().outcome == "optimum"
    back = gp.compile(to_deap(run.tree, pset, names), pset)
    assert back(True, True, True)
    assert not any(back(*(place != hole for place in range(3))) for hole in range(3))


def test_what_is_none_of_ours_is_one_line():
    pset = gp.PrimitiveSet("main", 1)
    pset.addPrimitive(operator.neg, 1)
    with pytest.raises(BadInput, match="neg: is no function here; they are J"):
        from_deap(gp.PrimitiveTree.from_string("neg(ARG0)", pset), PROBLEMS["order"].primitives(1))
    pset.addPrimitive(operator.add, 2)
    pset.addTerminal(3.14)
    with pytest.raises(BadInput, match="a terminal such as x1"):
        from_deap(gp.PrimitiveTree.from_string("add(ARG0, 3.14)", pset))
    with pytest.raises(BadInput, match="the primitive set has no and and no and_"):
        to_deap(Tree.parse("(and x1 x1)"), pset)
    with pytest.raises(BadInput, match="the primitive set has no x2 and no x2_ and no ARG1"):
        to_deap(Tree.parse("x2"), pset)
