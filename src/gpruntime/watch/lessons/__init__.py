"""Our lessons, one file each: a file that is put here is found, and has its tests (tests/watch/test_lessons.py)."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from gpruntime.model.errors import known
from gpruntime.watch.lesson import Lesson

_ORDER = ("trap", "neutral", "stuck", "bloat")  # others follow by name


def _found() -> dict[str, Lesson]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    names.sort(key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
    return {name: importlib.import_module(f"{__name__}.{name}").LESSON for name in names}


LESSONS: Mapping[str, Lesson] = MappingProxyType(_found())


def lesson_named(name: str) -> Lesson:
    """The lesson of this name."""
    return LESSONS[known("lesson", name, tuple(LESSONS))]
