"""What a step did, and why it was accepted or rejected, in words.

    insert x̄3 left of x3        rejected: x̄3 would come before x3, fitness 7 → 6
    substitute x̄5 → x5          accepted: x5 is now expressed, fitness 6 → 7
    insert x2 right of x̄4       accepted: neutral, fitness 7 → 7
    insert x2 right of x̄4       rejected: equal and larger (parsimony), fitness 7 → 7
    insert x2 right of x̄4       rejected: 41 leaves, the limit is 40

What became of the variables is said in the problem's own words (`gpruntime.watch.annotations`).
"""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.acceptance import WEAK
from gpruntime.model.arity import AnyHvlPrime
from gpruntime.model.mutation import DELETE, INSERT, Operation, TakesSubtrees
from gpruntime.model.problem import Fitness
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Node, Tree, walk
from gpruntime.watch.annotations import OfVariables, Variable, annotations_of, number, sign
from gpruntime.watch.undo import goes

_MAX_NAMED = 4  # operations or variables in a sentence; the others are counted


def beginning(spec: RunSpec, fitness: Fitness, leaves: int) -> str:
    """The initial tree, circuit or truth table in words."""
    kind = spec.representation
    size = (
        counted(leaves, "leaf", "leaves") if kind.is_tree else counted(leaves, kind.size.removesuffix("s"), kind.size)
    )
    return f"the initial {kind.id.replace('-', ' ')}: fitness {number(fitness)}{goal(spec)}, {size}"


def goal(spec: RunSpec) -> str:
    """What follows a fitness: how much is best."""
    best = number(spec.best)
    return f" of {best}" if spec.problem.better == "larger" else f", best {best}, smaller is better"


def ending(spec: RunSpec, outcome: Outcome, evaluations: int) -> str:
    """How a run ended, in words."""
    if outcome is Outcome.OPTIMUM:
        return f"optimum: {_reached(spec)} after {counted(evaluations, 'evaluation')}"
    if outcome is Outcome.STUCK:
        return "stuck: no proposal can ever be accepted again, so the time is infinite"
    return f"budget: stopped after {counted(evaluations, 'evaluation')}"


