"""Arrays inside kernels: what they read and write, and that bounds are checked where Numba is told to."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numba
import numpy as np

from gpruntime.engine.linked_tree import AFTER, NODE
from gpruntime.engine.memory import tail, unchecked

SCRIPT = """
import numba, numpy as np
from gpruntime.engine.memory import tail, unchecked
from tests.engine.test_memory import NODE, Some, Several
some = Some(np.zeros(9, np.uint32), np.zeros(3, NODE))
reads = {
    "tail": lambda some: tail(some.numbers, 3)[6],
    "number": lambda some: unchecked(some).numbers[9],
    "record": lambda some: unchecked(some).nodes[3].parent,
    "written": lambda some: some.nodes[0].children[2],
}
for name, read in reads.items():
    try:
        numba.njit(read)(some)
    except IndexError:
        print(name)
"""


class Some(NamedTuple):
    numbers: Any
    nodes: Any


class Several(NamedTuple):
    some: Any
    count: Any


def test_a_tail_is_the_array_from_there_on():
    @numba.njit
    def use(array):
        rest = tail(tail(array, 2), 1)
        rest[1] += 7
        return rest[0]

    array = np.arange(6, dtype=np.int64)
    assert use(array) == 3
    assert array.tolist() == [0, 1, 2, 3, 11, 5]


def test_fields_are_reached_by_name():
    """Numbers, records and arrays in records, one tuple inside another."""

    @numba.njit
    def use(several):
        lean = unchecked(several)
        lean.some.numbers[lean.count] = 5
        lean.some.nodes[1].parent = 7
        lean.some.nodes[1].neighbours[AFTER] = 9
        return lean.some.nodes[1].parent

    some = Some(np.zeros(4, np.uint32), np.zeros(3, NODE))
    assert use(Several(some, 2)) == 7
    assert some.numbers.tolist() == [0, 0, 5, 0]
    assert some.nodes["parent"].tolist() == [0, 7, 0]
    assert some.nodes["neighbours"][:, AFTER].tolist() == [0, 9, 0]


def test_bounds_are_checked_where_numba_is_told_to():
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["tail", "number", "record", "written"], done.stderr
