"""How the LLVM code of kernels and helpers is written: what Numba writes, in less than half of the lines.

Writing the helpers of ORDER's skipping as Numba does took 2.5 s of 6; all that LLVM did with the kernel then, 1.6 s.

- **Tuples stay in parts.** A state is some fifteen arrays of seven numbers each. Numba puts each array and each tuple
  together from the arguments of a function, one number after the other, and takes it apart again for each item and
  each call: half of all it writes.
- **Variables are values.** Numba gives a variable that is used in several blocks a place in memory, and loads it, be it
  a whole state, wherever it is used. Most are assigned once, before all their uses, and need none.
- **Items are looked up at once.** What the index of an array may be is decided here for numbers; everything else goes
  Numba's way. Like there, a negative index counts from the end, and no index is checked unless NUMBA_BOUNDSCHECK
  asks for it.
- **Nothing is looked up twice:** how two numbers are added is remembered.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

from llvmlite.ir import IRBuilder, Value
from numba.core import ir, types
from numba.core.cgutils import alloca_once
from numba.core.lowering import Lower

NUMBERS = types.Number | types.Boolean

_operators: dict[Any, Any] = {}


class _Parts(Value):
    """A tuple or an array known by its parts.

    Attributes:
        whole: what the other parts are to be taken from.
        parts: those that are known, by their number.
    """

    def __init__(self, whole: Any, parts: dict[int, Any]) -> None:
        self.type, self.whole, self.parts = whole.type, whole, parts


class _Builder(IRBuilder):
    """llvmlite's, which puts parts together only where something asks for the whole."""

    def insert_value(self, agg: Any, value: Any, idx: Any, name: str = "") -> Any:
        (place,) = idx if isinstance(idx, (list, tuple)) else (idx,)
        whole, parts = (agg.whole, agg.parts) if isinstance(agg, _Parts) else (agg, {})
        return _Parts(whole, {**parts, place: value})

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        for place in idx if isinstance(idx, (list, tuple)) else (idx,):
            whole, parts = (agg.whole, agg.parts) if isinstance(agg, _Parts) else (agg, {})
            agg = parts[place] if place in parts else super().extract_value(whole, place, name)
        return agg

    def _insert(self, instr: Any) -> None:
        if any(isinstance(operand, _Parts) for operand in instr.operands):
            instr.operands = [self._whole(operand) for operand in instr.operands]
        super()._insert(instr)

    def _whole(self, value: Any) -> Any:
        if not isinstance(value, _Parts):
            return value
        whole = value.whole
        for index, part in value.parts.items():
            whole = super().insert_value(whole, self._whole(part), index)
        return whole


