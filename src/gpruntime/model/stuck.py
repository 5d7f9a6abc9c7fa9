"""When a run can never accept anything again, by proof.

`stuck(tree, spec)` is true if and only if no offspring of the tree, which is not optimal, can be accepted, whatever is
drawn. The run would then stay as it is for ever: its time is infinite.

**Weak acceptance.** A substitution by the same terminal is accepted, and an insertion of a terminal that comes last or
is in the majority. So a run is stuck only if it can do nothing but insert and the size limit is reached, or nothing but
delete and every leaf is needed: T = f, where each deletion costs a variable (unless it is the last leaf, and kept).

**Strict acceptance, one operation.** Let f < n be the fitness and T the number of leaves. Write S, I, D for "this kind
has positive weight" (I: and the size limit leaves room), and call a leaf *free* if the fitness does not fall when it
goes. Of the leaves of an expressed variable at most one is needed, and of those of other variables none, so if T > f
there is a free leaf. If T = f, each leaf is the only one of an expressed variable and none is free.

*MAJORITY.* Variable i is unexpressed if its deficit d = D_i is at least 1, or if it is absent (d = 0, no leaf). An
operation adds at most one leaf and takes out at most one, so it lowers a deficit by at most 2, and by 2 only as the
substitution x̄_i → x_i. An improvement must express some unexpressed i:

- d ≥ 3: never;
- d = 2: by S (x̄_i → x_i; the leaf that goes is of i itself, so nothing is lost);
- d = 1: by S (the same), by I (insert x_i), and by D (delete an x̄_i) if some x_i is there;
- absent: by I (insert x_i), and by S (free leaf → x_i) if T > f.

With all three kinds and no limit: stuck if and only if every unexpressed variable has a deficit of at least 3.

(For MAJORITY "at most one is needed" reads: a variable with c(x_i) = c(x̄_i) needs each of its x_i, but then its x̄_i
are free, so a variable with more than one leaf has a free one.)

*ORDER.* Variable i is unexpressed if x̄_i comes first (*blocked*) or if it is absent. By I always: insert x_i in front
of everything. By S: a blocked i (its first x̄_i → x_i), or an absent i if T > f (free leaf → x_i). By D: a blocked i
whose second occurrence is x_i.

**Strict acceptance, 1 + Pois(λ) operations, λ > 0.** Every number of operations can be drawn, so the question is
whether any sequence leads to a better tree within the size limit M ≥ n. (Numbers so large that their chance is below
2⁻⁶⁰ are in truth not drawn: `poisson_table`. A run that would need them goes on as long as it is let.)

- With S, any T terminals can be written on the leaves, min(n, T) of them expressed. That improves if T > f. If T = f,
  no T leaves can do better and one must be inserted (there is room, as f < n ≤ M): stuck if and only if not I.
- With I and D every tree can be reached: never stuck. With I alone and no limit: never stuck.
- With I alone and room for r = M − T leaves: ORDER is stuck if and only if r = 0; MAJORITY if and only if every
  unexpressed variable needs more than r copies of x_i, that is max(d, 1) > r.
- With D alone: a variable can be expressed if and only if x_i is in the tree (delete the x̄_i in its way). Stuck if
  and only if no unexpressed variable has an x_i in the tree.

**The original HVL** substitutes and inserts as HVL-Prime does. Its deletion takes out the smaller child of a join, so
it can drop any leaf, by way of its parent, and more. With one operation all deletions are tried. With many the
arguments above hold: with D alone the same leaves can go.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.mutation import DELETE, KINDS
from gpruntime.model.problems.majority import Majority
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import poisson_table
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree


def stuck(tree: Tree, spec: RunSpec) -> bool:
    """Whether no offspring of this tree, which is not optimal, can ever be accepted."""
    leaves, limit = len(tree.leaves), spec.max_leaves_allowed
    substitute, insert, delete = (weight > 0 for weight in spec.weights)
    room = None if limit is None else limit - leaves
    terminals = tree.terminals()
    if not spec.algorithm_.strict:
        if substitute or (insert and delete):
            return False
        if insert:
            return room == 0
        if spec.operator == "hvl":
            return False  # deleting a leaf changes nothing there, and is accepted
        needed = leaves == spec.problem_.fitness(terminals, spec.n) > 0
        return needed and (leaves > 1 or spec.last_leaf == "empty")
    if spec.operator == "hvl" and delete and not _many(spec) and any_improvement(tree, spec, (DELETE,)):
        return False
    if _many(spec):
        return _stuck_multi(spec, terminals, substitute, insert, delete, room)
    insert = insert and room != 0
    if isinstance(spec.problem_, Majority):
        return not _majority_can_improve(terminals, spec.n, substitute, insert, delete)
    return not _order_can_improve(terminals, spec.n, substitute, insert, delete)


def any_improvement(tree: Tree, spec: RunSpec, kinds: Sequence[str] = KINDS) -> bool:
    """Whether some single operation of these kinds improves the tree: by trying them all."""
    fitness = spec.problem_.fitness(tree.terminals(), spec.n)
    for operation, chance in spec.mutation.proposals(tree):
        if chance > 0 and operation.kind in kinds:
            offspring = tree.copy()
            spec.mutation.apply(offspring, operation)
            fits = spec.max_leaves_allowed is None or len(offspring.leaves) <= spec.max_leaves_allowed
            if fits and spec.problem_.fitness(offspring.terminals(), spec.n) > fitness:
                return True
    return False


def _many(spec: RunSpec) -> bool:
    return spec.algorithm_.multi and len(poisson_table(spec.poisson_mean)) > 1


def _majority_can_improve(terminals: list[Terminal], n: int, substitute: bool, insert: bool, delete: bool) -> bool:
    positive, negative = Majority().counts(terminals, n)
    fitness = Majority().fitness(terminals, n)
    for plain, bar in zip(positive, negative, strict=True):
        deficit = bar - plain
        if deficit == 2 and substitute:
            return True
        if deficit == 1 and (substitute or insert or (delete and plain > 0)):
            return True
        if bar == plain == 0 and (insert or (substitute and len(terminals) > fitness)):
            return True
    return False


def _order_can_improve(terminals: list[Terminal], n: int, substitute: bool, insert: bool, delete: bool) -> bool:
    occurrences: list[list[Terminal]] = [[] for _ in range(n)]
    for terminal in terminals:
        occurrences[terminal.variable - 1].append(terminal)
    fitness = sum(1 for first in occurrences if first and not first[0].negated)
    for found in occurrences:
        blocked = bool(found) and found[0].negated
        if blocked and (insert or substitute):
            return True
        if blocked and delete and len(found) > 1 and not found[1].negated:
            return True
        if not found and (insert or (substitute and len(terminals) > fitness)):
            return True
    return False


def _stuck_multi(
    spec: RunSpec, terminals: list[Terminal], substitute: bool, insert: bool, delete: bool, room: int | None
) -> bool:
    expressed = set(spec.problem_.expressed(terminals, spec.n))
    if substitute:
        return len(terminals) == len(expressed) and not insert
    if insert and (delete or room is None):
        return False
    if insert:
        assert room is not None
        if spec.problem == "order":
            return room == 0
        deficits = Majority().deficits(terminals, spec.n)
        return all(max(d, 1) > room for i, d in enumerate(deficits, 1) if i not in expressed)
    return all(terminal.negated or terminal.variable in expressed for terminal in terminals)
