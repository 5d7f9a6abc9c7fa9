"""Families of algorithms that keep several trees, make several offspring, or have other programs than trees.

What a spec must know of each: a family has a class derived from `Search`, which says what it does, and parameters:
`mu-plus-one-single:mu=10`. Its two members, `-single` and `-multi`, have offspring of one operation and of 1 + Pois(λ);
without either, single is meant. Where programs are circuits or truth tables there is one member. Ours are one file
each in `populations/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from gpruntime.model.errors import BadInput
from gpruntime.model.parameters import Value, join, settle, split
from gpruntime.model.representations.representation import TREES, Representation

if TYPE_CHECKING:
    from gpruntime.model.search import Search
    from gpruntime.model.spec import RunSpec

GOALS = ("front", "optimum")
SUFFIXES = ("-single", "-multi")


def check_whole(spec: RunSpec, name: str, least: int, most: int) -> None:
    """Raises `BadInput` if a parameter is out of its range."""
    value = spec.algorithm.values[name]
    if not least <= int(value) <= most:
        raise BadInput("algorithm", f"{name}={value}", f"must be a whole number from {least} to {most:,}")


def check_chance(spec: RunSpec, name: str) -> None:
    """Raises `BadInput` if a parameter is no probability."""
    value = spec.algorithm.values[name]
    if not 0 <= float(value) <= 1:
        raise BadInput("algorithm", f"{name}={value}", "must be a probability, 0 to 1")


def _nothing(_: RunSpec) -> None:
    pass


def _never(_: RunSpec) -> bool:
    return False


@dataclass(frozen=True, eq=False)
class Family:
    """An algorithm with a population.

    Attributes:
        id: shell-safe name, without single or multi.
        title: its name for people, from "single" or "multi" and its parameters.
        line: what it does, in a line.
        cite: where it comes from.
        search: its definition.
        number: where it stands in lists, and what compiled runs know it by.
        parameters: names and defaults.
        rules: the acceptance rules that it honours, its own first; none where it selects in another way.
        own_rules: whether it honours a user's own rule too.
        selection: what stands for the rule in a record, where it has none.
        goals: when a run ends, its own goal first (`GOALS`).
        check: raises `BadInput` where a spec has no meaning for it.
        decides: whether `search.is_stuck` decides if a run of a spec is stuck, as far as `gpruntime.model.stuck` does
            for one tree; else nobody looks.
        ends: whether a run is known to end with probability 1, besides where a problem says so.
        representation: what its programs are.
        suffixes: of its members; one without words where an offspring is not made of operations.
        stated: parameters that stand in the id where they are the defaults, too.
        tidy: one spelling of the parameters.
        is_compiled: whether the engine makes its runs; else the model does.
    """

    id: str
    title: Callable[[str, Mapping[str, Value]], str]
    line: str
    cite: str
    search: type[Search]
    number: int
    parameters: Mapping[str, Value] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    own_rules: bool = False
    selection: str = ""
    goals: tuple[str, ...] = ("optimum",)
    check: Callable[[RunSpec], None] = _nothing
    decides: Callable[[RunSpec], bool] = _never
    ends: Callable[[RunSpec], bool] = _never
    representation: Representation = TREES
    suffixes: tuple[str, ...] = SUFFIXES
    stated: tuple[str, ...] = ()
    tidy: Callable[[Mapping[str, Value]], Mapping[str, Value]] = dict
    is_compiled: bool = True

    def spelled(self, suffix: str, values: Mapping[str, Value]) -> str:
        """The id of a member, with the parameters that are not the defaults."""
        defaults = {name: value for name, value in self.parameters.items() if name not in self.stated}
        return join(self.id + suffix, values, defaults)


@cache
def families() -> dict[str, Family]:
    """Ours, by id. Their classes derive from `Search`, which knows specs: so they are looked up when asked for."""
    from gpruntime.model.populations import FAMILIES

    return FAMILIES


def member_names() -> list[str]:
    """The ids of all members, without parameters."""
    return [family.id + suffix for family in families().values() for suffix in family.suffixes]


def split_member(text: str) -> tuple[Family, str, dict[str, Value]] | None:
    """The family, suffix and parameters of an id such as `mu-plus-one-single:mu=10`; None if it is no such id."""
    base = text.partition(":")[0]
    for family in families().values():
        for suffix in {"": None, **dict.fromkeys(family.suffixes)}:
            if base == family.id + suffix:
                _, given = split("algorithm", text)
                values = family.tidy(settle("algorithm", text, given, family.parameters))
                return family, suffix or family.suffixes[0], dict(values)
    return None
