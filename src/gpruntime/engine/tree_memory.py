"""The memory of trees: one NumPy array for each field of a tree. Kernels allocate nothing: Python makes larger arrays.

A (1+1) GP has one tree. A population has several *slots*: then a field has one row for each slot, all in one array, and
`in_slot` of the tree's file gives a kernel the tree of a slot.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.jit import PLAIN
from gpruntime.engine.params import NO_LIMIT, Params

_CACHE_LINE = 64  # bytes
_MIN_ROOM = 64  # leaves

Field = tuple[Any, int]
"""The kind of an array's numbers, or records, and how many there are."""


class TreeKind(NamedTuple):
    """What the memory of one kind of tree looks like."""

    fields: Any  # a named tuple, with the name of each array
    sizes: Callable[[Params, int], dict[str, Field]]  # (params, room): the fields of a tree with room for this
    # many leaves, by name
    shared: frozenset[str] = frozenset()  # the fields that all slots of a population share: room to work in
    free: Callable[[NDArray[Any], int], None] | None = None  # (tree, first): makes the register's entries from a place
    # on the free nodes they are in a new tree
    grows: bool = True  # whether the memory grows with the tree


class TreeMemory:
    """The trees of a run.

    Attributes:
        room: how many leaves a tree can have.
        slots: how many trees there can be.
    """

    def __init__(self, kind: TreeKind, params: Params, slots: int = 1) -> None:
        self.kind, self.params, self.slots = kind, params, slots
        # A weak run's tree grows to about one and a half times its first size or n; a strict one adds up to n leaves.
        planted = params.initial_leaves
        self.room = max(_MIN_ROOM, planted + max(planted, 2 * params.n) // 2 + params.max_operations)
        self.room = self.room if kind.grows else NO_LIMIT
        self._arrays = self._zeros()

    def _zeros(self) -> dict[str, NDArray[Any]]:
        sizes = self.kind.sizes(self.params, self.room)
        rows = {name: 1 if name in self.kind.shared else self.slots for name in sizes}
        return {name: _aligned_zeros(rows[name], size, dtype) for name, (dtype, size) in sizes.items()}

    def grow(self) -> None:
        """Makes room for half as many leaves again; the trees stay as they are."""
        self.room += self.room // 2
        self._move()

    def add_slots(self) -> None:
        """Makes twice as many slots; the new ones are free."""
        self.slots *= 2
        self._move()

    def _move(self) -> None:
        smaller, self._arrays = self._arrays, self._zeros()
        for name, before in smaller.items():
            self._arrays[name][: before.shape[0], : before.shape[1]] = before
        if self.kind.free is not None:
            self.kind.free(self._arrays["register"], smaller["register"].shape[1])

    def copy(self) -> Self:
        """The same, in memory of its own."""
        twin = copy.copy(self)
        twin._arrays = twin._zeros()
        for name, array in self._arrays.items():
            twin._arrays[name][:] = array
        return twin

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A field of the tree in the first slot."""
        row: NDArray[Any] = self._arrays[name][0]
        return row

    @property
    def tree(self) -> Any:
        """The fields as kernels are given them: flat, slot after slot."""
        flat = {name: array.reshape(-1) for name, array in self._arrays.items()}
        return self.kind.fields(**{name: by_name(array) for name, array in flat.items()})

    @property
    def strides(self) -> Any:
        """How far it is from slot to slot in each field."""
        return self.kind.fields(**{name: array.shape[1] for name, array in self._arrays.items()})

    def bytes(self) -> int:
        """What it takes."""
        return sum(array.nbytes for array in self._arrays.values())


class ProgramMemory:
    """The arrays of a program other than a tree. It looks like a `TreeMemory`, and never has to grow."""

    room = NO_LIMIT

    def __init__(self, arrays: Any) -> None:
        self.tree = arrays

    def copy(self) -> Self:
        """The same, in memory of its own."""
        return type(self)(copy.deepcopy(self.tree))

    def grow(self) -> None:
        """Never asked for."""

    def bytes(self) -> int:
        """What it takes."""
        return sum(array.nbytes for array in self.tree)


def by_name(array: NDArray[Any]) -> NDArray[Any]:
    """In plain Python the fields of a record are reached by name only in a `recarray`."""
    return array.view(np.recarray) if PLAIN and array.dtype.names else array


def records(size: int, kind: Any) -> NDArray[Any]:
    """Records of this kind, all zero."""
    return by_name(_aligned_zeros(1, size, kind)[0])


def record(kind: Any) -> Any:
    """One record of this kind, all zero."""
    return _aligned_zeros(1, 1, kind)[0].view(np.recarray)[0]


def _aligned_zeros(rows: int, size: int, dtype: Any) -> NDArray[Any]:
    """In cache lines of their own: a record then lies in as few as it can, and threads do not write to the same one."""
    kind = np.dtype(dtype)
    total = rows * size * kind.itemsize
    memory = np.zeros(total + 2 * _CACHE_LINE, np.uint8)
    first = -memory.ctypes.data % _CACHE_LINE
    array: NDArray[Any] = memory[first : first + total].view(kind).reshape(rows, size)
    return array
