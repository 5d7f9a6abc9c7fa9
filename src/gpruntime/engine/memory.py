"""Memory as kernels see it: words that say where an array, or a part of one, begins.

`tail(array, i)` is array[i:]. It is read and written by index, as an array is, but is one word without a length or an
owner: a helper that is given it has nothing to unpack, and Numba counts no references to it. The array is Python's and
outlives the call. Indices are not asked whether they count from the end. With NUMBA_BOUNDSCHECK a tail knows how long
it is, and an index that is negative or too large raises an IndexError: Numba's own checks take −1 for the last item.

`record` is the same for numbers that have names: a helper is given one word for all of them, and reads what it needs.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

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


class _CheckedTail(types.Type):
    """A tail that knows its length."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"tail({dtype})")


@register_model(_CheckedTail)
class _CheckedTailModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        pointer: Any = types.CPointer
        fields = [("data", pointer(kind.dtype)), ("nitems", types.intp)]
        super().__init__(manager, kind, fields)  # type: ignore[no-untyped-call]


def item(context: Any, builder: Any, kind: Any, memory: Any, index: Any, size: Any = None) -> Any:
    """A pointer to an item of an array or a tail; where bounds are checked, to as many as `size`, or to this one."""
    pointer = _pointer(context, builder, kind, memory, index)
    if not isinstance(kind, types.CPointer) and _checks():
        end = builder.add(index, index.type(1) if size is None else size)
        before, beyond = (index, index.type(0)), (end, _field(context, builder, kind, memory, "nitems"))
        wrong = builder.or_(builder.icmp_signed("<", *before), builder.icmp_signed(">", *beyond))
        with builder.if_then(wrong, likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("index is out of bounds",))
    return pointer


def _checks() -> bool:
    config: Any = numba.config
    return bool(config.BOUNDSCHECK)


def _pointer(context: Any, builder: Any, kind: Any, memory: Any, index: Any) -> Any:
    begin = memory if isinstance(kind, types.CPointer) else _field(context, builder, kind, memory, "data")
    return builder.gep(begin, [index])


def _field(context: Any, builder: Any, kind: Any, memory: Any, name: str) -> Any:
    return builder.extract_value(memory, context.data_model_manager[kind].get_field_position(name))


@intrinsic
def _tail(typing: Any, array: Any, index: Any) -> Any:
    pointer: Any = types.CPointer
    kind = _CheckedTail(array.dtype) if _checks() else pointer(array.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (whole, _), (memory, index) = signature.args, arguments
        begin = item(context, builder, whole, memory, index, index.type(0))
        if not isinstance(kind, _CheckedTail):
            return begin
        proxy: Any = cgutils.create_struct_proxy
        made = proxy(kind)(context, builder)
        made.data, made.nitems = begin, builder.sub(_field(context, builder, whole, memory, "nitems"), index)
        return made._getvalue()

    return kind(array, types.intp), generate


tail: Any = _tail  # an intrinsic is called without its first argument, which annotations do not say


@intrinsic
def _load(typing: Any, memory: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(item(context, builder, signature.args[0], *arguments))

    return memory.dtype(memory, types.intp), generate


@intrinsic
def _store(typing: Any, memory: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], item(context, builder, signature.args[0], *arguments[:2]))
        return context.get_dummy_value()

    return types.void(memory, types.intp, memory.dtype), generate


def _getitem(memory, index):  # type: ignore[no-untyped-def]
    load: Any = _load
    return (lambda memory, index: load(memory, index)) if isinstance(memory, _CheckedTail) else None


def _setitem(memory, index, value):  # type: ignore[no-untyped-def]
    store: Any = _store
    return (lambda memory, index, value: store(memory, index, value)) if isinstance(memory, _CheckedTail) else None


if _checks():  # else Numba would ask them in vain
    overload(operator.getitem)(_getitem)
    overload(operator.setitem)(_setitem)


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Asks the processor for the cache line of array[index], which will soon be needed; any index does no harm."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.bitcast(_pointer(context, builder, signature.args[0], *arguments), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        declare: Any = cgutils.get_or_insert_function
        function = declare(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