class KernelLower(Lower):
    """Numba's, with the above."""

    def setup_function(self, fndesc: Any) -> None:
        """Begins a function."""
        super().setup_function(fndesc)
        self.builder = _Builder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    # ---- variables

    def _find_singly_assigned_variable(self) -> None:
        """All that are assigned once, not only those used in one block.

        Numba has seen to it that every way to a use leads past the assignment.
        """
        times = Counter(
            statement.target.name for block in self.blocks.values() for statement in block.find_insts(ir.Assign)
        )
        self._singly_assigned_vars = {name for name in times if times[name] == 1}
        self._blk_local_varmap: dict[str, Any] = {}

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Assigns to a variable."""
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.varmap[name])

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """Memory for a variable."""
        return alloca_once(self.builder, lltype, name=name)

    # ---- statements and expressions

    def lower_block(self, block: Any) -> None:
        """Writes a block."""
        for statement in block.body:
            self.loc = statement.loc
            self.lower_inst(statement)

    def lower_inst(self, inst: Any) -> None:
        """Writes a statement. Numba would make a text of each first, for messages nobody reads."""
        if isinstance(inst, ir.Assign):
            name = inst.target.name
            self.storevar(self.lower_assign(self.typeof(name), inst), name)
        elif isinstance(inst, ir.StaticSetItem):
            self.lower_setitem(inst.target, inst.index_var, inst.value, self.fndesc.calltypes[inst])
        else:
            super().lower_inst(inst)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Writes an expression."""
        of_array = expr.op in ("static_getitem", "getattr") and isinstance(self.typeof(expr.value.name), types.Array)
        if of_array and expr.op == "static_getitem":
            return self.lower_getitem(resty, expr, expr.value, expr.index_var, self.fndesc.calltypes[expr])
        if of_array and expr.attr == "shape":
            return self._field(self.loadvar(expr.value.name), self.typeof(expr.value.name), "shape")
        return super().lower_expr(resty, expr)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Writes an operator."""
        signature = self.fndesc.calltypes[expr]
        if op is operator.pow or not all(isinstance(a, NUMBERS) for a in signature.args):
            return super().lower_binop(resty, expr, op)
        values = self._arguments((expr.lhs, expr.rhs), signature.args)
        key = (op, signature.args)
        if key not in _operators:
            function = self.context.typing_context.resolve_value_type(op)
            wanted = function.get_call_type(self.context.typing_context, signature.args, {})
            _operators[key] = self.context.get_function(function, wanted)
        found = _operators[key]
        result = found._imp(self.context, self.builder, found._sig, values, loc=self.loc)
        self.context.add_linking_libs(getattr(found, "libs", ()))
        return self.context.cast(self.builder, result, signature.return_type, resty)

    def _arguments(self, variables: Any, args: Any) -> list[Any]:
        return [
            self.context.cast(self.builder, self.loadvar(variable.name), self.typeof(variable.name), wanted)
            for variable, wanted in zip(variables, args, strict=True)
        ]

    # ---- items of arrays

    def _field(self, array: Any, kind: Any, name: str) -> Any:
        return self.builder.extract_value(array, self.context.data_model_manager[kind].get_field_position(name))

    def _item(self, array: Any, index: Any, kind: Any, index_kind: Any) -> Any:
        """Where an item is: for a number of an array without gaps, else None."""
        builder, several = self.builder, isinstance(index_kind, types.BaseTuple)
        kinds = list(index_kind) if several else [index_kind]
        plain = isinstance(kind, types.Array) and kind.layout == "C" and kind.aligned and len(kinds) == kind.ndim > 0
        if self.context.enable_boundscheck or not plain or not all(isinstance(a, types.Integer) for a in kinds):
            return None
        shape, place = self._field(array, kind, "shape"), None
        for axis, a_kind in enumerate(kinds):
            number = builder.extract_value(index, axis) if several else index
            number = self.context.cast(builder, number, a_kind, types.intp if a_kind.signed else types.uintp)
            size = builder.extract_value(shape, axis) if a_kind.signed or axis > 0 else None
            if a_kind.signed:
                from_end = builder.icmp_signed("<", number, number.type(0))
                number = builder.select(from_end, builder.add(number, size), number)
            place = number if place is None else builder.add(builder.mul(place, size), number)
        return builder.gep(self._field(array, kind, "data"), [place])

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Writes `value[index]`."""
        kind, index_kind = signature.args
        array, place = self._arguments((value, index), signature.args)
        item = self._item(array, place, kind, index_kind)
        if item is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        return self.context.cast(
            self.builder, self.context.unpack_value(self.builder, kind.dtype, item), kind.dtype, resty
        )

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> None:
        """Writes `target[index] = value`."""
        kind, index_kind, value_kind = signature.args
        array, index, value = self._arguments((target_var, index_var, value_var), signature.args)
        item = self._item(array, index, kind, index_kind)
        if item is None:
            super().lower_setitem(target_var, index_var, value_var, signature)
            return
        value = self.context.cast(self.builder, value, value_kind, kind.dtype)
        self.context.pack_value(self.builder, kind.dtype, value, item)
