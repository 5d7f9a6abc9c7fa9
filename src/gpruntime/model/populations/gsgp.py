"""Geometric semantic GP: a truth table, and block mutations of it (`gpruntime.model.representations.truth_tables`).

1. T := a uniform truth table
2. T′ := T with a block of rows set to one value
3. T := T′ if it is better
4. go to 2

**It ends** if a block can be a single row: then every wrong row is set right sooner or later.

**Stuck.** A strict run is if no block improves, see `gpruntime.model.representations.truth_tables`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpruntime.model.family import Family
from gpruntime.model.parameters import Value
from gpruntime.model.representations.truth_tables import POINT, SIZES, TRUTH_TABLES, blocks_of, is_stuck
from gpruntime.model.search import Search
from gpruntime.model.spec import RunSpec


class Gsgp(Search):
    """One truth table."""

    def start(self) -> None:
        self.population = [self.evaluate(self.initial())]

    def step(self) -> None:
        (parent,) = self.population
        child = self.evaluate(self.mutate(parent.tree), in_place_of=parent)
        if self.accepts(child, parent):
            self.population = [child]

    def is_stuck(self) -> bool:
        table: Any = self.population[0].tree
        return is_stuck(table, self.spec)


def _title(_: str, values: Mapping[str, Value]) -> str:
    return f"GSGP, {values['mutation']}"


def _ends(spec: RunSpec) -> bool:
    return blocks_of(spec).kind in (POINT, SIZES)


FAMILY = Family(
    id="gsgp",
    title=_title,
    line="truth tables: a block of rows is set to true, or to false, and kept if that is better",
    cite="Moraglio, Mambrini, Manzoni 2013",
    search=Gsgp,
    number=6,
    parameters={"mutation": "forcing-point"},
    rules=("strict", "weak"),
    ends=_ends,
    representation=TRUTH_TABLES,
    suffixes=("",),
    stated=("mutation",),
)
