"""How Numba compiles the engine: to the same code, in little more than half of the time.

The first call of a problem waits for the compiler, and Numba spends much of that time on what kernels do not need. The
pipelines below, for `numba.njit(pipeline_class=...)`, leave it out:

- **Helpers are not made machine code.** Numba optimises each function and translates it by itself, and then again
  inside each of its callers. Nobody but a kernel calls a helper, so it is handed on as it is, and optimised and
  translated where it ends up.
- **Types are asked for once.** For each `a + b` Numba tries all that a sum of anything may be, from strings to
  arrays, and when it writes the code it asks again. For numbers the answer is always the same, and so are those for
  items of arrays and fields of tuples.
- **Passes for what kernels do not have**, closures, `with`, array expressions, are left out. So are ends of life:
  nothing in a kernel needs to be let go of, and Numba would write a zero over every variable after its last use.
- **Loops are not vectorised:** no loop of a kernel gains by it.
- **Flags** are hashed some ten thousand times, and collect their values one by one each time. Here they do it at
  once.

All of this is Numba's inside, so it is done with the versions it was tried with; any other compiles the ordinary way.
"""

from __future__ import annotations

import operator
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import InlineOverloads, IRLegalization, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes, InlineInlinables, WithLifting

_TRIED = [["0", "68"]]

_NOT_NEEDED = (WithLifting, InlineClosureLikes, InlineInlinables, InlineOverloads, NopythonRewrites, IRLegalization)


class _QuickFlags(Flags):
    """Flags that give all their values at once, and hand on to what a function calls only those that matter there.

    Otherwise what is called from a kernel and from a helper would be compiled twice.
    """

    def copy(self) -> _QuickFlags:
        handed_on = _QuickFlags(self)
        for name in ("forceinline", "no_cpython_wrapper", "no_cfunc_wrapper", "release_gil"):
            handed_on.discard(name)
        return handed_on

    def values(self) -> dict[str, Any]:
        return {**_DEFAULTS, **self._values}


_DEFAULTS = {name: option.default for name, option in Flags.options.items()}


class _Typing:
    """Numba's typing context, which remembers the types of items and attributes, and of operators on numbers."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def _remembered(self, ask: str, *question: Any) -> Any:
        key = (ask, *question)
        if key not in _known:
            _known[key] = getattr(self._context, ask)(*question)
        return _known[key]

    def resolve_getitem(self, target: Any, index: Any) -> Any:
        return self._remembered("resolve_getitem", target, index)

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        return self._remembered("resolve_setitem", target, index, value)

    def resolve_getattr(self, target: Any, name: str) -> Any:
        return self._remembered("resolve_getattr", target, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        plain = isinstance(function, types.NumberClass) or getattr(function, "typing_key", function) in _OPERATORS
        if not plain or kws or not all(isinstance(a, _NUMBERS | types.Array) for a in args):
            return self._context.resolve_function_type(function, args, kws)
        key = (function, args)
        if key not in _known:
            _known[key] = self._context.resolve_function_type(function, args, kws)
        return _known[key]


_known: dict[Any, Any] = {}
_NUMBERS = types.Number | types.Boolean
_OPERATORS = {f for f in vars(operator).values() if getattr(f, "__module__", "") == "_operator"} | {bool}


class _Lower(Lower):
    """Numba's writer of LLVM code, which remembers what it has found for operators on numbers and items of arrays."""

    def _implementation(self, operation: Any, args: Any) -> Any:
        function = self.context.typing_context.resolve_value_type(operation)
        key = (_Lower, operation, args)
        if key not in _known:
            _known[key] = function.get_call_type(self.context.typing_context, args, {})
        return self.context.get_function(function, _known[key])

    def _arguments(self, variables: Any, args: Any) -> list[Any]:
        return [
            self.context.cast(self.builder, self.loadvar(variable.name), self.typeof(variable.name), wanted)
            for variable, wanted in zip(variables, args, strict=True)
        ]

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        signature = self.fndesc.calltypes[expr]
        if op is operator.pow or not all(isinstance(a, _NUMBERS) for a in signature.args):
            return super().lower_binop(resty, expr, op)
        values = self._arguments((expr.lhs, expr.rhs), signature.args)
        result = self._implementation(op, signature.args)(self.builder, values)
        return self.context.cast(self.builder, result, signature.return_type, resty)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        values = self._arguments((value, index), signature.args)
        result = self._implementation(operator.getitem, signature.args)(self.builder, values)
        return self.context.cast(self.builder, result, signature.return_type, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        values = self._arguments((target_var, index_var, value_var), signature.args)
        return self._implementation(operator.setitem, signature.args)(self.builder, values)


class _KernelLibrary(JITCodeLibrary):
    """The LLVM code of a kernel, optimised once: there is no counting of references to be optimised before.

    The helpers in it are nobody else's, so LLVM may change what they are given. A state is some fifteen arrays of seven
    numbers each, all of which a call would copy; a helper that is told to be `internal` gets the few it looks at. It
    is another function then, and needs another name: the same helper in other code would be taken for this one.
    """

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = "internal"
                function.name = f"{self.name}: {function.name}"
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False)
        passes.run(self._final_module, builder)


class _HelperLibrary(JITCodeLibrary):
    """The LLVM code of a helper, which is to be linked into its callers and nothing else."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    """Numba's, with a library of our own."""

    _name = "kernel_lowering"
    lowering_class = _Lower

    def run_pass(self, state: Any) -> bool:
        state.library = _KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _HelperLowering(NativeLowering):
    """Writes a helper's LLVM code, and stops there."""

    _name = "helper_lowering"
    lowering_class = _Lower

    def run_pass(self, state: Any) -> bool:
        state.library = library = _HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        library.finalize()
        entry: Any = [].append  # callers look a helper up by its entry: any builtin will do, if it is its own
        state.targetctx.insert_user_function(entry, state.cr.fndesc, [library])
        state.cr = state.cr._replace(cfunc=entry)
        return True


class _KernelCompiler(CompilerBase):
    """Numba's pipeline without the above."""

    lowering: Any = _KernelLowering

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.flags = _QuickFlags(self.state.flags)
        self.state.typingctx = _Typing(self.state.typingctx)

    def define_pipelines(self) -> list[Any]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (self.lowering if a_pass is NativeLowering else a_pass, text)
            for a_pass, text in pipeline.passes
            if a_pass not in _NOT_NEEDED
        ]
        pipeline.finalize()
        return [pipeline]


class _HelperCompiler(_KernelCompiler):
    """The same for helpers."""

    lowering = _HelperLowering


def pipelines(version: str = numba.__version__) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of `njit` for kernels and for helpers, with this version of Numba."""
    if version.split(".")[:2] not in _TRIED:
        return {}, {}
    return {"pipeline_class": _KernelCompiler}, {"pipeline_class": _HelperCompiler}


FOR_KERNELS, FOR_HELPERS = pipelines()
