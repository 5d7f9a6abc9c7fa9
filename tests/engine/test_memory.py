"""Tails of arrays: what they read and write, and that bounds are checked where Numba is told to."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from gpruntime.engine.memory import tail
from gpruntime.engine.nodes import AFTER, LABEL, ROW, get, put

SCRIPT = """
import numba, numpy as np
from gpruntime.engine.memory import tail
from gpruntime.engine.nodes import AFTER, get, put
reads = {"tail": lambda a: tail(a, 3)[6], "get": lambda a: get(a, 1, AFTER), "put": lambda a: put(a, 1, AFTER, 5)}
for name, read in reads.items():
    try:
        numba.njit(read)(np.zeros(9, np.uint32))
    except IndexError:
        print(name)
"""


def test_a_tail_is_the_array_from_there_on():
    @numba.njit
    def use(array):
        rest = tail(tail(array, 2), 1)
        rest[1] += 7
        return rest[0]

    array = np.arange(6, dtype=np.int64)
    assert use(array) == 3
    assert array.tolist() == [0, 1, 2, 3, 11, 5]


@pytest.mark.parametrize(("kind", "column"), [(np.uint32, AFTER), (np.int64, LABEL)])
def test_a_node_has_a_row_of_its_own(kind, column):
    @numba.njit
    def use(memory):
        put(memory, 3, column, 9)
        return get(memory, 3, column)

    memory = np.zeros(8 * ROW, kind)
    assert use(memory) == 9
    assert np.flatnonzero(memory).tolist() == [3 * 32 // memory.itemsize + column]


def test_bounds_are_checked_where_numba_is_told_to():
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["tail", "get", "put"]
