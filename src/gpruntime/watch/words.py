"""What a step did, and why it was accepted or rejected, in words.

    insert x̄3 left of x3        rejected: x̄3 would come before x3, fitness 7 → 6
    substitute x̄5 → x5          accepted: x5 is now expressed, fitness 6 → 7
    insert x2 right of x̄4       accepted: neutral, fitness 7 → 7
    insert x2 right of x̄4       rejected: 41 leaves, the limit is 40

The narrator follows a run on a tree of its own. Only the variables that a step touches can change, so a step costs
the occurrences of these, and not the tree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gpruntime.model.mutation import DELETE, INSERT, Operation
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Node, Tree, walk
from gpruntime.watch.undo import make

_MOST_NAMED = 4  # operations or variables in a sentence; the others are counted
_FEW = 16  # so many leaves are put in order by their paths; for more the tree is walked until the first


class Words(NamedTuple):
    """A step in words."""

    operation: str
    verdict: str


class Status(NamedTuple):
    """How a variable stands: what decides is its first leaf for ORDER, the counts for MAJORITY."""

    plain: int
    bar: int
    first_is_bar: bool


def sign(terminal: Terminal) -> str:
    """x3, or x̄3 with a macron."""
    return f"x\u0304{terminal.variable}" if terminal.negated else f"x{terminal.variable}"


def beginning(spec: RunSpec, fitness: int, leaves: int) -> str:
    """The initial tree in words."""
    return f"the initial tree: fitness {fitness:,} of {spec.n:,}, {counted(leaves, 'leaf', 'leaves')}"


def ending(spec: RunSpec, outcome: Outcome, evaluations: int) -> str:
    """How a run ended, in words."""
    if outcome is Outcome.OPTIMUM:
        return f"optimum: all {spec.n:,} variables are expressed after {counted(evaluations, 'evaluation')}"
    if outcome is Outcome.STUCK:
        return "stuck: no proposal can ever be accepted again, so the time is infinite"
    return f"budget: stopped after {counted(evaluations, 'evaluation')}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """1 leaf, 2 leaves."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


