"""What exact answers know of a problem is in the problem's own file."""

import re
from pathlib import Path

import pytest

import gpruntime.exact
from gpruntime.exact.counts import CountStates
from gpruntime.exact.problems.order import OrderStates
from gpruntime.exact.states import kind_of
from gpruntime.exact.trees import TreeStates
from gpruntime.model.problems import PROBLEMS
from tests.exact import parts

ROOT = Path(gpruntime.exact.__file__).parent


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=str)
def test_no_file_names_a_problem(problem):
    """Neither by its name, nor by its id in quotes or as part of another name; "order" alone is a word of English."""
    named = re.compile(
        rf"\b{problem.name}\b|[\"'`]{problem.id}[\"'`]|\b{problem.id.title()}[A-Z]|\b{problem.id}_|[./]{problem.id}\b"
    )
    files = [file for file in ROOT.rglob("*.py") if file.parent.name != "problems"]
    assert len(files) > 10
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            assert not named.search(line), f"{file.name}: {line}"


def test_own_states_come_first():
    assert kind_of(PROBLEMS["order"]) is OrderStates
    assert kind_of(PROBLEMS["majority"]) is CountStates
    assert kind_of(parts.order_by_first) is TreeStates
