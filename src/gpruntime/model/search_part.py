"""An algorithm of one's own as a part: a class derived from `gpruntime.Search`, known by its name and digest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from gpruntime.model.errors import BadInput
from gpruntime.model.part import Part

_METHODS = ("start", "step", "result")


class SearchPart(Part):
    """A class derived from `Search`. It needs no decorator."""

    field = "search"

    @classmethod
    def can_be(cls, function: object) -> bool:
        """See `Part`."""
        return isinstance(function, type) and all(callable(getattr(function, name, None)) for name in _METHODS)

    @classmethod
    def named(cls, text: object, ours: Mapping[str, Self]) -> Self:
        """See `Part`; also the class itself."""
        if isinstance(text, type):
            return cls._check(text.__name__, text, text.__name__)
        if isinstance(text, str) and ":" not in text and "@" not in text:
            raise BadInput(cls.field, text, "must be FILE.py:NAME, or a class derived from gpruntime.Search")
        return super().named(text, ours)

    @classmethod
    def in_folder(cls, value: Any, folder: Path) -> Self | None:
        """See `Part`; also the class itself."""
        return cls.named(value, {}) if isinstance(value, type) else super().in_folder(value, folder)

    @classmethod
    def _check(cls, text: str, found: Any, name: str) -> Self:
        if cls.can_be(found):
            return cls.own(found)
        if isinstance(found, cls):
            return found
        raise BadInput(cls.field, text, f"{name} is not a class derived from gpruntime.Search with start and step")

    @staticmethod
    def registry() -> Mapping[str, SearchPart]:
        """There are none of ours."""
        return MappingProxyType({})


def search_named(text: object) -> SearchPart:
    """The algorithm in this file, or itself."""
    return SearchPart.named(text, SearchPart.registry())
