"""How Numba compiles the engine: to the same code, in a third of the time.

The first call of a problem waits for the compiler, and Numba spends much of that time on what kernels do not need. The
pipelines below, for `numba.njit(pipeline_class=...)`, leave it out:

- **Helpers are not made machine code.** Numba optimises each function and translates it by itself, and then again
  inside each of its callers. Nobody but a kernel calls a helper, so it is handed on as it is written, and optimised and
  translated where it ends up.
- **Less is written** (`lowering`).
- **Types are asked for once.** For each `a + b` Numba tries all that a sum of anything may be, from strings to
  arrays. For numbers the answer is always the same, and so are those for items of arrays and fields of tuples.
- **Passes for what kernels do not have**, closures, `with`, array expressions, are left out, and so are the lives of
  variables: nothing in a kernel needs to be let go of. Between passes Numba would look at its clocks, tell listeners
  and search for mistakes of its own.
- **Loops are not vectorised:** no loop of a kernel gains by it.
- **Flags** are hashed some ten thousand times, and collect their values one by one each time. Here they do it at
  once.

All of this is Numba's inside, so this file is only imported with the versions it was tried with (`kernel`).
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite.binding import parse_assembly
from numba.core import types
from numba.core.cgutils import normalize_ir_text
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import PassManager, _pass_registry, register_pass
from numba.core.interpreter import Interpreter
from numba.core.ir_utils import build_definitions
from numba.core.ssa import reconstruct_ssa
from numba.core.typed_passes import (
    InlineOverloads,
    IRLegalization,
    NativeLowering,
    NopythonRewrites,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    InlineClosureLikes,
    InlineInlinables,
    ReconstructSSA,
    TranslateByteCode,
    WithLifting,
)

from gpruntime.engine.lowering import NUMBERS, KernelLower

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
        if not plain or kws or not all(isinstance(a, NUMBERS | types.Array) for a in args):
            return self._context.resolve_function_type(function, args, kws)
        key = (function, args)
        if key not in _known:
            _known[key] = self._context.resolve_function_type(function, args, kws)
        return _known[key]


_known: dict[Any, Any] = {}
_OPERATORS = {f for f in vars(operator).values() if getattr(f, "__module__", "") == "_operator"} | {bool}


# ---- passes


@register_pass(mutates_CFG=True, analysis_only=False)
class _Translation(TranslateByteCode):
    """From bytecode, without a search for `with`, dictionaries and starred arguments, which kernels do not have."""

    _name = "kernel_translation"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = _Interpreter(state.func_id).interpret(state.bc)
        return True


class _Interpreter(Interpreter):
    def post_process(self, peepholes: Any, func_ir: Any) -> Any:
        return func_ir


@register_pass(mutates_CFG=True, analysis_only=False)
class _SingleAssignment(ReconstructSSA):
    """Numba's, but the lives of variables are not found out again: only what kernels do not have asks for them."""

    _name = "kernel_single_assignment"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = reconstruct_ssa(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _NoPhis(PreLowerStripPhis):
    """The same."""

    _name = "kernel_no_phis"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    """Writes a kernel's code, and has it translated."""

    _name = "kernel_lowering"
    lowering_class = KernelLower

    def run_pass(self, state: Any) -> bool:
        state.library = _KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _HelperLowering(NativeLowering):
    """Writes a helper's code, and stops there."""

    _name = "helper_lowering"
    lowering_class = KernelLower

    def run_pass(self, state: Any) -> bool:
        state.library = library = _HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        library.finalize()
        entry: Any = set().pop  # callers look a helper up by it; should Python call it, it raises an error
        state.targetctx.insert_user_function(entry, state.cr.fndesc, [library])
        state.cr = state.cr._replace(cfunc=entry)
        return True


class _Passes(PassManager):
    """Passes that are run and nothing else: no timers, no events, no search for mistakes of the compiler."""

    def run(self, state: Any) -> None:
        for a_pass, _ in self.passes:
            instance = _pass_registry.get(a_pass).pass_inst
            instance.analysis = self._analysis
            instance.run_pass(state)


class KernelCompiler(CompilerBase):
    """Numba's pipeline with the above."""

    lowering: Any = _KernelLowering

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.flags = _QuickFlags(self.state.flags)
        self.state.typingctx = _Typing(self.state.typingctx)

    def define_pipelines(self) -> list[Any]:
        """The passes, in order."""
        instead = {
            TranslateByteCode: _Translation,
            ReconstructSSA: _SingleAssignment,
            PreLowerStripPhis: _NoPhis,
            NativeLowering: self.lowering,
        }
        passes = _Passes("kernel")
        for a_pass, text in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if a_pass not in _NOT_NEEDED:
                passes.add_pass(instead.get(a_pass, a_pass), text)
        passes.finalize()
        return [passes]


class HelperCompiler(KernelCompiler):
    """The same for helpers."""

    lowering = _HelperLowering


# ---- LLVM


class _HelperLibrary(JITCodeLibrary):
    """The LLVM code of a helper as it was written, to be linked into kernels and nothing else."""

    def add_ir_module(self, ir_module: Any) -> None:
        self._final_module = parse_assembly(normalize_ir_text(str(ir_module)))

    def finalize(self) -> None:
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        raise RuntimeError(f"{self.name} is a helper of kernels, and others cannot call it")


class _KernelLibrary(JITCodeLibrary):
    """The LLVM code of a kernel and all that it calls, optimised once and together.

    The helpers in it are nobody else's, so LLVM may change what they are given. A state is some fifteen arrays of seven
    numbers each, all of which a call would copy; a helper that is told to be `internal` gets the few it looks at. It
    is another function then, and needs another name: the same helper in other code would be taken for this one.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._own = {function.name for function in self._final_module.functions if not function.is_declaration}
        called, self._linking_libraries = self._linking_libraries, []
        seen = set()
        while called:
            library = called.pop()
            if library in seen:
                continue
            seen.add(library)
            if isinstance(library, _HelperLibrary):
                self._final_module.link_in(library._final_module, preserve=True)
                called.extend(library._linking_libraries)
            else:
                self._linking_libraries.append(library)
        super().finalize()

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in self._own:
                function.linkage = "internal"
                function.name = f"{self.name}: {function.name}"
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False)
        passes.run(self._final_module, builder)
