"""SMO-GP: a simple evolutionary multi-objective GP. Fitness is to be large (or small), and the tree small.

1. P := {X₀}, an initial tree
2. pick X ∈ P uniformly; Y := X after k operations, single or multi
3. if some Z ∈ P *dominates* Y (f(Z) at least as good and C(Z) ≤ C(Y), one of them strictly), Y goes
4. else remove every Z ∈ P that Y weakly dominates (equals included: a tie replaces), and add Y
5. go to 2

C is the number of leaves; where all functions have two arguments it orders trees as the number of nodes does. No member
of P dominates another and no two are equal in both, so P has at most one tree of each size, and with the size the
fitness grows. P is kept in the order of size: the parent is P[i], i uniform; a parent that is alone is not drawn.

The run ends when the **front** is complete: P holds a tree of the best fitness for each size at which that is better
than for all smaller ones. That takes a problem that knows its best fitness for each size (`Problem.best_of_size`). The
sizes begin at one leaf, and at none in the dialect `last_leaf="empty"`, where the empty tree can be reached.
`until="optimum"` ends it with the first optimal tree.

**When a run ends.** A member of a given fitness is only ever replaced by a tree at least as good and no larger, so
there are at most as many members as levels of fitness, and P is bounded. Where free leaves can be deleted and missing
ones inserted one at a time (`problems/expressing.py`), a path of accepted single operations leads from every P to the
whole front: with all three kinds and one operation possible, it is taken at some time.

**Stuck.** Where a substitution or a deletion can be drawn, some offspring of every P is accepted: a substitution by the
same terminal makes a copy of X, which takes its place; and a deletion in the smallest tree makes a smaller one, which
none dominates, or leaves the last leaf, a copy again. So no P stays as it is for ever, and a run is never stuck in the
sense of the (1+1) GP. That does not mean that it ends: on XOR, copies may come and go without end. With insertions
alone it can happen that nothing is accepted; that is not looked for.

What is known of the time to the front stands with each problem, among its bounds.
"""

from __future__ import annotations

from gpruntime.model.family import Family
from gpruntime.model.search import Individual, Search


def weakly_dominates(a: Individual, b: Individual) -> bool:
    """Whether a is at least as good as b in both."""
    return a.score >= b.score and len(a.tree.leaves) <= len(b.tree.leaves)


def dominates(a: Individual, b: Individual) -> bool:
    """Whether a is at least as good as b in both, and better in one."""
    return weakly_dominates(a, b) and not weakly_dominates(b, a)


class Smo(Search):
    """P, in the order of size."""

    def start(self) -> None:
        """P := {X₀}."""
        self.population = [self.evaluate(self.initial())]

    def step(self) -> None:
        """One offspring."""
        child = self.evaluate(self.mutate(self.choose(self.population).tree))
        if not any(dominates(other, child) for other in self.population):
            stay = [other for other in self.population if not weakly_dominates(child, other)]
            self.population = sorted([*stay, child], key=lambda member: len(member.tree.leaves))

    def is_complete(self) -> bool:
        """Whether P holds the whole front, if that is the goal."""
        if self.spec.goal != "front":
            return False
        held = {len(member.tree.leaves): member.fitness for member in self.population}
        return all(held.get(leaves) == fitness for leaves, fitness in self.spec.front.items())


FAMILY = Family(
    id="smo",
    title=lambda kind, _: f"SMO-GP-{kind}",
    line="a uniform tree of the population has an offspring; what no other beats in fitness and size stays",
    cite="Neumann 2012",
    search=Smo,
    number=0,
    selection="dominance",
    goals=("front", "optimum"),
)
