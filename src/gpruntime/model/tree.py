"""Program trees: joins with two children, terminals at the leaves.

A tree with T leaves has T − 1 joins and 2T − 1 nodes; T = 0 is the empty tree, which only the dialect
`last_leaf="empty"` can reach. Where a problem has functions of another number of arguments, a join has as many
children as its function has arguments, and the number of joins is not settled by T.

**The register.** "A uniformly chosen leaf" is `tree.leaves[i]` with i uniform below T, "a uniformly chosen node" is
`tree.node(i)` with i uniform below 2T − 1: the leaves come first, then the joins. Both lists are in no particular
order; what matters is that the order is *fixed by the history*, so that compiled code which follows the same random
stream picks the same node:

- in the beginning the leaves are in in-order and the joins in pre-order, for an initial tree however it was made and
  for a tree read from text (`register_in_order`), so the text of an initial tree says all about it;
- a new leaf and its new join are appended to the lists;
- when a leaf goes, it and its parent join leave holes, and the last entry of each list moves into the hole;
- where a join can have another number of children than two, and in the original HVL, what goes leaves no holes: those
  that stay keep their order.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

from gpruntime.model.face import Face
from gpruntime.model.terminals import Primitives, Terminal

Side = Literal["left", "right"]


class Node:
    """A leaf (with a `terminal`) or a join (with `children`); `index` is its place in the register.

    `function` is the name of the function that a join stands for: empty for J.
    """

    __slots__ = ("children", "function", "index", "parent", "terminal")

    def __init__(self, terminal: Terminal | None, index: int, function: str = "", arity: int = 0) -> None:
        self.terminal = terminal
        self.function = function
        self.index = index
        self.parent: Node | None = None
        self.children: list[Node] = [_NOBODY] * arity if arity else []

    @property
    def is_leaf(self) -> bool:
        """Whether this is a leaf; every other node is a join."""
        return self.terminal is not None

    @property
    def left(self) -> Node | None:
        """The first child of a join."""
        return self.children[0] if self.children else None

    @property
    def right(self) -> Node | None:
        """The last child of a join."""
        return self.children[-1] if self.children else None

    @property
    def place(self) -> int:
        """Which of its parent's children it is, from 0."""
        assert self.parent is not None
        return next(place for place, child in enumerate(self.parent.children) if child is self)


_NOBODY = Node(None, -1)  # hangs where a child is not yet


