"""What claims are made of: complete, consistent, and right where there is something to compute."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings

from gpruntime import RunSpec
from gpruntime.instruments.formulas import order_chance
from gpruntime.model.mutation import INSERT, HvlPrime
from gpruntime.model.tree import Tree
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.papers.founding.initial_trees import closed_form, far_form
from gpruntime.paper.papers.founding.majority_steps import touching_chance
from gpruntime.paper.papers.founding.majority_times import unity_deficit
from gpruntime.paper.papers.founding.operators import restricted_mean_of_one, survival_of_one
from gpruntime.paper.papers.founding.order_lemma import improving_chance, tried_chance
from gpruntime.paper.papers.founding.smallest_tree import smallest_of_all, triples
from gpruntime.paper.papers.founding.traps import asymptote, proved_mean
from gpruntime.paper.scale import SCALES, doubling
from gpruntime.paper.trees import all_multisets, all_trees
from tests.strategies import trees

ALL = [
    "fig-bad-init", "fig-failure", "table-1", "lem:order_oneonegp", "thm:oneonegp", "cor:star-order", "conj:star-multi",
    "sdp", "lem:majority_rw", "thm:majority_gp_overall", "cor:majority_gp_wc", "cor:majority_gp_ac",
    "thm:majority_gpstar_single_wc", "thm:majority_gpstar_multi_wc", "lem:majority_gpstar_init",
    "lem:majority_gpstar_treesize", "thm:majority_gpstar_single", "disc:order-neutral", "disc:majority-neutral",
    "disc:insert-only", "disc:no-substitution", "disc:asymmetry",
]  # fmt: skip


def test_every_claim_is_there():
    assert sorted(CLAIMS) == sorted(ALL)
    for identifier, claim in CLAIMS.items():
        assert claim.id == identifier
        for text in (claim.statement, claim.rule):
            assert text.endswith((".", "point."))
            assert "  " not in text
        assert "upported" in claim.rule or "ontradicted" in claim.rule


@pytest.mark.parametrize("scale", SCALES.values(), ids=lambda scale: scale.name)
def test_cells_that_claims_share_agree_on_the_budget(scale):
    budgets = {}
    for claim in CLAIMS.values():
        for spec, runs in claim.cells(scale):
            assert runs >= 2
            assert budgets.setdefault(spec.cell_id, spec.budget) == spec.budget, claim.id


def test_full_goes_on_from_quick():
    quick, full = ({spec for c in CLAIMS.values() for spec, _ in c.cells(SCALES[name])} for name in ("quick", "full"))
    assert max(spec.n for spec in full) >= 100_000
    assert len(quick & full) > len(quick) // 2
    budgets = {spec.cell_id: spec.budget for spec in quick}
    assert all(budgets.get(spec.cell_id, spec.budget) == spec.budget for spec in full)  # one folder can hold both


def test_slips_of_the_paper_are_named():
    assert "log log n" in CLAIMS["table-1"].slip
    assert "n^(k/2)" in CLAIMS["table-1"].slip
    assert "log log n" in CLAIMS["cor:majority_gp_ac"].slip
    assert "GP-single" in CLAIMS["lem:majority_gpstar_treesize"].slip


# ---- single steps


@settings(max_examples=60, deadline=None)
@given(trees(3, 6))
def test_improving_insertions_are_counted_rightly(tree):
    assert improving_chance(tree, 3) == tried_chance(tree, 3)


def test_improving_insertions_by_hand():
    assert improving_chance(Tree.parse("!x1"), 1) == Fraction(1, 3) * Fraction(1, 2) * Fraction(1, 2)
    assert improving_chance(Tree.parse("x1"), 1) == 0
    assert improving_chance(Tree.parse("x1"), 2) == Fraction(1, 3) * Fraction(1, 4)
    assert order_chance(1, 0, 1) == Fraction(1, 12)


def test_all_trees():
    assert [sum(1 for _ in all_trees(1, leaves)) for leaves in (1, 2, 3, 4)] == [2, 4, 2 * 8, 5 * 16]
    assert sum(1 for _ in all_multisets(2, 3)) == math.comb(6, 3)


def test_touching_by_hand():
    # x2 alone: inserting x1 or x̄1 (2 of 4), or substituting by one of them (2 of 4); deleting keeps the leaf
    assert touching_chance(Tree.parse("x2"), 2, 1) == Fraction(1, 3)
    # x1 alone: the same, and substituting x1 by anything but x1
    assert touching_chance(Tree.parse("x1"), 2, 1) == Fraction(1, 6) + Fraction(1, 3) * Fraction(3, 4)


# ---- insertion alone, n = 1


def test_survival_with_insertion_alone_is_exact():
    found, alive = [Fraction(1)], {str(Tree.parse("!x1")): Fraction(1)}
    operator = HvlPrime(1, (0, 1, 0))
    for _ in range(3):
        after: dict[str, Fraction] = {}
        for text, chance in alive.items():
            offspring = []
            for operation, _ in operator.proposals(Tree.parse(text)):
                assert operation.kind == INSERT
                tree = Tree.parse(text)
                operator.apply(tree, operation)
                offspring.append(tree)
            for tree in offspring:
                if tree.terminals()[0].negated:
                    after[str(tree)] = after.get(str(tree), Fraction(0)) + chance / len(offspring)
        alive = after
        found.append(sum(alive.values(), Fraction(0)))
    assert found == [1, Fraction(3, 4), Fraction(5, 8), Fraction(35, 64)]
    assert survival_of_one(4) == pytest.approx([1, *(float(value) for value in found)])  # t = 0 first
    assert survival_of_one(1000)[-1] == pytest.approx(2 / math.sqrt(math.pi * 1000), rel=1e-3)


def test_restricted_mean_with_insertion_alone():
    # by hand: 1 + 1 + 3/4 + 5/8; in general 4m·C(2m, m)/4^m − 1
    assert restricted_mean_of_one(1) == 1
    assert restricted_mean_of_one(4) == pytest.approx(27 / 8)
    for most in (2, 10, 1000):
        assert restricted_mean_of_one(most) == pytest.approx(4 * most * math.comb(2 * most, most) / 4**most - 1)
    assert round(restricted_mean_of_one(10_000), 1) == 224.7


# ---- numbers of the theory


def test_closed_form_of_the_initial_tree():
    assert closed_form(1, 2) == Fraction(1, 4)  # x̄1 x̄1
    assert closed_form(1, 1) == 0
    assert far_form(50, 3) == pytest.approx(float(closed_form(50, 3)))
    assert far_form(10**7, 2) == pytest.approx(math.exp(-2) / 2, rel=1e-6)


def test_the_smallest_tree_is_four_thirds_n():
    assert [smallest_of_all(n) for n in (1, 2, 3)] == [2, 3, 4]
    assert len(RunSpec(problem="majority", algorithm="gpstar-single", n=6, init=triples(6)).init.tree.leaves) == 12


def test_the_traps_bounds():
    assert proved_mean(3) == pytest.approx(1 / (1 - math.exp(-1)))
    assert proved_mean(5) == pytest.approx(1 / (1 - 2 * math.exp(-1)))
    assert asymptote(6) == pytest.approx((6 / (2 * math.e)) ** 3)


def test_deficits_of_unity_expectation_grow_slowly():
    assert 2 < unity_deficit(10) < unity_deficit(1000) < 10


def test_doubling():
    assert doubling(10, 50) == (10, 20, 40)
