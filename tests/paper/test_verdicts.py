"""Every check can fail: wrong data or a broken engine change its verdict."""

import dataclasses
import re
from fractions import Fraction

import numpy as np
import pytest

from gpruntime.analysis.runs import BUDGET, OPTIMUM, STUCK
from gpruntime.engine import run_many
from gpruntime.model.mutation import INSERT, SUBSTITUTE, HvlPrime
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.paper.kept import from_text, to_text
from gpruntime.paper.papers.founding import (
    CLAIMS,
    initial_trees,
    majority_steps,
    order_lemma,
    smallest_tree,
)
from gpruntime.paper.verdict import MEANINGS
from tests.figures_help import colliding, legend_without_bars, not_drawn
from tests.paper.small import SEED, cell, changed, evidence_of, figures_of, part_of, verdict_of

EXPECTED = dict.fromkeys(CLAIMS, "supported") | {
    "lem:majority_gpstar_treesize": "supported as corrected",
    "disc:order-neutral": "contradicted",
    "disc:no-substitution": "in part",
}


@pytest.mark.statistical
@pytest.mark.parametrize("identifier", CLAIMS)
def test_sound_runs_give_the_known_verdict(identifier):
    verdict = verdict_of(identifier)
    assert verdict.status == EXPECTED[identifier], verdict.sentence
    assert verdict.sentence.endswith(".")
    assert verdict.number.value is not None
    assert verdict.number.low is not None or verdict.number.remark == "exact"
    assert verdict.quantity
    for table in verdict.tables:
        assert table.records
        assert all(row.keys() == table.records[0].keys() for row in table.records)
    assert from_text(to_text(verdict)) == verdict  # as it is kept


def test_figures_of_every_claim():
    names = []
    for identifier in CLAIMS:
        verdict, drawings = verdict_of(identifier), figures_of(identifier)
        names += [drawing.name for drawing in drawings] + [table.name for table in verdict.tables]
        for drawing in drawings:
            assert drawing.records
            assert drawing.caption.endswith(".")
            assert not_drawn(drawing) == [], drawing.caption
            assert colliding(drawing.figure) == [], drawing.name
            assert legend_without_bars(drawing.figure) == [], drawing.name
            assert " over time" not in drawing.alternative
    assert len(set(names)) == len(names)


# ---- wrong data


def slower(power, where=lambda spec: True):
    """Times that grow faster, by a power of n."""

    def change(spec, runs):
        factor = float(spec.n) ** power if where(spec) else 1.0
        return dataclasses.replace(runs, evaluations=np.ceil(runs.evaluations * factor).astype(np.int64))

    return change


def ended(outcome, where=lambda spec: True):
    """All runs end like this."""

    def change(spec, runs):
        return dataclasses.replace(runs, outcome=np.full_like(runs.outcome, outcome)) if where(spec) else runs

    return change


def one_run(**columns):
    """One run of every cell is another."""

    def change(spec, runs):
        found = {}
        for name, value in columns.items():
            column = getattr(runs, name).copy()
            column[-1] = value(spec) if callable(value) else value
            found[name] = column
        return dataclasses.replace(runs, **found)

    return change


def all_runs(where, **columns):
    def change(spec, runs):
        if not where(spec):
            return runs
        return dataclasses.replace(runs, **{name: np.full_like(getattr(runs, name), v) for name, v in columns.items()})

    return change


def times(factor, where):
    def change(spec, runs):
        return (
            dataclasses.replace(runs, evaluations=(runs.evaluations * factor).astype(np.int64)) if where(spec) else runs
        )

    return change


def of(algorithm=None, **fields):
    def where(spec):
        return (algorithm is None or spec.algorithm.id == algorithm) and all(
            spec.settings[name] == value for name, value in fields.items()
        )

    return where


def large(spec):
    """Sizes that are there for the law, not for their exact values."""
    return spec.n >= 10


def uncounted(spec, runs):
    """The initial tree's evaluation is forgotten."""
    return dataclasses.replace(runs, evaluations=np.maximum(runs.evaluations - 1, 1))


def other_weights(where):
    """An engine that inserts twice as often as it should."""

    def change(spec, runs):
        return cell(spec.replace(weights=(1, 2, 1)), SEED, len(runs)) if where(spec) else runs

    return change


