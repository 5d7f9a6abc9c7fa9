"""Rules that claims share: which power is the largest, and what becomes of several verdicts."""

import dataclasses
import itertools

import numpy as np
import pytest
from scipy import stats

from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.fitting import slopes
from gpruntime.paper.kinds.line_bound import CONTRADICTS, LineBound
from gpruntime.paper.papers import CLAIMS as ALL_CLAIMS
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.phrases import percent, stated
from gpruntime.paper.report import Evaluated, tally_text, verdicts_text
from gpruntime.paper.rules import (
    Trend,
    all_of,
    apart,
    high,
    judged,
    no_growth,
    power_of_a_logarithm,
    powers_of,
    several,
)
from gpruntime.paper.scale import SCALES
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


def test_an_interval_that_ends_at_zero_is_known():
    """0 is no missing end: it was taken for 1."""
    assert high(Estimate(-0.1, -0.2, 0.0)) == 0.0
    assert high(Estimate(0.5)) == 1.0
    assert apart(Estimate(0.3, 0.2, 0.4), Estimate(-0.1, -0.2, 0.0)) == "supported"


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


def trend(value, error, lines=1):
    """On a line whose margin is 0.1: a logarithm has 0.2, and a contradiction begins at 0.15."""
    power, sure = (Estimate(value, value - z * error, value + z * error) for z in (1.96, stats.norm.isf(0.025 / lines)))
    return Trend(power, sure, error, 0.1, 0.15, 0.2)


@pytest.mark.parametrize(
    ("trends", "status"),
    [
        ([trend(0.0, 0.01)] * 12, "supported"),
        ([trend(0.0, 0.01)] * 11 + [trend(0.07, 0.01)], "open"),  # below the margin, but other runs may not be
        ([trend(0.0, 0.01)] * 11 + [trend(0.12, 0.001)], "open"),  # a lower-order term makes as much
        ([trend(0.0, 0.01)] * 11 + [trend(0.2, 0.01)], "contradicted"),
        ([trend(0.17, 0.009)], "contradicted"),
        ([trend(0.0, 0.01, 12)] * 11 + [trend(0.17, 0.009, 12)], "open"),  # one of twelve, by Holm
    ],
)
def test_powers_along_lines(trends, status):
    found, words = judged(trends)
    assert found == status
    assert words.endswith(".")


def test_the_chances_of_a_rule():
    """With an error of 0.01 a logarithm lies 5 of them beyond, with 0.05 one."""
    assert trend(0.0, 0.01).found(0.2) == pytest.approx(stats.norm.cdf(5 - 1.96))
    assert trend(0.0, 0.05).found(0.2) == pytest.approx(stats.norm.cdf(1 - 1.96), rel=1e-3)
    assert trend(0.0, 0.05).again == pytest.approx(stats.norm.cdf(2 - 1.96), rel=1e-3)
    assert "a chance of 100%, by a square root with one of 100%" in judged([trend(0.0, 0.01)])[1]


def test_lines_share_one_dispersion():
    """One line that does not fit widens all, by the scatter of all."""
    x, errors = np.geomspace(10, 160, 5), np.full(5, 0.01)
    straight, bent = (x, np.ones(5), errors), (x, 1 + 0.05 * (np.arange(5) % 2), errors)
    alone, first, second = (slope.power for slope in (*slopes([straight]), *slopes([straight, bent])))
    assert first.high - first.low > 2 * (alone.high - alone.low)
    assert first.high - first.low == pytest.approx(second.high - second.low, rel=0.01)
    assert slopes([straight, (x[:2], np.ones(2), errors[:2])])[1] is None


def test_a_misfit_with_few_degrees_of_freedom_does_not_make_other_runs_less_likely_to_agree():
    """Student's quantile is 4.3 with two: taken for errors of 1.96 each, a clear bound was open on some seeds only."""
    bent = np.array([1, 1.03, 0.97, 1.0])
    ((power, error),) = slopes([(np.array([10.0, 20, 40, 80]), bent, np.full(4, 0.01))])
    assert power.high - power.value == pytest.approx(stats.t.isf(0.025, 2) * error)
    found = Trend(power, power, error, power.high + 1.5 * error, 1.0, 2.0)
    assert found.again == pytest.approx(stats.norm.cdf(1.5))
    assert judged([found])[0] == "supported"


LINES = {
    (claim.check.side, *line.x): line
    for claim in ALL_CLAIMS.values()
    if isinstance(claim.check, LineBound)
    for scale in ("quick", "full")
    for line in claim.check.lines(SCALES[scale])
}


@pytest.mark.parametrize(("sides", "part"), [(("upper", "both"), -0.5), (("lower", "both"), 0.5)])
def test_no_lower_order_term_contradicts_a_true_bound(sides, part):
    """One that is at most half of the bound at the smallest size, taken away or added."""
    most = 0.0
    for (side, *_), line in LINES.items():
        x = np.array(line.x, float)
        logs, half = np.log(x), slice(len(x) // 2, None)
        for share in (*((x / x[0]) ** -power for power in np.arange(0.05, 1.55, 0.05)), logs[0] / logs):
            made = np.polyfit(logs[half], np.log1p(part * share[half]), 1)[0] if side in sides else 0.0
            most = max(most, abs(made) / power_of_a_logarithm(line.x))
    assert 0.4 < most < 0.7 < CONTRADICTS
