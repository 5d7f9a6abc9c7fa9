"""What the answers of this room share: how they meet a person, in a shell and in a notebook."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, ClassVar

from gpruntime.model.face import facts
from gpruntime.model.spec import RunSpec

if TYPE_CHECKING:
    from gpruntime.show.drawing import Drawing


class Answer:
    """A result with words and, mostly, a figure.

    Attributes:
        spec: the setting.
        more: what else it can be asked.
        figure: the module of its figure and the function there; empty where there is none.
    """

    spec: RunSpec | None
    more: ClassVar[str] = ".to_record()"
    figure: ClassVar[str] = ""

    @property
    def title(self) -> str:
        """What it is about."""
        spec = self.spec
        assert spec is not None
        return f"{spec.algorithm.name} on {spec.problem.name}, n = {spec.n:,}, from {spec.init}"

    def sentences(self) -> list[str]:
        """In words."""
        raise NotImplementedError

    def table(self) -> list[str]:
        """Lines above the words."""
        return []

    def plot(self) -> Drawing:
        """The figure: a notebook shows it, `.save(FOLDER)` writes it."""
        where, _, name = self.figure.partition(":")
        drawing: Drawing = getattr(importlib.import_module(f"gpruntime.theory.{where}"), name)(self)
        return drawing

    def _facts(self) -> list[tuple[str, object]]:
        """Rows of a notebook."""
        return [("", line) for line in self.sentences()]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def __repr__(self) -> str:
        lines = "\n ".join([*self.table(), *self.sentences()])
        return f"<{type(self).__name__}: {self.title}\n {lines}\n {self.more}>"

    def _repr_html_(self) -> str:
        return facts(self.title, self._facts(), self.plot().svg() if self.figure else "", f"More: {self.more}")