class Tree(Face):
    """A program tree that can be changed in place, one leaf at a time; `Tree("((x1 !x4) x2)")` reads one."""

    ALSO: ClassVar = {"nodes": "node", "depth": "root", "fitness": "leaves", "to_text": "str(tree)"}

    def __init__(self, text: str = "") -> None:
        self.root: Node | None = None
        self.leaves: list[Node] = []
        self.joins: list[Node] = []
        if text:
            self.__dict__ = vars(Tree.parse(text))

    @classmethod
    def parse(cls, text: str, primitives: Primitives | None = None) -> Tree:
        """Reads the text form, e.g. `((x1 !x4) (x2 x3))`; see `gpruntime.model.text`."""
        from gpruntime.model.text import parse

        return parse(text, primitives)

    @classmethod
    def single(cls, terminal: Terminal) -> Tree:
        """The tree that is one leaf."""
        tree = cls()
        tree.root = tree.new_leaf(terminal)
        return tree

    # ---- building

    def new_leaf(self, terminal: Terminal) -> Node:
        """Registers a leaf that hangs nowhere yet."""
        leaf = Node(terminal, len(self.leaves))
        self.leaves.append(leaf)
        return leaf

    def new_join(self, function: str = "", arity: int = 2) -> Node:
        """Registers a join whose children hang nowhere yet."""
        join = Node(None, len(self.joins), function, arity)
        self.joins.append(join)
        return join

    def register_in_order(self) -> None:
        """Puts the register into its first order: leaves from left to right, joins in pre-order."""
        nodes = [] if self.root is None else list(walk(self.root))
        self.leaves = [node for node in nodes if node.is_leaf]
        self.joins = [node for node in nodes if not node.is_leaf]
        for register in (self.leaves, self.joins):
            for index, node in enumerate(register):
                node.index = index

    def copy(self) -> Tree:
        """A tree of its own with the same shape, terminals and register."""
        twin = Tree()
        twin.leaves = [Node(leaf.terminal, leaf.index) for leaf in self.leaves]
        twin.joins = [Node(None, join.index, join.function, len(join.children)) for join in self.joins]

        def image(node: Node) -> Node:
            return twin.leaves[node.index] if node.is_leaf else twin.joins[node.index]

        for join, its_twin in zip(self.joins, twin.joins, strict=True):
            for place, child in enumerate(join.children):
                hang(image(child), its_twin, place)
        twin.root = None if self.root is None else image(self.root)
        return twin

    # ---- the three operations of HVL-Prime, given where and what

    def substitute(self, leaf_index: int, terminal: Terminal) -> None:
        """Replaces a leaf by a new one in the same place."""
        self.leaves[leaf_index].terminal = terminal

    def substitute_function(self, join_index: int, function: str) -> None:
        """Lets a join stand for another function."""
        self.joins[join_index].function = function

    def insert(self, node_index: int, side: Side, terminal: Terminal, function: str = "") -> None:
        """Replaces node v by a join of v and a new leaf, the new leaf on the given side.

        On the empty tree the new leaf becomes the tree.
        """
        if self.root is None:
            self.root = self.new_leaf(terminal)
            return
        node = self.node(node_index)
        join, leaf = self.new_join(function), self.new_leaf(terminal)
        self._replace(node, join)
        hang(leaf, join, int(side == "right"))
        hang(node, join, int(side == "left"))

    def insert_above(self, node_index: int, function: str, place: int, terminals: Sequence[Terminal]) -> None:
        """Replaces node v by a join in which v has this place, and new leaves have the others, from left to right."""
        node = self.node(node_index)
        join = self.new_join(function, len(terminals) + 1)
        self._replace(node, join)
        for number, terminal in enumerate(terminals):
            hang(self.new_leaf(terminal), join, number + (number >= place))
        hang(node, join, place)

    def delete(self, leaf_index: int) -> None:
        """Removes a leaf and its parent; the sibling takes the parent's place.

        Removing the only leaf leaves the empty tree.
        """
        leaf = self.leaves[leaf_index]
        parent = leaf.parent
        if parent is None:
            self.root = None
        else:
            self._replace(parent, parent.children[1 - leaf.place])
            _fill_hole(self.joins, parent.index)
        _fill_hole(self.leaves, leaf_index)

    def _replace(self, old: Node, new: Node) -> None:
        """Puts `new` where `old` hangs."""
        parent = old.parent
        if parent is None:
            self.root, new.parent = new, None
        else:
            hang(new, parent, old.place)

    def replace_by_child(self, join_index: int, place: int | Side) -> None:
        """Replaces a join by its child in this place, or on this side; all else below it goes.

        That is the deletion of the original HVL. The register keeps the order of the nodes that stay.
        """
        join = self.joins[join_index]
        kept = join.children[("left", "right").index(place) if isinstance(place, str) else place]
        gone = {id(node) for node in walk(join)} - {id(node) for node in walk(kept)}
        self._replace(join, kept)
        for register in (self.leaves, self.joins):
            register[:] = [node for node in register if id(node) not in gone]
            for index, node in enumerate(register):
                node.index = index

    # ---- reading

    def node(self, index: int) -> Node:
        """Node number `index` below `node_count`: leaves first, then joins."""
        return self.leaves[index] if index < len(self.leaves) else self.joins[index - len(self.leaves)]

    @property
    def size(self) -> int:
        """T, the number of leaves: the size of a tree in the theory."""
        return len(self.leaves)

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return True  # the empty one, too

    def plot(self, problem: Any = None, n: int | None = None) -> Any:
        """The figure: a notebook shows it, `.save(FOLDER)` writes it; with a problem, what counts is marked."""
        return importlib.import_module("gpruntime.show.trees").tree_figure(self, problem, n)

    def to_svg(self, problem: Any = None, n: int | None = None) -> str:
        """The picture as SVG, large trees folded; with a problem, what counts is marked."""
        from gpruntime.model.picture import svg
        from gpruntime.model.problems import problem_named

        return svg(self, None if problem is None else problem_named(problem), n)

    def to_tikz(self, problem: Any = None, n: int | None = None) -> str:
        r"""The same for LaTeX, by `\usepackage{tikz}`."""
        text: str = importlib.import_module("gpruntime.show.tikz").tree_tikz(self, problem, n)
        return text

    @property
    def node_count(self) -> int:
        """How many nodes there are: 2T − 1 where joins have two children, and 0 for the empty tree."""
        return len(self.leaves) + len(self.joins)

    def leaves_in_order(self) -> list[Node]:
        """The leaves from left to right: the list l of the paper's fitness functions."""
        return [] if self.root is None else [node for node in walk(self.root) if node.is_leaf]

    def terminals(self) -> list[Terminal]:
        """The terminals at the leaves from left to right."""
        return [leaf.terminal for leaf in self.leaves_in_order() if leaf.terminal is not None]

    def __eq__(self, other: object) -> bool:
        """Same shape, functions and terminals; the register does not count."""
        if not isinstance(other, Tree):
            return NotImplemented
        return self._pre_order() == other._pre_order()

    __hash__ = None  # type: ignore[assignment]  # a tree can change

    def _pre_order(self) -> list[Terminal | tuple[str, int]]:
        nodes = [] if self.root is None else walk(self.root)
        return [node.terminal or (node.function, len(node.children)) for node in nodes]

    def __str__(self) -> str:
        from gpruntime.model.text import write

        return write(self)

    def __repr__(self) -> str:
        text = str(self)
        return f"Tree.parse({text if len(text) <= 200 else text[:197] + '...'!r})"

    def _repr_svg_(self) -> str:
        from gpruntime.model.picture import svg

        return svg(self)


def hang(node: Node, parent: Node, place: int) -> None:
    """Makes `node` the child of `parent` in this place, from 0."""
    node.parent = parent
    parent.children[place] = node


def walk(top: Node) -> Iterator[Node]:
    """All nodes below and including `top` in pre-order, without recursion: trees can be 10⁵ deep."""
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def _fill_hole(register: list[Node], index: int) -> None:
    last = register.pop()
    if index < len(register):
        register[index] = last
        last.index = index
