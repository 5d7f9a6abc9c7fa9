"""A state at which a potential fails: its tree, the drift there, and what can happen to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.theory.walk import State, Walk

Potential = Callable[[Tree, Fitness], Fraction]  # of a tree that is not optimal
_SHOWN = 12  # moves


@dataclass(frozen=True)
class Witness:
    """One state.

    Attributes:
        tree: the tree that stands for it, as text.
        drift: of the potential, where there is one.
        moves: what one evaluation can change it into, with the chance and the potential there; likeliest first.
        potential: of the state itself.
    """

    tree: str
    drift: Fraction | None
    moves: tuple[tuple[str, Fraction, Fraction | None], ...]
    potential: Fraction | None = None

    def sentences(self) -> list[str]:
        """The state, and each move."""
        here = "" if self.drift is None else f", drift {shown(self.drift)}"
        value = "" if self.potential is None else f", potential {shown(self.potential)}"
        lines = [f"{self.tree}{here}{value}:"]
        for tree, chance, after in self.moves[:_SHOWN]:
            lines.append(f"  to {tree} with chance {shown(chance)}{'' if after is None else f', {shown(after)} there'}")
        if len(self.moves) > _SHOWN:
            rest = sum((chance for _, chance, _ in self.moves[_SHOWN:]), Fraction(0))
            lines.append(f"  and {len(self.moves) - _SHOWN} more, with chance {shown(rest)} together")
        if not self.moves:
            lines.append("  nothing is ever accepted")
        return lines

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "tree": self.tree,
            "drift": text_of(self.drift),
            "potential": text_of(self.potential),
            "moves": [
                {"tree": tree, "chance": text_of(chance), "potential": text_of(after)}
                for tree, chance, after in self.moves
            ],
        }


def witness_of(spec: RunSpec, tree: Tree, potential: Potential | None = None) -> Witness:
    """What one evaluation can make of a tree. Trees of one state are one move."""
    walk = Walk(spec, alike=False)
    state = walk.state(tree)

    def at(state: State) -> Fraction | None:
        return None if potential is None else Fraction(0) if state.fitness == spec.best else potential(*state)

    moves: dict[int, tuple[str, Fraction, Fraction | None]] = {}
    for after, chance in walk.moves(state):
        if after is not state:
            text, known, _ = moves.get(id(after), (str(after.tree), Fraction(0), None))
            moves[id(after)] = text, known + chance, at(after)
    here = at(state)
    drift = None if here is None else sum((p * (here - (value or 0)) for _, p, value in moves.values()), Fraction(0))
    return Witness(str(tree), drift, tuple(sorted(moves.values(), key=lambda move: -move[1])), here)


def text_of(number: Fraction | None) -> str | None:
    """A fraction as text."""
    return None if number is None else str(number)


def shown(number: Fraction, most: int = 24) -> str:
    """A fraction for people: as it is where that is short, else in ten digits."""
    text = str(number)
    if len(text) <= most:
        return text if number.denominator == 1 else f"{text} ({float(number):.10g})"
    return f"{float(number):.10g}"
