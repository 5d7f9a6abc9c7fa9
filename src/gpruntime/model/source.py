"""The source of a part that a user wrote: all that it refers to, put together into one text that stands by itself.

A part is a function, or a class. What it means is settled by its own text and by what that text names: constants,
functions, classes and modules, found as Python finds them. Put together they make a file that can be kept beside a
study's runs, sent to a worker or to another machine, and run there. The digest of that text is part of the address of
the runs, so an edited function never mixes with its earlier runs, while an edit elsewhere in its file changes nothing,
nor one of a problem's bounds.

The text must say what runs. What cannot be kept is refused, and so is what the text no longer says: a default that was
worked out from another value, a file that was edited after it was imported. What a name stood for is kept with the
text (`references`), to see whether it still does.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib.util
import inspect
import linecache
import re
import sys
import sysconfig
import textwrap
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gpruntime.model.arrays import np
from gpruntime.model.errors import BadInput
from gpruntime.model.names import Definition, Names, names_of
from gpruntime.model.references import MISSING, Reference, Surroundings, fixed, function_behind, function_of, refers
from gpruntime.model.running import is_what_runs
from gpruntime.model.written import KINDS, classes_in, needs_numpy, written, written_class

LOADED = "gpruntime.parts."  # modules of files that a user named: no import finds them
_DIGITS = 16
_ASIDES = ("bounds",)  # what a decorator says that no run depends on
_PACKAGES = ("site-packages", "dist-packages")
_BY_TEXT = (eval, exec, globals, __import__)  # what these find, no text names
_EVALUATED = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp,
    ast.operator, ast.unaryop, ast.expr_context,
)  # fmt: skip


def digest_of(source: str) -> str:
    """What tells one source from another, in 16 hexadecimal digits."""
    return hashlib.sha256(source.encode()).hexdigest()[:_DIGITS]


class Source(NamedTuple):
    """The text of a part, and what the names in it stood for."""

    text: str
    references: tuple[Reference, ...]

    def changed(self) -> Reference | None:
        """The first name that no longer stands for what it did."""
        return next((reference for reference in self.references if not reference.holds()), None)


def source_of(function: Callable[..., Any], field: str, decorated_with: Sequence[Callable[..., Any]] = ()) -> Source:
    """The text of a function or class and of all that it refers to; raises `BadInput` where it cannot be had.

    `decorated_with` are functions in its decorator, whose variables are not its own.
    """
    gathering = _Gathering(field, function.__name__)
    if isinstance(function, type):
        gathering.add_class(function.__name__, function)
    else:
        gathering.add_function(function.__name__, function, decorated_with)
    gathering.references.append(refers(function.__name__, lambda: function, kept=True))
    text = "\n\n".join([*sorted(gathering.imports), *gathering.texts]) + "\n"
    return Source(text, tuple(gathering.references))


class _Gathering:
    """Imports and definitions, each before what needs it."""

    def __init__(self, field: str, name: str) -> None:
        self.field, self.name = field, name
        self.imports: set[str] = set()
        self.texts: list[str] = []
        self.references: list[Reference] = []
        self._found: dict[str, Any] = {}

    def refuse(self, why: str) -> BadInput:
        return BadInput(self.field, self.name, why)

    def add_function(
        self, name: str, function: Callable[..., Any], decorated_with: Sequence[Callable[..., Any]] = ()
    ) -> None:
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
        self._check_text(name, definition, [function])
        self._check_imports(definition)
        if attributes := vars(function):
            raise self.refuse(f"{name}.{min(attributes)} is set from outside its text: make it a global")
        text = _without_asides(text, definition)
        around = Surroundings([*(one for one in decorated_with if one.__name__ == "<lambda>"), function])
        self._check_defaults(definition, function, around)
        self._add_names(names_of(definition), around)
        self.texts.append(text.strip())

    def add_class(self, name: str, class_: type) -> None:
        """The class, under this name, after what its methods, its bases and its body refer to."""
        if (short := written_class(class_)) is not None:
            self._found.setdefault(name, class_)
            self.imports.add("import collections" if issubclass(class_, tuple) else "import enum")
            self.texts.append(f"{name} = {short}")
            return
        methods = {key: found for key, value in vars(class_).items() if (found := function_of(value)) is not None}
        text = _class_text(class_, list(methods.values()))
        if text is None:
            raise self.refuse(f"the source of {name} cannot be found: write it, with a method, in a file or a notebook")
        definition = ast.parse(text).body[0]
        assert isinstance(definition, ast.ClassDef)
        defined = {node.name for node in definition.body if isinstance(node, ast.FunctionDef)}
        self._check_text(name, definition, [method for key, method in methods.items() if key in defined])
        around = Surroundings(sorted(methods.values(), key=lambda method: method.__module__ == class_.__module__))
        self._check_imports(definition)
        self._check_attributes(definition, class_, around)
        self._found.setdefault(name, class_)
        self._add_names(names_of(definition), around)
        self.texts.append(text.strip())

    def _check_text(self, name: str, definition: Definition, functions: Sequence[Any]) -> None:
        if definition.name != name:
            raise self.refuse(f"{definition.name} goes by the name {name}: use one name")
        if not all(map(is_what_runs, functions)):
            raise self.refuse(f"the source of {name} is not what runs: it was edited since; load it again")

    def _check_imports(self, definition: Definition) -> None:
        """An import inside a definition is done when it is called: of the user's own modules, the text has nothing."""
        for node in ast.walk(definition):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                for name in names:
                    if not _is_found_installed(name.partition(".")[0]):
                        raise self.refuse(
                            f"it imports {name or '.'} where it is called, a module of your own, which may change: "
                            "write from MODULE import NAME above, then the source of NAME is kept"
                        )

    def _check_defaults(self, definition: ast.FunctionDef, function: Any, around: Surroundings) -> None:
        """A default is worked out once: by now its text may mean something else."""
        arguments = definition.args
        by_place = [*arguments.posonlyargs, *arguments.args][-len(arguments.defaults) :] if arguments.defaults else []
        for argument, default, value in zip(by_place, arguments.defaults, function.__defaults__ or (), strict=False):
            self._check_says(f"the default of {argument.arg} in {definition.name}", default, value, around.look)
        for argument, by_name in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            value = (function.__kwdefaults__ or {}).get(argument.arg, MISSING)
            if by_name is not None:
                self._check_says(f"the default of {argument.arg} in {definition.name}", by_name, value, around.look)

    def _check_attributes(self, definition: ast.ClassDef, class_: type, around: Surroundings) -> None:
        """So is an attribute."""
        assigned = [node for node in definition.body if isinstance(node, ast.Assign)]
        targets = [target.id for node in assigned for target in node.targets if isinstance(target, ast.Name)]
        attributes = vars(class_)
        for node in assigned:
            (target, *others) = node.targets
            if isinstance(target, ast.Name) and not others and targets.count(target.id) == 1:

                def look(name: str, own: str = target.id) -> Any:
                    return attributes[name] if name in attributes and name != own else around.look(name)

                value = attributes.get(target.id, MISSING)
                self._check_says(f"{definition.name}.{target.id}", node.value, value, look)

    def _check_says(self, what: str, text: ast.expr, value: Any, look: Callable[[str], Any]) -> None:
        """An expression without calls means this value."""
        if not all(isinstance(node, _EVALUATED) for node in ast.walk(text)):
            return
        names = {node.id: look(node.id) for node in ast.walk(text) if isinstance(node, ast.Name)}
        try:
            now = eval(compile(ast.Expression(text), "<part>", "eval"), {**names, "__builtins__": {}})  # noqa: S307
        except Exception:  # then nothing was worked out from it, or its names are refused
            return
        if MISSING not in names.values() and fixed(now) != fixed(value):
            raise self.refuse(f"{what} is no longer {ast.unparse(text)}: define it again")

    def _add_names(self, names: Names, around: Surroundings) -> None:
        """What names stand for; those that stand for nothing yet are remembered."""
        for name in sorted(names.mentioned | names.looked_up):
            value, kept = around.look(name), False
            if value is MISSING and name in names.at_once and not name.startswith("__"):
                raise self.refuse(f"it refers to {name}, which is no global: make it one, so that it can be kept")
            if value is not MISSING:
                kept = self.add(name, value)
            if name in names.looked_up:
                self.references.append(refers(name, lambda name=name: around.look(name), kept))  # type: ignore[misc]

    def add(self, name: str, value: Any) -> bool:
        """Whatever a name stands for; returns whether its text is kept, or only how it is imported."""
        if getattr(builtins, name, self) is value:
            if value in _BY_TEXT:
                raise self.refuse(f"it calls {name}, by which it may refer to what its text does not name")
            return False
        value = function_behind(value)
        if name in self._found:
            if self._found[name] is not value and fixed(self._found[name]) != fixed(value):
                raise self.refuse(f"{name} means two things in what it refers to: use two names")
            return not self._is_imported(name, value)
        self._found[name] = value
        if self._is_imported(name, value):
            return False
        if isinstance(value, types.FunctionType):
            self.add_function(name, value)
        elif isinstance(value, type):
            self.add_class(name, value)
        else:
            self.texts.append(f"{name} = {self._written(name, value)}")
        return True

    def _is_imported(self, name: str, value: Any) -> bool:
        """Whether an import gives it, which is noted then."""
        if isinstance(value, types.ModuleType):
            if sys.modules.get(value.__name__) is not value:
                raise self.refuse(f"it refers to {name}, a module that no import finds")
            if _is_own(value):
                instead = f"write from {value.__name__} import NAME, then the source of NAME is kept"
                raise self.refuse(f"it refers to {name}, a module of your own, which may change: {instead}")
            self.imports.add(f"import {value.__name__} as {name}")
        elif isinstance(value, np.ufunc):
            self.imports.add(f"from numpy import {value.__name__} as {name}")
        elif _is_installed(value):
            package = value.__module__.partition(".")[0]
            exported = hasattr(sys.modules[package], value.__qualname__)  # where ours stand may change
            module = package if package == "gpruntime" and exported else value.__module__
            self.imports.add(f"from {module} import {value.__qualname__} as {name}")
        else:
            return False
        return True

    def _written(self, name: str, value: Any) -> str:
        text = written(value)
        if text is None:
            raise self.refuse(f"it refers to {name}, a {type(value).__name__}: only {KINDS} can be kept with it")
        for class_ in classes_in(value):
            self.add(class_.__name__, class_)
        if needs_numpy(value):
            self.imports.add("import numpy")
        return text


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


