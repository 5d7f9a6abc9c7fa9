"""Rules that claims share: which power is the largest, and what becomes of several verdicts."""

import dataclasses
import itertools

import numpy as np
import pytest

from gpruntime.analysis.estimates import Estimate
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.phrases import percent, stated
from gpruntime.paper.report import Evaluated, tally_text, verdicts_text
from gpruntime.paper.rules import all_of, no_growth, powers_of, several
from gpruntime.paper.verdict import MEANINGS, Verdict
from tests.paper.small import changed, evidence_of, part_of

WIDE = Estimate(-0.10, -0.21, 0.0093)
NARROW = Estimate(-0.067, -0.117, -0.017)


def test_the_largest_power_is_not_the_widest_interval():
    powers = powers_of({"unity": Estimate(-0.186, -0.224, -0.148), "bad": WIDE, "insertion": NARROW, "none": None})
    assert powers.largest == ("insertion", NARROW)
    assert powers.reaching == ("bad", WIDE)
    text = (
        "−0.067 [−0.117, −0.017] (insertion); the interval that reaches highest is that of −0.10 [−0.21, 0.0093] (bad)"
    )
    assert str(powers) == text


def test_one_power_is_told_once():
    high = Estimate(0.2, 0.1, 0.3)
    powers = powers_of({"zero": Estimate(-0.1, -0.2, 0.0), "high": high})
    assert str(powers) == "0.20 [0.10, 0.30] (high)"
    assert powers_of({"low": Estimate(-0.2, -0.3, -0.1), "zero": Estimate(-0.3, -0.6, 0.0)}).reaching[0] == "zero"


def test_the_headline_is_the_largest_of_the_powers_below_it():
    """A start whose interval is wide must not hide one whose power is larger."""

    def few_and_falling(spec, runs):
        if str(spec.init) != "bad" or spec.n < 10:
            return runs
        found = part_of(runs, 0, 8)
        return dataclasses.replace(found, evaluations=(found.evaluations / spec.n**0.4).astype(np.int64))

    verdict = CLAIMS["cor:star-order"].check(changed(evidence_of("cor:star-order"), few_and_falling))
    below = {remark.partition(":")[0]: float(remark.rpartition("n^")[2].split()[0].replace("−", "-"))
             for remark in verdict.remarks}  # fmt: skip
    start = max(below, key=below.get)
    assert start != "Initial tree bad"
    assert verdict.number.value == pytest.approx(below[start], abs=0.006)
    assert f"({start.replace('I', 'i', 1)}); the interval that reaches highest is that of" in verdict.sentence


@pytest.mark.parametrize("found", list(itertools.product(("supported", "contradicted", "open"), repeat=3)))
def test_several_statements(found):
    status = several(found)
    assert (status == "supported") == (set(found) == {"supported"})
    assert (status == "in part") == ({"supported", "contradicted"} <= set(found))
    assert (status == "contradicted") == ("contradicted" in found and "supported" not in found)
    assert (all_of(found) == "contradicted") == ("contradicted" in found)


def test_no_growth():
    assert [no_growth(Estimate(0, low, high)) for low, high in ((-1, 0.04), (0, 0.06), (0.06, 1))] == [
        "supported", "open", "contradicted",
    ]  # fmt: skip
    assert no_growth(None) == "open"


def test_numbers_are_said_with_their_intervals():
    assert stated(Estimate(3.1742, 3.155, 3.193)) == "3.174 [3.155, 3.193]"
    assert stated(Estimate(4.0, remark="exact")) == "4"
    assert percent(Estimate(0.3625, 0.2989, 0.4308)) == "36.2 % [29.9, 43.1]"
    assert percent(Estimate(0.0, 0.0, 0.00038)) == "0 % [0, 0.038]"  # not "0.0 % [0.0, 0.0]"


def test_every_verdict_is_counted():
    settled = [Evaluated(f"claim-{i}", Verdict(status, "So."), ()) for i, status in enumerate(MEANINGS)]
    assert tally_text(settled) == "5 claims: 1 supported, 1 supported as corrected, 1 in part, 1 contradicted, 1 open"
    assert all(f"claim-{i}  {status}" in verdicts_text(settled) for i, status in enumerate(MEANINGS))


def test_verdicts_fit_the_terminal():
    verdict = Verdict("supported", "So it is.", quantity="a measure " * 5, number=Estimate(1.5, 1.25, 1.75))
    line, *below = verdicts_text([Evaluated("claim", verdict, ())], 60).splitlines()
    assert line == "claim  supported"
    assert below[0].startswith("    a measure")
    assert len(verdicts_text([Evaluated("claim", verdict, ())], 100).splitlines()[0]) > 60
