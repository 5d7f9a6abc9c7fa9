"""The memory of a population: a pool of slots for trees, each as a run of one tree has it, and the book about them.

Slot s begins at s·stride of each kind of numbers, so that what a form does to its one tree it does to any slot,
given where that begins. Members are a list of slots: the first `hold[COUNT]` entries of `members`
are the population, in its order, those behind it the free slots. For larger trees, or more of them, Python makes a
larger pool.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.kernel import inlined
from gpruntime.engine.law import Law
from gpruntime.engine.memory import tail
from gpruntime.engine.state import CELL, WIDE, State

# The book, in `hold`: how many members there are; offspring made in this generation, or local search; of the offspring
# that is held back until its generation ends, the operations, score and leaves; members that are on the front; the
# worst member's score and leaves.
COUNT, MADE, HELD_OPERATIONS, HELD_SCORE, HELD_LEAVES, ON_FRONT, WORST_SCORE, WORST_LEAVES = range(8)
HOLD_WIDTH = 8

# An operation as it was drawn, to be made again: a row of `born` and `held`.
BORN_KIND, BORN_SITE, BORN_SIDE, BORN_CODE = range(4)
BORN_WIDTH = 4


class PoolFields(NamedTuple):
    """A pool.

    Attributes:
        tree: where the fields of a tree begin in its slot.
        cell_stride, wide_stride: 32-bit and 64-bit numbers from slot to slot.
        capacity: slots.
        members: the slots, see above.
        leaves, score: of the tree in each slot.
        hold: the book.
        born, held: the operations of the present offspring, and of the one that is held back.
        front: the score to be reached with so many leaves, and one that no tree has for sizes off the front.
        front_end: the largest size on the front.
    """

    tree: Any
    cell_stride: int
    wide_stride: int
    capacity: int
    members: int
    leaves: int
    score: int
    hold: int
    born: int
    held: int
    front: int
    front_end: int


class Pool:
    """Slots, and the book. It looks like a `State`.

    Attributes:
        room: how many leaves a tree can have.
        at, cells, wide, tiny: see `State`.
    """

    def __init__(self, law: Law, tree: type[State], capacity: int, front: NDArray[np.int64]) -> None:
        self.law, self._front = law, front
        self._tree, self._capacity = tree(law), capacity
        self._slots = np.zeros((capacity, self._tree.bytes()), np.uint8)
        self._book = np.zeros(self._book_size(capacity), np.int64)
        self._lay_out()

    @property
    def room(self) -> int:
        """See the class."""
        return self._tree.room

    def _book_size(self, capacity: int) -> int:
        return 3 * capacity + HOLD_WIDTH + 2 * BORN_WIDTH * self.law.most + len(self._front)

    def _lay_out(self) -> None:
        """Puts slots and book into one piece of memory."""
        slots, stride = self._slots.size, self._tree.bytes()
        self._memory = np.concatenate([self._slots.reshape(-1), self._book.view(np.uint8)])
        self._slots = self._memory[:slots].reshape(self._capacity, stride)
        self._book = self._memory[slots:].view(np.int64)
        self.cells, self.wide, self.tiny = self._memory.view(CELL), self._memory.view(WIDE), self._memory
        sizes = {"members": self._capacity, "leaves": self._capacity, "score": self._capacity, "hold": HOLD_WIDTH}
        sizes |= {"born": BORN_WIDTH * self.law.most, "held": BORN_WIDTH * self.law.most, "front": len(self._front)}
        ends = np.cumsum([slots // 8, *sizes.values()]).tolist()
        begins = dict(zip(sizes, ends, strict=False))
        self._book[len(self._book) - len(self._front) :] = self._front
        self.at = PoolFields(
            tree=self._tree.at,
            cell_stride=stride // 4,
            wide_stride=stride // 8,
            capacity=self._capacity,
            front_end=len(self._front) - 1,
            **begins,
        )

    def grow(self) -> None:
        """Makes room for half as many leaves again in every slot."""
        larger = []
        for slot in self._slots:
            tree = copy.copy(self._tree)
            tree.adopt(slot)
            tree.grow()
            larger.append(tree)
        self._tree = larger[0]
        self._slots = np.stack([tree.memory for tree in larger])
        self._lay_out()

    def grow_pool(self) -> None:
        """Makes twice as many slots; the new ones are free."""
        before, book = self._capacity, self._book
        self._capacity *= 2
        self._slots = np.concatenate([self._slots, np.zeros_like(self._slots)])
        parts = [book[i * before : (i + 1) * before] for i in range(3)]
        parts[0] = np.concatenate([parts[0], np.arange(before, 2 * before)])
        parts[1:] = [np.concatenate([part, np.zeros_like(part)]) for part in parts[1:]]
        self._book = np.concatenate([*parts, book[3 * before :]])
        self._lay_out()

    def copy(self) -> Pool:
        """The same, in memory of its own."""
        twin = copy.copy(self)
        twin._lay_out()
        return twin

    def bytes(self) -> int:
        """What it takes."""
        return self._memory.nbytes


@inlined
def cells_of(at, cells, slot):  # type: ignore[no-untyped-def]
    """The memory of a slot, as 32-bit numbers."""
    return tail(cells, at.cell_stride * slot)


@inlined
def wide_of(at, wide, slot):  # type: ignore[no-untyped-def]
    """The same as 64-bit numbers."""
    return tail(wide, at.wide_stride * slot)


@inlined
def empty(at, wide):  # type: ignore[no-untyped-def]
    """Frees all slots, and begins the book anew."""
    for slot in range(at.capacity):
        wide[at.members + slot] = slot
    for i in range(HOLD_WIDTH):
        wide[at.hold + i] = 0
