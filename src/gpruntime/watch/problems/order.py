"""ORDER on the page."""

from __future__ import annotations

from gpruntime.watch.annotations import BLOCKING, EXPRESSED, HIDDEN, OfFirst


class _Order(OfFirst):
    """The first occurrences."""

    legend = {  # noqa: RUF012
        EXPRESSED: "expressed: it counts",
        BLOCKING: "blocking: x̄1 comes first",
        HIDDEN: "hidden behind an earlier leaf",
    }

    def definition(self) -> str:
        return (
            "Read the leaves from left to right. A variable is expressed, and counts, if its first occurrence is x_i "
            "and not its complement x̄_i; later occurrences do not matter. The fitness is the number of expressed "
            f"variables. The best is n = {self.n:,}: every x_i comes before every x̄_i."
        )

    def reached(self) -> str:
        return f"all {self.n:,} variables are expressed"


ANNOTATIONS = _Order
