"""Helpers of the kernels, compiled by themselves for calling from Python."""

from __future__ import annotations

from typing import Any

import numba

from gpruntime.engine import binomial, fenwick, hopeful, ordered, planting
from gpruntime.engine import random as engine_random
from gpruntime.engine.problems.order import STEPPING


def from_python(helper: Any) -> Any:
    """The same function, with an entry."""
    return numba.njit(error_model="numpy")(lambda *arguments: helper(*arguments))


word = from_python(engine_random.word)
below = from_python(engine_random.below)
uniform = from_python(engine_random.uniform)
binomial_number = from_python(binomial.binomial)
add, find, build = from_python(fenwick.add), from_python(fenwick.find), from_python(fenwick.build)
chance_of, weight_of = from_python(hopeful.chance_of), from_python(hopeful.weight_of)
plant_initial_tree = from_python(planting.plant_initial_tree)
insert_leaf, delete_leaf = from_python(ordered.insert_leaf), from_python(ordered.delete_leaf)
place_of = from_python(ordered.place_of)
make, note, undo = (from_python(part) for part in (STEPPING.make, STEPPING.note, STEPPING.undo))
