"""States of runs whose operations are not HVL-Prime's on functions of two arguments: whole trees, by their proposals.

The law of one operation is read off the operator itself: `proposals` lists all that can be drawn. That holds for the
original HVL, for functions of any number of arguments, and for user-defined operators. For ours the weights are
fractions, and so are the probabilities then.

Variables are exchangeable as in `trees` where the operator is ours: it treats all terminals alike. Of a user-defined
operator nothing is known, and no variable is renamed.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar, Self

from gpruntime.exact.law import Number, OperationLaw
from gpruntime.exact.states import State
from gpruntime.exact.trees import TreeStates
from gpruntime.model.spec import RunSpec


class ProposedStates(TreeStates):
    """Trees, and the law of one operation as its operator says it."""

    most_strict: ClassVar[int] = 20_000  # a state costs as many copies of a tree as it has proposals
    most_weak: ClassVar[int] = 5_000
    most_multi: ClassVar[int] = 5_000

    def __init__(self, spec: RunSpec, law: OperationLaw) -> None:
        super().__init__(spec, law)
        self._mutation = spec.mutation_in_fractions
        if spec.operator.is_own:
            self._classes = [[i] for i in range(1, self.primitives.variables + 1)]

    def under(self, spec: RunSpec) -> Self:
        other = super().under(spec)
        other._mutation = spec.mutation_in_fractions
        return other

    def moves(self, state: State, least: float) -> dict[State, Number]:
        direction, tree = self.problem.direction, self.tree(state)
        moves: dict[State, Number] = {}
        proposals: Any = self._mutation.proposals(tree)
        for operation, chance in proposals:
            if not chance:
                continue
            offspring = tree.copy()
            self._mutation.apply(offspring, operation)
            result = self.of(offspring)
            if least == -math.inf or self.fitness(result) * direction >= least:
                number = self.law.number(chance) if isinstance(chance, Fraction) else chance
                moves[result] = moves.get(result, 0) + number
        return moves
