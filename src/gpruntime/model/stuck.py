"""When a run can never accept anything again, by proof.

`stuck(tree, spec)` is true only if no offspring of the tree, which is not optimal, can be accepted, whatever is drawn.
The run would then stay as it is for ever: its time is infinite.

- A problem may bring a proof for the weak and the strict rule, with one operation or 1 + Pois(λ) of them: then the
  answer is true if and only if the run is stuck (`problems/expressing.py`).
- Otherwise, with one operation, all proposals are tried: true if and only if none is accepted. Where a substitution by
  the same terminal is accepted, and our operators can draw it, nothing need be tried.
- Otherwise it is unknown, and the answer is no. Such a run needs a budget.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.mutation import KINDS
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree


def stuck(tree: Tree, spec: RunSpec) -> bool:
    """Whether it is proved that no offspring of this tree, which is not optimal, can ever be accepted."""
    if spec.proof is not None:
        return spec.proof(tree, spec)
    renews = spec.weights[0] > 0 and tree.leaves and not spec.operator.is_own
    if spec.operations.most > 1 or (renews and spec.accept.accepts(0, 0)):
        return False
    return not any_accepted(tree, spec)


def any_accepted(tree: Tree, spec: RunSpec, kinds: Sequence[str] = KINDS) -> bool:
    """Whether some single operation of these kinds is accepted: by trying them all."""
    problem, fitness = spec.problem, spec.problem.fitness(tree, spec.n)
    for operation, chance in spec.mutation.proposals(tree):
        if chance > 0 and operation.kind in kinds:
            offspring = tree.copy()
            spec.mutation.apply(offspring, operation)
            growth = len(offspring.leaves) - len(tree.leaves)
            gain = (problem.fitness(offspring, spec.n) - fitness) * problem.direction
            if spec.fits(len(offspring.leaves)) and spec.accept.accepts(gain, growth):
                return True
    return False
