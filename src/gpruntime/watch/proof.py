"""Why a run is stuck, by trying: every single operation that could be drawn for the last tree, and what it would gain.

A run is declared stuck by its problem's own argument, which needs no trial (`gpruntime.model.stuck`). On a small tree
the trial is cheap, and anybody can follow it.
"""

from __future__ import annotations

from gpruntime.model.mutation import KINDS
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.watch.recording import Stop

_MAX_LEAVES = 40  # the trials grow with the square of the leaves, each with a tree to make
_NOUNS = dict(zip(KINDS, ("substitutions", "insertions", "deletions"), strict=True))


def proof_of(tree: Tree, spec: RunSpec, stop: Stop) -> str:
    """The trial in words; empty where an offspring has more than one operation, or the tree is large."""
    if spec.operations.most > 1 or len(tree.leaves) > _MAX_LEAVES:
        return ""
    fitness, problem = spec.problem.fitness(tree, spec.n), spec.problem
    tried: dict[str, list[Fitness]] = {}
    for operation, chance in spec.mutation.proposals(tree):
        stop.check()
        if chance > 0:
            offspring = tree.copy()
            spec.mutation.apply(offspring, operation)
            gain = (problem.fitness(offspring, spec.n) - fitness) * problem.direction
            tried.setdefault(operation.kind, []).append(gain)
    told = [f"{len(gains):,} {_NOUNS[kind]} gain at most {max(gains):,}" for kind, gains in tried.items()]
    total = sum(len(gains) for gains in tried.values())
    return f"All {total:,} single operations on this tree, tried: {'; '.join(told)}. None is accepted."