def _reached(spec: RunSpec) -> str:
    if spec.representation.is_tree or spec.problem.table(spec.n) is None:
        return annotations_of(spec).reached()
    return f"all rows{' of the sample' if spec.problem.samples_rows(spec.n) else ''} are right"


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """1 leaf, 2 leaves."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def listed(parts: list[str], separator: str, noun: str) -> str:
    """The first few, and how many more."""
    if len(parts) <= _MAX_NAMED:
        return separator.join(parts)
    rest = len(parts) - _MAX_NAMED + 1
    return f"{separator.join(parts[: _MAX_NAMED - 1])}{separator[0]} and {counted(rest, 'more ' + noun)}"


# ---- the operation


def phrase(spec: RunSpec, tree: Tree, operation: Operation) -> str:
    """The operation, before it is made."""
    kind, site, side, terminal, function, *_ = operation
    if site is None and tree.leaves:
        return "substitute: there is no join, so nothing changes"
    if site is None:
        return f"insert {sign(terminal)}: the only leaf" if terminal is not None else f"{kind}: the tree is empty"
    node = tree.node(site)
    if kind == INSERT:
        if operation.place is not None:
            return f"insert {_call(tree, node, operation)}"
        assert terminal is not None
        under = f" under {function}" if function is not None else ""
        return f"insert {sign(terminal)} {side} of {_name(tree, node)}{under}"
    if kind == DELETE:
        return f"delete{_deletion(spec, tree, operation)}"
    if terminal is not None:
        return f"substitute {_name(tree, node)} → {sign(terminal)}"
    if function is None:
        return "substitute a join by a join: nothing changes"
    return f"substitute {node.function} → {function}" + (": nothing changes" if node.function == function else "")


def _call(tree: Tree, node: Node, operation: Operation) -> str:
    """A new function with its arguments, as in if(x1, a subtree of 3 leaves, x2)."""
    arguments = [sign(terminal) for terminal in operation.terminals]
    arguments.insert(operation.place or 0, _name(tree, node))
    return f"{operation.function}({', '.join(arguments)})"


def _deletion(spec: RunSpec, tree: Tree, operation: Operation) -> str:
    assert operation.site is not None
    node, mutation = tree.node(operation.site), spec.mutation
    if isinstance(mutation, TakesSubtrees) and len(tree.leaves) > 1:
        if operation.side is None and operation.place is None:
            return f" {_name(tree, node)}: a leaf has no children, nothing changes"
        which = f"its {operation.side} child" if operation.side else f"its argument {operation.place + 1}"  # type: ignore[operator]
        return f": {_name(tree, node)} becomes {which}"
    if isinstance(mutation, AnyHvlPrime) and operation.place is not None:
        join, kept = goes(tree, mutation, operation)
        assert join is not None
        assert kept is not None
        return f" {_name(tree, node) if node.is_leaf else node.function}: {join.function} becomes {_name(tree, kept)}"
    kept_whole = len(tree.leaves) == 1 and spec.last_leaf == "keep"
    return f" {_name(tree, node)}" + (": the only leaf, it stays" if kept_whole else "")


def _name(tree: Tree, node: Node) -> str:
    if node.terminal is not None:
        return sign(node.terminal)
    if node is tree.root:
        return "the whole tree"
    return f"a subtree of {counted(sum(1 for below in walk(node) if below.is_leaf), 'leaf', 'leaves')}"


# ---- the verdict


def verdict(
    spec: RunSpec, accepted: bool, fitness: tuple[Fitness, Fitness], leaves: tuple[int, int], changes: Sequence[str]
) -> str:
    """Why; fitness and leaves are the parent's and the offspring's."""
    limit = spec.max_leaves_allowed
    if not accepted and limit is not None and leaves[1] > limit:
        return f"rejected: {leaves[1]:,} leaves, the limit is {limit:,}"
    gain = (fitness[1] - fitness[0]) * spec.problem.direction
    why = _why(spec, accepted, gain, leaves[1] - leaves[0])
    reasons = [*([why] if why else []), *changes] or ["better" if gain > 0 else "worse"]
    change = listed(reasons, ", ", "change")
    return f"{'accepted' if accepted else 'rejected'}: {change}, fitness {number(fitness[0])} → {number(fitness[1])}"


def _why(spec: RunSpec, accepted: bool, gain: Fitness, growth: int) -> str:
    """What the rule went by; nothing where improvements are accepted, and losses rejected, whatever the size."""
    rule = spec.accept
    if rule is WEAK or rule.is_strict:
        neutral = "neutral" if accepted else "neutral, and only improvements are accepted"
        return neutral if gain == 0 else ""
    by_size = [rule.accepts(gain, size) for size in (-1, 0, 1)]
    if gain != 0 and accepted == (gain > 0) and by_size == [accepted] * 3:
        return ""
    kind = "better" if gain > 0 else "worse" if gain < 0 else "equal"
    but = "but" if gain != 0 and accepted != (gain > 0) else "and"
    size = _size(growth, by_size, accepted)
    return f"{kind}{f' {but} {size}' if size else ''} ({rule.name if rule.is_own else rule.id})"


def _size(growth: int, by_size: list[bool], accepted: bool) -> str:
    """The growth, in the words of what decides: of smaller, equal and larger offspring, those that are accepted."""
    smaller, same, larger = by_size
    if by_size[(growth > 0) - (growth < 0) + 1] == accepted:
        if smaller == same == larger:
            return ""
        if smaller == same:
            return "larger" if growth > 0 else "not larger"
        if same == larger:
            return "smaller" if growth < 0 else "not smaller"
    if growth == 0:
        return "as large"
    return f"{counted(abs(growth), 'leaf', 'leaves')} {'larger' if growth > 0 else 'smaller'}"


def changes_of(
    annotations: OfVariables, seen: Sequence[tuple[Variable, Variable]], accepted: bool, difference: Fitness
) -> list[str]:
    """What became of the variables that a step touched; they must add up to the difference in fitness."""
    gained, lost, total = [], [], 0
    for before, after in seen:
        change = after.adds - before.adds
        total += change  # type: ignore[assignment]
        better = change * annotations.problem.direction > 0
        if after.counts and not before.counts:
            gained.append(annotations.gained(after, accepted) + _amount(change))
        elif before.counts and not after.counts:
            lost.append(annotations.lost(after, accepted) + _amount(change))
        elif change:
            verb = "now adds" if accepted else "would add"
            words = f"{annotations.named(after)} {verb} {number(after.adds)}, not {number(before.adds)}"
            (gained if better else lost).append(words)
    assert total == difference, "the words and the engine disagree"
    return [*gained, *lost] if difference * annotations.problem.direction > 0 else [*lost, *gained]


def _amount(change: Fitness) -> str:
    return "" if abs(change) == 1 else f" ({change:+,})".replace("-", "−")
