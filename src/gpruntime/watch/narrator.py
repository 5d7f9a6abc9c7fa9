"""Follows a run on a tree of its own, and describes each step: words, and how leaves and variables then stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpruntime.model.mutation import Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.watch.annotated import NONE, Changes, annotated
from gpruntime.watch.annotations import OfVariables, annotations_of
from gpruntime.watch.undo import make
from gpruntime.watch.words import changes_of, listed, phrase, verdict


class Description(NamedTuple):
    """A step."""

    operation: str
    verdict: str
    changes: Changes


class Narrator:
    """Describes a run. The tree given is its own from then on."""

    def __init__(self, spec: RunSpec, tree: Tree, fitness: Fitness) -> None:
        self.spec, self.tree, self.fitness = spec, tree, fitness
        self.annotations = annotations_of(spec)
        self.annotated = annotated(spec, self.annotations, tree)

    def describe(self, operations: Sequence[Operation], accepted: bool, offspring_fitness: Fitness) -> Description:
        """A step; the tree is then the one after it."""
        phrases, take_back = [], []
        leaves = len(self.tree.leaves)
        for operation in operations:
            phrases.append(phrase(self.spec, self.tree, operation))
            self.annotated.before(operation)
            take_back.append(make(self.tree, self.spec.mutation, operation))
            self.annotated.after(operation)
        words = verdict(
            self.spec,
            accepted,
            (self.fitness, offspring_fitness),
            (leaves, len(self.tree.leaves)),
            self._changes(accepted, offspring_fitness - self.fitness),
        )
        changes = NONE
        if accepted:
            self.fitness = offspring_fitness
            changes = self.annotated.accepted()
        else:
            for back in reversed(take_back):
                back()
            self.annotated.rejected()
        return Description(listed(phrases, "; then ", "operation"), words, changes)

    def _changes(self, accepted: bool, difference: Fitness) -> list[str]:
        if not isinstance(self.annotations, OfVariables):
            return []
        return changes_of(self.annotations, self.annotated.seen(), accepted, difference)
