"""The state of a run in one piece of memory. Kernels allocate nothing: for a larger tree Python makes a larger one.

A kernel sees the memory as three arrays, `cells` of 32-bit numbers, `wide` of 64-bit and `tiny` of 8-bit ones, and is
told at which place of them each field begins.
"""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.law import NO_LIMIT, Law

CELL, TINY, WIDE = np.dtype(np.uint32), np.dtype(np.uint8), np.dtype(np.int64)
_LINE = 64  # bytes of a cache line
_LEAST_ROOM = 64

Sizes = dict[str, tuple[np.dtype[Any], int]]


class State:
    """The fields of one problem and method: a subclass says which there are.

    Attributes:
        room: how many leaves the tree can have.
        at: where each field begins, a named tuple of numbers.
        cells, wide, tiny: the memory.
    """

    fields: Any  # a named tuple
    grows = True  # with the tree

    def __init__(self, law: Law) -> None:
        self.law = law
        # A weak run's tree grows to about one and a half times its first size or n; a strict one adds up to n leaves.
        self.room = max(_LEAST_ROOM, law.planted + max(law.planted, 2 * law.n) // 2 + law.most)
        self.room = self.room if self.grows else NO_LIMIT
        self._allocate()

    def sizes(self) -> Sizes:
        """What kind of numbers each field has, and how many."""
        raise NotImplementedError

    def grow(self) -> None:
        """Makes room for half as many leaves again; the tree stays as it is."""
        smaller = copy.copy(self)
        self.room += self.room // 2
        self._allocate()
        for name in self._sizes:
            before = smaller[name]
            self[name][: len(before)] = before

    def copy(self) -> Self:
        """The same, in memory of its own."""
        twin = copy.copy(self)
        twin._allocate()
        twin._memory[:] = self._memory
        return twin

    def __getitem__(self, name: str) -> NDArray[Any]:
        kind, size = self._sizes[name]
        begin = getattr(self.at, name) * kind.itemsize
        field: NDArray[Any] = self._memory[begin : begin + size * kind.itemsize].view(kind)
        return field

    @property
    def memory(self) -> NDArray[np.uint8]:
        """All of it, as bytes."""
        return self._memory

    def adopt(self, memory: NDArray[np.uint8]) -> None:
        """Takes this memory for its own: a tree of the same room, in a slot of a pool."""
        self._memory = memory

    def bytes(self) -> int:
        """What it takes."""
        return self._memory.nbytes

    def _allocate(self) -> None:
        self._sizes = self.sizes()
        begins, end = {}, 0
        for name, (kind, size) in self._sizes.items():
            begins[name] = end // kind.itemsize
            end += -(-size * kind.itemsize // _LINE) * _LINE
        room = np.zeros(end + _LINE, np.uint8)
        first = -room.ctypes.data % _LINE
        self._memory = room[first : first + end]
        self.at = self.fields(**begins)
        self.cells, self.wide = self._memory.view(CELL), self._memory.view(WIDE)
        self.tiny = self._memory
