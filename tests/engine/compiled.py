"""Helpers of the kernels, for calling from Python. They have no entry of their own: that halves the time to compile."""

from __future__ import annotations

from typing import Any

import numba

from gpruntime.engine import binomial, fenwick, hopeful, majority, order_initial, ordered, problem, stepping
from gpruntime.engine import random as engine_random
from gpruntime.engine.kernel import FOR_KERNELS, OPTIONS


def from_python(helper: Any) -> Any:
    """The same function, with an entry."""
    return numba.njit(**OPTIONS, **FOR_KERNELS)(lambda *arguments: helper(*arguments))


word = from_python(engine_random.word)
below = from_python(engine_random.below)
uniform = from_python(engine_random.uniform)
pick = from_python(engine_random.pick)
binomial_number = from_python(binomial.binomial)
add, find, build = from_python(fenwick.add), from_python(fenwick.find), from_python(fenwick.build)
chance_of = from_python(hopeful.chance_of)
class_of = from_python(majority.class_of)
plant_initial_tree = from_python(order_initial.plant_initial_tree)
insert_leaf, delete_leaf = from_python(ordered.insert_leaf), from_python(ordered.delete_leaf)
place_of = from_python(ordered.place_of)
make_one_of_many, undo = from_python(stepping.make_one_of_many), from_python(problem.undo)
