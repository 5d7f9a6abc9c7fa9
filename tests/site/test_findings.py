"""`./run findings`: the page names each finding with its picture, and one that does not hold is a failure."""

import sys
from pathlib import Path

import pytest

from docs import make_findings
from gpruntime.analysis.estimates import Estimate

PAGE = (Path(__file__).parents[2] / "docs" / "findings.md").read_text("utf-8")


def test_the_page_has_each_with_its_command_and_picture():
    for name in make_findings.FINDINGS:
        assert f"./run findings {name}" in PAGE
        assert f"images/finding-{name}.png" in PAGE
        assert (make_findings.IMAGES / f"finding-{name}.png").is_file()
    assert PAGE.count("\n## ") == len(make_findings.FINDINGS)


def test_one_that_does_not_hold_is_told_and_fails(monkeypatch, capsys):
    def wrong(seed):
        """It is so."""
        return make_findings.Found([make_findings.Point("a", 3, Estimate(2.0))], "T", seed != 5)

    monkeypatch.setattr(make_findings, "FINDINGS", {"wrong": wrong})
    monkeypatch.setattr(sys, "argv", ["findings", "--seed", "4"])
    make_findings.main()
    assert "wrong: It is so.\n  holds, seed 4; T:\n    a, n = 3: 2" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["findings", "--seed", "5"])
    with pytest.raises(SystemExit, match="1"):
        make_findings.main()
    assert "does not hold on seed 5: wrong" in capsys.readouterr().err


def test_a_curve_falls_where_its_ends_are_apart():
    points = [make_findings.Point("a", n, Estimate(x, x - 1, x + 1)) for n, x in ((1, 5.0), (2, 9.0), (3, 2.0))]
    assert make_findings.falls(points, "a")
    assert not make_findings.falls(points[1::-1] + points[1:2], "a")


@pytest.mark.long
@pytest.mark.parametrize("name", make_findings.FINDINGS)
def test_a_finding_holds_on_another_seed(name):
    assert make_findings.FINDINGS[name](3).holds
