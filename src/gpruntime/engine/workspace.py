"""The arrays that kernels work in. Kernels allocate nothing: for a larger tree Python makes larger arrays."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.glance import Glance
from gpruntime.engine.hopeful import PLAN_WIDTH
from gpruntime.engine.labels import ROW
from gpruntime.engine.law import Given, Law
from gpruntime.engine.majority import MajorityState
from gpruntime.engine.majority_skipping import BLOCK, MajoritySkip
from gpruntime.engine.order_skipping import OrderSkip
from gpruntime.engine.ordered import OrderState
from gpruntime.engine.problem import LOG_WIDTH

_LEAST_ROOM = 64
_UNLIMITED = 2**62
_LINE = 64  # bytes of a cache line


def _zeros(shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
    size = math.prod(shape) * np.dtype(kind).itemsize
    room = np.empty(size + _LINE, np.uint8)  # not np.zeros: NumPy asks for huge pages here, which random access likes
    room.fill(0)
    start = -room.ctypes.data % _LINE
    array: NDArray[Any] = room[start : start + size].view(kind).reshape(shape)
    return array


def _int32(*shape: int) -> NDArray[np.int32]:
    return _zeros(shape, np.int32)


class Workspace:
    """The state of one run at a time, with the log of an offspring and the plan of a parent.

    Attributes:
        state: what the kernels know the tree as.
        room: how many leaves it can have.
    """

    def __init__(self, law: Law, given: Given, problem: str, skipping: bool) -> None:
        operations = law.most
        self.rng = np.zeros(4, np.uint64)
        self.log = np.zeros((operations, LOG_WIDTH), np.int64)
        self.plan = np.zeros((operations, PLAN_WIDTH))
        # A weak run's tree grows to about one and a half times its first size or n; a strict one adds up to n leaves.
        self.room = max(_LEAST_ROOM, given.leaves + max(given.leaves, 2 * law.n) // 2 + operations)
        self.state: Any
        if problem == "majority":
            self._make_majority(law, given, skipping)
        else:
            self._make_order(law, skipping, operations)

    def _make_majority(self, law: Law, given: Given, skipping: bool) -> None:
        counts, classes = _int32(2 * law.n + 2), np.zeros(8, np.int64)
        if not skipping:
            self.state = MajorityState(_int32(self.room + 1).view(np.uint32), counts, classes)
            return
        self.room = _UNLIMITED
        n, blocks = law.n, -(-law.n // BLOCK)
        self.state = MajoritySkip(
            terminals=_int32(given.leaves),
            counts=counts,
            classes=classes,
            leaves_of=_int32(blocks + 1),
            blocking_of=_int32(blocks + 1),
            twos_of=_int32(blocks + 1),
            filed=_zeros((n,), np.int8),
            pool=_int32(n),
            place=_int32(n),
            level_of=_int32(n),
            levels=np.zeros(law.most + 2, np.int64),
            sizes=np.zeros(8, np.int64),
        )

    def _make_order(self, law: Law, skipping: bool, operations: int) -> None:
        room = self.room
        node = _zeros((2 * ROW * (room + 1),), np.uint32)
        tree = OrderState(
            node=node,
            label=node.view(np.int64),
            register=_int32(2 * room).view(np.uint32),
            first=_int32(law.n).view(np.uint32),
            present=np.zeros(1, np.int64),
        )
        if not skipping:
            self.state = tree
            return
        n = law.n
        self.state = OrderSkip(
            tree=tree,
            status=_zeros((n,), np.int8),
            listed=_int32(3 * n),
            wanted_before=_zeros((3 * n,), np.uint8),
            place=_int32(n),
            seat=_int32(n),
            taken=_int32(operations),
            sizes=np.zeros(4, np.int64),
            glance=Glance._make(_zeros((size,), np.uint8) for size in _glance_sizes(room)),
        )

    def grow(self) -> None:
        """Makes room for half as many leaves again; the tree stays as it is."""
        before, self.room = self.room, self.room + self.room // 2
        state = self.state
        if isinstance(state, MajorityState):
            terminals = _larger(state.terminals, self.room + 1)
            terminals[-1] = state.terminals[-1]
            self.state = state._replace(terminals=terminals)
        elif isinstance(state, OrderSkip):
            self.state = state._replace(
                tree=self._larger_tree(state.tree, before),
                glance=Glance._make(map(_larger, state.glance, _glance_sizes(self.room))),
            )
        else:
            self.state = self._larger_tree(state, before)

    def _larger_tree(self, tree: OrderState, before: int) -> OrderState:
        register = _larger(tree.register, 2 * self.room)
        register[2 * before :] = np.arange(2 * before, 2 * self.room) + 2  # the new nodes are free
        node = _larger(tree.node, 2 * ROW * (self.room + 1))
        return tree._replace(node=node, label=node.view(np.int64), register=register)

    def copy(self) -> Workspace:
        """The same, in memory of its own."""
        twin = copy.deepcopy(self)
        tree = twin.state.tree if isinstance(twin.state, OrderSkip) else twin.state
        if isinstance(tree, OrderState):  # two arrays in the same memory; a copy of both is not
            tree = tree._replace(label=tree.node.view(np.int64))
            twin.state = twin.state._replace(tree=tree) if isinstance(twin.state, OrderSkip) else tree
        return twin

    def bytes(self) -> int:
        """What all its arrays take."""
        return sum(array.nbytes for array in _arrays(self.state)) + self.log.nbytes + self.plan.nbytes


def _glance_sizes(room: int) -> tuple[int, ...]:
    eights = room // 8 + 1
    return room, room, 2 * eights, eights


def _larger(array: NDArray[Any], rows: int) -> NDArray[Any]:
    larger = _zeros((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _arrays(state: Any) -> list[NDArray[Any]]:
    own = [
        field
        for name, field in zip(state._fields, state, strict=True)
        if isinstance(field, np.ndarray) and name != "label"
    ]
    nested = [array for field in state if isinstance(field, tuple) for array in _arrays(field)]
    return own + nested
