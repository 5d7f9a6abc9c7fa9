"""Helpers of the kernels, compiled by themselves for calling from Python."""

from __future__ import annotations

from typing import Any

import numba

from gpruntime.engine import initial, linked_tree, rejection_free
from gpruntime.engine import random as engine_random
from gpruntime.engine.jit import PLAIN
from gpruntime.engine.problems import majority


def from_python(helper: Any) -> Any:
    """The same function, with an entry."""
    return helper if PLAIN else numba.njit(error_model="numpy")(lambda *arguments: helper(*arguments))


word = from_python(engine_random.word)
below = from_python(engine_random.below)
uniform = from_python(engine_random.uniform)
binomial_number = from_python(engine_random.binomial)
add, find, build = from_python(majority.add), from_python(majority.find), from_python(majority.build)
chance_of, probability_of = from_python(rejection_free.chance_of), from_python(rejection_free.probability_of)
plant_initial_tree = from_python(initial.plant_initial_tree)
insert_leaf, delete_leaf = from_python(linked_tree.insert_leaf), from_python(linked_tree.delete_leaf)
place_of = from_python(linked_tree.place_of)
make, note, undo = (
    from_python(part) for part in (linked_tree.make_operation, linked_tree.note_operation, linked_tree.undo_operation)
)
