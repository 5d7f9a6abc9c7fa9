"""The (1+λ) GP: λ offspring of one parent, the best of which may take its place.

1. X := an initial tree
2. make λ offspring of X, each with its own k and its own operations
3. Y := the best of them; X := Y if the acceptance rule accepts Y in place of X
4. go to 2

**Ties.** Among offspring of the same fitness the first is the best; under a rule that prefers the smaller of two equal
trees (one that accepts a smaller tree of the same fitness and not a larger one, such as parsimony), the smallest, and
of those the first. The offspring are independent and alike, so taking the first is the same law as taking a uniform
one. Offspring beyond the size limit are never the best, but cost their evaluation.

A run ends with the evaluation of an optimal offspring that the rule accepts in place of X, in the middle of a
generation too. Our rules accept every improvement; under a user-defined rule that rejects an optimal offspring the
generation goes on. A generation that the budget cuts off is judged by the best of those made so far. With λ = 1 it is
the (1+1) GP, whatever the rule.

**Stuck.** The run is stuck if and only if the (1+1) GP with the same rule and operator is stuck at X
(`gpruntime.model.stuck`). If no offspring of X is accepted, neither is the best of λ of them. If one is, then with a
positive probability all λ offspring of a generation are that one. This holds at the end of a generation. One that the
budget has cut off proves nothing: with a larger budget another offspring might have been the best. With the strict rule
and one operation a run without a budget ends, as that of the (1+1) GP does.

Nothing was found on (1+λ) GP for the problems of this field; for bit strings: Jansen, De Jong, Wegener 2005.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpruntime.model.family import Family, check_whole
from gpruntime.model.parameters import Value
from gpruntime.model.run import Outcome
from gpruntime.model.search import Individual, Search
from gpruntime.model.spec import RunSpec
from gpruntime.model.stuck import stuck

MAX_OFFSPRING = 10**6


class OnePlusLambda(Search):
    """One parent, and λ offspring a generation."""

    def start(self) -> None:
        """The first parent."""
        self.population = [self.evaluate(self.initial())]

    def step(self) -> None:
        """One generation."""
        (parent,) = self.population
        best: Individual | None = None
        for _ in range(int(self.spec.algorithm.values["lambda"])):
            child = self.evaluate(self.mutate(parent.tree), in_place_of=parent)
            if best is None or self._is_better(child, best) or self.outcome is Outcome.OPTIMUM:
                best = child
            if self.outcome is not None:
                break
        if best is not None and self.accepts(best, parent):
            self.population = [best]

    def is_stuck(self) -> bool:
        (parent,) = self.population
        is_whole = (self.evaluations - 1) % int(self.spec.algorithm.values["lambda"]) == 0
        return is_whole and stuck(parent.tree, self.spec)

    def _is_better(self, a: Individual, b: Individual) -> bool:
        smaller = self.spec.accept.prefers_smaller and a.tree.size < b.tree.size
        return a.score > b.score or (a.score == b.score and smaller)


def _title(kind: str, values: Mapping[str, Value]) -> str:
    return f"(1+{values['lambda']}) GP-{kind}"


def _check(spec: RunSpec) -> None:
    check_whole(spec, "lambda", 1, MAX_OFFSPRING)


FAMILY = Family(
    id="one-plus-lambda",
    title=_title,
    line="the best of λ offspring takes its parent's place, if the rule accepts it",
    cite="after Jansen, De Jong, Wegener 2005",
    search=OnePlusLambda,
    number=1,
    parameters={"lambda": 2},
    rules=("weak", "strict", "parsimony", "parsimony-smaller"),
    own_rules=True,
    check=_check,
    decides=lambda _: True,
)
