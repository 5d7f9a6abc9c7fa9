"""The (μ+1) GP: μ trees; a uniform one has an offspring, and the worst of the μ + 1 goes.

1. P := μ initial trees
2. pick X ∈ P uniformly
3. with probability c, the crossover's: pick X′ ∈ P uniformly, X itself included, and replace the subtree below a
   uniform node of a copy of X by that below a uniform node of X′ (`gpruntime.model.crossover`)
4. Y := the result after k operations, single or multi
5. of P and Y the worst goes: the least fit; under a parsimony rule the largest of these
6. go to 2

**Ties.** Of several that are worst, one goes uniformly, Y included (as Witt does it); under a rule that does not accept
an equal tree (`strict`, `parsimony-smaller`) it is Y whenever Y is among them. Y takes the place in the list of the one
that goes. An offspring beyond the size limit is worse than all others.

A draw for the crossover is made only if c > 0, and draws among one tree are not made at all. The empty tree, in the
dialect that has it, is not crossed. A crossing can double a tree, so with c > 0 a size limit is asked for.

**Stuck.** Let no crossing be drawn (c = 0), ties go against Y (`strict`, `parsimony-smaller`), and substitutions be
possible. Then Y stays if and only if its rank, the fitness and under parsimony the size, is above the worst rank in P.

- If some X is above the worst, a substitution by the same terminal makes a copy of X, and that stays: not stuck.
- If all ranks are the same, Y stays if and only if the (1+1) GP with that rule would accept it in place of its parent.
  So the run is stuck if and only if that GP is stuck at each of the μ trees (`gpruntime.model.stuck`).

Each Y that stays raises a rank and lowers none. So with the strict rule and one operation a run without a budget ends.
Where ties are drawn by lot such copies stay too: never stuck. Without substitutions a better X may have worse offspring
only, none of which stays; that is not looked for. With crossover nothing is proved: even the copies of one tree, put
into each other, make trees that no operation makes of one of them.

Subtree crossover is the founding paper's future work; that it is followed by mutation is our choice, as in the (μ+1)
GA. Nothing was found on it for the problems of this field.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpruntime.model.crossover import crossed
from gpruntime.model.errors import BadInput
from gpruntime.model.family import Family, check_chance, check_whole
from gpruntime.model.parameters import Value
from gpruntime.model.search import Individual, Search
from gpruntime.model.spec import RunSpec
from gpruntime.model.stuck import stuck
from gpruntime.model.tree import Tree

MAX_TREES = 10**5


class MuPlusOne(Search):
    """μ trees, and one offspring a step."""

    def start(self) -> None:
        """μ initial trees."""
        for _ in range(int(self.spec.algorithm.values["mu"])):
            if self.outcome is None:
                self.population.append(self.evaluate(self.initial()))

    def step(self) -> None:
        """One offspring."""
        child = self.evaluate(self.mutate(self._parent()))
        everyone = [*self.population, child]
        worst = min(map(self._rank, everyone))
        lot = [place for place, member in enumerate(everyone) if self._rank(member) == worst]
        last = len(self.population)
        goes = last if last in lot and not self.spec.accept.accepts(0, 0) else self.choose(lot)
        if goes != last:
            self.population[goes] = child

    def is_stuck(self) -> bool:
        full = len(self.population) == int(self.spec.algorithm.values["mu"])
        alike = len(set(map(self._rank, self.population))) == 1
        return (
            full and alike and _decides(self.spec) and all(stuck(member.tree, self.spec) for member in self.population)
        )

    def _parent(self) -> Tree:
        mother, chance = self.choose(self.population).tree, float(self.spec.algorithm.values["crossover"])
        if chance > 0 and self.stream.uniform() < chance:
            return crossed(mother, self.choose(self.population).tree, self.stream)
        return mother

    def _rank(self, member: Individual) -> tuple[float, int]:
        return member.score, -len(member.tree.leaves) if self.spec.accept.prefers_smaller else 0


def _title(kind: str, values: Mapping[str, Value]) -> str:
    crossover = f", crossover {values['crossover']}" if values["crossover"] else ""
    return f"({values['mu']}+1) GP-{kind}{crossover}"


def _check(spec: RunSpec) -> None:
    check_whole(spec, "mu", 1, MAX_TREES)
    check_chance(spec, "crossover")
    if spec.algorithm.values["crossover"] and spec.max_leaves_allowed is None:
        raise BadInput("max_leaves_allowed", None, "a crossing can double a tree: give a limit on the leaves")


def _decides(spec: RunSpec) -> bool:
    copies = spec.weights[0] > 0 and not spec.operator.is_own
    return copies and not spec.algorithm.values["crossover"] and not spec.accept.accepts(0, 0)


FAMILY = Family(
    id="mu-plus-one",
    title=_title,
    line="a uniform one of μ trees has an offspring, crossed with another by chance; the worst goes",
    cite="after Witt 2006; Durrett, Neumann, O'Reilly 2011 (future work)",
    search=MuPlusOne,
    number=2,
    parameters={"mu": 2, "crossover": 0.0},
    rules=("weak", "strict", "parsimony", "parsimony-smaller"),
    check=_check,
    decides=_decides,
)