class Narrator:
    """Follows a run and tells each of its steps. The tree given is its own from then on."""

    def __init__(self, spec: RunSpec, tree: Tree, fitness: int) -> None:
        self.spec, self.tree, self.fitness = spec, tree, fitness
        self._leaves_of: defaultdict[int, set[Node]] = defaultdict(set)
        for leaf in tree.leaves:
            self._leaves_of[_terminal(leaf).variable].add(leaf)

    def tell(self, operations: Sequence[Operation], accepted: bool, offspring_fitness: int) -> Words:
        """The words for a step; the tree is then the one after it."""
        before: dict[int, Status] = {}
        phrases, take_back = [], []
        taken_out: set[Node] = set()
        for operation in operations:
            phrases.append(self._phrase(operation))
            going = self._going(operation)
            coming = () if operation.terminal is None else (operation.terminal.variable,)
            for variable in {*(_terminal(leaf).variable for leaf in going), *coming}:
                before.setdefault(variable, self._status(variable))
            taken_out.update(going)
            count = len(self.tree.leaves)
            self._forget(going)
            take_back.append(make(self.tree, self.spec.mutation, operation))
            self._remember(going if count == len(self.tree.leaves) else ())
            if operation.kind == INSERT:
                self._remember(self.tree.leaves[-1:])
        leaves, after = len(self.tree.leaves), {variable: self._status(variable) for variable in before}
        verdict = self._verdict(accepted, offspring_fitness, leaves, before, after)
        if accepted:
            self.fitness = offspring_fitness
        else:
            for back in reversed(take_back):
                back()
            self._recount(set(before), taken_out)
        return Words(_listed(phrases, "; then ", "operation"), verdict)

    # ---- the leaves of each variable

    def _going(self, operation: Operation) -> list[Node]:
        """The leaves whose terminal leaves the tree, if the operation finds any."""
        site, tree = operation.site, self.tree
        if operation.kind == INSERT or site is None:
            return []
        if operation.kind == DELETE and self.spec.operator == "hvl":
            if operation.side is None:
                return []
            join = tree.joins[site - len(tree.leaves)]
            kept = join.left if operation.side == "left" else join.right
            assert kept is not None
            stay = set(walk(kept))
            return [node for node in walk(join) if node.is_leaf and node not in stay]
        return [tree.leaves[site]] if site < len(tree.leaves) else []

    def _forget(self, leaves: Iterable[Node]) -> None:
        for leaf in leaves:
            self._leaves_of[_terminal(leaf).variable].discard(leaf)

    def _remember(self, leaves: Iterable[Node]) -> None:
        for leaf in leaves:
            self._leaves_of[_terminal(leaf).variable].add(leaf)

    def _recount(self, variables: set[int], taken_out: set[Node]) -> None:
        """After taking back: new leaves are gone, old ones are as they were."""
        for variable in variables:
            leaves = self._leaves_of[variable] | taken_out
            self._leaves_of[variable] = {
                leaf for leaf in leaves if self._is_there(leaf) and _terminal(leaf).variable == variable
            }

    def _is_there(self, leaf: Node) -> bool:
        return leaf.index < len(self.tree.leaves) and self.tree.leaves[leaf.index] is leaf

    def _status(self, variable: int) -> Status:
        leaves = self._leaves_of[variable]
        bars = sum(1 for leaf in leaves if _terminal(leaf).negated)
        first_is_bar = bars > 0
        if self.spec.problem == "order" and 0 < bars < len(leaves):
            first_is_bar = _terminal(self._first(variable, leaves)).negated
        return Status(len(leaves) - bars, bars, first_is_bar)

    def _first(self, variable: int, leaves: set[Node]) -> Node:
        if len(leaves) > _FEW:
            assert self.tree.root is not None
            return next(node for node in walk(self.tree.root) if node.is_leaf and _terminal(node).variable == variable)
        return min(leaves, key=_path)

    def _expressed(self, status: Status) -> bool:
        if self.spec.problem == "order":
            return status.plain > 0 and not status.first_is_bar
        return status.plain >= max(status.bar, 1)

    # ---- sentences

    def _phrase(self, operation: Operation) -> str:
        """The operation, before it is made."""
        kind, site, side, terminal, _ = operation
        if site is None:
            return f"insert {sign(terminal)}: the only leaf" if terminal is not None else f"{kind}: the tree is empty"
        node = self.tree.node(site)
        if kind == INSERT:
            assert terminal is not None
            return f"insert {sign(terminal)} {side} of {self._name(node)}"
        if kind == DELETE:
            if self.spec.operator == "hvl":
                if side is None:
                    return f"delete {self._name(node)}: a leaf has no children, nothing changes"
                return f"delete: {self._name(node)} becomes its {side} child"
            kept = len(self.tree.leaves) == 1 and self.spec.last_leaf == "keep"
            return f"delete {self._name(node)}" + (": the only leaf, it stays" if kept else "")
        if terminal is None:
            return "substitute a join by a join: nothing changes"
        return f"substitute {self._name(node)} → {sign(terminal)}"

    def _name(self, node: Node) -> str:
        if node.terminal is not None:
            return sign(node.terminal)
        if node is self.tree.root:
            return "the whole tree"
        return f"a subtree of {sum(1 for below in walk(node) if below.is_leaf):,} leaves"

    def _verdict(
        self, accepted: bool, offspring_fitness: int, leaves: int, before: dict[int, Status], after: dict[int, Status]
    ) -> str:
        limit = self.spec.max_leaves_allowed
        if not accepted and limit is not None and leaves > limit:
            return f"rejected: {leaves:,} leaves, the limit is {limit:,}"
        gained, lost = [], []
        for variable, status in after.items():
            is_expressed, was_expressed = self._expressed(status), self._expressed(before[variable])
            if is_expressed and not was_expressed:
                gained.append(f"x{variable} {'is now' if accepted else 'would be'} expressed")
            elif was_expressed and not is_expressed:
                lost.append(self._loss(variable, status, accepted))
        gain = offspring_fitness - self.fitness
        assert gain == len(gained) - len(lost), "the words and the engine disagree"
        changes = [*gained, *lost] if gain > 0 else [*lost, *gained]
        if gain == 0:
            changes.insert(0, "neutral" if accepted else "neutral, and only improvements are accepted")
        change = _listed(changes, ", ", "change")
        return f"{'accepted' if accepted else 'rejected'}: {change}, fitness {self.fitness:,} → {offspring_fitness:,}"

    def _loss(self, variable: int, status: Status, accepted: bool) -> str:
        bar = f"x\u0304{variable}"
        if status.plain == 0:
            return f"x{variable} {'is' if accepted else 'would be'} gone"
        if self.spec.problem == "order":
            return f"{bar} {'now comes' if accepted else 'would come'} before x{variable}"
        verb = "now outnumbers" if accepted else "would outnumber"
        return f"{bar} {verb} x{variable} ({status.bar:,} to {status.plain:,})"


def _terminal(leaf: Node) -> Terminal:
    assert leaf.terminal is not None
    return leaf.terminal


def _path(node: Node) -> list[bool]:
    """The turns from the root to a leaf, right turns true: leaves from left to right have ascending paths."""
    turns = []
    while node.parent is not None:
        turns.append(node.parent.right is node)
        node = node.parent
    return turns[::-1]


def _listed(parts: list[str], separator: str, noun: str) -> str:
    if len(parts) <= _MOST_NAMED:
        return separator.join(parts)
    rest = len(parts) - _MOST_NAMED + 1
    return f"{separator.join(parts[: _MOST_NAMED - 1])}{separator[0]} and {counted(rest, 'more ' + noun)}"
