"""AND on the page: which variables, or literals, the conjunction has."""

from __future__ import annotations

from gpruntime.watch.annotations import ABSENT, EXPRESSED, NOTHING, TILES, OfCounts, Row, Variable
from gpruntime.watch.problems.literals import OfLiterals


class _Missing(OfCounts):
    """The complete table, and wanted variables alone: those that are there."""

    title = "The variables that are there"
    shape = TILES
    legend = {EXPRESSED: "in the conjunction"}  # noqa: RUF012

    def leaf(self, variable: Variable, negated: bool, is_first: bool) -> str:  # noqa: ARG002
        return EXPRESSED

    def row(self, variable: Variable) -> Row:
        name, times = self.named(variable), variable.plain
        if not times:
            return Row(ABSENT, 0, 0, f"{NOTHING}{variable.number}", f"{name}: missing")
        return Row(EXPRESSED, 0, 1, name, f"{name}: there, {times:,} {'leaf' if times == 1 else 'leaves'}")

    def gained(self, variable: Variable, accepted: bool) -> str:
        return f"{self.named(variable)} {'is now' if accepted else 'would be'} there"

    def definition(self) -> str:
        return (
            "A tree is the conjunction of its variables. One that lacks k of the wanted ones is wrong on 2^k − 1 rows "
            f"of the truth table. The fitness is k, the number of missing variables of {self.n:,}; the best is 0."
        )

    def reached(self) -> str:
        return f"all {self.n:,} variables are there"


class _Literals(OfLiterals):
    """With unwanted or negated variables."""

    def row(self, i: int, plain: int, bar: int) -> Row:
        if not plain and not bar:
            return self.absent(i)
        text = f"x{i}" if not bar else f"x\u0304{i}" if not plain else f"x{i} x\u0304{i}"
        words = "there" if not bar else "negated" if not plain else "there and negated: never true"
        return self.told(i, i <= self.n and not bar, text, words)


ANNOTATIONS = {"counts": _Missing, "leaves": _Literals}
