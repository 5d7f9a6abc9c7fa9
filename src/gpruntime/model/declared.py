"""What a problem declares, checked when it is made: functions, terminals, parameters, arguments of its function."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpruntime.model.arrays import np
from gpruntime.model.errors import BadPart
from gpruntime.model.initial import NAMES as INITIALS
from gpruntime.model.parameters import Value

if TYPE_CHECKING:
    from gpruntime.model.problem import Problem

Terminals = str | Sequence[str] | Callable[..., Sequence[str]]

MAX_ARGUMENTS = 16
_TERMINALS = ("signed", "plain")
_NAME = re.compile(r"[\w.+*/^-]{1,24}")
_VARIABLE = re.compile(r"x[0-9]+")


def one_of(part: Problem, name: str, value: Any, allowed: Sequence[str]) -> Any:
    """The value, if it is one of these."""
    if value in allowed:
        return value
    raise BadPart(part.field, part.id, f"says {name}={value!r}: must be one of {', '.join(allowed)}")


def checked_functions(part: Problem, functions: Mapping[str, int] | None) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Their names, and how many arguments they have where that is not two."""
    if functions is None:
        return ("",), ()
    words = f"says functions={functions!r}: must be names, each with the number of its arguments, as in {{'not': 1}}"
    if not isinstance(functions, Mapping) or not functions:
        raise BadPart(part.field, part.id, words)
    names, arities = tuple(functions), tuple(functions.values())
    good = all(isinstance(name, str) and name.isidentifier() and not _VARIABLE.fullmatch(name) for name in names)
    if not good or not all(type(arity) is int and 1 <= arity <= MAX_ARGUMENTS for arity in arities):
        raise BadPart(part.field, part.id, f"{words}, from 1 to {MAX_ARGUMENTS}")
    return names, () if set(arities) == {2} else arities


def checked_terminals(part: Problem, terminals: Terminals, has_variables: bool) -> tuple[str, Any]:
    """Which kind they are, and their names or what gives them."""
    if isinstance(terminals, str):
        return one_of(part, "terminals", terminals, _TERMINALS), None
    if has_variables:
        raise BadPart(
            part.field, part.id, "names its terminals, and says variables too: these are as many as the names"
        )
    if callable(terminals):
        return "named", terminals
    return "named", checked_names(part, terminals)


def checked_names(part: Problem, names: Any) -> tuple[str, ...]:
    """The names of terminals."""
    found = tuple(names) if isinstance(names, Sequence) and not isinstance(names, str) else ()
    if not found:
        raise BadPart(part.field, part.id, f"gave {names!r} as its terminals: must be names, as in ('x', '1')")
    for name in found:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in INITIALS or name in part.functions:
            words = f"names a terminal {name!r}: must be letters, digits and any of _ . + - * / ^, at most 24 of them"
            raise BadPart(part.field, part.id, f"{words}, and no function's or initial tree's name")
    if len(set(found)) != len(found):
        raise BadPart(part.field, part.id, "names a terminal twice")
    return found


def checked_parameters(part: Problem, parameters: Mapping[str, Any] | None) -> dict[str, Value]:
    """Their defaults, as Python's own numbers and words."""
    found = {}
    for name, default in (parameters or {}).items():
        value = default.item() if isinstance(default, np.generic) else default
        if type(value) not in (bool, int, float, str):
            raise BadPart(part.field, part.id, f"says {name}={value!r}: must be a number, a word, true or false")
        if value != value:
            raise BadPart(part.field, part.id, f"says {name}={value!r}: must be a number")
        found[name] = value
    return found


def check_arguments(part: Problem, function: Callable[..., Any], wanted: int) -> None:
    """Raises `BadPart` unless the function takes this number of arguments."""
    takes = inspect.signature(function).parameters
    if len(takes) != wanted or any(one.kind != one.POSITIONAL_OR_KEYWORD for one in takes.values()):
        raise BadPart(
            part.field, part.id, f"takes ({', '.join(takes)}): {wanted} arguments are wanted, see docs/own-problem.md"
        )
