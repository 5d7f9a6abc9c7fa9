"""A cell of a study: one setting, and how many runs it gets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gpruntime.model.spec import DEFAULTS, RunSpec
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
        return spec_words(self.spec)


def cell_id(spec: RunSpec) -> str:
    """The digest of the law of a run, as 32 hexadecimal digits."""
    return spec.cell_id


def spec_words(spec: RunSpec, but: tuple[str, ...] = ()) -> str:
    """A spec in words: problem, algorithm, n, initial tree, and what else is not the default."""
    parts = []
    for name, value in spec.settings.items():
        usual = spec.usual_substitute if name == "substitute" else DEFAULTS[name]
        if name in but or (name not in ("problem", "algorithm", "n", "init") and value == usual):
            continue
        shown = ",".join(f"{weight:g}" for weight in value) if name == "weights" else str(value)
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        parts.append(shown if name in ("problem", "algorithm") else f"{name} = {shown}")
    return ", ".join(parts)
