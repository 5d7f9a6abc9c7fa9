"""What the words on the page mean, for the run on show: problem, acceptance rule, mutation, what is counted.

All of it comes from the spec, so the page shows it for a user-defined problem or rule too, and states none itself.

And what "stuck" means, by trying: every single operation that could be drawn for the last tree, and what it would gain.
A run is declared stuck by its problem's own argument, which needs no trial (`gpruntime.model.stuck`). On a small tree
the trial is cheap, and anybody can follow it.
"""

from __future__ import annotations

from typing import NamedTuple

from gpruntime.model.mutation import KINDS
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.watch.annotations import annotations_of
from gpruntime.watch.recording import Stop

_MAX_LEAVES = 40  # the trials grow with the square of the leaves, each with a tree to make
_NOUNS = dict(zip(KINDS, ("substitutions", "insertions", "deletions"), strict=True))


class Definition(NamedTuple):
    """A word and what it means."""

    title: str
    words: str


_COUNTED = (
    "Evaluations: every fitness evaluation, the initial tree's included. Each offspring costs one, even if its "
    "operation changed nothing. Leaves: the size of a tree is the number of its leaves. A run ends at the optimum, "
    "when it is proved to be stuck, or at its budget."
)
_RULES = {
    "weak": "if its fitness is at least as good as its parent's: neutral moves, those of equal fitness, are accepted",
    "strict": "only if its fitness is better than its parent's: neutral moves, those of equal fitness, are rejected",
}
_SUBSTITUTE = {
    "leaves": "Substitute: a random leaf gets a random terminal.",
    "functions": "Substitute: a random join gets a random function.",
    "nodes": "Substitute: of a random node, a leaf gets a random terminal and a join a random function.",
}
_INSERT = (
    "Insert: a random node is picked, inner nodes included. A new join takes its place, with the node and a new leaf "
    "below it; a fair coin decides the sides."
)
_DELETE = {
    "hvl-prime": "Delete: a random leaf goes, and its sibling takes the place of their parent.",
    "node-unbiased": "Delete: a random node other than the root goes, and its sibling takes the place of their parent.",
    "depth-unbiased": "Delete: a random depth below the root is drawn, then a random node there; it goes, and its "
    "sibling takes the place of their parent.",
    "hvl": "Delete: a random node is replaced by its larger child, so a whole subtree can go; a leaf stays.",
}


def definitions_of(spec: RunSpec) -> list[Definition]:
    """The definitions that a reader of this run needs."""
    return [
        Definition(spec.problem.name, annotations_of(spec).definition()),
        Definition("When an offspring is accepted", _rule(spec)),
        Definition("How an offspring is made", _mutation(spec)),
        Definition("What is counted", _COUNTED),
    ]


def _rule(spec: RunSpec) -> str:
    rule, limit = spec.accept, spec.max_leaves_allowed
    when = _RULES.get(rule.id) or (f"by the rule {rule.name}" if rule.is_own else f"if it is {rule.name}")
    too_large = "" if limit is None else f" An offspring of more than {limit:,} leaves is rejected."
    return f"The offspring takes its parent's place {when}. Otherwise the tree stays as it was.{too_large}"


def _mutation(spec: RunSpec) -> str:
    law, weights = spec.operations.id, spec.weights
    number = "one operation"
    if law.startswith("poisson"):
        number = f"1 + Pois({law.partition('=')[2].removesuffix('.0')}) operations, one after the other"
    elif law != "one":
        number = f"k operations, one after the other, with k from the law {law}"
    chances = (
        "equal chances" if len(set(weights)) == 1 else "the weights " + ", ".join(f"{weight:g}" for weight in weights)
    )
    kinds = f"{_SUBSTITUTE[spec.substitute]} {_INSERT} {_DELETE[spec.operator.id]} What is random is uniform."
    name = "the original HVL" if spec.operator.id == "hvl" else "HVL-Prime"
    return f"By {name}, {number}. An operation is of one of three kinds, with {chances}. {kinds}"


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
    gained = [f"{len(gains):,} {_NOUNS[kind]} gain at most {max(gains):,}" for kind, gains in tried.items()]
    total = sum(len(gains) for gains in tried.values())
    return f"All {total:,} single operations on this tree, tried: {'; '.join(gained)}. None is accepted."
