"""What gpruntime raises when it is asked for something that cannot be."""

from __future__ import annotations

import difflib
import importlib.util
import operator
from collections.abc import Iterable, Mapping
from typing import TypeVar

from gpruntime.model.printable import printable

Member = TypeVar("Member")


class BadInput(ValueError):
    """A value that is not allowed: which one, what it was, and what is allowed.

    Attributes:
        name: the field, as in `RunSpec` or as the argument is called.
        value: what was given.
        allowed: what may be given, as the rest of a sentence.
    """

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(name, value, allowed)
        self.name, self.value, self.allowed = name, value, allowed

    def __str__(self) -> str:
        return printable(f"{self.name} = {self.shown_value}: {self.allowed}")

    @property
    def shown_value(self) -> str:
        """The value as it goes into a message: short, and on one line."""
        value = self.value
        if isinstance(value, tuple | list):
            value = ",".join(str(part) for part in value)
        try:
            text = value if isinstance(value, str) else repr(value)
        except ValueError:  # Python does not write out numbers of thousands of digits
            text = "a number of thousands of digits"
        text = printable(" ".join(text.split()) or repr(text))
        return text if len(text) <= 60 else text[:57] + "..."


class NotInstalled(ImportError):
    """Something needs a library that is not installed: which, for what, and how to get it."""

    def __init__(self, library: str, what: str) -> None:
        super().__init__(f"{what} needs {library}, which is not installed: pip install {library}", name=library)


def require(library: str, what: str) -> None:
    """Raises `NotInstalled` if the library is not there."""
    if importlib.util.find_spec(library) is None:
        raise NotInstalled(library, what)


class BadTree(BadInput):
    """A tree that cannot be read, or that does not fit the problem."""


class BadPart(BadInput):
    """A function of a user's own that raised, or gave what it must not."""


def known(name: str, value: object, names: Iterable[str], or_else: str = "") -> str:
    """Returns `value` if it is one of `names`; otherwise raises, and suggests the near one.

    `or_else` says what else would have been allowed, for the message.
    """
    names = list(names)
    if isinstance(value, str) and value in names:
        return value
    near = difflib.get_close_matches(str(value).lower(), names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    allowed = ", ".join(names) + (f" or {or_else}" if or_else else "")
    raise BadInput(name, value, f"must be one of {allowed}{hint}")


def own(name: str, value: object, registered: Mapping[str, Member], ours: Mapping[str, Member]) -> Member:
    """Returns the `registered` member of this name, if it is the one of `ours`: compiled and exact runs know no other.

    What somebody put there in its place, or besides, is refused.
    """
    key = known(name, value, registered)
    if key in ours and registered[key] is ours[key]:
        return ours[key]
    raise BadInput(name, value, f"is not gpruntime's own {name}; only its own can be run: {', '.join(ours)}")


def whole(name: str, value: object, least: int, most: int | None = None, why: str = "") -> int:
    """Returns `value` if it is a whole number between `least` and `most`; otherwise raises."""
    number = _index(value)
    if number is not None and number >= least:
        if most is None or number <= most:
            return number
        raise BadInput(name, value, f"must be at most {most}{why}")
    raise BadInput(name, value, f"must be a whole number, {least} or more{why}")


def _index(value: object) -> int | None:
    """Whole numbers of any kind, NumPy's too; not booleans, and not text."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    return operator.index(value)
