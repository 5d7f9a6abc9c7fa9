"""Memory as kernels see it: words that say where an array, or a part of one, begins.

`tail(array, i)` is array[i:]. It is read and written by index, as an array is, but is one word without a length or an
owner: a helper that is given it has nothing to unpack, and Numba counts no references to it. The array is Python's and
outlives the call. Indices are not asked whether they count from the end. With NUMBA_BOUNDSCHECK, tails are arrays.

`record` is the same for numbers that have names: a helper is given one word for all of them, and reads what it needs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_KINDS = {bool: np.bool_, int: np.int64, float: np.float64, np.uint64: np.uint64}


def record(fields: Any) -> Any:
    """The numbers of a named tuple in memory, under the same names; tuples of numbers are arrays there.

    A first field says whose they are: Numba takes a record that begins as another does for one of those.
    """
    kinds = tuple(len(value) if isinstance(value, tuple) else type(value) for value in fields)
    whose: Any = type(fields)
    memory = np.zeros(1, _layout(whose, kinds)).view(np.recarray)
    memory[0] = (0, *fields)
    return memory[0]


@cache
def _layout(fields: Any, kinds: tuple[Any, ...]) -> np.dtype[Any]:
    numbers = [np.dtype((np.int64, kind)) if isinstance(kind, int) else _KINDS[kind] for kind in kinds]
    named = zip(fields._fields, numbers, strict=True)
    return np.dtype([(fields.__name__, np.int64), *named], align=True)


def item(context: Any, builder: Any, kind: Any, value: Any, index: Any) -> Any:
    """A pointer to an item of an array or a tail."""
    if isinstance(kind, types.Array):
        value = builder.extract_value(value, context.data_model_manager[kind].get_field_position("data"))
    return builder.gep(value, [index])


@intrinsic
def _tail(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return item(context, builder, signature.args[0], *arguments)

    pointer: Any = types.CPointer
    return pointer(array.dtype)(array, types.intp), generate


def unless_checked(unchecked: Any, checked: Any) -> Any:
    """An intrinsic, or what does the same to arrays in Numba's way."""
    return numba.njit(checked) if numba.config.BOUNDSCHECK else unchecked  # type: ignore[attr-defined]


tail = unless_checked(_tail, lambda array, index: array[index:])


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Asks the processor for the cache line of array[index], which will soon be needed; any index does no harm."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.bitcast(item(context, builder, signature.args[0], *arguments), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        declare: Any = cgutils.get_or_insert_function
        function = declare(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
