"""Constants as text that Python reads as the same: numbers, texts, tuples, lists, arrays, enumerations."""

from __future__ import annotations

import enum
import math
from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.references import function_of

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_MAX_ITEMS = 100_000
_MAX_DEPTH = 5
_ENUMS = (enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag, enum.StrEnum)
KINDS = "a number, text, tuple, named tuple, list, array, member of an enumeration, function, class or module"


def written(value: Any, depth: int = _MAX_DEPTH) -> str | None:
    """The text of a constant, or None if there is none."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return _scalar(value)
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}({value.value!r})"
    if isinstance(value, tuple | list):
        return _items(value, depth)
    return _number(value) if type(value) in _PLAIN else None


def classes_in(value: Any) -> list[type]:
    """Classes whose names are in that text."""
    found = list[type]()
    if isinstance(value, enum.Enum) or (isinstance(value, tuple) and type(value) is not tuple):
        found.append(type(value))
    if isinstance(value, tuple | list):
        for item in value:
            found += classes_in(item)
    return found


def needs_numpy(value: Any) -> bool:
    """Whether NumPy's name is in that text."""
    if isinstance(value, tuple | list):
        return any(map(needs_numpy, value))
    return isinstance(value, np.ndarray) or _needs_kind(value)


def written_class(class_: type) -> str | None:
    """The text of a named tuple or an enumeration without methods, which Python need not have in one piece."""
    if any(
        function.__module__ == class_.__module__ for function in map(function_of, vars(class_).values()) if function
    ):
        return None
    if issubclass(class_, tuple) and hasattr(class_, "_fields") and class_.__bases__ == (tuple,):
        return _named_tuple(class_)
    if issubclass(class_, enum.Enum) and len(class_.__bases__) == 1 and class_.__bases__[0] in _ENUMS:
        members = {name: member.value for name, member in class_.__members__.items()}
        if all(type(value) in _PLAIN for value in members.values()):
            return f"enum.{class_.__bases__[0].__name__}({class_.__name__!r}, {members!r})"
    return None


def _named_tuple(class_: Any) -> str | None:
    defaults = written(tuple(class_._field_defaults.values()))
    if defaults is None:
        return None
    more = f", defaults={defaults}" if class_._field_defaults else ""
    return f"collections.namedtuple({class_.__name__!r}, {class_._fields!r}{more})"


def _items(value: Any, depth: int) -> str | None:
    if not depth or len(value) > _MAX_ITEMS:
        return None
    texts = [written(item, depth - 1) for item in value]
    if any(text is None for text in texts):
        return None
    inside = ", ".join(text for text in texts if text is not None)
    if type(value) is list:
        return f"[{inside}]"
    if type(value) is tuple:
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return f"{type(value).__name__}({inside})" if hasattr(value, "_fields") else None


def _array(value: Any) -> str | None:
    if value.dtype.kind not in "iufb" or value.size > _MAX_ITEMS:
        return None
    numbers = value.tolist()
    finite = value.dtype.kind != "f" or bool(np.isfinite(value).all())
    text = repr(numbers) if finite else _listed(numbers)
    return f"numpy.array({text}, numpy.{value.dtype.name})"


def _listed(numbers: Any) -> str:
    return f"[{', '.join(map(_listed, numbers))}]" if isinstance(numbers, list) else _number(numbers)


def _scalar(value: Any) -> str | None:
    """Of kinds that behave as Python's own as long as they do not overflow, the number; of others the kind as well."""
    plain = value.item()
    if type(plain) not in _PLAIN:
        return None
    return f"numpy.{_kind(value)}({_number(plain)})" if _needs_kind(value) else _number(plain)


def _needs_kind(value: Any) -> bool:
    return isinstance(value, np.generic) and not isinstance(value, int | float | complex | str | bytes | np.int64)


def _kind(value: Any) -> str:
    return "bool_" if isinstance(value, np.bool_) else str(value.dtype.name)


def _number(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, complex) and not (math.isfinite(value.real) and math.isfinite(value.imag)):
        return f"complex({_number(value.real)}, {_number(value.imag)})"
    return repr(value)
