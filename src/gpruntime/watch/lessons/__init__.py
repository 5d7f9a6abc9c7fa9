"""A lesson: a run to look at, in parts, with words around the picture and questions to answer before it moves on.

A lesson is one file here, and is found. Its runs are addresses, as the page has them, so a lesson states no number that
its runs do not show; what it says of many runs is held to `run_many` by tests/watch/test_lessons.py.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Any

from gpruntime.model.errors import known

END = -1
"""The last evaluation of a run."""
_ORDER = ("trap", "neutral", "stuck", "bloat")  # others follow by name

Words = list[tuple[str, str]]


@dataclass(frozen=True)
class Question:
    """Predict before you see.

    Attributes:
        asks: the question.
        choices: what can be answered; `answer` is the place of the one that is right.
        because: what is said when the answer is shown.
        then: the evaluation that is shown with it; None stays.
    """

    asks: str
    choices: tuple[str, ...]
    answer: int
    because: str
    then: int | None = None


@dataclass(frozen=True)
class Part:
    """One page of a lesson.

    Attributes:
        title: its heading.
        words: its paragraphs, with empty lines between them.
        run: which of the lesson's runs is on show.
        at: the evaluation that is shown first, or END.
        question: what is asked at its end.
        tries: what can be changed, and to what: names and values of an address. The first values are the run's own.
    """

    title: str
    words: str
    run: str
    at: int = 1
    question: Question | None = None
    tries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes:
        name: what a command calls it.
        title: its heading.
        line: what it shows, in a line.
        runs: its runs by name: the names and values of an address, `versus` among them.
        parts: one after the other.
    """

    name: str
    title: str
    line: str
    runs: Mapping[str, Mapping[str, str]]
    parts: tuple[Part, ...]

    def addresses(self) -> list[Words]:
        """Every run that a reader can come to, each once."""
        addresses = [{**self.runs[part.run], **changed} for part in self.parts for changed in tried(part.tries)]
        return [list(words) for words in dict.fromkeys(tuple(address.items()) for address in addresses)]

    def to_json(self) -> dict[str, Any]:
        """As the page wants it."""
        return {
            "name": self.name,
            "title": self.title,
            "line": self.line,
            "parts": [
                {
                    "title": part.title,
                    "words": [" ".join(paragraph.split()) for paragraph in part.words.split("\n\n")],
                    "state": dict(self.runs[part.run]),
                    "at": part.at,
                    "question": None if part.question is None else vars(part.question),
                    "tries": {name: list(values) for name, values in part.tries.items()},
                }
                for part in self.parts
            ],
        }


def tried(tries: Mapping[str, tuple[str, ...]]) -> list[dict[str, str]]:
    """Every way to choose."""
    return [dict(zip(tries, values, strict=True)) for values in product(*tries.values())]


def _found() -> dict[str, Lesson]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    names.sort(key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
    return {name: importlib.import_module(f"{__name__}.{name}").LESSON for name in names}


LESSONS: Mapping[str, Lesson] = MappingProxyType(_found())


def lesson_named(name: str) -> Lesson:
    """The lesson of this name."""
    return LESSONS[known("lesson", name, tuple(LESSONS))]
