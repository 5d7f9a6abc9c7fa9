"""Small sizes that are solved: right by hand, near the runs, drawn, and no part of a law or a verdict's number."""

import dataclasses
import math

import pytest

from gpruntime import RunSpec
from gpruntime.exact import solve
from gpruntime.paper.known import ERRORS, Known, caption_words, known_bad, known_order, solvable_order, solved, unmet
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.scale import SCALES
from tests.paper.small import SMALL, changed, evidence_of, figures_of
from tests.paper.test_verdicts import verdict_of
from tests.shares import one_in

DRAWN = {
    "fig-bad-init": ["fig-bad-init-ours"],
    "cor:star-order": ["cor-star-order"],
    "conj:star-multi": ["conj-star-multi-time"],
    "disc:order-neutral": ["disc-order-neutral-times"],
    "table-1": ["table-1-order", "table-1-majority"],
}
HELD = [*DRAWN, "thm:oneonegp"]


def test_order_with_one_variable_by_hand():
    # x̄x̄ improves by inserting x in front (2 of 6 places, 1 of 2 terminals) or by substituting the first leaf; from
    # x̄x deleting the first leaf does it too
    covered = 1 / (1 / 18 + 1 / 12)
    uncovered = 1 / (1 / 18 + 1 / 12 + 1 / 6)
    (bad, *_), (unity, *_) = (known_order(SMALL, "gpstar-single", init) for init in ("bad", "unity"))
    assert bad.mean == pytest.approx(1 + covered)
    assert unity.mean == pytest.approx(1 + (covered + uncovered) / 4)


@pytest.mark.long
def test_a_limit_is_raised_until_it_does_not_matter():
    one, two = known_bad(SMALL)
    assert one.change < 1e-6
    far = solve(one.spec.replace(max_leaves_allowed=100))
    assert one.mean == pytest.approx(far.mean, rel=1e-6)
    assert one.deviation == pytest.approx(far.deviation, rel=1e-4)
    assert 1e-6 < two.change < 1e-3  # the states ran out first, and the change says so
    further = solve(two.spec.replace(max_leaves_allowed=two.limit + 4))
    assert abs(further.mean - two.mean) / further.mean < two.change


def test_a_limit_that_belongs_to_the_runs_stays():
    for spec in solvable_order(SMALL, "gp-single"):
        known = solved(spec, SMALL.exact_states)
        assert known.spec.max_leaves_allowed == known.limit
        assert known.change == 0


@pytest.mark.parametrize("scale", SCALES.values(), ids=lambda scale: scale.name)
def test_what_is_solved_is_run(scale):
    asked = {spec: runs for claim in HELD for spec, runs in CLAIMS[claim].cells(scale)}
    for algorithm in ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi"):
        assert all(asked[spec] == scale.exact_runs for spec in solvable_order(scale, algorithm))


@pytest.mark.statistical
@pytest.mark.parametrize("identifier", HELD)
def test_runs_are_near_their_exact_values(identifier):
    table = next(table for table in verdict_of(identifier).tables if table.name.endswith("-exact"))
    for row in table.records:
        assert row["runs"] == SMALL.exact_runs
        assert abs(row["standard_errors_off"]) < ERRORS - 1
        assert row["mean"] == pytest.approx(row["exact"], rel=0.2)


@pytest.mark.parametrize("identifier", DRAWN)
def test_exact_values_are_drawn_beside_simulated_ones(identifier):
    drawings = {drawing.name: drawing for drawing in figures_of(identifier)}
    for name in DRAWN[identifier]:
        handles, labels = drawings[name].figure.axes[0].get_legend_handles_labels()
        assert handles[labels.index("exact")][0].get_markerfacecolor() == "none"
        assert "exact values" in drawings[name].caption
        records = drawings[name].records
        if "exact" in records[0]:
            pairs = [(row["mean_given_optimum"], row["exact"]) for row in records if row["exact"]]
        else:
            rings = [row for row in records if row["remark"].startswith("exact")]
            others = [row for row in records if row not in rings]
            pairs = [
                (min((row["value"] for row in others if row["x"] == ring["x"]), key=lambda v: abs(v - ring["value"])),
                 ring["value"])
                for ring in rings
            ]  # fmt: skip
        assert pairs
        for simulated, exact in pairs:
            assert simulated == pytest.approx(exact, rel=0.2)


@pytest.mark.parametrize("identifier", one_in(3, HELD))
def test_small_sizes_move_no_verdict(identifier):
    """Runs of small sizes with the same mean but other single times leave the verdict as it is, to the last digit."""

    def backwards(spec, runs):
        return runs if spec.n >= 10 else dataclasses.replace(runs, evaluations=runs.evaluations[::-1].copy())

    again = CLAIMS[identifier].check(changed(evidence_of(identifier), backwards))
    verdict = verdict_of(identifier)
    assert (again.status, again.number, again.sentence) == (verdict.status, verdict.number, verdict.sentence)
    assert all(record["n"] >= 10 for t in verdict.tables if t.name.endswith("-numbers") for record in t.records)


def test_a_miss_is_told_with_its_setting():
    evidence = evidence_of("cor:star-order")
    (known, *_) = known_order(SMALL, "gpstar-single", "bad")
    assert unmet(evidence, [known]) is None
    off = ERRORS * known.deviation / math.sqrt(SMALL.exact_runs)
    for wrong in (known.mean + 1.5 * off, known.mean - 1.5 * off):
        verdict = unmet(evidence, [dataclasses.replace(known, mean=wrong)])
        assert verdict.status == "open"
        assert verdict.sentence.startswith("ORDER, GP*-single, initial tree bad, n = 1: the simulated mean")
    # what the limit may hide is allowed for
    assert unmet(evidence, [dataclasses.replace(known, mean=known.mean + 1.5 * off, change=0.2)]) is None


def test_captions_say_what_was_solved():
    spec = RunSpec(problem="order", algorithm="gp-single", n=1)
    strict = Known(spec.replace(algorithm="gpstar-single"), 3.0, 1.0, None, 0.0, 0.0)
    grown = Known(spec, 3.0, 1.0, 48, 7e-7, 0.0)
    limited = Known(spec.replace(max_leaves_allowed=6), 3.0, 1.0, 6, 0.0, 0.0)
    assert caption_words([strict]) == "Rings are exact values from the Markov chain."
    assert "up to 48 leaves at n = 1 (a change of 7.0·10⁻⁷)" in caption_words([grown])
    assert "at most 6 (GP-single, n = 1) leaves, another law" in caption_words([strict, limited])
