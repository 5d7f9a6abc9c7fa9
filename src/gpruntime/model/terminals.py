"""The primitive set of both problems: F = {J}, L = {x₁, x̄₁, …, x_n, x̄_n}.

The join J has two children and no meaning of its own. A terminal is a variable or its complement. Terminals are
numbered x₁, x̄₁, x₂, x̄₂, … from 0, so that a uniform terminal is one uniform number below 2n (its `code`).
"""

from __future__ import annotations

from typing import NamedTuple


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
