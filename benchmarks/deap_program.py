"""(1+1) GP-single as a user of DEAP would write it: copy the tree, change it, walk it for the fitness, keep it?"""

from __future__ import annotations

import random
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


def order(tree: list) -> float:
    """Expressed variables by first occurrence."""
    seen, fitness = set(), 0
    for node in tree:
        if node.arity == 0:
            variable = node.name.lstrip("!")
            if variable not in seen:
                seen.add(variable)
                fitness += node.name[0] != "!"
    return fitness


def majority(tree: list) -> float:
    """Expressed variables by count."""
    plain: dict[str, int] = {}
    bar: dict[str, int] = {}
    for node in tree:
        if node.arity == 0:
            variable = node.name.lstrip("!")
            counts = bar if node.name[0] == "!" else plain
            counts[variable] = counts.get(variable, 0) + 1
    return sum(1 for variable, count in plain.items() if count >= bar.get(variable, 0))


def hvl_prime(tree: gp.PrimitiveTree, terminals: list, join: gp.Primitive) -> None:
    """One operation of HVL-Prime on the tree's list of nodes in pre-order."""
    kind = random.randrange(3)
    if kind == 1:
        index = random.randrange(len(tree))
        part = tree.searchSubtree(index)
        new = [random.choice(terminals)]
        tree[part] = [join, *new, *tree[part]] if random.random() < 0.5 else [join, *tree[part], *new]
        return
    index = random.choice([i for i, node in enumerate(tree) if node.arity == 0])
    if kind == 0:
        tree[index] = random.choice(terminals)
    elif len(tree) > 1:
        parent = parent_of(tree, index)
        first = tree.searchSubtree(parent + 1)
        sibling = tree.searchSubtree(first.stop) if first.start == index else first
        tree[tree.searchSubtree(parent)] = tree[sibling]


def parent_of(tree: gp.PrimitiveTree, index: int) -> int:
    """The place of a node's parent in pre-order: the last join before it that still lacks a child."""
    complete = 0  # subtrees between the join looked at and the node
    for i in range(index - 1, -1, -1):
        if tree[i].arity == 0:
            complete += 1
        elif complete >= 2:
            complete -= 1
        else:
            return i
    raise AssertionError("the root has no parent")


def make_step(n: int, problem: str) -> Callable[[], None]:
    """A function that makes one step of a run from a random tree with 2n leaves."""
    pset = primitives(n)
    terminals, join = pset.terminals[object], pset.primitives[object][0]
    evaluate = {"order": order, "majority": majority}[problem]
    toolbox = base.Toolbox()
    leaves = [[random.choice(terminals)] for _ in range(2 * n)]
    while len(leaves) > 1:
        i = random.randrange(len(leaves) - 1)
        leaves[i : i + 2] = [[join, *leaves[i], *leaves[i + 1]]]
    current = creator.Individual(leaves[0])
    current.fitness.values = (evaluate(current),)

    def step() -> None:
        nonlocal current
        offspring = toolbox.clone(current)
        hvl_prime(offspring, terminals, join)
        offspring.fitness.values = (evaluate(offspring),)
        if offspring.fitness >= current.fitness:
            current = offspring

    return step
