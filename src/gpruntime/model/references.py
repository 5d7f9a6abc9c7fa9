"""What the names in a user's part stand for, and whether they still do.

A part is known by its source as it was when it was defined. In a notebook a constant may get another value afterwards,
a function another body. So what each name stood for is kept, and looked at again before runs are made.
"""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from enum import EnumMeta
from typing import Any, NamedTuple

from gpruntime.model.arrays import np

MISSING = object()
"""What a name stands for that is not known."""


class Surroundings:
    """What names mean around some functions of one definition: the variables of a function around it come first."""

    def __init__(self, functions: Sequence[Any]) -> None:
        self._cells: dict[str, types.CellType] = {}
        self._modules: list[dict[str, Any]] = []
        for function in functions:
            cells = function.__closure__ or ()
            self._cells |= dict(zip(function.__code__.co_freevars, cells, strict=True))
            self._modules.insert(0, function.__globals__)

    def look(self, name: str) -> Any:
        """What a name stands for now, or `MISSING`."""
        try:
            if name in self._cells:
                return self._cells[name].cell_contents
        except ValueError:  # not yet
            return MISSING
        for names in (*self._modules, vars(builtins)):
            if name in names:
                return names[name]
        return MISSING


class Reference(NamedTuple):
    """A name and what it stood for.

    Attributes:
        name: as the text has it.
        look: what it stands for now.
        meaning: what it stood for: as `fixed` says it, if its text is kept, else the object.
        kept: whether its text is kept.
    """

    name: str
    look: Callable[[], Any]
    meaning: Any
    kept: bool

    def holds(self) -> bool:
        """Whether it means the same."""
        return bool(fixed(self.look()) == self.meaning) if self.kept else self.look() is self.meaning


def refers(name: str, look: Callable[[], Any], kept: bool) -> Reference:
    """A reference, with what it means now."""
    return Reference(name, look, fixed(look()) if kept else look(), kept)


def function_behind(value: Any) -> Any:
    """The function of another part, or of one that Numba has compiled; else the value."""
    if callable(getattr(value, "function", None)) and not isinstance(value, type):
        value = value.function
    return getattr(value, "py_func", value)


def function_of(value: Any) -> types.FunctionType | None:
    """The function of a method of whatever kind."""
    value = getattr(value, "fget", None) or getattr(value, "__func__", value)
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, types.FunctionType) else None


def fixed(value: Any) -> Any:
    """What a value means, as something that no later change reaches: to be compared with `==`."""
    value = function_behind(value)
    if isinstance(value, types.FunctionType):
        function: Any = inspect.unwrap(value)
        by_name = sorted((function.__kwdefaults__ or {}).items()) + sorted(vars(function).items())
        return function.__code__, fixed(function.__defaults__), fixed([list(item) for item in by_name])
    if isinstance(value, EnumMeta):
        members: Mapping[str, Any] = value.__members__
        return value.__bases__, [(name, fixed(member.value)) for name, member in members.items()]
    if isinstance(value, type):
        return value.__bases__, [(name, _fixed_attribute(one)) for name, one in vars(value).items()]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return type(value), [fixed(item) for item in value]
    if isinstance(value, float | complex | np.generic):
        return type(value), repr(value)  # one NaN is like another, and −0 is not 0
    return type(value), value


def _fixed_attribute(value: Any) -> Any:
    if (function := function_of(value)) is not None:
        return fixed(function)
    is_plain = isinstance(value, bool | int | float | complex | str | bytes | tuple | list | np.ndarray | np.generic)
    return fixed(value) if is_plain else type(value)
