"""Memory as kernels see it: named tuples of arrays, reached by name and index, as in `tree.register[place]`.

Inside a kernel the arrays of a named tuple become plain pointers (`unchecked`): an index costs one instruction, and a
helper that is given a tree is given one word for each of its arrays instead of seven. Where indices are checked
(`NUMBA_BOUNDSCHECK=1`), and where kernels run as plain Python (`jit.PLAIN`), they stay arrays, and an index out of
range raises. This is the one file that speaks LLVM; docs/engine.md has what the pointers gain.
"""

from __future__ import annotations

import ctypes
import operator
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, lower_builtin, models, register_model

from gpruntime.engine.jit import PLAIN

CHECKED = PLAIN or bool(numba.config.BOUNDSCHECK)  # type: ignore[attr-defined]


class RecordPointer(types.CPointer):
    """A pointer to records: an item of it is the record itself, to be read and written by the names of its fields."""


register_model(RecordPointer)(models.PointerModel)
_lowers: Any = lower_builtin


def _record_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.gep(arguments[0], [arguments[1]])


_lowers(operator.getitem, RecordPointer, types.Integer)(_record_at)


def _pointer_to(kind: Any) -> Any:
    pointer: Any = RecordPointer if isinstance(kind.dtype, types.Record) else types.CPointer
    return pointer(kind.dtype)


def _lean(kind: Any) -> Any:
    """The type of what an array, or each array of a named tuple, becomes; numbers stay what they are."""
    if isinstance(kind, types.Array):
        return _pointer_to(kind)
    if isinstance(kind, types.BaseNamedTuple):
        tuple_of: Any = types.BaseTuple.from_types
        named: Any = kind
        return tuple_of([_lean(one) for one in named.types], named.instance_class)
    return kind


def _made_lean(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if not isinstance(kind, types.BaseNamedTuple):
        return _data(context, builder, kind, value)
    named: Any = kind
    parts = [_made_lean(context, builder, one, builder.extract_value(value, i)) for i, one in enumerate(named.types)]
    return context.make_tuple(builder, _lean(kind), parts)


def _data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The address of the first item of an array; a pointer is one already."""
    if isinstance(kind, types.Array):
        return builder.extract_value(value, context.data_model_manager[kind].get_field_position("data"))
    return value


@intrinsic
def _unchecked(typing: Any, arrays: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _made_lean(context, builder, signature.args[0], arguments[0])

    return _lean(arrays)(arrays), generate


@intrinsic
def _tail(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(_data(context, builder, signature.args[0], arguments[0]), [arguments[1]])

    return _pointer_to(array)(array, types.intp), generate


@intrinsic
def _prefetch(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        item = builder.gep(_data(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")  # type: ignore[no-untyped-call]
        builder.call(function, [builder.bitcast(item, cgutils.voidptr_t), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@intrinsic
def _address_of(typing: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(_data(context, builder, signature.args[0], arguments[0]), ir.IntType(64))

    return types.int64(array), generate


@intrinsic
def _call_at(typing: Any, address: Any, first: Any, second: Any, third: Any, fourth: Any, fifth: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = builder.inttoptr(arguments[0], ir.FunctionType(word, [word] * 5).as_pointer())
        return builder.call(function, arguments[1:])

    return types.int64(*[types.int64] * 6), generate


@intrinsic
def _read_only(typing: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        borrowed: Any = impl_ret_borrowed
        return borrowed(context, builder, signature.return_type, arguments[0])

    return array.copy(readonly=True)(array), generate


def _plain_call_at(address: int, *arguments: int) -> int:
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 5)(int(address))(*map(int, arguments)))


def _checked(function: Any) -> Any:
    return function if PLAIN else numba.njit(function)


# `unchecked(arrays)`: a named tuple of arrays, or of such tuples, with pointers in their place.
unchecked = _checked(lambda arrays: arrays) if CHECKED else _unchecked
# `tail(array, index)`: the array from there on.
tail = _checked(lambda array, index: array[index:]) if CHECKED else _tail
# `prefetch(array, index)`: asks the processor for memory that will soon be needed; any index does no harm.
prefetch = _checked(lambda array, index: None) if CHECKED else _prefetch
# `address_of(array)`: where its first item is, and `call_at(address, …)`: calls a function of five words that is there.
address_of = (lambda array: array.ctypes.data) if PLAIN else _address_of
call_at = _plain_call_at if PLAIN else _call_at
# `read_only(array)`: the same array, of a type that cannot be written to.
read_only: Any = _read_only
