"""The source of a part that a user wrote: all that it refers to, put together into one text that stands by itself.

A part is a function, or a class. What it means is settled by its own text and by what that text names: constants,
functions, classes and modules, found as Python finds them. Put together they make a file that can be kept beside a
study's runs, sent to a worker or to another machine, and run there. The digest of that text is part of the address of
the runs, so an edited function never mixes with its earlier runs, while an edit elsewhere in its file changes nothing,
nor one of a problem's bounds.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import inspect
import linecache
import re
import sys
import sysconfig
import textwrap
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpruntime.model.errors import BadInput

LOADED = "gpruntime.parts."  # modules of files that a user named: no import finds them
_DIGITS = 16
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_MOST_ITEMS = 100_000
_ASIDES = ("bounds",)  # what a decorator says that no run depends on


def digest_of(source: str) -> str:
    """What tells one source from another, in 16 hexadecimal digits."""
    return hashlib.sha256(source.encode()).hexdigest()[:_DIGITS]


def source_of(function: Callable[..., Any], field: str) -> str:
    """The text of a function or class and of all that it refers to; raises `BadInput` where it cannot be had."""
    gathering = _Gathering(field, function.__name__)
    if isinstance(function, type):
        gathering.add_class(function.__name__, function)
    else:
        gathering.add_function(function.__name__, function)
    return "\n\n".join([*sorted(gathering.imports), *gathering.texts]) + "\n"


class _Gathering:
    """Imports and definitions, each before what needs it."""

    def __init__(self, field: str, name: str) -> None:
        self.field, self.name = field, name
        self.imports: set[str] = set()
        self.texts: list[str] = []
        self._found: dict[str, Any] = {}

    def refuse(self, why: str) -> BadInput:
        return BadInput(self.field, self.name, why)

    def add_function(self, name: str, function: Callable[..., Any]) -> None:
        """The function, under this name, after what it refers to."""
        function = inspect.unwrap(function)
        try:
            text = textwrap.dedent(inspect.getsource(function))
            tree = ast.parse(text)
        except (OSError, TypeError, SyntaxError, IndentationError):
            raise self.refuse(f"the source of {name} cannot be found: write it in a file or a notebook") from None
        definition = tree.body[0]
        if not isinstance(definition, ast.FunctionDef):
            raise self.refuse(f"{name} must be a function made by def")
        text = _without_asides(text, definition)
        if definition.name != name:
            raise self.refuse(f"{definition.name} goes by the name {name}: use one name")
        known = {**vars(builtins), **function.__globals__, **_closure(function)}
        own = _bound_names(definition)
        for used in sorted(_used_names(definition) - own):
            if used in known:
                self.add(used, known[used])
        self.texts.append(text.strip())

    def add_class(self, name: str, class_: type) -> None:
        """The class, under this name, after what its methods, its bases and its body refer to."""
        methods = [found for found in map(_function_of, vars(class_).values()) if found is not None]
        text = _class_text(class_, methods)
        if text is None:
            raise self.refuse(f"the source of {name} cannot be found: write it, with a method, in a file or a notebook")
        definition = ast.parse(text).body[0]
        assert isinstance(definition, ast.ClassDef)
        if definition.name != name:
            raise self.refuse(f"{definition.name} goes by the name {name}: use one name")
        known = {**vars(builtins)}
        for method in methods:
            known |= {**method.__globals__, **_closure(method)}
        self._found.setdefault(name, class_)
        for used in sorted(_names_outside(definition)):
            if used in known:
                self.add(used, known[used])
        self.texts.append(text.strip())

    def add(self, name: str, value: Any) -> None:
        """Whatever a name stands for."""
        if getattr(builtins, name, self) is value:
            return
        if callable(getattr(value, "function", None)) and not isinstance(value, type):
            value = value.function  # another part
        if name in self._found:
            if self._found[name] is not value and self._found[name] != value:
                raise self.refuse(f"{name} means two things in what it refers to: use two names")
            return
        self._found[name] = value
        value = getattr(value, "py_func", value)  # a function that Numba has compiled already
        if isinstance(value, types.ModuleType):
            self.imports.add(f"import {value.__name__} as {name}")
        elif isinstance(value, np.ufunc):
            self.imports.add(f"from numpy import {value.__name__} as {name}")
        elif _is_installed(value):
            package = value.__module__.partition(".")[0]
            exported = hasattr(sys.modules[package], value.__qualname__)  # where ours stand may change
            module = package if package == "gpruntime" and exported else value.__module__
            self.imports.add(f"from {module} import {value.__qualname__} as {name}")
        elif isinstance(value, types.FunctionType):
            self.add_function(name, value)
        elif isinstance(value, type):
            self.add_class(name, value)
        else:
            self.texts.append(f"{name} = {self._written(name, value)}")

    def _written(self, name: str, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, np.ndarray) and value.dtype.kind in "iufb" and value.size <= _MOST_ITEMS:
            self.imports.add("import numpy")
            return f"numpy.array({value.tolist()!r}, numpy.{value.dtype.name})"
        if _is_plain(value):
            return repr(value)
        wanted = "a number, text, tuple, list, array, function or module"
        raise self.refuse(f"it refers to {name}, a {type(value).__name__}: only {wanted} can be kept with it")


def _without_asides(text: str, definition: ast.FunctionDef) -> str:
    """The text without what a decorator says that no run depends on; it is taken out of the definition, too."""
    for call in [one for one in definition.decorator_list if isinstance(one, ast.Call)]:
        for aside in [one for one in call.keywords if one.arg in _ASIDES]:
            lines = text.encode().splitlines(keepends=True)
            begin = sum(map(len, lines[: aside.lineno - 1])) + aside.col_offset
            assert aside.end_lineno is not None
            assert aside.end_col_offset is not None
            end = sum(map(len, lines[: aside.end_lineno - 1])) + aside.end_col_offset
            before, after = text.encode()[:begin].decode(), text.encode()[end:].decode()
            shorter = re.sub(r",\s*$", "", before)
            text = shorter + after if shorter != before else before + re.sub(r"^\s*,\s*", "", after)
            decorated = ast.parse(text).body[0]
            assert isinstance(decorated, ast.FunctionDef)
            definition.decorator_list = decorated.decorator_list
            return _without_asides(text, definition)
    return text


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    cells = getattr(function, "__closure__", None) or ()
    names = function.__code__.co_freevars
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def _function_of(value: Any) -> types.FunctionType | None:
    """The function of a method of whatever kind."""
    value = getattr(value, "fget", None) or getattr(value, "__func__", value)
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, types.FunctionType) else None


def _class_text(class_: type, methods: list[types.FunctionType]) -> str | None:
    """The text of a class, by where its methods stand: `inspect` looks in modules that are imported only."""
    for method in methods:
        code = method.__code__
        try:
            tree = ast.parse("".join(linecache.getlines(code.co_filename, method.__globals__)))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef) or node.name != class_.__name__:
                continue
            if node.lineno <= code.co_firstlineno <= (node.end_lineno or 0):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                lines = linecache.getlines(code.co_filename, method.__globals__)[first - 1 : node.end_lineno]
                return textwrap.dedent("".join(lines))
    return None


def _names_outside(definition: ast.ClassDef) -> set[str]:
    """Names that a class takes from around it: what one method binds, another does not see."""
    body = [node for node in definition.body if not isinstance(node, ast.FunctionDef)]
    here = {name for node in body for name in _stored_names(node)}
    around = [*definition.bases, *definition.decorator_list, *(keyword.value for keyword in definition.keywords)]
    found = {name for node in (*body, *around) for name in _used_names(node)} - here
    for node in definition.body:
        if isinstance(node, ast.FunctionDef):
            found |= _used_names(node) - _bound_names(node)
    return found - {definition.name}


def _stored_names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}


def _used_names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _bound_names(definition: ast.FunctionDef) -> set[str]:
    """Names that the function itself gives a meaning: its own, arguments of it and of lambdas, what it assigns to."""
    found = {definition.name}
    for node in ast.walk(definition):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


def _is_installed(value: Any) -> bool:
    """Whether an import finds it: a function or class of the standard library or of an installed package."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", "")
    if not isinstance(module, str) or not name.isidentifier():
        return False
    if module.partition(".")[0] == "gpruntime":
        return not module.startswith(LOADED)
    try:
        file = inspect.getfile(value)
    except (TypeError, OSError):  # built in, or of an extension module; or of one that no import finds
        if getattr(sys.modules.get(module), "__spec__", None) is None:
            return False
        return not isinstance(value, types.FunctionType) and isinstance(value, type | types.BuiltinFunctionType)
    paths = sysconfig.get_paths()
    return any(Path(file).is_relative_to(paths[kind]) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))


def _is_plain(value: Any, depth: int = 5) -> bool:
    if isinstance(value, tuple | list) and depth:
        return len(value) <= _MOST_ITEMS and all(_is_plain(item, depth - 1) for item in value)
    return isinstance(value, _PLAIN)
