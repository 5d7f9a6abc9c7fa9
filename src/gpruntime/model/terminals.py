"""The primitive set of a problem. In the founding paper it is F = {J}, L = {x₁, x̄₁, …, x_n, x̄_n}.

The join J has two children and no meaning of its own. A terminal is a variable or its complement. Terminals are
numbered x₁, x̄₁, x₂, x̄₂, … from 0, so that a uniform terminal is one uniform number below 2n (its `code`).
A problem may have other functions, of any number of arguments. It may do without complements: then x_i has number
i − 1. Or its terminals have names of their own: then the first of them has number 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

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


class Named(Terminal):
    """A terminal with a name of its own. It stands for x_i, where i is its place among the names, from 1."""

    name: str

    def __new__(cls, variable: int, name: str) -> Named:
        """The terminal of this name, in this place."""
        made = super().__new__(cls, variable, False)
        made.name = name
        return made

    def __reduce__(self) -> Any:
        return Named, (self.variable, self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Named({self.variable}, {self.name!r})"


@dataclass(frozen=True)
class Primitives:
    """F and L.

    Attributes:
        variables: how many x_i there are.
        signed: whether L has their complements too.
        functions: the names of F; the join J has the empty name. None at all: any are (`ANY`).
        arities: how many arguments each function has; empty where all have two.
        names: of the terminals, where they have names of their own.
    """

    variables: int
    signed: bool = True
    functions: tuple[str, ...] = ("",)
    arities: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """|L|."""
        return 2 * self.variables if self.signed else self.variables

    def terminal(self, code: int) -> Terminal:
        """The terminal with this number, from 0."""
        if self.names:
            return Named(code + 1, self.names[code])
        return Terminal.from_code(code) if self.signed else Terminal(code + 1, False)

    @cached_property
    def terminals(self) -> tuple[Terminal, ...]:
        """L."""
        return tuple(map(self.terminal, range(self.size)))

    def terminal_of(self, variable: int, negated: bool) -> Terminal:
        """x_i or x̄_i, under the name it has here."""
        return Named(variable, self.names[variable - 1]) if self.names else Terminal(variable, negated)

    @cached_property
    def by_name(self) -> dict[str, Terminal]:
        """The terminals that have names of their own."""
        return {name: Named(i, name) for i, name in enumerate(self.names, 1)}

    def code(self, terminal: Terminal) -> int:
        """Its number; raises `BadTree` if it is not in L."""
        self.check(terminal)
        return terminal.code if self.signed else terminal.variable - 1

    # ---- functions

    @property
    def is_binary(self) -> bool:
        """Whether all functions have two arguments."""
        return not self.arities

    def arity(self, function: str) -> int:
        """How many arguments a function has."""
        return self.arities[self.functions.index(function)] if self.arities else 2

    @property
    def most_arguments(self) -> int:
        """Of any function."""
        return max(self.arities, default=2)

    def alike(self, function: str) -> list[str]:
        """The functions with as many arguments as this one."""
        return [name for name in self.functions if self.arity(name) == self.arity(function)]

    def fitting(self, room: int, least: int = 1) -> list[str]:
        """The functions that add at most `room` leaves to a tree, and have at least `least` arguments."""
        return [name for name in self.functions if least <= self.arity(name) <= room + 1]

    def check(self, terminal: Terminal) -> None:
        """Raises `BadTree` if this is not in L."""
        if self.names or isinstance(terminal, Named):
            known = 0 < terminal.variable <= len(self.names) and self.names[terminal.variable - 1] == str(terminal)
            if not known and self.functions:
                shown = ", ".join([*self.names[:8], *(["…"] if len(self.names) > 8 else [])])
                raise BadTree("tree", str(terminal), f"is no terminal here; they are {shown or 'x1, x2, …'}")
            return
        if terminal.variable > self.variables:
            allowed = f"does not fit n = {self.variables}; variables are x1 … x{self.variables}"
            raise BadTree("tree", str(terminal), allowed)
        if terminal.negated and not self.signed:
            raise BadTree("tree", str(terminal), "this problem has no complements")


ANY = Primitives(10**9 // 2, functions=())
"""Of a problem that is not loaded: any terminals and functions are taken as they stand."""
