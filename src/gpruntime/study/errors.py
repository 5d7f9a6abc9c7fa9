"""What can be wrong with a plan or with a study's folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from gpruntime.model.errors import BadInput
from gpruntime.model.printable import printable


class BadPlan(ValueError):
    """A plan that cannot be run: everything that is wrong with it.

    Attributes:
        problems: one `BadInput` for each, naming the key, the value and what is allowed.
    """

    def __init__(self, problems: list[BadInput]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class OtherPlan(BadInput):
    """A plan that contradicts what the folder holds.

    Attributes:
        differences: what contradicts, one line each.
    """

    def __init__(self, folder: Path, differences: list[str]) -> None:
        super().__init__("folder", str(folder), "holds a study of another plan; the difference:")
        self.differences = differences

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *map(printable, self.differences)])


class Locked(BadInput):
    """Another process is at work in the folder."""


class NotTrusted(BadInput):
    """A folder or a plan brings code, and the user did not say that it may be run."""


class StudyWarning(UserWarning):
    """Part of a study cannot be read: it is named, and left out until the study is run again."""

    def __str__(self) -> str:
        return printable(super().__str__())


@contextlib.contextmanager
def noting(problems: list[BadInput]) -> Iterator[None]:
    """Notes what is wrong, and goes on."""
    try:
        yield
    except BadInput as problem:
        problems.append(problem)
