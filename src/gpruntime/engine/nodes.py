"""How a node of a planted tree lies in memory."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from gpruntime.engine.memory import item

# Columns of a node's row, half a cache line. A join has LEFT and RIGHT children, a leaf the next four. In between a
# join has room for the LABEL of the leaf in its slot, so that a leaf and its label come from memory together. `wide`
# is the same memory as 64-bit numbers, of which a row has HALF as many.
ROW, HALF, _BYTES = 8, 4, 32
LEFT, RIGHT = range(2)
TERMINAL, BEFORE, AFTER, EARLIER, LATER = range(5)
PARENT, PLACE = 6, 7
FUNCTION = 2  # of a join, where there are several
LABEL = 6

# The node that stands for no leaf, and the join whose LEFT child is the root.
NOBODY, TOP = range(2)


# `memory` is `cells` or `wide`. Each of these is one instruction of Numba's instead of five.


def _place(context: Any, builder: Any, kind: Any, memory: Any, node: Any, column: Any) -> Any:
    numbers = node.type(8 * _BYTES // kind.dtype.bitwidth)
    return item(context, builder, kind, memory, builder.add(builder.mul(node, numbers), column))


@intrinsic
def get(typing: Any, memory: Any, node: Any, column: Any) -> Any:
    """What a node knows, as an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = builder.load(_place(context, builder, signature.args[0], *arguments))
        return context.cast(builder, found, signature.args[0].dtype, types.int64)

    return types.int64(memory, types.intp, types.intp), generate


@intrinsic
def put(typing: Any, memory: Any, node: Any, column: Any, value: Any) -> Any:
    """Tells a node what it is to know."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[3], _place(context, builder, signature.args[0], *arguments[:3]))
        return context.get_dummy_value()

    return types.void(memory, types.intp, types.intp, memory.dtype), generate
