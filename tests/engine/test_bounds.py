"""No index of a kernel is out of bounds, which only code compiled to check would notice."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpruntime.engine import dispatch
from tests.engine.checked import FORMS, SETTINGS


@pytest.mark.attack
@pytest.mark.processes
@pytest.mark.parametrize("form", FORMS)
def test_no_index_is_out_of_bounds(form):
    """Without optimisation, which takes time and changes no index."""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}
    command = [sys.executable, "-m", "tests.engine.checked", form]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", f"{SETTINGS}\n")


def test_there_are_no_more_forms():
    seen, ours = ("counts", "first", "leaves", "program"), ("order", "majority")
    loops = [dispatch.faster(problem, method) for problem in ours for method in ("stepping", "skipping")]
    loops += [make(sees) for make in (dispatch._stepping, dispatch._in_place) for sees in dispatch._ONE_TREE]
    loops += [dispatch._by_copy(sees) for sees in seen]
    loops += [dispatch._rewriting(sees, "hvl", binary) for sees in seen for binary in (True, False)]
    unbiased = itertools.product(seen, ("node-unbiased", "depth-unbiased"))
    loops += [dispatch._rewriting(sees, operator, True) for sees, operator in unbiased]
    loops += [dispatch._rewriting(sees, "hvl-prime", False) for sees in seen]
    loops += [dispatch._rewriting(sees, "hvl-prime", True) for sees in seen if sees not in dispatch._ONE_TREE]
    assert {loop.name for loop in loops} == set(FORMS)
    assert set(ours) == dispatch._BRING_FORMS
