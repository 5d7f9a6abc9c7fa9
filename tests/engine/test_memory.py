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
from gpruntime.engine.memory import prefetch, tail
from gpruntime.engine.nodes import AFTER, get, put
from gpruntime.engine.own import _address

@numba.njit
def write(memory, index):
    memory[index] += 7

def begin(memory, index):
    tail(tail(memory, 3), index)

accesses = {
    "an item": (lambda memory, index: tail(memory, 3)[index], range(0, 21)),
    "an item written": (lambda memory, index: write(tail(memory, 3), index), range(0, 21)),
    "a tail": (begin, range(0, 22)),
    "a node": (lambda memory, index: get(memory, index, AFTER), range(0, 3)),
    "a node of a tail": (lambda memory, index: get(tail(memory, 8), index, AFTER), range(0, 2)),
    "a node written": (lambda memory, index: put(memory, index, AFTER, 5), range(0, 3)),
    "a stretch": (lambda memory, index: _address(tail(memory, 3), index, 5), range(0, 17)),
    "an empty stretch": (lambda memory, index: _address(memory, index, 0), range(0, 25)),
    "memory that is asked for": (lambda memory, index: prefetch(memory, index), range(-9, 99)),
}
for name, (access, allowed) in accesses.items():
    compiled, accepted = numba.njit(access), []
    for index in range(-9, 99):
        try:
            compiled(np.zeros(24, np.uint32), index)
            accepted.append(index)
        except IndexError:
            pass
    assert accepted == list(allowed), (name, accepted)
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


@pytest.mark.attack
def test_bounds_are_checked_where_numba_is_told_to():
    """Both ends: Numba's own checks take −1 for the last item."""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
