"""`--share`: the shares of a suite are together the suite, and a test stays in its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.shares import one_in, share_of

NAMES = [f"tests/test_this.py::test_that[{number}]" for number in range(1000)]


def test_each_name_is_in_one_share():
    shares = [share_of(f"{which}/10", NAMES) for which in range(1, 11)]
    assert sorted(name for share in shares for name in share) == sorted(NAMES)
    assert all(60 < len(share) < 140 for share in shares)  # 100 ± 4 standard deviations


def test_a_name_stays_where_it_is_when_others_come_and_go():
    assert share_of("3/7", NAMES[::2]) == share_of("3/7", NAMES) & set(NAMES[::2])


@pytest.mark.parametrize("asked", ["", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "one/two"])
def test_what_is_no_share_is_refused(asked):
    with pytest.raises(pytest.UsageError, match="must be like 1/10"):
        share_of(asked, NAMES)


def test_what_is_left_for_long_keeps_its_values_and_its_name():
    cases = one_in(2, ["a", "b", ("c", 1), ("d", 2), pytest.param("e", id="E"), pytest.param("f", id="F")])
    assert cases[::2] == ["a", ("c", 1), pytest.param("e", id="E")]
    assert [case.values for case in cases[1::2]] == [("b",), ("d", 2), ("f",)]
    assert [case.id for case in cases[1::2]] == [None, None, "F"]
    assert all([mark.name for mark in case.marks] == ["long"] for case in cases[1::2])


@pytest.mark.processes
def test_the_option_selects_after_the_marks():
    command = [sys.executable, "-m", "pytest", "-n", "0", "--collect-only", "-qq", "tests/engine/test_lockstep.py"]

    def collected(*words):
        done = subprocess.run([*command, *words], cwd=Path(__file__).parents[1], capture_output=True, text=True)
        return done.stdout.split()

    whole, share = collected("-m", "long"), collected("-m", "long", "--share", "1/10")
    assert 0 < int(share[-1]) < int(whole[-1]) / 4
