"""(1+1) GP-single as a user of DEAP would write it: copy the tree, change it, walk it for the fitness, keep it?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from deap import base, creator, gp

creator.create("Fitness", base.Fitness, weights=(1.0,))
creator.create("Individual", gp.PrimitiveTree, fitness=creator.Fitness)


def primitives(n: int) -> gp.PrimitiveSet:
    """The join and the terminals x1, !x1, …"""
    pset = gp.PrimitiveSet("main", 0)
    pset.addPrimitive(print, 2, name="J")  # never called: the fitness looks at the leaves
    for i in range(1, n + 1):
        for sign in ("", "!"):
            pset.addTerminal(f"{sign}x{i}", name=f"{sign}x{i}")
    return pset


def leaf_list(tree: gp.PrimitiveTree) -> list[str]:
    """The list l of the paper's fitness functions: the names of the leaves from left to right."""
    return [node.name for node in tree if isinstance(node, gp.Terminal)]


def complement(name: str) -> str:
    """The other terminal of the same variable."""
    return name[1:] if name.startswith("!") else "!" + name


def order(tree: gp.PrimitiveTree, _n: int) -> int:
    """The paper's f for ORDER: express a leaf if neither it nor its complement is expressed yet, then count the x_i."""
    path: set[str] = set()
    for leaf in leaf_list(tree):
        if leaf not in path and complement(leaf) not in path:
            path.add(leaf)
    return sum(1 for leaf in path if not leaf.startswith("!"))


def majority(tree: gp.PrimitiveTree, n: int) -> int:
    """The paper's f for MAJORITY: for i ≤ n, count x_i and x̄_i."""
    counts = Counter(leaf_list(tree))
    return sum(1 for i in range(1, n + 1) if counts[f"x{i}"] >= max(counts[f"!x{i}"], 1))


def hvl_prime(tree: gp.PrimitiveTree, terminals: list, join: gp.Primitive) -> None:
    """One operation of HVL-Prime on the tree's list of nodes in pre-order."""
    kind = random.randrange(3)
    if kind == 1:
        index = random.randrange(len(tree))
        part = tree.searchSubtree(index)
        new = [random.choice(terminals)]
        tree[part] = [join, *new, *tree[part]] if random.random() < 0.5 else [join, *tree[part], *new]
        return
    index = random.choice([i for i, node in enumerate(tree) if isinstance(node, gp.Terminal)])
    if kind == 0:
        tree[index] = random.choice(terminals)
    elif len(tree) > 1:
        parent = parent_of(tree, index)
        first = tree.searchSubtree(parent + 1)
        sibling = tree.searchSubtree(first.stop) if first.start == index else first
        tree[tree.searchSubtree(parent)] = tree[sibling]


def hvl_prime_any(tree: gp.PrimitiveTree, pset: gp.PrimitiveSet) -> None:
    """The same with functions of any number of arguments; DEAP has the first two operations."""
    kind = random.randrange(3)
    if kind < 2:
        (gp.mutNodeReplacement, gp.mutInsert)[kind](tree, pset)
    elif len(tree) > 1:
        index = random.choice([i for i, node in enumerate(tree) if node.arity == 0])
        parent = index
        while parent > 0 and tree[parent].arity < 2:  # with the functions of one argument above it
            index, parent = parent, parent_of(tree, parent)
        begin, others = parent + 1, []
        for _ in range(tree[parent].arity):
            part = tree.searchSubtree(begin)
            begin = part.stop
            if part.start != index:
                others.append(part)
        if others:
            tree[tree.searchSubtree(parent)] = tree[random.choice(others)]


def parent_of(tree: gp.PrimitiveTree, index: int) -> int:
    """The place of a node's parent in pre-order: the last one before it whose subtree reaches beyond it."""
    return next(i for i in range(index - 1, -1, -1) if tree.searchSubtree(i).stop > index)


def random_tree(terminals: list, join: gp.Primitive, leaf_count: int) -> gp.PrimitiveTree:
    """A random tree with so many leaves."""
    leaves = [[random.choice(terminals)] for _ in range(leaf_count)]
    while len(leaves) > 1:
        i = random.randrange(len(leaves) - 1)
        leaves[i : i + 2] = [[join, *leaves[i], *leaves[i + 1]]]
    return creator.Individual(leaves[0])


def make_step(n: int, problem: str, leaf_count: int) -> Callable[[], None]:
    """A function that makes one step of a run from a random tree with so many leaves."""
    evaluate = {"order": order, "majority": majority}[problem]
    return step_of(primitives(n), lambda tree: evaluate(tree, n), leaf_count)


def step_of(
    pset: gp.PrimitiveSet, evaluate: Callable[[gp.PrimitiveTree], float], leaf_count: int
) -> Callable[[], None]:
    """The same for any primitive set and fitness, larger for better."""
    terminals, joins = pset.terminals[object], pset.primitives[object]
    toolbox = base.Toolbox()
    current = random_tree(terminals, joins[0], leaf_count)
    current.fitness.values = (evaluate(current),)
    binary = all(join.arity == 2 for join in joins)

    def change(tree: gp.PrimitiveTree) -> None:
        if binary:
            hvl_prime(tree, terminals, joins[0] if len(joins) == 1 else random.choice(joins))
        else:
            hvl_prime_any(tree, pset)

    def step() -> None:
        nonlocal current
        offspring = toolbox.clone(current)
        change(offspring)
        offspring.fitness.values = (evaluate(offspring),)
        if offspring.fitness >= current.fitness:
            current = offspring

    return step
