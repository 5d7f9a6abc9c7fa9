"""How a lane's memory is laid out, and how many lanes there are: by the spec and by what the machine has.

A tree that fits lives in shared memory; of a larger one the counts alone may; else all of it is in global memory.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from gpruntime.engine.params import BALANCED, TREE, initial_of, params_of
from gpruntime.gpu.structures import SEEDLING_WORDS
from gpruntime.model.spec import RunSpec

_WARP = 32
_MAX_LANES = 1024  # of a block
_MIN_LANES = 128  # fewer would not keep a multiprocessor busy
# How many times √leaves a tree is given room beyond its usual largest size: dear in shared memory, cheap elsewhere.
_SPREAD, _WIDE_SPREAD = 12, 28
_LOG_ROOMS = (1, 32, 64, 256, 1024)  # operations of an offspring there is room for in the log
MAX_OPERATIONS = _LOG_ROOMS[-1]
_MAX_GAIN = 2**30  # no operation gains so much
_CACHE = 340_000  # bytes of trees that a multiprocessor's cache serves, in part the one that all share
_UNCACHED = 128
_PLANTED_LANES = (256, 8), (96, 4), (40, 2), (_UNCACHED, 4)  # of a block and of a warp: the first that the cache serves
_PLANTERS = 128  # of a block, where they need no shared memory
_MAX_GLOBAL = 384  # lanes whose register is in global memory
_INCLUDE = re.compile(r'^#include "([a-z_]+\.cuh)"$', re.MULTILINE)


@dataclass(frozen=True)
class Machine:
    """What a machine has: multiprocessors, and the bytes of shared memory that a block of each can have."""

    multiprocessors: int
    shared: int


@dataclass(frozen=True)
class Layout:
    """The memory of a lane.

    Attributes:
        macros: what the kernels are compiled with.
        room: leaves.
        places: where its fields begin, in words of 32 bits.
        tree_words: all of it; `shared_words` of them, from the first on, are in shared memory.
        seedling_words: of a run that has not begun; `scratch_words` are needed to plant it.
        lanes: of a block; there are `blocks`.
    """

    macros: dict[str, int | str]
    room: int
    places: tuple[int, int, int, int]
    tree_words: int
    shared_words: int
    seedling_words: int
    scratch_words: int
    lanes: int
    blocks: int

    @property
    def threads(self) -> int:
        """Of a block."""
        return self.lanes // int(self.macros["WARP_LANES"]) * _WARP

    @property
    def number_of_planters(self) -> int:
        """In all."""
        return int(self.macros["PLANTERS"]) * self.blocks

    @property
    def number_of_lanes(self) -> int:
        """In all."""
        return self.lanes * self.blocks

    def source(self) -> str:
        """The kernels' whole program as one text: compilers, and what they keep on disk, see every change."""
        return source_of(self.macros)

    def with_fewer_blocks(self, runs: int) -> Layout:
        """No more lanes than there are runs, in whole blocks."""
        return dataclasses.replace(self, blocks=max(1, min(self.blocks, -(-runs // self.lanes))))


def source_of(macros: Mapping[str, int | str]) -> str:
    """The kernels with these macros, whose `PROBLEM` names a file, as one text."""
    defined = "".join(f"#define {name} {value}\n" for name, value in macros.items() if name != "PROBLEM")
    return defined + _expanded(_text("kernels.cuh").replace("#include PROBLEM", f"#include {macros['PROBLEM']}"))


def usual_room(spec: RunSpec, spread: int, larger: int = 0) -> int:
    """Leaves that nearly no run outgrows; each time `larger` by one, twice as many.

    From 2n leaves a weak run's tree grows to about 3n, and its size spreads like a random walk's.
    """
    usual = max(spec.init.leaves, 2 * spec.n)
    room = usual + usual // 2 + spread * (math.isqrt(usual) + 1) + spec.operations.most
    if spec.max_leaves_allowed is not None:
        room = min(room, spec.max_leaves_allowed + 2 * spec.operations.most)
    return room << larger


def common_macros(spec: RunSpec) -> dict[str, int | str]:
    """What the kernels of every problem are compiled with, but for the lanes."""
    most, law = spec.operations.most, spec.operations
    multi = most > 1 or law.is_drawn
    shrinking, same, growing = (_clipped(spec.accept.least_gain(growth)) for growth in (-1, 0, 1))
    dialect = (spec.substitute, spec.last_leaf, spec.max_leaves_allowed) != ("leaves", "keep", None)
    return {
        "MULTI": int(multi),
        "MOST": next(room for room in _LOG_ROOMS if room >= most),
        "STRICT": int(min(shrinking, same, growing) > 0),
        "LEAST_SHRINKING": shrinking,
        "LEAST_SAME": same,
        "LEAST_GROWING": growing,
        "STICKS": int(params_of(spec).can_stick),
        "DIALECT": int(dialect and not multi),
        "GATHER": _gather(spec),
    }


def _clipped(gain: int) -> int:
    return max(-_MAX_GAIN, min(gain, _MAX_GAIN))


def _gather(spec: RunSpec) -> int:
    """How many lanes of a warp wait for each other when their runs have ended: the more, the shorter runs are."""
    return 4 if spec.n <= 30 else 2


def words(items: int, bits: int) -> int:
    """How many words of 32 bits this number of items takes."""
    return -(-items * bits // 32)


def bits_for(number: int, choices: tuple[int, ...] = (8, 16, 32)) -> int:
    """The fewest bits that hold numbers up to this one; the most there are, if none do."""
    return next((bits for bits in choices if number < 1 << bits), choices[-1])


def counts_layout(spec: RunSpec, machine: Machine, larger: int = 0, lanes: int | None = None) -> Layout:
    """For a problem that sees counts: classes, counts by variable, and the register of terminals."""
    macros, room = common_macros(spec), usual_room(spec, _SPREAD, larger)
    terminal, count = bits_for(2 * spec.n + 1), _count_bits(spec, larger)
    counts = words(8, terminal) if macros["STRICT"] else 0
    register = counts + words(spec.n + 1, 2 * count)
    end, most = register + words(room + 1, terminal), machine.shared // 4
    shared = next((size for size in (end, register) if size * _MIN_LANES <= most), 0)
    if shared < end:  # the register is copied 16 bytes at a time
        register = -(-register // 4) * 4
        end, shared = register + words(room + 1, terminal), register if shared else 0
    number = lanes or min(_MAX_LANES if shared == end else _MAX_GLOBAL, most // max(shared, 1)) // _WARP * _WARP
    macros |= {
        "PROBLEM": f'"{spec.problem}.cuh"',
        "TERMINAL_BITS": terminal,
        "COUNT_BITS": count,
        "COUNTS_SHARED": int(shared > 0),
        "REGISTER_SHARED": int(shared == end),
        "LANES": number,
        "PLANTERS": number,
        "WARP_LANES": _WARP,
    }
    planted = register + words(spec.init.leaves, terminal)
    return Layout(
        macros=macros,
        room=room,
        places=(0, counts, register, end),
        tree_words=_aligned(end),
        shared_words=shared,
        seedling_words=_aligned(SEEDLING_WORDS + planted),
        scratch_words=0,
        lanes=number,
        blocks=machine.multiprocessors,
    )


def planted_layout(spec: RunSpec, machine: Machine, larger: int = 0, lanes: int | None = None) -> Layout:
    """For a problem that sees the order of leaves: the first leaf of each variable, the register, joins and leaves.

    Lanes look at places that have nothing to do with each other, and at ever others: what counts is that the trees of
    all lanes stay in the cache. So there are few, and where they are very few, each has a warp of its own.
    """
    room, leaves = usual_room(spec, _WIDE_SPREAD, larger), spec.init.leaves
    link = bits_for(max(2 * room + 2, 2 * spec.n), (16, 32))
    join, leaf = words(4, link), words(8, link)
    first = 4  # behind the number of variables that are there
    register = _aligned(first + words(spec.n, link))
    joins = _aligned(register + words(2 * room, link))
    begin = _aligned(joins + (room + 1) * join)
    used = 4 * max(leaves, 2 * spec.n) * (join + leaf + 1) * 3 // 2
    number, together = next(choice for choice in _PLANTED_LANES if choice[0] * used <= _CACHE or choice[0] == _UNCACHED)
    if lanes is not None:
        number, together = lanes, next(size for size in (1, 2, 4, 8, 16, 32) if lanes <= size * _WARP)
    scratch = 16 if leaves < 1 << 14 else 32  # numbers up to twice that, and negative ones
    macros = common_macros(spec) | {
        "PROBLEM": f'"{spec.problem}.cuh"',
        "SCRATCH_BITS": scratch,
        "LINK_BITS": link,
        "LABEL_BITS": 30 if link == 16 else 62,
        "LANES": number,
        "PLANTERS": _PLANTERS,
        "WARP_LANES": together,
        "GATHER": max(1, together // 4),
    }
    return Layout(
        macros=macros,
        room=room,
        places=(first, register, joins, begin),
        tree_words=_aligned(begin + (room + 1) * leaf),
        shared_words=0,
        seedling_words=_aligned(SEEDLING_WORDS + begin + (leaves + 1) * leaf),
        scratch_words=words(4 * leaves + 4, scratch),
        lanes=number,
        blocks=machine.multiprocessors,
    )


def _count_bits(spec: RunSpec, larger: int) -> int:
    """Bits for how many leaves have one terminal: as many as there are at first, and a few standard deviations more."""
    mean = 0.75 * max(spec.init.leaves, 2 * spec.n) / spec.n
    usual = mean + 9 * math.sqrt(mean)
    if params_of(spec).initial in (TREE, BALANCED) and spec.init.leaves > 0:
        usual += int(np.bincount(initial_of(spec, has_shape=False)).max())
    few = spec.n < 8  # then a tree is many times their number
    return bits_for(round(usual) << larger, (8, 16) if few else (4, 8, 16))


def _aligned(size: int) -> int:
    """To a multiple of 32 bytes."""
    return -(-size // 8) * 8


def _expanded(text: str) -> str:
    return _INCLUDE.sub(lambda include: _expanded(_text(include[1])), text)


@cache
def _text(name: str) -> str:
    return (files("gpruntime.gpu") / "source" / name).read_text(encoding="utf-8")
