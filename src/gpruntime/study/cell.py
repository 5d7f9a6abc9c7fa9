"""A cell of a study: one setting, and how many runs it gets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import short
from gpruntime.study.goal import Rule


@dataclass(frozen=True)
class Cell:
    """One setting of a study, and how many runs it gets."""

    spec: RunSpec
    rule: Rule

    @cached_property
    def id(self) -> str:
        """The digest of the cell's law, as 32 hexadecimal digits."""
        return cell_id(self.spec)

    def words(self) -> str:
        """The cell in words, defaults left out."""
        return short(self.spec)


def cell_id(spec: RunSpec) -> str:
    """The digest of the law of a run, as 32 hexadecimal digits."""
    return spec.cell_id
