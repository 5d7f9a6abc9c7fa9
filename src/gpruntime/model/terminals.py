"""The primitive set of a problem. In the founding paper it is F = {J}, L = {x₁, x̄₁, …, x_n, x̄_n}.

The join J has two children and no meaning of its own. A terminal is a variable or its complement. Terminals are
numbered x₁, x̄₁, x₂, x̄₂, … from 0, so that a uniform terminal is one uniform number below 2n (its `code`).
A problem may have other functions, all of two arguments, and it may do without complements: then x_i has number i − 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gpruntime.model.errors import BadTree


class Terminal(NamedTuple):
    """x_i (`negated` false) or x̄_i (`negated` true); `variable` is i, counted from 1 as in the paper."""

    variable: int
    negated: bool

    @classmethod
    def from_code(cls, code: int) -> Terminal:
        """The terminal with this number: 0 is x₁, 1 is x̄₁, 2 is x₂, …"""
        return cls(code // 2 + 1, code % 2 == 1)

    @property
    def code(self) -> int:
        """Its number among x₁, x̄₁, x₂, x̄₂, …, from 0."""
        return 2 * (self.variable - 1) + self.negated

    @property
    def complement(self) -> Terminal:
        """x̄_i for x_i, and the other way round."""
        return Terminal(self.variable, not self.negated)

    def __str__(self) -> str:
        return f"!x{self.variable}" if self.negated else f"x{self.variable}"


@dataclass(frozen=True)
class Primitives:
    """F and L.

    Attributes:
        variables: how many x_i there are.
        signed: whether L has their complements too.
        functions: the names of F; the join J has the empty name.
    """

    variables: int
    signed: bool = True
    functions: tuple[str, ...] = ("",)

    @property
    def size(self) -> int:
        """|L|."""
        return 2 * self.variables if self.signed else self.variables

    def terminal(self, code: int) -> Terminal:
        """The terminal with this number, from 0."""
        return Terminal.from_code(code) if self.signed else Terminal(code + 1, False)

    def code(self, terminal: Terminal) -> int:
        """Its number; raises `BadTree` if it is not in L."""
        self.check(terminal)
        return terminal.code if self.signed else terminal.variable - 1

    def check(self, terminal: Terminal) -> None:
        """Raises `BadTree` if this is not in L."""
        if terminal.variable > self.variables:
            allowed = f"does not fit n = {self.variables}; variables are x1 … x{self.variables}"
            raise BadTree("tree", str(terminal), allowed)
        if terminal.negated and not self.signed:
            raise BadTree("tree", str(terminal), "this problem has no complements")
