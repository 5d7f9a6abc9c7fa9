"""The kernels and states of the problems that bring a faster form along (`problems`)."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from gpruntime.engine import problems
from gpruntime.engine.problem import Skipping
from gpruntime.engine.skipping import make_skipping
from gpruntime.engine.state import State
from gpruntime.engine.stepping import make_stepping

_FOUND = frozenset(module.name for module in pkgutil.iter_modules(problems.__path__))


class Compiled(NamedTuple):
    """How runs of a problem are made: its state, and the kernel, see `frame`."""

    state: type[State]
    kernel: Callable[..., int]


@cache
def faster(problem: str, method: str) -> Compiled | None:
    """The faster form of the problem with this id, if it brings one for this method."""
    if problem not in _FOUND:
        return None
    forms = importlib.import_module(f"{problems.__name__}.{problem}").FORMS
    if method not in forms:
        return None
    state, parts = forms[method]
    name = f"{problem}_{method}"
    kernel = make_skipping(name, parts) if isinstance(parts, Skipping) else make_stepping(name, parts, tries=False)
    return Compiled(state, kernel)
