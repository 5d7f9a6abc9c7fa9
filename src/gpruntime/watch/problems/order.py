"""ORDER on the page."""

from __future__ import annotations

from gpruntime.watch.standing import BLOCKING, EXPRESSED, HIDDEN, OfFirst


class Order(OfFirst):
    """The first occurrences."""

    legend = {  # noqa: RUF012
        EXPRESSED: "expressed: it counts",
        BLOCKING: "blocking: x̄1 comes first",
        HIDDEN: "hidden behind an earlier leaf",
    }

    def reached(self) -> str:
        """The optimum."""
        return f"all {self.n:,} variables are expressed"


STANDING = Order