def _is_installed(value: Any) -> bool:
    """Whether an import finds it: a function or class of the standard library or of an installed package."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", "")
    if not isinstance(module, str) or not name.isidentifier():
        return False
    if module.partition(".")[0] == "gpruntime":
        return not module.startswith(LOADED)
    if module == "__main__" or module not in sys.modules:  # a notebook, or a file that was named
        return False
    try:
        file = inspect.getfile(value)
    except (TypeError, OSError):  # built in, or of an extension module; or of one that no import finds
        if getattr(sys.modules.get(module), "__spec__", None) is None:
            return False
        return not isinstance(value, types.FunctionType) and isinstance(value, type | types.BuiltinFunctionType)
    paths = sysconfig.get_paths()
    return any(Path(file).is_relative_to(paths[kind]) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))


def _is_own(module: types.ModuleType) -> bool:
    """Whether a module is a file of the user's, which an edit may change, and not installed."""
    if module.__name__.partition(".")[0] == "gpruntime":
        return False
    files = [module.__file__] if getattr(module, "__file__", None) else list(getattr(module, "__path__", ()))
    return any(not _is_of_package(Path(str(file))) for file in files)  # none for what is built in


def _is_found_installed(module: str) -> bool:
    """Whether an import of this name, without a dot, finds something installed; nothing is imported for it."""
    if module == "gpruntime" or module in sys.builtin_module_names:
        return True
    try:
        found = importlib.util.find_spec(module) if module else None
    except ValueError:  # a module in this process that was not imported
        return False
    if found is None:
        return False
    places = [found.origin] if found.has_location else list(found.submodule_search_locations or ())
    return found.origin in ("built-in", "frozen") or all(_is_of_package(Path(str(place))) for place in places)


def _is_of_package(file: Path) -> bool:
    folders = {sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
    return any(name in file.parts for name in _PACKAGES) or any(file.is_relative_to(folder) for folder in folders)
