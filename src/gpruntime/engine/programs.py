"""Programs other than trees, as `execute` runs them: a kernel, its numbers and its memory, by representation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.jit import ZERO, helper, inlined
from gpruntime.engine.params import NO_LIMIT, score
from gpruntime.engine.user_function import UserFunction
from gpruntime.model.problems.truth_table import parts_of
from gpruntime.model.spec import MAX_BUDGET, RunSpec


class ProgramMemory:
    """The arrays of a run. It looks like a `TreeMemory`, and never has to grow."""

    room = NO_LIMIT

    def __init__(self, arrays: Any) -> None:
        self.tree = arrays

    def copy(self) -> ProgramMemory:
        """The same, in memory of its own."""
        return ProgramMemory(copy.deepcopy(self.tree))

    def grow(self) -> None:
        """Never asked for."""

    def bytes(self) -> int:
        """What it takes."""
        return sum(array.nbytes for array in self.tree)


@dataclass(frozen=True)
class ProgramForm:
    """One way to make runs of programs other than trees. It looks like a `dispatch.Form`."""

    name: str
    kernel: Callable[..., int]
    params: Callable[[RunSpec, bool, int, int], Any]  # of a spec, whether it is traced, a user's function and its frame
    memory: Callable[[RunSpec, Any], ProgramMemory]
    function: UserFunction | None = None

    tries = False
    has_shape = False
    subtrees = False
    linear = True


def shared_params(spec: RunSpec, cost: int) -> dict[str, Any]:
    """What all of them have, under the names of `params.Params`; `cost` is what an offspring takes, about."""
    rule = spec.accept
    return {
        "best": score(spec.best, spec),
        "budget": spec.budget or MAX_BUDGET,
        "max_operations": 1,
        "max_new_leaves": 1,
        "max_shrink": 0,
        "initial_leaves": cost,
        "min_gain_same": rule.least_gain(0),
        "min_gain_larger": rule.least_gain(1),
        "min_gain_smaller": rule.least_gain(-1),
        "spec_n": spec.n,
    }


@inlined
def rule_of(params, size, new_size):
    """What an offspring of this size must gain to be accepted."""
    if new_size == size:
        return params.min_gain_same
    return params.min_gain_larger if new_size > size else params.min_gain_smaller


# ---- truth tables, 64 rows in a word


def table_parts(table: Any) -> tuple[int, int, NDArray[np.int64], NDArray[np.int64]]:
    """The number of words, the bits of the last one that are rows, what is wanted, and the variables; none of None."""
    if table is None:
        return 0, 0, np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
    return parts_of(table)


@inlined
def ones(word):
    """How many bits are set."""
    count = ZERO
    for shift in range(0, 64, 32):
        half = (word >> shift) & 0xFFFFFFFF
        half -= (half >> 1) & 0x55555555
        half = (half & 0x33333333) + ((half >> 2) & 0x33333333)
        half = (half + (half >> 4)) & 0x0F0F0F0F
        count += (half * 0x01010101 >> 24) & 0xFF
    return count


@helper
def wrong_words(values, first, wanted, words, last):
    """On how many rows the words from `first` on are not what is wanted."""
    wrong = ZERO
    for i in range(words - 1):
        wrong += ones(values[first + i] ^ wanted[i])
    return wrong + ones((values[first + words - 1] ^ wanted[words - 1]) & last)
