"""Whether a function's file still says what runs: it may have been edited after it was imported."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

_REWRITTEN = "@py"  # begins names that pytest brings in where it rewrites assertions


def is_what_runs(function: FunctionType) -> bool:
    """Whether the text of its file, compiled, has this function in this place; where nobody can tell, it has."""
    code = function.__code__
    if any(name.startswith(_REWRITTEN) for inner in _all(code) for name in inner.co_names):
        return True
    compiled = _compiled("".join(linecache.getlines(code.co_filename, function.__globals__)))
    if compiled is None:
        return True
    place = code.co_name, code.co_firstlineno
    return any(_same(code, inner) for inner in _all(compiled) if (inner.co_name, inner.co_firstlineno) == place)


@lru_cache(16)
def _compiled(text: str) -> CodeType | None:
    try:
        return compile(text, "<part>", "exec", dont_inherit=True)
    except SyntaxError:  # a cell with words that are a notebook's, not Python's
        return None


def _all(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all(constant)


def _same(code: CodeType, other: CodeType) -> bool:
    if len(code.co_consts) != len(other.co_consts) or _shape(code) != _shape(other):
        return False
    pairs = zip(code.co_consts, other.co_consts, strict=True)
    return all(
        _same(one, two) if isinstance(one, CodeType) and isinstance(two, CodeType) else _alike(one, two)
        for one, two in pairs
    )


def _shape(code: CodeType) -> tuple[Any, ...]:
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, code.co_exceptiontable, code.co_argcount, code.co_kwonlyargcount, *names


def _alike(one: Any, two: Any) -> bool:
    return type(one) is type(two) and (one == two or repr(one) == repr(two))
