"""Exact answers by proposals: the original HVL, other functions, user-defined operators; and initial trees by draws."""

from collections import Counter
from fractions import Fraction

import pytest

from gpruntime import BadInput, Operation, RunSpec, operator
from gpruntime.exact import solve
from gpruntime.exact.drawn import initial_trees
from gpruntime.exact.law import OperationLaw
from gpruntime.exact.proposed import ProposedStates
from gpruntime.exact.trees import TreeStates
from tests import parts


@operator
class Flip:
    def __init__(self, primitives, proportions):
        self.primitives = primitives

    def draw(self, tree, stream):
        return self.at(tree, stream.below(len(tree.leaves)))

    def apply(self, tree, operation):
        tree.substitute(operation.site, operation.terminal)

    def proposals(self, tree):
        for site in range(len(tree.leaves)):
            yield self.at(tree, site), 1 / len(tree.leaves)

    def at(self, tree, site):
        return Operation("substitute", site, terminal=tree.leaves[site].terminal.complement)


@pytest.mark.parametrize("problem", [parts.weighted_order, parts.inversions, parts.wrong_rows], ids=str)
@pytest.mark.parametrize("last_leaf", ["keep", "empty"])
def test_moves_by_proposals_are_those_by_formula(problem, last_leaf):
    """HVL-Prime on functions of two arguments can be had both ways, in fractions."""
    spec = RunSpec(
        problem=problem, algorithm="gpstar-single", n=2, init="unity:leaves=2", weights=(1, 2, 1), last_leaf=last_leaf
    )
    ours, theirs = (kind(spec, OperationLaw(spec, rational=True)) for kind in (ProposedStates, TreeStates))
    states = [state for state, _ in theirs.initial_law(spec.init)]
    for state in {*states, *(after for one in states[:3] for after in theirs.moves(one, float("-inf")))}:
        found = ours.moves(state, float("-inf"))
        assert found == {after: chance for after, chance in theirs.moves(state, float("-inf")).items() if chance}
        assert sum(found.values()) == 1


@pytest.mark.parametrize("init", ["unity:leaves=3", "insertion:leaves=3"])
def test_initial_trees_by_draws_are_those_by_formula(init):
    spec = RunSpec(problem=parts.wrong_rows, algorithm="gpstar-single", n=1, init=init)
    states, law, drawn = TreeStates(spec, OperationLaw(spec, True)), Counter(), Counter()
    for state, chance in states.initial_law(spec.init):
        law[state] += chance
    for tree, chance in initial_trees(spec.init):
        drawn[states.of(tree)] += chance
    assert law == drawn
    assert sum(drawn.values()) == 1


def test_a_grown_tree_by_hand():
    """One leaf with probability 3/4, a join of two with 1/4: there is room for no more."""
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=1, init="grow:leaves=2,join=0.25")
    law = Counter()
    for tree, chance in initial_trees(spec.init):
        law[str(tree)] += chance
    assert law == {
        **{leaf: Fraction(3, 8) for leaf in ("x1", "!x1")},
        **{f"({a} {b})": Fraction(1, 16) for a in ("x1", "!x1") for b in ("x1", "!x1")},
    }
    assert solve(spec, rational=True).optimum == 1


def test_the_original_hvl_by_hand():
    """From !x1, accepting improvements: with 1/2 of a substitution, or an insertion of x1 to the left."""
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=1, init="!x1", operator="hvl")
    answer = solve(spec, rational=True)
    assert (answer.optimum, answer.mean) == (1, 1 + 1 / (Fraction(1, 6) + Fraction(1, 12)))


def test_functions_of_three_arguments():
    """From red, blue and green to be had at once: an insertion brings two leaves."""

    spec = RunSpec(
        problem=parts.colours, algorithm="gpstar-single", n=1, init="(mix red green green)", weights=(1, 0, 0)
    )
    answer = solve(spec, rational=True)
    assert answer.optimum + answer.stuck == 1
    assert answer.stuck > 0  # three blue ones do not fit


def test_an_operator_of_ones_own():
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=2, init="(!x1 !x2)", operator=Flip)
    assert solve(spec).mean == pytest.approx(1 + 1 + 2)  # any flip improves, then one of two
    with pytest.raises(BadInput, match="gives its probabilities as floats"):
        solve(spec, rational=True)


def test_functions_of_one_argument_have_no_finite_chain():
    with pytest.raises(BadInput, match="can hold any number of not, whatever its leaves"):
        solve(RunSpec(problem=parts.not_parity, algorithm="gpstar-single", n=2))


def test_too_many_initial_trees_are_refused():
    with pytest.raises(BadInput, match="more than 20,000 initial trees"):
        list(initial_trees(RunSpec(problem="order", algorithm="gp-single", n=9, init="grow:join=0.6").init))