def larger_trees(spec, runs):
    return dataclasses.replace(runs, max_leaves=runs.max_leaves * spec.n)


def kinds_swapped(spec, runs):
    operations = runs.operations
    return dataclasses.replace(
        runs, operations=operations | {"insert": operations["delete"], "delete": operations["insert"]}
    )


def shrunk(spec, runs):
    """The last tree is half as large."""
    return dataclasses.replace(runs, leaves=runs.leaves // 2)


def unchanged(spec, runs):
    """The last tree is as large as the first one, in all runs."""
    return dataclasses.replace(runs, leaves=np.full_like(runs.leaves, spec.init.leaves))


def few(count):
    """Only so many runs of each cell."""
    return lambda spec, runs: part_of(runs, 0, count)


def all_of_them(*changes):
    """One change after the other."""

    def change(spec, runs):
        for one in changes:
            runs = one(spec, runs)
        return runs

    return change


def without_substitution(spec):
    return spec.weights[0] == 0


def unequal(spec):
    return spec.weights[1] != spec.weights[2]


def alike(spec, runs):
    """All weights take the same time."""
    return dataclasses.replace(runs, evaluations=np.arange(1, len(runs) + 1))


EVERY_BOUND_FAILS = all_of_them(
    slower(2.5, large),
    ended(OPTIMUM, lambda spec: spec.n > 5 and spec.problem.id == "majority"),
    all_runs(lambda spec: spec.n > 3 and str(spec.init) == "tlopt", evaluations=2),
)


WRONG = [
    ("fig-bad-init", slower(1, large), "contradicted"),
    ("fig-bad-init", slower(-1, large), "contradicted"),
    ("fig-bad-init", uncounted, "open"),
    ("fig-failure", ended(OPTIMUM), "open"),
    ("fig-failure", ended(OPTIMUM, lambda spec: spec.n > 5), "contradicted"),
    ("table-1", slower(2, lambda spec: large(spec) and of("gp-single", problem="order")(spec)), "in part"),
    ("table-1", other_weights(of("gp-multi", problem="order", n=1)), "open"),
    ("table-1", other_weights(of("gp-single", problem="majority", n=2)), "open"),
    ("table-1", ended(OPTIMUM, lambda spec: large(spec) and spec.problem.id == "majority"), "in part"),
    ("table-1", EVERY_BOUND_FAILS, "contradicted"),
    ("thm:oneonegp", slower(2, of("gp-multi")), "contradicted"),
    ("thm:oneonegp", slower(1, lambda spec: large(spec) and spec.algorithm.id == "gpstar-single"), "contradicted"),
    ("thm:oneonegp", ended(STUCK, of("gpstar-single", n=2)), "open"),
    ("cor:star-order", slower(1, large), "contradicted"),
    ("cor:star-order", slower(1), "open"),
    ("cor:star-order", uncounted, "open"),
    ("cor:star-order", other_weights(of(n=4, init="bad")), "open"),
    ("cor:star-order", one_run(max_leaves=lambda spec: 3 * spec.n + 1), "contradicted"),
    ("conj:star-multi", slower(1), "contradicted"),
    ("conj:star-multi", larger_trees, "contradicted"),
    ("conj:star-multi", uncounted, "open"),
    ("thm:majority_gp_overall", slower(2), "contradicted"),
    ("thm:majority_gp_overall", all_of_them(few(3), slower(1.1)), "open"),
    ("cor:majority_gp_wc", slower(3), "contradicted"),
    ("cor:majority_gp_wc", all_of_them(few(3), slower(2)), "open"),
    ("cor:majority_gp_ac", slower(2), "contradicted"),
    ("cor:majority_gp_ac", all_of_them(few(3), slower(1.1)), "open"),
    ("thm:majority_gpstar_single_wc", one_run(outcome=OPTIMUM), "contradicted"),
    ("thm:majority_gpstar_multi_wc", all_runs(of(), evaluations=2), "open"),
    ("thm:majority_gpstar_multi_wc", times(2, of()), "open"),
    ("thm:majority_gpstar_multi_wc", all_runs(lambda spec: spec.n > 3, evaluations=2), "contradicted"),
    ("thm:majority_gpstar_single", ended(OPTIMUM), "open"),
    ("thm:majority_gpstar_single", ended(OPTIMUM, lambda spec: spec.n > 5), "contradicted"),
    ("thm:majority_gpstar_single", ended(OPTIMUM, lambda spec: spec.n > 50), "contradicted"),
    ("disc:order-neutral", slower(2, lambda spec: large(spec) and spec.algorithm.id == "gp-single"), "supported"),
    ("disc:order-neutral", other_weights(of("gp-single", n=2, max_leaves_allowed=4)), "open"),
    ("disc:majority-neutral", ended(STUCK, of("gp-single")), "open"),
    ("disc:insert-only", all_runs(of(n=10), evaluations=5, outcome=OPTIMUM), "contradicted"),
    ("disc:insert-only", all_runs(of(n=1), evaluations=5, outcome=OPTIMUM), "open"),
    ("disc:no-substitution", times(0.5, without_substitution), "supported"),
    ("disc:no-substitution", times(2, lambda spec: without_substitution(spec) and unequal(spec)), "contradicted"),
    ("disc:no-substitution", alike, "open"),
    ("disc:no-substitution", ended(BUDGET, without_substitution), "open"),
    ("disc:asymmetry", kinds_swapped, "in part"),
    ("disc:asymmetry", shrunk, "in part"),
    ("disc:asymmetry", unchanged, "open"),
    ("disc:asymmetry", all_of_them(kinds_swapped, shrunk), "contradicted"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("identifier", "change", "status"), WRONG, ids=[f"{i}-{s}-{k}" for k, (i, _, s) in enumerate(WRONG)]
)
def test_wrong_data_change_the_verdict(identifier, change, status):
    assert status != EXPECTED[identifier]
    verdict = CLAIMS[identifier].check(changed(evidence_of(identifier), change))
    assert verdict.status == status, verdict.sentence


def test_other_way_round_on_majority():
    evidence = evidence_of("disc:majority-neutral")
    wrong = changed(changed(evidence, ended(STUCK, of("gp-single"))), ended(OPTIMUM, of("gpstar-single")))
    assert CLAIMS["disc:majority-neutral"].check(wrong).status == "contradicted"


# ---- a broken engine, for the checks that count


def check(identifier):
    return CLAIMS[identifier].check(evidence_of(identifier)).status


@pytest.fixture
def fewer_cases(monkeypatch):
    """Some of the trees that are counted; sound runs are judged on all of them, above."""
    for module, name, few in (
        (order_lemma, "_ALL", {1: 3, 2: 2}),
        (order_lemma, "_SIZES", (5, 10)),
        (majority_steps, "_MULTISETS", {1: 4, 2: 3}),
        (majority_steps, "_LEAVES", {1: 3, 2: 3}),
        (initial_trees, "_COUNTED", (1, 2)),
        (initial_trees, "_DRAWN", {5: 400, 20: 200}),
    ):
        assert set(few) <= set(getattr(module, name))
        monkeypatch.setattr(module, name, few)
    monkeypatch.setattr(majority_steps, "visited_trees", lambda *_: iter(()))


@pytest.mark.usefixtures("fewer_cases")
def test_miscounting_is_noticed(monkeypatch):
    counted = order_lemma.improving_chance
    monkeypatch.setattr(order_lemma, "improving_chance", lambda tree, n: counted(tree, n) / 2)
    assert check("lem:order_oneonegp") == "open"


@pytest.mark.usefixtures("fewer_cases")
def test_insertions_that_improve_less_often_contradict(monkeypatch):
    for name in ("improving_chance", "tried_chance"):
        sound = getattr(order_lemma, name)
        monkeypatch.setattr(order_lemma, name, lambda tree, n, sound=sound: sound(tree, n) / 2)
    assert check("lem:order_oneonegp") == "contradicted"


@pytest.mark.usefixtures("fewer_cases")
def test_a_lopsided_substitution_is_not_decomposable(monkeypatch):
    sound = HvlPrime.apply

    def apply(self, tree, operation):
        if operation.kind == SUBSTITUTE and operation.terminal is not None and operation.terminal.negated:
            operation = operation._replace(terminal=Terminal(operation.terminal.variable, False))
        sound(self, tree, operation)

    monkeypatch.setattr(HvlPrime, "apply", apply)
    assert check("sdp") == "contradicted"


@pytest.mark.usefixtures("fewer_cases")
def test_insertions_that_do_nothing_touch_too_little(monkeypatch):
    monkeypatch.setattr(majority_steps, "operations_until", few_operations)
    assert check("lem:majority_rw") == "supported"
    sound = HvlPrime.apply

    def apply(self, tree, operation):
        if operation.kind not in (INSERT, SUBSTITUTE):
            sound(self, tree, operation)

    monkeypatch.setattr(HvlPrime, "apply", apply)
    assert check("lem:majority_rw") == "contradicted"


@pytest.mark.usefixtures("fewer_cases")
def test_walks_that_vary_too_much_tell_nothing(monkeypatch):
    generator = np.random.default_rng(1)
    noise = lambda n, d, seed, runs: (generator.lognormal(0, 4, runs), np.full(runs, 2.0 * n))  # noqa: E731
    monkeypatch.setattr(majority_steps, "operations_until", noise)
    assert check("lem:majority_rw") == "open"


@pytest.mark.usefixtures("fewer_cases")
def test_walks_that_take_too_long_contradict(monkeypatch):
    monkeypatch.setattr(
        majority_steps, "operations_until", lambda n, d, seed, runs: few_operations(n, d**6, seed, runs)
    )
    assert check("lem:majority_rw") == "contradicted"


def few_operations(n, deficit, seed, runs):
    generator = np.random.default_rng(1)
    return deficit**0.5 * (2 + generator.random(runs)), np.full(runs, 2.0 * n)


@pytest.mark.usefixtures("fewer_cases")
def test_another_closed_form_is_noticed(monkeypatch):
    sound = initial_trees.closed_form
    monkeypatch.setattr(initial_trees, "closed_form", lambda n, k: sound(n, k) * Fraction(101, 100))
    assert check("lem:majority_gpstar_init") == "contradicted"


@pytest.mark.usefixtures("fewer_cases")
def test_initial_trees_of_another_law_are_noticed(monkeypatch):
    sound = initial_trees.RunSpec
    monkeypatch.setattr(initial_trees, "RunSpec", lambda **words: sound(**words, init=f"unity:leaves={words['n']}"))
    assert check("lem:majority_gpstar_init") == "contradicted"


def test_a_tree_that_shrinks_too_far_contradicts(monkeypatch):
    def neutral(spec, *words, **more):
        return run_many(RunSpec(problem="majority", algorithm="gp-single", n=spec.n, init=spec.init), *words, **more)

    monkeypatch.setattr(smallest_tree, "run_many", neutral)
    assert check("lem:majority_gpstar_treesize") == "contradicted"


def test_a_smaller_tree_found_by_search_contradicts(monkeypatch):
    monkeypatch.setattr(smallest_tree, "smallest_of_all", lambda n: n)
    assert check("lem:majority_gpstar_treesize") == "contradicted"


def test_a_lemma_that_holds_as_printed_needs_no_correction(monkeypatch):
    def strict(spec, *words, **more):
        spec = RunSpec(problem="majority", algorithm="gpstar-single", n=spec.n, init=spec.init)
        return run_many(spec, *words, **more)

    monkeypatch.setattr(smallest_tree, "run_many", strict)
    assert check("lem:majority_gpstar_treesize") == "supported"


# ---- every verdict that a rule names was given above

BY_HAND = {
    "lem:order_oneonegp": {"open", "contradicted"},
    "sdp": {"contradicted"},
    "lem:majority_rw": {"open", "contradicted"},
    "lem:majority_gpstar_init": {"contradicted"},
    "lem:majority_gpstar_treesize": {"contradicted", "supported"},
    "disc:majority-neutral": {"contradicted"},
}
NAMED = {
    "supported": r"[Ss]upported(?! as)",
    "supported as corrected": r"[Ss]upported as corrected",
    "in part": r"in part",
    "contradicted": r"[Cc]ontradicted",
    "open": r"open|[Nn]o verdict",
}


def test_rules_name_verdicts_that_exist():
    assert set(NAMED) == set(MEANINGS)


@pytest.mark.parametrize("identifier", CLAIMS)
def test_every_verdict_of_a_rule_was_given_here(identifier):
    given = {EXPECTED[identifier], *BY_HAND.get(identifier, ())}
    given |= {status for claim, _, status in WRONG if claim == identifier}
    assert given == {status for status, words in NAMED.items() if re.search(words, CLAIMS[identifier].rule)}
