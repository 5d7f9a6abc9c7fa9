"""The Concatenation Crossover GP: local searches, whose trees are joined under a new J.

1. X := an initial tree; local search from X
2. Y := a new initial tree; local search from Y
3. Z := J(X, Y); X := Z if Z is at least as good as X; local search from X
4. go to 2

A local search is the (1+1) GP, with lexicographic parsimony unless another rule is said, for `steps` offspring. The
initial trees, and each Z, cost an evaluation. By default `steps` is 10·n·⌈log₂(n + 1)⌉, some times what parsimony needs
for a local optimum of such problems.

**This is our reading.** The authors' abstracts say that a simple crossover, the concatenation, is combined with
(randomised) local search under lexicographic parsimony pressure; how long a local search lasts, and what becomes of
what it was joined from, could not be read. So the schedule is a setting.

**Stuck.** Never: after each local search a new initial tree is drawn, whatever X is.

J is the only function of most problems; where there are several, one is drawn uniformly. Z has the register of X, then
that of Y, then the new join (`gpruntime.model.crossover`). An empty tree, in the dialect that has it, adds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpruntime.model.crossover import check_joins, concatenated
from gpruntime.model.family import Family, check_whole
from gpruntime.model.parameters import Value
from gpruntime.model.search import Search
from gpruntime.model.spec import MAX_BUDGET, RunSpec


def steps_of(spec: RunSpec) -> int:
    """How many offspring a local search has."""
    return int(spec.algorithm.values["steps"]) or 10 * spec.n * spec.n.bit_length()


class Concatenation(Search):
    """The population is X, or X and Y."""

    def start(self) -> None:
        """X."""
        self.population = [self.evaluate(self.initial())]
        self._made_so_far = 0

    def step(self) -> None:
        """An offspring of the local search, a new Y, or a joined tree."""
        self._made_so_far += 1
        if self._made_so_far <= steps_of(self.spec):
            self._search()
            return
        self._made_so_far = 0
        if len(self.population) == 1:
            self.population.append(self.evaluate(self.initial()))
            return
        x, y = self.population
        joined = self.evaluate(concatenated(x.tree, y.tree, self.spec.primitives, self.stream))
        self.population = [joined if joined.score >= x.score else x]

    def _search(self) -> None:
        parent = self.population[-1]
        child = self.evaluate(self.mutate(parent.tree), in_place_of=parent)
        if self.accepts(child, parent):
            self.population[-1] = child


def _title(kind: str, values: Mapping[str, Value]) -> str:
    steps = f", {values['steps']} steps" if values["steps"] else ""
    return f"Concatenation Crossover GP-{kind}{steps}"


def _check(spec: RunSpec) -> None:
    check_whole(spec, "steps", 0, MAX_BUDGET)
    check_joins(spec)


FAMILY = Family(
    id="concatenation",
    title=_title,
    line="local searches under parsimony, whose trees are joined; the schedule is our reading",
    cite="Kötzing, Lagodzinski, Lengler, Melnichenko 2018",
    search=Concatenation,
    number=3,
    parameters={"steps": 0},
    rules=("parsimony", "weak", "strict", "parsimony-smaller"),
    own_rules=True,
    check=_check,
)
