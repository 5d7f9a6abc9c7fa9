"""Initial trees, by name or as an explicit tree.

| text             | the tree                                                                                  |
|------------------|-------------------------------------------------------------------------------------------|
| `unity`          | 2n leaves: random leaf positions are opened until there are 2n, then uniform terminals     |
| `bad`            | 2n leaves, all x̄₁, so D₁ = 2n                                                              |
| `tlopt`          | the paper's T_lopt: x₁ … x_{n−1}, then x̄_n for the remaining n + 1 of 2n leaves            |
| `insertion`      | one uniform leaf, then HVL insertions up to 2n leaves: every shape equally likely          |
| `grow`           | from the root down, each position J or a terminal at random, see below; at most 2n leaves  |
| `(x1 !x2)`       | this tree                                                                                 |

`NAME:leaves=M` has M leaves instead of 2n (for `grow`, at most M); `NAME:leaves=4n` has 4n, and is in all respects the
same as that number written out.

`grow` puts a function with probability 1/(2n + 1), or P where it is `grow:join=P`, then a uniform one, else a uniform
terminal. The paper only says "randomly drawn from A"; with F = {J} and 2n terminals that is uniform over F ∪ L. With
other functions or terminals it is not: of two functions and two terminals, with n = 2, a function has probability 1/5.
With P > 1/2 the paper's procedure need not end, hence the limit.

Where a problem has several functions, a shape is drawn first, then the functions of the joins in pre-order, then the
terminals from left to right; `grow` draws them as it goes. `bad` and `tlopt` need complements.

Where functions have another number of arguments than two (`any_initial`), a tree gets as many leaves as fit.

The paper gives no shape to `bad` and `tlopt`. Here they are as balanced as can be (the left half gets the odd leaf): no
draw is needed, and no end of the leaf list is favoured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from gpruntime.model.any_initial import ANYTHING, any_initial, place_at
from gpruntime.model.errors import BadInput, BadTree, known, whole
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives, Terminal
from gpruntime.model.text import parse
from gpruntime.model.tree import Node, Tree

NAMES = ("unity", "bad", "tlopt", "insertion", "grow")
MAX_LEAVES = 2**30 - 1  # a node and a side are drawn from one 32-bit word


@dataclass(frozen=True)
class Initial:
    """An initial tree, or the law of one.

    Attributes:
        name: one of `NAMES`, or "tree".
        n: the number of variables.
        leaves: how many leaves it has, or at most has for `grow`.
        join: the probability of J, for `grow` only.
        tree: the explicit tree, for "tree" only.
    """

    name: str
    n: int
    leaves: int
    join: float = 0.0
    tree: Tree | None = None
    primitives: Primitives = Primitives(1)  # noqa: RUF009  # frozen

    @classmethod
    def parse(cls, text: str, n: int, primitives: Primitives | None = None) -> Initial:
        """Reads the text form above."""
        primitives = primitives or Primitives(n)
        name, _, settings = text.partition(":")
        if _is_tree(text, name, primitives):
            return _explicit(text, n, primitives)
        known("init", name, NAMES, "a tree such as '(x1 !x2)'")
        if name in ("bad", "tlopt") and (not primitives.signed or primitives.variables < n):
            raise BadInput("init", text, "needs the terminals x1, !x1 … xn, !xn; this problem has others")
        if name in ("bad", "tlopt") and not primitives.is_binary:
            raise BadInput("init", text, "needs functions of two arguments; this problem has others")
        leaves, join = 2 * n, 1 / (2 * n + 1)
        for setting in settings.split(",") if settings else []:
            key, _, value = setting.partition("=")
            if key == "leaves" and (size := re.fullmatch("([0-9]{1,20})(n?)|n", value)):
                number = int(size[1] or 1) * (n if value.endswith("n") else 1)
                least = n if name == "tlopt" else 1
                leaves = whole("init", number, least, MAX_LEAVES, " as the number of leaves")
            elif key == "join" and name == "grow":
                join = _probability(value)
            else:
                allowed = "leaves=M" + (", join=P" if name == "grow" else "")
                example = f"{name}:leaves=50 or {name}:leaves=4n"
                raise BadInput("init", text, f"{name} takes {allowed} after the colon, as in {example}")
        return cls(name, n, leaves, join if name == "grow" else 0.0, None, primitives)

    def __str__(self) -> str:
        """The text form, settings left out where they are the default: one text for one law."""
        return self.text("" if self.leaves == 2 * self.n else str(self.leaves))

    def text(self, size: str) -> str:
        """The text form with this size, such as 50 or 4n; none for the default, 2n."""
        if self.tree is not None:
            return str(self.tree)
        settings = [f"leaves={size}"] if size else []
        if self.name == "grow" and self.join != 1 / (2 * self.n + 1):
            settings.append(f"join={self.join!r}")
        return self.name + (":" if settings else "") + ",".join(settings)

    def build(self, stream: Stream) -> Tree:
        """The tree itself; the stream is drawn from as the law needs it."""
        if self.tree is not None:
            return self.tree.copy()
        if not self.primitives.is_binary:
            return any_initial(self.name, self.primitives, self.leaves, self.join, stream)
        if self.name == "unity":
            return _unity(self.primitives, self.leaves, stream)
        function = self.primitives.functions[0]
        if self.name == "bad":
            return balanced([Terminal(1, True)] * self.leaves, function)
        if self.name == "tlopt":
            plain = [Terminal(i, False) for i in range(1, self.n)]
            return balanced(plain + [Terminal(self.n, True)] * (self.leaves - len(plain)), function)
        if self.name == "insertion":
            return _insertion(self.primitives, self.leaves, stream)
        return _grow(self.primitives, self.leaves, self.join, stream)


@lru_cache(maxsize=8)  # a tree may be long, and its spec reads it more than once
def _explicit(text: str, n: int, primitives: Primitives) -> Initial:
    tree = parse(text, primitives)
    for leaf in tree.leaves:
        if leaf.terminal is not None:
            try:
                primitives.check(leaf.terminal)
            except BadTree as problem:
                raise BadTree("tree", text, f"{leaf.terminal} {problem.allowed}") from None
    functions = primitives.functions
    for join in tree.joins if functions else ():
        if len(functions) == 1 and not join.function:
            join.function = functions[0]  # there is no other
        if join.function not in functions:
            dots = " …" * primitives.arity(functions[0])
            allowed = f"a join is written ({functions[0]}{dots})" if functions[0] else "a join has no name here"
            others = f"; the functions are {', '.join(functions)}" if len(functions) > 1 else ""
            raise BadTree("tree", text, allowed + others)
    return Initial("tree", n, len(tree.leaves), 0.0, tree, primitives)


def _is_tree(text: str, name: str, primitives: Primitives) -> bool:
    """Whether this is a tree as text, and not the name of a law; of a problem that is not loaded, a leaf may be any."""
    if text.strip() in primitives.by_name or (not primitives.functions and name not in NAMES):
        return True
    return re.match(r"\s*(\(|[!¬]?\s*x[\u0304\u0305₀-₉0-9])", text) is not None


def _probability(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise BadInput("init", f"join={text}", "must be a probability, 0 to 1")
    return value


def _unity(primitives: Primitives, leaves: int, stream: Stream) -> Tree:
    """Opens a uniform leaf position until there are enough, then fills them (paper, comment in section 2.1).

    Opening position p hangs a join there; its left child takes p's place in the list, its right child is appended.
    The paper's first join, at the root, needs no draw.
    """
    tree = Tree()
    positions: list[tuple[Node | None, int]] = [(None, 0)]
    while len(positions) < leaves:
        p = stream.below(len(positions)) if len(positions) > 1 else 0
        join = tree.new_join()
        place_at(tree, join, positions[p])
        positions[p] = (join, 0)
        positions.append((join, 1))
    for position in positions:
        place_at(tree, tree.new_leaf(ANYTHING), position)
    return _fill(tree, primitives, stream)


def balanced(terminals: list[Terminal], function: str = "") -> Tree:
    """The tree with these leaves in which the halves of every join differ by at most one leaf."""
    tree = Tree()
    leaves = [tree.new_leaf(terminal) for terminal in terminals]
    waiting: list[tuple[int, int, Node | None, int]] = [(0, len(leaves), None, 0)]
    while waiting:
        first, end, parent, side = waiting.pop()
        node = leaves[first] if end - first == 1 else tree.new_join(function)
        place_at(tree, node, (parent, side))
        if end - first > 1:
            middle = first + (end - first + 1) // 2
            waiting += ((middle, end, node, 1), (first, middle, node, 0))
    return tree


def _insertion(primitives: Primitives, leaves: int, stream: Stream) -> Tree:
    """HVL insertions from a single leaf. This is Rémy's algorithm, so all shapes are equally likely."""
    tree = Tree.single(ANYTHING)
    while len(tree.leaves) < leaves:
        place = stream.below(2 * tree.node_count)
        tree.insert(place // 2, "right" if place % 2 else "left", ANYTHING)
    return _fill(tree, primitives, stream)


def _fill(tree: Tree, primitives: Primitives, stream: Stream) -> Tree:
    """Writes uniform functions on the joins of a finished shape, in pre-order, then terminals from left to right."""
    tree.register_in_order()
    for join in tree.joins:
        join.function = _drawn_function(primitives, stream)
    for leaf in tree.leaves:
        leaf.terminal = primitives.terminal(stream.below(primitives.size))
    return tree


def _drawn_function(primitives: Primitives, stream: Stream) -> str:
    functions = primitives.functions
    return functions[stream.below(len(functions))] if len(functions) > 1 else functions[0]


def _grow(primitives: Primitives, most: int, join_chance: float, stream: Stream) -> Tree:
    """From the root down and from left to right; J only as long as every open position can still get its leaf."""
    tree = Tree()
    waiting: list[tuple[Node | None, int]] = [(None, 0)]
    while waiting:
        position = waiting.pop()
        room = len(tree.leaves) + len(waiting) + 1 < most
        if room and stream.uniform() < join_chance:
            join = tree.new_join(_drawn_function(primitives, stream))
            place_at(tree, join, position)
            waiting += ((join, 1), (join, 0))
        else:
            place_at(tree, tree.new_leaf(primitives.terminal(stream.below(primitives.size))), position)
    return tree
