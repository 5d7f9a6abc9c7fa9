"""XOR on the page: which variables the tree has an odd number of times."""

from __future__ import annotations

from gpruntime.watch.annotations import Row
from gpruntime.watch.problems.literals import OfLiterals


class _Odd(OfLiterals):
    """The odd ones."""

    title = "The variables that are there an odd number of times"

    def row(self, i: int, plain: int, bar: int) -> Row:
        times = plain + bar
        if times % 2 == 0:
            return self.absent(i, f"{times} leaves, an even number" if times else "absent")
        return self.told(i, i <= self.n, f"x{i}", f"{times} {'leaf' if times == 1 else 'leaves'}, an odd number")

    def definition(self) -> str:
        return (
            "A tree is the parity of the variables that it has an odd number of times. If these are not the n wanted "
            "ones, it is wrong on half of the rows of the truth table: the fitness. The best is 0."
        )

    def reached(self) -> str:
        return f"all {self.n:,} variables, and no others, are there an odd number of times"


ANNOTATIONS = {"leaves": _Odd}
