"""Representations: what a program is. An algorithm's family brings its own along (`gpruntime.model.family`).

| program       | is                                           | its size, which records hold as `leaves` |
|---------------|----------------------------------------------|------------------------------------------|
| tree          | of functions and terminals                   | leaves                                   |
| circuit       | gates in a line (`circuits`)                 | active gates                             |
| truth table   | a value for each row (`truth_tables`)        | minterms: rows on which it is true       |

What differs between them is said here: how a run starts, what an offspring is, what its fitness is, which settings have
a meaning. Selection, budgets, records, tables and statistics do not ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpruntime.model.errors import BadInput
from gpruntime.model.initial import Initial
from gpruntime.model.mutation import KINDS, Operation, mutated
from gpruntime.model.stream import Stream

if TYPE_CHECKING:
    from gpruntime.model.problem import Fitness
    from gpruntime.model.spec import RunSpec

MORE_COLUMNS = ("max_population", "wrong_on_all_rows")  # of algorithms with populations; of runs that sample rows

# Of trees only; with what other programs have to have there.
_OF_TREES: Mapping[str, Any] = {
    "weights": (1.0, 1.0, 1.0),
    "poisson_mean": 1.0,
    "operations": "one",
    "operator": "hvl-prime",
    "last_leaf": "keep",
    "max_leaves_allowed": None,
}


class Representation:
    """One kind of program.

    Attributes:
        id, many: its name, and for many of them.
        size: what its size counts, in words.
        operations: what is counted as substitutions, insertions and deletions; empty words where there are none.
        is_tree: whether it has what only trees have: initial trees, HVL, several operations, a limit on leaves.
    """

    id: str
    many: str
    size: str
    operations: tuple[str, str, str] = KINDS
    is_tree = False

    def check(self, spec: RunSpec) -> None:
        """Raises `BadInput` where a spec has no meaning for it."""
        for name, usual in _OF_TREES.items():
            value = getattr(spec, name)
            value = getattr(value, "id", value)
            if value != usual:
                raise BadInput(name, value, f"is for trees, and {spec.algorithm.name} has {self.many}")

    def initial(self, text: str, spec: RunSpec) -> Initial:
        """Its start, or the law of it, from text."""
        raise NotImplementedError

    def fitness(self, program: Any, spec: RunSpec) -> Fitness:
        """The fitness of a program."""
        raise NotImplementedError

    def mutate(self, program: Any, spec: RunSpec, stream: Stream) -> tuple[Any, list[Operation]]:
        """An offspring, and how it was made."""
        raise NotImplementedError

    def judges_all_rows(self, spec: RunSpec) -> bool:  # noqa: ARG002
        """Whether a record tells the errors on all rows of the truth table, where the fitness samples them."""
        return False

    def wrong_on_all_rows(self, program: Any, spec: RunSpec) -> int:
        """That number."""
        raise NotImplementedError

    def drawing(self, text: str, spec: RunSpec) -> str:
        """A program in lines for people, from its text."""
        raise NotImplementedError


class Trees(Representation):
    """Trees, of which `initial`, `mutation` and `problem` tell."""

    id, many, size, is_tree = "tree", "trees", "leaves", True

    def check(self, spec: RunSpec) -> None:
        pass

    def initial(self, text: str, spec: RunSpec) -> Initial:
        return Initial.parse(text, spec.n, spec.primitives)

    def fitness(self, program: Any, spec: RunSpec) -> Fitness:
        return spec.problem.fitness(program, spec.n)

    def mutate(self, program: Any, spec: RunSpec, stream: Stream) -> tuple[Any, list[Operation]]:
        return mutated(program, spec.operations.draw(stream), spec.mutation, stream)


TREES = Trees()


def only_start(text: str, names: Sequence[str]) -> str:
    """The name of a start; "unity", which every algorithm has by default, is the first."""
    return names[0] if text == "unity" else text
