"""Runs made from the words of docs/random-stream.md alone: nothing of gpruntime is imported here.

What the page leaves to others stands here as other pages define it: rules, and who stays in a population. A stuck run
is not seen to be stuck here: it goes on to its budget.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

KINDS = ("substitute", "insert", "delete")
RULES: dict[str, Callable[[int, int], bool]] = {
    "weak": lambda gain, growth: gain >= 0,
    "strict": lambda gain, growth: gain > 0,
    "parsimony": lambda gain, growth: gain > 0 or (gain == 0 and growth <= 0),
    "parsimony-smaller": lambda gain, growth: gain > 0 or (gain == 0 and growth < 0),
}


# ---- what is run


@dataclass(frozen=True)
class Problem:
    """L, F with the number of arguments of each, the fitness of a tree, the best one, and whether larger is better."""

    terminals: list[str]
    functions: dict[str, int]
    fitness: Callable[[Tree], int]
    best: int
    larger: bool = True

    @property
    def binary(self) -> bool:
        return set(self.functions.values()) == {2}


@dataclass(frozen=True)
class Setting:
    """The fields of a run, names as gpruntime prints them."""

    problem: str
    algorithm: str
    n: int
    init: str = "unity"
    weights: tuple[float, float, float] = (1, 1, 1)
    poisson_mean: float = 1.0
    accept: str = ""
    operations: str = ""
    operator: str = "hvl-prime"
    substitute: str = "leaves"
    last_leaf: str = "keep"
    until: str = ""
    max_leaves_allowed: int | None = None
    budget: int = 150

    @property
    def proportions(self) -> list[float]:
        return [weight / max(self.weights) for weight in self.weights]

    def law(self) -> dict[str, object]:
        law: dict[str, object] = {
            "problem": self.problem,
            "algorithm": self.algorithm,
            "n": self.n,
            "init": self.init,
        }
        if len(set(self.weights)) > 1:
            law["weights"] = self.proportions
        if self.poisson_mean != 1 and self.algorithm.partition(":")[0].endswith("-multi"):
            law["poisson_mean"] = self.poisson_mean
        usual = {"operator": "hvl-prime", "substitute": "leaves", "last_leaf": "keep", "max_leaves_allowed": None}
        for key in ("accept", "operations", "operator", "substitute", "last_leaf", "until", "max_leaves_allowed"):
            if getattr(self, key) != usual.get(key, ""):
                law[key] = getattr(self, key)
        return law


# ---- the words and the draws


class Words:
    def __init__(self, seed: int, cell: tuple[int, ...], run: int) -> None:
        self._generator = np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(*cell, run)))

    def word(self) -> int:
        return int(self._generator.random_raw())

    def below(self, m: int) -> int:
        while True:
            product = (self.word() >> 32) * m
            if product % 2**32 >= 2**32 % m:
                return product >> 32

    def uniform(self) -> float:
        return (self.word() >> 11) * 2.0**-53

    def pick(self, table: list[float]) -> int:
        drawn = self.uniform()
        return next(place for place, chance in enumerate(table) if drawn < chance)

    def one_of(self, some: list) -> object:
        """A uniform one; the only one without a draw."""
        return some[self.below(len(some))] if len(some) > 1 else some[0]


def cell_of(law: dict[str, object]) -> tuple[int, ...]:
    text = json.dumps(law, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode("ascii")).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "little") for i in (0, 4, 8, 12))


def table_of_kinds(weights: list[float]) -> list[float]:
    last = max(place for place, weight in enumerate(weights) if weight > 0)
    total = math.fsum(weights)
    return [1.0 if place >= last else math.fsum(weights[: place + 1]) / total for place in range(3)]


def table_of_poisson(mean: float) -> list[float]:
    terms = [math.exp(-mean)]
    while len(terms) <= mean or terms[-1] >= 2.0**-60 or len(terms) == 1:
        terms.append(terms[-1] * (mean / len(terms)))
        if len(terms) - 1 > mean and terms[-1] < 2.0**-60:
            break
    table = [min(total, 1.0) for total in itertools.accumulate(terms[:-1])]
    return [*table[:-1], 1.0]


def table_of_shares(weights: list[float]) -> list[float]:
    while weights[-1] == 0:
        weights = weights[:-1]
    total = math.fsum(weights)
    sums = [min(share, 1.0) for share in itertools.accumulate(weight / total for weight in weights)]
    return [*sums[:-1], 1.0]


def parameters_of(text: str) -> tuple[str, dict[str, str]]:
    name, _, rest = text.partition(":")
    return name, dict(part.split("=", 1) for part in rest.split(",")) if rest else {}


def drawn_k(setting: Setting, words: Words) -> int:
    name, given = parameters_of(setting.operations)
    if setting.algorithm.partition(":")[0].endswith("-multi"):
        return 1 + words.pick(table_of_poisson(setting.poisson_mean))
    if name == "power":
        beta, most = float(given.get("beta", 1.5)), int(given.get("most", setting.n))
        return 1 + words.pick(table_of_shares([k**-beta for k in range(1, most + 1)]))
    if name == "table":
        return 1 + words.pick(table_of_shares([float(weight) for weight in given["p"].split("/")]))
    return int(given["k"]) if name == "exactly" else 1


# ---- trees and their register


class Node:
    def __init__(self, terminal: int | None = None, function: str = "") -> None:
        self.terminal, self.function = terminal, function
        self.children: list[Node] = []
        self.parent: Node | None = None

    def hang(self, *children: Node) -> Node:
        self.children = list(children)
        for child in children:
            child.parent = self
        return self

    def below(self) -> list[Node]:
        """All nodes from here on, in pre-order."""
        return [self, *itertools.chain.from_iterable(child.below() for child in self.children)]


@dataclass
class Tree:
    root: Node | None = None
    leaves: list[Node] = field(default_factory=list)
    joins: list[Node] = field(default_factory=list)

    def in_order(self) -> Tree:
        """With the register of the beginning."""
        nodes = self.root.below() if self.root else []
        self.leaves = [node for node in nodes if not node.children]
        self.joins = [node for node in nodes if node.children]
        return self

    @property
    def nodes(self) -> list[Node]:
        return [*self.leaves, *self.joins]

    def codes(self) -> list[int]:
        return [node.terminal for node in self.root.below() if not node.children] if self.root else []

    def copy(self) -> Tree:
        twins: dict[int, Node] = {id(node): Node(node.terminal, node.function) for node in self.nodes}
        for node in self.joins:
            twins[id(node)].hang(*(twins[id(child)] for child in node.children))
        leaves, joins = ([twins[id(node)] for node in some] for some in (self.leaves, self.joins))
        return Tree(twins[id(self.root)] if self.root else None, leaves, joins)

    def replace(self, old: Node, new: Node) -> None:
        parent, new.parent = old.parent, old.parent
        if parent is None:
            self.root = new
        else:
            parent.children = [new if child is old else child for child in parent.children]

    def insert(self, node: Node, function: str, place: int, codes: list[int]) -> None:
        """A join above a node, with new leaves beside it."""
        join, new = Node(function=function), [Node(code) for code in codes]
        self.replace(node, join)
        join.hang(*new[:place], node, *new[place:])
        self.joins.append(join)
        self.leaves += new

    def delete_leaf(self, number: int) -> None:
        """With holes that the last ones fill; functions have two arguments."""
        leaf = self.leaves[number]
        parent = leaf.parent
        if parent is None:
            self.root = None
        else:
            sibling = next(child for child in parent.children if child is not leaf)
            self.replace(parent, sibling)
            _fill(self.joins, next(i for i, join in enumerate(self.joins) if join is parent))
        _fill(self.leaves, number)

    def keep_child(self, join: Node, place: int) -> None:
        """A join is replaced by one of its children; what stays keeps its order."""
        self.replace(join, join.children[place])
        stay = {id(node) for node in self.root.below()}
        self.leaves = [node for node in self.leaves if id(node) in stay]
        self.joins = [node for node in self.joins if id(node) in stay]

    def text(self, terminals: list[str]) -> str:
        def write(node: Node) -> str:
            if not node.children:
                return terminals[node.terminal]
            named = [node.function] if node.function else []
            return f"({' '.join([*named, *map(write, node.children)])})"

        return write(self.root) if self.root else "()"


def _fill(register: list[Node], hole: int) -> None:
    last = register.pop()
    if hole < len(register):
        register[hole] = last


# ---- the initial tree


def initial(setting: Setting, problem: Problem, words: Words) -> Tree:
    name, given = parameters_of(setting.init)
    most = int(given.get("leaves", 2 * setting.n))
    if name == "grow":
        return _grow(setting, problem, words, most, float(given.get("join", 1 / (2 * setting.n + 1))))
    if name == "bad":
        return _balanced(problem, [1] * most)
    if name == "tlopt":
        plain = [2 * i for i in range(setting.n - 1)]
        return _balanced(problem, plain + [2 * setting.n - 1] * (most - len(plain)))
    shape = {"unity": _unity, "insertion": _insertion}[name] if problem.binary else _any_shape
    tree = shape(problem, words, most, name).in_order()
    for join in tree.joins if problem.binary else ():
        join.function = words.one_of([*problem.functions])
    for leaf in tree.leaves:
        leaf.terminal = words.below(len(problem.terminals))
    return tree


def _unity(problem: Problem, words: Words, most: int, name: str) -> Tree:
    root = Node(0)
    positions = [root]
    while len(positions) < most:
        p = words.below(len(positions)) if len(positions) > 1 else 0
        children = Node(0), Node(0)
        positions[p].terminal = None
        positions[p].hang(*children)
        positions[p] = children[0]
        positions.append(children[1])
    return Tree(root)


def _insertion(problem: Problem, words: Words, most: int, name: str) -> Tree:
    leaf = Node(0)
    tree = Tree(leaf, [leaf], [])
    while len(tree.leaves) < most:
        value = words.below(2 * len(tree.nodes))
        tree.insert(tree.nodes[value // 2], "", 1 - value % 2, [0])
    return tree


def _any_shape(problem: Problem, words: Words, most: int, name: str) -> Tree:
    root = Node(0)
    tree, positions = Tree(root, [root], []), [root]
    while True:
        room = most - (len(positions) if name == "unity" else len(tree.leaves))
        fit = [one for one, arity in problem.functions.items() if 2 <= arity <= room + 1]
        if not fit:
            return tree
        if name == "insertion":
            site = tree.nodes[words.below(len(tree.nodes))]
            function = words.one_of(fit)
            arity = problem.functions[function]
            tree.insert(site, function, words.below(arity), [0] * (arity - 1))
            continue
        p = words.below(len(positions)) if len(positions) > 1 else 0
        function = words.one_of(fit)
        children = [Node(0) for _ in range(problem.functions[function])]
        positions[p].terminal, positions[p].function = None, function
        positions[p].hang(*children)
        positions[p] = children[0]
        positions += children[1:]


def _grow(setting: Setting, problem: Problem, words: Words, most: int, chance: float) -> Tree:
    root = Node()
    waiting, leaves, joins = [root], 0, 0
    while waiting:
        node = waiting.pop()
        room = most - leaves - len(waiting) - 1
        fit = [one for one, arity in problem.functions.items() if arity <= room + 1]
        may = joins < most or problem.binary
        if fit and may and words.uniform() < chance:
            node.function = words.one_of(fit)
            node.hang(*(Node() for _ in range(problem.functions[node.function])))
            waiting += reversed(node.children)
            joins += 1
        else:
            node.terminal = words.below(len(problem.terminals))
            leaves += 1
    return Tree(root).in_order()


def _balanced(problem: Problem, codes: list[int]) -> Tree:
    def half(some: list[int]) -> Node:
        middle = (len(some) + 1) // 2
        if len(some) == 1:
            return Node(some[0])
        return Node(function=next(iter(problem.functions))).hang(half(some[:middle]), half(some[middle:]))

    return Tree(half(codes)).in_order()


# ---- an operation


def operate(setting: Setting, problem: Problem, words: Words, tree: Tree) -> str:
    """Draws an operation and makes it; returns its kind."""
    old_hvl = setting.operator == "hvl"
    table = table_of_kinds(setting.proportions)
    node = tree.nodes[words.below(len(tree.nodes))] if old_hvl else None
    kind = KINDS[words.pick(table)]
    if not tree.leaves:
        if kind == "insert":
            tree.root = Node(words.below(len(problem.terminals)))
            tree.leaves = [tree.root]
    elif kind == "insert":
        _insert(problem, words, tree, node)
    elif kind == "substitute":
        if node is None:
            nodes = tree.nodes if setting.substitute == "nodes" else tree.leaves
            node = nodes[words.below(len(nodes))]
        if node.children:
            alike = [one for one, arity in problem.functions.items() if arity == len(node.children)]
            node.function = words.one_of(alike)
        else:
            node.terminal = words.below(len(problem.terminals))
    elif node is not None:
        sizes = [len(child.below()) for child in node.children]
        if sizes:
            tree.keep_child(node, words.one_of([place for place, size in enumerate(sizes) if size == max(sizes)]))
    elif setting.operator != "hvl-prime" and tree.joins:
        _delete_unbiased(setting, words, tree)
    elif problem.binary:
        number = words.below(len(tree.leaves)) if setting.operator == "hvl-prime" else 0
        if len(tree.leaves) > 1 or setting.last_leaf == "empty":
            tree.delete_leaf(number)
    else:
        _delete_any(setting, words, tree)
    return kind


def _delete_unbiased(setting: Setting, words: Words, tree: Tree) -> None:
    joins = tree.joins
    if setting.operator == "depth-unbiased":
        by_depth: dict[int, list[Node]] = {}
        waiting = [(tree.root, 0)]
        while waiting:
            node, depth = waiting.pop(0)
            if node.children:
                by_depth.setdefault(depth, []).append(node)
                waiting += [(child, depth + 1) for child in node.children]
        joins = by_depth[words.one_of([*by_depth])]
    value = words.below(2 * len(joins))
    tree.keep_child(joins[value // 2], value % 2)


def _insert(problem: Problem, words: Words, tree: Tree, node: Node | None) -> None:
    if problem.binary:
        if node is None:
            value = words.below(2 * len(tree.nodes))
            node, side = tree.nodes[value // 2], value % 2
        else:
            side = words.below(2)
        function = words.one_of([*problem.functions])
        tree.insert(node, function, 1 - side, [words.below(len(problem.terminals))])
        return
    node = node or tree.nodes[words.below(len(tree.nodes))]
    function = words.one_of([*problem.functions])
    arity = problem.functions[function]
    place = words.one_of([*range(arity)])
    tree.insert(node, function, place, [words.below(len(problem.terminals)) for _ in range(arity - 1)])


def _delete_any(setting: Setting, words: Words, tree: Tree) -> None:
    sites = [*tree.leaves, *(join for join in tree.joins if len(join.children) == 1)]
    node = sites[words.below(len(sites))]
    if node.children:
        tree.keep_child(node, 0)
        return
    while node.parent is not None and len(node.parent.children) == 1:
        node = node.parent
    if node.parent is not None:
        others = [place for place, child in enumerate(node.parent.children) if child is not node]
        tree.keep_child(node.parent, words.one_of(others))
    elif setting.last_leaf == "empty":
        tree.root, tree.leaves, tree.joins = None, [], []


# ---- runs


def _height(node: Node | None) -> int:
    return -1 if node is None else max((1 + _height(child) for child in node.children), default=0)


class Ended(Exception):
    """The optimum, or the end of the budget."""


class Run:
    """A run of any algorithm; `kept` are its trees, each with its score."""

    def __init__(self, setting: Setting, problem: Problem, seed: int, run: int) -> None:
        self.setting, self.problem = setting, problem
        self.words = Words(seed, cell_of(setting.law()), run)
        self.evaluations = self.max_leaves = 0
        self.outcome = "budget"
        self.proposed, self.accepted = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
        self.made: list[str] = []
        self.kept: list[Tree] = []
        family, _, _ = setting.algorithm.partition(":")
        self.family = family.removesuffix("-single").removesuffix("-multi")
        self.given = parameters_of(setting.algorithm)[1]
        usual = {"gpstar": "strict", "concatenation": "parsimony", "qd": "strict"}.get(self.family, "weak")
        self.rule = RULES[setting.accept or usual]

    def go(self) -> Run:
        try:
            algorithms = {"smo": self._smo, "one-plus-lambda": self._lambda, "mu-plus-one": self._mu}
            algorithms |= {"concatenation": self._concatenation, "qd": self._qd}
            algorithms.get(self.family, self._one)()
        except Ended:
            pass
        best = max(self.kept, key=self.score)
        self.fitness, self.leaves = self.problem.fitness(best), len(best.leaves)
        self.tree = best.text(self.problem.terminals)
        return self

    def score(self, tree: Tree) -> float:
        limit = self.setting.max_leaves_allowed
        if limit is not None and len(tree.leaves) > limit:
            return -math.inf
        return self.problem.fitness(tree) * (1 if self.problem.larger else -1)

    def initial(self) -> Tree:
        return initial(self.setting, self.problem, self.words)

    def child(self, parent: Tree) -> Tree:
        tree, self.made = parent.copy(), []
        for _ in range(drawn_k(self.setting, self.words)):
            kind = operate(self.setting, self.problem, self.words, tree)
            self.proposed[kind] += 1
            self.made.append(kind)
        return tree

    def accepts(self, child: Tree, parent: Tree) -> bool:
        growth = len(child.leaves) - len(parent.leaves)
        return self.score(child) > -math.inf and self.rule(self.score(child) - self.score(parent), growth)

    def keep(self, kept: list[Tree], made: list[str]) -> None:
        """Goes on with these trees; the operations of the new one are accepted."""
        self.kept = kept
        self.max_leaves = max([self.max_leaves, *(len(tree.leaves) for tree in kept)])
        for kind in made:
            self.accepted[kind] += 1

    def judge(self) -> None:
        """Ends the run where it is to end, after an evaluation."""
        if any(self.problem.fitness(tree) == self.problem.best for tree in self.kept):
            self.outcome = "optimum"
            raise Ended
        if self.evaluations == self.setting.budget:
            raise Ended

    def _begin(self) -> None:
        self.evaluations += 1
        self.keep([*self.kept, self.initial()], [])
        self.judge()

    def _one(self) -> None:
        self._begin()
        while True:
            self._offspring_of_last()

    def _offspring_of_last(self) -> None:
        child = self.child(self.kept[-1])
        self.evaluations += 1
        if self.accepts(child, self.kept[-1]):
            self.keep([*self.kept[:-1], child], self.made)
        self.judge()

    def _smo(self) -> None:
        self._begin()
        while True:
            child = self.child(self.words.one_of(self.kept))
            self.evaluations += 1
            new = self.score(child), -len(child.leaves)
            ranks = [(self.score(tree), -len(tree.leaves)) for tree in self.kept]
            if not any(old[0] >= new[0] and old[1] >= new[1] and old != new for old in ranks):
                beaten = [new[0] >= old[0] and new[1] >= old[1] for old in ranks]
                stay = [tree for tree, goes in zip(self.kept, beaten, strict=True) if not goes]
                self.keep(sorted([*stay, child], key=lambda tree: len(tree.leaves)), self.made)
            self.judge()

    def _lambda(self) -> None:
        self._begin()
        smaller = self.rule(0, -1) and not self.rule(0, 1)
        while True:
            best, made = None, []
            for _ in range(int(self.given.get("lambda", 2))):
                child = self.child(self.kept[0])
                self.evaluations += 1
                rank = self.score(child), -len(child.leaves) if smaller else 0
                if best is None or rank > best[0]:
                    best, made = (rank, child), self.made
                best_is_optimal = self.problem.fitness(best[1]) == self.problem.best
                if (best_is_optimal and self.accepts(best[1], self.kept[0])) or self.evaluations == self.setting.budget:
                    break
            if self.accepts(best[1], self.kept[0]):
                self.keep([best[1]], made)
            self.judge()

    def _mu(self) -> None:
        for _ in range(int(self.given.get("mu", 2))):
            self._begin()
        chance = float(self.given.get("crossover", 0))
        smaller = self.rule(0, -1) and not self.rule(0, 1)
        while True:
            parent = self.words.one_of(self.kept)
            if chance > 0 and self.words.uniform() < chance:
                parent = self._crossed(parent, self.words.one_of(self.kept))
            child = self.child(parent)
            self.evaluations += 1
            ranks = [(self.score(tree), -len(tree.leaves) if smaller else 0) for tree in [*self.kept, child]]
            worst = [place for place, rank in enumerate(ranks) if rank == min(ranks)]
            last = len(self.kept)
            goes = last if last in worst and not self.rule(0, 0) else self.words.one_of(worst)
            if goes != last:
                self.keep([*self.kept[:goes], child, *self.kept[goes + 1 :]], self.made)
            self.judge()

    def _crossed(self, mother: Tree, father: Tree) -> Tree:
        tree, other = mother.copy(), father.copy()
        if not tree.root or not other.root:
            return tree
        goes = tree.nodes[self.words.below(len(tree.nodes))]
        comes = other.nodes[self.words.below(len(other.nodes))]
        tree.replace(goes, comes)
        return tree.in_order()

    def _concatenation(self) -> None:
        self._begin()
        steps = int(self.given["steps"])
        while True:
            for _ in range(steps):
                self._offspring_of_last()
            if len(self.kept) == 1:
                self._begin()
                continue
            x, y = self.kept
            joined = self._joined(x.copy(), y.copy())
            self.evaluations += 1
            self.keep([joined if self.score(joined) >= self.score(x) else x], [])
            self.judge()

    def _qd(self) -> None:
        self._begin()
        most, chance = int(self.given.get("height", self.setting.n)), float(self.given.get("crossover", 0.5))
        elites = {_height(self.kept[0].root): self.kept[0]}
        while True:
            if chance > 0 and self.words.uniform() < chance:
                x, y = self.words.one_of(self.kept), self.words.one_of(self.kept)
                child, self.made = self._joined(x.copy(), y.copy()), []
            else:
                child = self.child(self.words.one_of(self.kept))
            self.evaluations += 1
            height, lowest = _height(child.root), min(elites)
            fits = self.score(child) > -math.inf
            if lowest > most and height <= lowest and fits:
                elites = {height: child}
            elif (lowest <= most and height <= most and height in elites and self.accepts(child, elites[height])) or (
                lowest <= most and height <= most and height not in elites and fits
            ):
                elites[height] = child
            else:
                child, self.made = None, []
            self.keep([elites[tall] for tall in sorted(elites)], self.made)
            self.judge()

    def _joined(self, x: Tree, y: Tree) -> Tree:
        if not x.root or not y.root:
            return x if x.root else y
        function = self.words.one_of([one for one, arity in self.problem.functions.items() if arity == 2])
        top = Node(function=function).hang(x.root, y.root)
        return Tree(top, x.leaves + y.leaves, [*x.joins, *y.joins, top])
