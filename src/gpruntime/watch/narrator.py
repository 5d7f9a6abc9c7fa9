"""Follows a run on a tree of its own, and tells each of its steps: words, and how leaves and variables then stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpruntime.model.mutation import Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.watch.standing import OfVariables, standing_of
from gpruntime.watch.standings import NONE, Changes, StandingsOfVariables, standings_of
from gpruntime.watch.undo import make
from gpruntime.watch.words import changes_of, listed, phrase, verdict


class Told(NamedTuple):
    """A step."""

    operation: str
    verdict: str
    changes: Changes


class Narrator:
    """Tells a run. The tree given is its own from then on."""

    def __init__(self, spec: RunSpec, tree: Tree, fitness: Fitness) -> None:
        self.spec, self.tree, self.fitness = spec, tree, fitness
        self.standing = standing_of(spec)
        self.standings = standings_of(spec, self.standing, tree)

    def tell(self, operations: Sequence[Operation], accepted: bool, offspring_fitness: Fitness) -> Told:
        """A step; the tree is then the one after it."""
        phrases, take_back = [], []
        leaves = len(self.tree.leaves)
        for operation in operations:
            phrases.append(phrase(self.spec, self.tree, operation))
            self.standings.before(operation)
            take_back.append(make(self.tree, self.spec.mutation, operation))
            self.standings.after(operation)
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
            changes = self.standings.settle()
        else:
            for back in reversed(take_back):
                back()
            self.standings.taken_back()
        return Told(listed(phrases, "; then ", "operation"), words, changes)

    def _changes(self, accepted: bool, difference: Fitness) -> list[str]:
        if not isinstance(self.standings, StandingsOfVariables):
            return []
        assert isinstance(self.standing, OfVariables)
        return changes_of(self.standing, self.standings.seen(), accepted, difference)
