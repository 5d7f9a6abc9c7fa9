"""QD-GP, quality diversity: the best tree of each height, as MAP-Elites keeps it.

1. P := {X₀}, an initial tree
2. with probability c, the crossover's: pick X ∈ P and X′ ∈ P uniformly, and let Y be X and X′ joined under a uniform
   function; otherwise pick X ∈ P uniformly, and let Y be X after k operations, single or multi
3. Y takes the place of the tree of its height in P if it is better; if there is none of its height, Y is added
4. go to 2

The height of a single leaf is 0. A tree higher than H is not added: H is n, the depth limit of MAX, unless `height=H`
says another. P is kept in the order of height, and has at most H + 1 trees. By default c = ½.

This is the algorithm of a program by authors of the field's later papers (TinyverseGP, branch runtime-analysis), for
MAX with F = {+, ×}; no paper was found. What follows is our reading. It goes by the rule `strict`; under another, Y
takes the place of a tree if the rule accepts it there. Where X₀ is higher than H, P is {X₀}, and an offspring that is
no higher than it takes its place, until one is no higher than H.

A draw for the crossover is made only if c > 0, and draws among one tree, or one function, are not made at all. A joined
tree has the register of X, then that of X′, then the new join (`gpruntime.model.crossover`).

**Stuck.** Never by proof: two trees can always be joined, and nobody has looked at c = 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from gpruntime.model.crossover import check_joins, concatenated
from gpruntime.model.family import Family, check_chance, check_whole
from gpruntime.model.parameters import Value
from gpruntime.model.search import Search
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree

MAX_HEIGHT = 10**4


def most_height(spec: RunSpec) -> int:
    """H."""
    return int(spec.algorithm.values["height"]) or spec.n


def height_of(tree: Tree) -> int:
    """How many joins there are above the deepest leaf; −1 for the empty tree."""
    height, row = -1, [] if tree.root is None else [tree.root]
    while row:
        height, row = height + 1, [child for node in row for child in node.children]
    return height


class QualityDiversity(Search):
    """P, in the order of height."""

    def start(self) -> None:
        """P := {X₀}."""
        first = self.evaluate(self.initial())
        self._elites = {height_of(first.tree): first}
        self.population = [first]

    def step(self) -> None:
        """One offspring."""
        tree = self._offspring()
        height, lowest, most = height_of(tree), min(self._elites), most_height(self.spec)
        if lowest > most:  # nothing has a place yet
            elite, can_stay = None, height <= lowest
        else:
            elite, can_stay = self._elites.get(height), height <= most
        child = self.evaluate(tree, elite, can_stay)
        if not can_stay or child.score == -math.inf or not (elite is None or self.accepts(child, elite)):
            return
        self._elites = ({} if lowest > most else self._elites) | {height: child}
        self.population = [self._elites[height] for height in sorted(self._elites)]

    def _offspring(self) -> Tree:
        chance = float(self.spec.algorithm.values["crossover"])
        if chance > 0 and self.stream.uniform() < chance:
            left, right = (self.choose(self.population).tree for _ in range(2))
            return concatenated(left, right, self.spec.primitives, self.stream)
        return self.mutate(self.choose(self.population).tree)


def _title(kind: str, values: Mapping[str, Value]) -> str:
    height = f", heights to {values['height']}" if values["height"] else ""
    crossover = f", crossover {values['crossover']}" if values["crossover"] != 0.5 else ""
    return f"QD-GP-{kind}{height}{crossover}"


def _check(spec: RunSpec) -> None:
    check_whole(spec, "height", 0, MAX_HEIGHT)
    check_chance(spec, "crossover")
    check_joins(spec)


FAMILY = Family(
    id="qd",
    title=_title,
    line="the best tree of each height; two are joined, or one has an offspring, and only a better one takes a place",
    cite="TinyverseGP, branch runtime-analysis",
    search=QualityDiversity,
    number=7,
    parameters={"height": 0, "crossover": 0.5},
    rules=("strict", "weak", "parsimony", "parsimony-smaller"),
    check=_check,
    is_compiled=False,
)
