"""Memory as kernels see it: named tuples of arrays, reached by name and index, as in `tree.register[place]`.

Inside a kernel the arrays become plain pointers (`unchecked`): an index costs one instruction, and a tree is one word
for each of its arrays instead of seven. Where indices are checked (`NUMBA_BOUNDSCHECK=1`), and in plain Python, they
stay arrays. This is the one file that speaks LLVM.
"""

import operator
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model

from gpruntime.engine.jit import PLAIN, inlined_once


class RecordPointer(types.CPointer):
    """A pointer to records: an item of it is the record itself."""


def _pointer_to(kind):
    """The type of what an array, or each array of a named tuple, becomes; numbers stay what they are."""
    if isinstance(kind, types.Array):
        return (RecordPointer if isinstance(kind.dtype, types.Record) else types.CPointer)(kind.dtype)
    if isinstance(kind, types.BaseNamedTuple):
        return types.BaseTuple.from_types([_pointer_to(field) for field in kind.types], kind.instance_class)
    return kind


def _data(context, builder, kind, value):
    """The value of that type: the address of the first item of an array; a pointer is one already."""
    if isinstance(kind, types.Array):
        return builder.extract_value(value, context.data_model_manager[kind].get_field_position("data"))
    if isinstance(kind, types.BaseNamedTuple):
        values = [builder.extract_value(value, i) for i in range(len(kind.types))]
        parts = [_data(context, builder, *field) for field in zip(kind.types, values, strict=True)]
        return context.make_tuple(builder, _pointer_to(kind), parts)
    return value


def _item(context, builder, signature, arguments):
    """The address of an item, from an array or a pointer and an index."""
    return builder.gep(_data(context, builder, signature.args[0], arguments[0]), arguments[1:])


def _ask_for_item(context, builder, signature, arguments):
    kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, *[ir.IntType(32)] * 3])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    item = builder.bitcast(_item(context, builder, signature, arguments), cgutils.voidptr_t)
    builder.call(function, [item, *map(ir.IntType(32), (0, 3, 1))])
    return context.get_dummy_value()


@intrinsic
def _unchecked(typing, arrays):
    """A named tuple of arrays, or of such tuples, with pointers in their place."""
    return _pointer_to(arrays)(arrays), lambda *call: _data(*call[:2], call[2].args[0], call[3][0])


@intrinsic
def _tail(typing, array, index):
    """The array from this index on."""
    return _pointer_to(array)(array, types.intp), _item


@intrinsic
def _prefetch(typing, array, index):
    """Asks the processor for memory that will soon be needed; any index does no harm."""
    return types.void(array, types.intp), _ask_for_item


@intrinsic
def address_of(typing, array):
    """Where the first item of an array is."""
    return types.int64(array), lambda *call: call[1].ptrtoint(
        _data(*call[:2], call[2].args[0], call[3][0]), ir.IntType(64)
    )


@intrinsic
def call_at(typing, address, first, second, third, fourth, fifth):
    """Calls a function of five words that is at an address."""
    kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * 5).as_pointer()
    return types.int64(*[types.int64] * 6), lambda *call: call[1].call(call[1].inttoptr(call[3][0], kind), call[3][1:])


@intrinsic
def words_at(typing, address):
    """A pointer to the integers at an address."""
    return types.CPointer(types.int64)(address), lambda *call: call[1].inttoptr(call[3][0], ir.IntType(64).as_pointer())


_CHECKED: tuple[Any, ...] = (lambda arrays: arrays, lambda array, index: array[index:], lambda array, index: None)
_is_checked = PLAIN or bool(numba.config.BOUNDSCHECK)  # type: ignore[attr-defined]
unchecked, tail, prefetch = map(inlined_once, _CHECKED) if _is_checked else (_unchecked, _tail, _prefetch)
register_model(RecordPointer)(models.PointerModel)
lower_builtin(operator.getitem, RecordPointer, types.Integer)(_item)
