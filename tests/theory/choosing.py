"""The chain of each kind of operation, from the model's proposals alone, and strategies on it by plain loops."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter

import numpy as np

from gpruntime import RunSpec, Tree
from gpruntime.model.mutation import KINDS
from tests.exact import brute


def renamed(tree: Tree) -> str:
    """The tree with its variables numbered as they come: trees that differ in names alone are one state."""
    names: dict[str, str] = {}
    return re.sub(r"\d+", lambda variable: names.setdefault(variable[0], str(len(names) + 1)), str(tree))


def counted(tree: Tree) -> str:
    """A tree with the same counts, as a multiset of pairs."""
    counts = Counter(map(str, tree.terminals()))
    variables = {name.removeprefix("!") for name in counts}
    pairs = sorted((counts[name], counts["!" + name]) for name in variables)
    plain = itertools.chain.from_iterable([f"x{i}"] * a + [f"!x{i}"] * b for i, (a, b) in enumerate(pairs, 1))
    return "" if not pairs else re.sub(r"^\((\S+)\)$", r"\1", "(" * (sum(map(sum, pairs)) - 1) + _joined(list(plain)))


def _joined(leaves: list[str]) -> str:
    return leaves[0] + "".join(f" {leaf})" for leaf in leaves[1:])


class Chain:
    """States with P_a for each kind a, dense; state 0 is the optimum."""

    def __init__(self, spec: RunSpec, state_of) -> None:
        self.spec = spec
        law = Counter()
        for text, chance in brute.initial_law(spec.init).items():
            law[state_of(Tree.parse(text))] += chance
        self.texts, entries = ["optimum"], []
        numbers = {"optimum": 0}
        self.fitness = [spec.best]

        def number(tree: Tree) -> int:
            fitness = spec.problem.fitness(tree, spec.n)
            text = "optimum" if fitness == spec.best else state_of(tree)
            if text not in numbers:
                numbers[text] = len(self.texts)
                self.texts.append(text)
                self.fitness.append(fitness)
            return numbers[text]

        start = [(number(Tree.parse(text)), chance) for text, chance in law.items()]
        done = 1
        while done < len(self.texts):
            tree = Tree.parse(self.texts[done])
            for operation, chance in spec.mutation.proposals(tree):
                offspring = tree.copy()
                spec.mutation.apply(offspring, operation)
                gain = (spec.problem.fitness(offspring, spec.n) - self.fitness[done]) * spec.problem.direction
                if spec.accept.accepts(gain, len(offspring.leaves) - len(tree.leaves)):
                    entries.append((KINDS.index(operation.kind), done, number(offspring), 3 * chance))
            done += 1
        self.kernels = np.zeros((3, done, done))
        for kind, here, there, chance in entries:
            self.kernels[kind, here, there] += chance
        self.start = np.zeros(done)
        for place, chance in start:
            self.start[place] += chance
        for kernel in self.kernels:  # what is rejected stays
            kernel[np.arange(done), np.arange(done)] += 1 - kernel.sum(axis=1)

    def mean(self, odds) -> float:
        """E[evaluations] of the strategy with these odds, states × kinds."""
        matrix = np.einsum("ks,kst->st", np.asarray(odds).T, self.kernels)
        reached, ends = self._closure(self.start > 0, matrix.T), self._closure(np.arange(len(matrix)) == 0, matrix)
        if (reached & ~ends).any():
            return math.inf
        rows = np.flatnonzero(reached & (np.arange(len(matrix)) > 0))
        inside = np.eye(len(rows)) - matrix[np.ix_(rows, rows)]
        return 1 + float(self.start[rows] @ np.linalg.solve(inside, np.ones(len(rows))))

    @staticmethod
    def _closure(states, matrix):
        while True:
            more = states | (matrix[:, states] > 0).any(axis=1)
            if (more == states).all():
                return states
            states = more

    def least_mean(self) -> float:
        """By value iteration, from below."""
        further = np.zeros(len(self.texts))
        while True:
            better = 1 + (self.kernels @ further).min(axis=0)
            better[0] = 0
            if np.abs(better - further).max() < 1e-13:
                return 1 + float(self.start @ better)
            further = better

    def by_level(self) -> dict[tuple[int, ...], float]:
        """The mean of every strategy that takes one kind, or all alike (3), at each fitness."""
        options = np.vstack([np.eye(3), np.full(3, 1 / 3)])
        levels = sorted(set(self.fitness[1:]))
        place = [0] + [levels.index(fitness) for fitness in self.fitness[1:]]
        return {
            picked: self.mean(options[[picked[at] for at in place]])
            for picked in itertools.product(range(4), repeat=len(levels))
        }

    def drift(self) -> np.ndarray:
        """The odds of maximal drift."""
        gains = np.array([[row @ np.array(self.fitness) for row in kernel] for kernel in self.kernels]).T
        most = np.isclose(gains, gains.max(axis=1, keepdims=True), rtol=0, atol=1e-9)
        return most / most.sum(axis=1, keepdims=True)
