"""Mutation operators: HVL-Prime, with two other deletions too, the original HVL, and one's own.

One's own is a class with three methods:

    @operator
    class Relabel:
        def __init__(self, primitives, proportions): ...   # F and L, and the weights scaled to a maximum of 1
        def draw(self, tree, stream): ...                  # an `Operation` for this tree, drawn from the stream
        def apply(self, tree, operation): ...              # changes the tree in place
        def proposals(self, tree): ...                     # every (operation, probability) that can be drawn

Drawing and applying are apart, so that the same operations can be drawn, replayed from a trace, or tried one by one.
One of ours stands in `OPERATORS` here; the engine has its own in engine/postfix_operators.py, the page in
web/src/tree.js. The model alone runs an operator of one's own. Proofs of `stuck` are for ours; for others all
proposals are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Protocol

from gpruntime.model.errors import BadInput, BadPart
from gpruntime.model.hvl import Hvl
from gpruntime.model.mutation import KINDS, HvlPrime, Operation
from gpruntime.model.part import Part, one_line
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Tree
from gpruntime.model.unbiased import DepthUnbiased, NodeUnbiased

_METHODS = ("draw", "apply", "proposals")
_NOT_ONE = 1e-9


class Mutation(Protocol):
    """An operator at work, its primitives and weights fixed."""

    def draw(self, tree: Tree, stream: Stream) -> Operation:
        """An operation for this tree, drawn but not yet applied."""
        ...

    def apply(self, tree: Tree, operation: Operation) -> None:
        """Changes the tree in place."""
        ...

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, float]]:
        """Every operation that can be drawn for this tree, with its probability; the probabilities add up to 1."""
        ...


class Operator(Part):
    """An operator: its `function` is the class."""

    field = "operator"

    def __init__(self, id_: str, name: str, function: Callable[..., Any], **said: Any) -> None:
        super().__init__(id_, name, function, **said)
        missing = [method for method in _METHODS if not callable(getattr(function, method, None))]
        if missing:
            raise BadPart(self.field, id_, f"has no {', '.join(missing)}: see docs/own-problem.md")

    @classmethod
    def can_be(cls, function: object) -> bool:
        """See `Part`."""
        return isinstance(function, type)

    def made(self, primitives: Primitives, proportions: tuple[float, float, float]) -> Mutation:
        """The operator at work: for a user's own."""
        with self._told():
            return _Watched(self, self.function(primitives, proportions), primitives)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """An error of the user's class in one line."""
        try:
            yield
        except BadInput:
            raise
        except Exception as error:
            raise BadPart(self.field, self.id, f"raised {type(error).__name__}: {error}") from error

    @staticmethod
    def registry() -> Mapping[str, Operator]:
        """Ours."""
        return OPERATORS


class _Watched:
    """A user's operator, of which nothing is believed."""

    def __init__(self, part: Operator, user: Any, primitives: Primitives) -> None:
        self._part, self._user, self._primitives = part, user, primitives

    def draw(self, tree: Tree, stream: Stream) -> Operation:
        with self._part._told():
            return self._checked(self._user.draw(tree, stream))

    def apply(self, tree: Tree, operation: Operation) -> None:
        with self._part._told():
            self._user.apply(tree, operation)
        leaves, children = len(tree.leaves), sum(len(join.children) for join in tree.joins)
        if leaves + len(tree.joins) != children + bool(leaves) or (tree.root is None) != (not leaves):
            words = f"left {leaves} leaves and {len(tree.joins)} joins with {children} children"
            raise self._wrong(f"{words}: no tree has that")

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, float]]:
        total = 0.0
        with self._part._told():
            for operation, chance in self._user.proposals(tree):
                if not 0 <= chance <= 1 + _NOT_ONE:  # nor NaN
                    raise self._wrong(f"says a proposal with the probability {chance:.6g}: must be from 0 to 1")
                total += chance
                yield self._checked(operation), chance
        if abs(total - 1) > _NOT_ONE:
            raise self._wrong(f"says proposals whose probabilities add up to {total:.6g}, not to 1")

    def _checked(self, operation: object) -> Operation:
        if not isinstance(operation, Operation) or operation.kind not in KINDS:
            raise self._wrong(f"gave {operation!r}: must be an Operation whose kind is one of {', '.join(KINDS)}")
        for terminal in operation.brings:
            self._primitives.check(terminal)
        return operation

    def _wrong(self, words: str) -> BadPart:
        return BadPart(self._part.field, self._part.id, words)


@one_line("operator")
def operator(class_: Callable[[Primitives, tuple[float, float, float]], Mutation], /) -> Operator:
    """Makes a mutation operator of the class below it.

    Args:
        class_: is made of the primitives and the proportions of the weights, and has the methods of `Mutation`.
    """
    return Operator.own(class_)


OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        one.id: one
        for one in (
            Operator("hvl-prime", "HVL-Prime", HvlPrime),
            Operator("hvl", "HVL", Hvl),
            Operator("node-unbiased", "HVL-Prime with node-unbiased deletion", NodeUnbiased),
            Operator("depth-unbiased", "HVL-Prime with depth-unbiased deletion", DepthUnbiased),
        )
    }
)


def operator_named(text: object) -> Operator:
    """The operator of this name, in this file, or itself."""
    return Operator.named(text, OPERATORS)
