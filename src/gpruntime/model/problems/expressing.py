"""Problems whose fitness is the number of expressed variables, and when a run on them is stuck.

Let f < n be the fitness and T the number of leaves. Write S, I, D for "this kind has positive weight" (I: and the
size limit leaves room), and call a leaf *free* if the fitness does not fall when it goes. What follows holds where
of the leaves of an expressed variable at most one is needed and of those of other variables none: if T > f there is
a free leaf; if T = f, each leaf is the only one of an expressed variable, and none is free.

**Weak acceptance.** A substitution by the same terminal is accepted, and so is some insertion. So a run is stuck only
if it can do nothing but insert and the size limit is reached, or nothing but delete and every leaf is needed: T = f,
where each deletion costs a variable (unless it is the last leaf, and kept).

**Strict acceptance, one operation.** Each problem has its own argument, in its file (`can_improve`).

**Strict acceptance, 1 + Pois(λ) operations, λ > 0.** Every number of operations can be drawn, so the question is
whether any sequence leads to a better tree within the size limit M ≥ n. (Numbers so large that their chance is below
2⁻⁶⁰ are in truth not drawn: `poisson_table`. A run that would need them goes on as long as it is let.)

- With S, any T terminals can be written on the leaves, min(n, T) of them expressed. That improves if T > f. If T = f,
  no T leaves can do better and one must be inserted (there is room, as f < n ≤ M): stuck if and only if not I.
- With I and D every tree can be reached: never stuck. With I alone and no limit: never stuck.
- With I alone and room for r = M − T leaves: the problem says whether r leaves can improve (`can_insert`).
- With D alone: a variable can be expressed if and only if x_i is in the tree (delete the x̄_i in its way). Stuck if
  and only if no unexpressed variable has an x_i in the tree.

**The original HVL** substitutes and inserts as HVL-Prime does. Its deletion takes out the smaller child of a join, so
it can drop any leaf, by way of its parent, and more. With one operation all deletions are tried. With many the
arguments above hold: with D alone the same leaves can go. So it is with the deletions of `gpruntime.model.unbiased`,
which leave the last leaf as HVL-Prime does.

**When a run ends.** Under the weak rule and under parsimony, with all three kinds and one operation possible, a path
of accepted single operations leads from every tree to the optimum: free leaves can be deleted, one after the other,
until every leaf is needed, and then each missing x_i inserted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gpruntime.model.bound import LOWER, REPORTED, UPPER, Bound
from gpruntime.model.mutation import DELETE
from gpruntime.model.problem import Problem
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

if TYPE_CHECKING:
    from gpruntime.model.spec import RunSpec


FOUNDING = "Durrett, Neumann, O'Reilly, FOGA 2011"
LINEAR = ("unity", "bad", "tlopt", "insertion", "grow")  # initial trees of at most 2n leaves


def log_n(n: float) -> float:
    """log n, above zero for n = 1 too."""
    return math.log(max(n, 2.0))


def log_log_n(n: float) -> float:
    """log log n, above zero for n < 3 too."""
    return math.log(log_n(max(n, 3.0)))


class Expressing(Problem):
    """A problem that counts expressed variables; one of ours."""

    can_skip = True

    def __init__(
        self,
        id_: str,
        name: str,
        function: Callable[..., Any],
        *,
        sees: str,
        number: int,
        cite: str,
        bounds: Sequence[Bound],
    ) -> None:
        super().__init__(
            id_,
            name,
            function,
            sees=sees,
            best=lambda n: n,
            optimal_leaves=lambda n: n,
            ends=("weak", "parsimony", "parsimony-smaller", "smo"),
            stuck=self._stuck,
            cite=cite,
            bounds=bounds,
            number=number,
        )

    def expressed(self, terminals: Sequence[Terminal], n: int) -> list[int]:
        """The variables that are expressed."""
        raise NotImplementedError

    def can_improve(self, terminals: list[Terminal], n: int, substitute: bool, insert: bool, delete: bool) -> bool:
        """Whether one operation of these kinds can improve."""
        raise NotImplementedError

    def can_insert(self, terminals: list[Terminal], n: int, room: int) -> bool:
        """Whether at most `room` insertions, and nothing else, can improve."""
        raise NotImplementedError

    def fitness(self, of: Tree | Sequence[Terminal], n: int) -> int:
        """f(X), the number of expressed variables: what the sum over all of them comes to."""
        return len(self.expressed(of.terminals() if isinstance(of, Tree) else of, n))

    def best_of_size(self, leaves: int, n: int) -> int:
        """Each leaf can express a variable."""
        return min(leaves, n)

    def _stuck(self, tree: Tree, spec: RunSpec) -> bool:
        leaves, limit, terminals = len(tree.leaves), spec.max_leaves_allowed, tree.terminals()
        substitute, insert, delete = (weight > 0 for weight in spec.weights)
        room = None if limit is None else limit - leaves
        if not spec.accept.is_strict:
            if substitute or (insert and delete):
                return False
            if insert:
                return room == 0
            if spec.operator.id == "hvl":
                return False  # deleting a leaf changes nothing there, and is accepted
            needed = leaves == self.fitness(terminals, spec.n) > 0
            return needed and (leaves > 1 or spec.last_leaf == "empty")
        if spec.operations.most > 1:
            return self._stuck_many(terminals, spec.n, substitute, insert, delete, room)
        if spec.operator.id != "hvl-prime" and delete:
            from gpruntime.model.stuck import any_accepted

            if any_accepted(tree, spec, (DELETE,)):
                return False
        return not self.can_improve(terminals, spec.n, substitute, insert and room != 0, delete)

    def _stuck_many(
        self, terminals: list[Terminal], n: int, substitute: bool, insert: bool, delete: bool, room: int | None
    ) -> bool:
        expressed = set(self.expressed(terminals, n))
        if substitute:
            return len(terminals) == len(expressed) and not insert
        if insert and (delete or room is None):
            return False
        if insert:
            assert room is not None
            return not self.can_insert(terminals, n, room)
        return all(terminal.negated or terminal.variable in expressed for terminal in terminals)


CONTROLLED = "Doerr, Kötzing, Lagodzinski, Lengler, GECCO 2017 and TCS 816, 2020 (abstract)"
WEIGHTED = "Neumann, GECCO 2012, arXiv 1203.4881"


SMO = ("smo-single", "smo-single until=optimum")  # what bounds the time to the front bounds that to the first optimum


def whole_front(identifier: str, name: str) -> Bound:
    """O(n·T_init + n² log n) for the front of fitness and size."""
    return Bound(
        identifier, "O(n·T_init + n²·log n)", r"n\,T_{\mathrm{init}} + n^2\,\log n", UPPER, WEIGHTED,
        f"{name}, SMO-GP with one operation, the whole front", REPORTED, SMO, (),
        lambda n, _, t_init: math.log(n * t_init + n * n * log_n(n)), "text not seen",
    )  # fmt: skip


def controlled(identifier: str, name: str, source: str = CONTROLLED, *, single: bool = False) -> tuple[Bound, ...]:
    """Θ(T_init + n log n) with parsimony; with `single`, O of it for one operation."""
    algorithms = tuple(f"{algorithm} accept=parsimony" for algorithm in ("gp-single", "gp-multi")[: 1 if single else 2])
    kinds = ((UPPER, "O"),) if single else ((UPPER, "O"), (LOWER, "Ω"))
    return tuple(
        Bound(
            f"{identifier}:{kind}", f"{sign}(T_init + n·log n)", r"T_{\mathrm{init}} + n\,\log n", kind, source,
            f"{name} with parsimony", REPORTED, algorithms, (),
            lambda n, _, t_init: math.log(t_init + n * log_n(n)),
            "text not seen" if single else "proved, known to us from the abstract",
        )
        for kind, sign in kinds
    )  # fmt: skip
