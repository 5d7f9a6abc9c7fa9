"""Algorithms of one's own, with as many trees as they like: a class derived from `Search` with `start` and `step`.

    class TwoPlusOne(Search):
        def start(self):
            self.population = [self.evaluate(self.initial()) for _ in range(2)]

        def step(self):
            child = self.evaluate(self.mutate(self.choose(self.population).tree))
            worst = min(self.population, key=lambda one: one.score)
            if child.score >= worst.score:
                self.population[self.population.index(worst)] = child

    run_many(RunSpec(problem=problem, algorithm="gp-single", n=10, budget=10**5, search=TwoPlusOne), runs=100)

It evaluates and mutates by the spec: its problem, initial trees, operator and law of k. Whether it honours the
acceptance rule is its own affair. It ends with the evaluation that finds an optimum, or uses up the budget; where
`evaluate` is told whose place a tree is to take, an optimum that the rule rejects there does not count. What it keeps
is `population`, a list of what `evaluate` returned. The model alone runs it. Nothing proves it stuck, unless it brings
a proof, `is_stuck`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from gpruntime.model.errors import BadInput, BadPart
from gpruntime.model.mutation import KINDS, Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.run import Outcome, RunResult
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Tree

Member = TypeVar("Member")


@dataclass(frozen=True, eq=False)
class Individual:
    """A tree that was evaluated.

    Attributes:
        tree, fitness: it is not to be changed any more.
        score: the fitness, times −1 where smaller is better, and −∞ for a tree that is larger than the spec allows.
    """

    tree: Tree
    fitness: Fitness
    score: float


class Made(NamedTuple):
    """An offspring: what it was made from, and how."""

    parent: Tree
    offspring: Tree
    operations: list[Operation]


class _Over(Exception):
    """An evaluation too many."""


class Search:
    """One run of an algorithm of one's own, see above.

    Attributes:
        spec, seed, run: its address. The spec names the class with the digest of its source.
        stream: its random numbers.
        population: what it keeps.
        evaluations: so far.
        max_population: the most individuals it kept after a step.
        improvements: (evaluations, fitness, leaves) at each new best fitness.
        last_made: the offspring of the last step, with their parents and operations.
    """

    method = "stepping"

    def __init__(self, spec: RunSpec, seed: int = 0, run: int = 0) -> None:
        ours = spec.family is not None and spec.family.search is type(self)
        self.spec = spec if ours or spec.search else spec.replace(search=type(self))
        if not ours and (self.spec.search is None or self.spec.search.function is not type(self)):
            raise BadInput("search", str(self.spec.search or ""), f"is not {type(self).__name__}")
        self.spec.require_parts()
        self.seed, self.run = seed, run
        self.stream = Stream(seed, self.spec.cell, run)
        self.population: list[Individual] = []
        self.evaluations = self.max_population = self.max_leaves = 0
        self.improvements: list[tuple[int, Fitness, int]] = []
        self.outcome: Outcome | None = None
        self._proposed, self._accepted = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
        self.last_made: list[Made] = []
        self._best: Individual | None = None

    # ---- what a user writes

    def start(self) -> None:
        """Fills the population."""
        raise NotImplementedError

    def step(self) -> None:
        """Evaluates something, and changes the population."""
        raise NotImplementedError

    def is_complete(self) -> bool:
        """Whether the run has reached its goal, where that is not the first optimum; asked after each step."""
        return False

    def is_stuck(self) -> bool:
        """Whether it is proved that the population, which has no optimum, never changes again; asked when it is new."""
        return False

    # ---- what a user calls

    def initial(self) -> Tree:
        """An initial tree, drawn as the spec says."""
        return self.spec.init.build(self.stream)

    def mutate(self, tree: Tree) -> Tree:
        """An offspring, not yet evaluated, by the spec's operator and law of k."""
        offspring: Tree
        offspring, operations = self.spec.representation.mutate(tree, self.spec, self.stream)
        for operation in operations:
            self._proposed[operation.kind] += 1
        self.last_made.append(Made(tree, offspring, operations))
        return offspring

    def choose(self, members: Sequence[Member]) -> Member:
        """One of them, uniformly; the only one without a draw."""
        return members[self.stream.below(len(members)) if len(members) > 1 else 0]

    def accepts(self, child: Individual, parent: Individual) -> bool:
        """Whether the spec's rule, and its size limit, accept a child in place of its parent."""
        growth = child.tree.size - parent.tree.size
        return child.score > -math.inf and self.spec.accept.accepts(child.score - parent.score, growth)

    def evaluate(self, tree: Tree, in_place_of: Individual | None = None, can_stay: bool = True) -> Individual:
        """One evaluation. After the optimum, or with the budget used up, it ends the run.

        A tree that is to take the place of another, and that the spec's rule rejects there, is neither an improvement
        nor the end of a run, be it optimal; nor is one that cannot stay whatever its fitness.
        """
        spec, problem = self.spec, self.spec.problem
        if self.outcome is not None:
            raise _Over
        fitness = spec.representation.fitness(tree, spec)
        problem.check(fitness, spec.n)
        self.evaluations += 1
        fits = spec.fits(tree.size)
        found = Individual(tree, fitness, fitness * problem.direction if fits else -math.inf)
        is_kept = can_stay and (in_place_of is None or self.accepts(found, in_place_of))
        if self._best is None or (is_kept and found.score > self._best.score):
            self._best = found
            self.improvements.append((self.evaluations, fitness, tree.size))
        if is_kept and fits and fitness == spec.best and spec.goal == "optimum":
            self.outcome = Outcome.OPTIMUM
        elif self.evaluations == spec.budget:
            self.outcome = Outcome.BUDGET
        return found

    # ---- what comes out

    def result(self) -> RunResult:
        """Runs to the end, if that has not happened yet, and returns the record: of the best tree that it keeps.

        `max_leaves` is that of the largest tree it kept after a step; operations count as accepted if their offspring
        was kept.
        """
        while self.outcome is None:
            self.advance()
        spec, best = self.spec, max(self.population, key=lambda one: one.score)
        return RunResult(
            self.spec,
            self.seed,
            self.run,
            self.method,
            self.outcome,
            self.evaluations,
            best.fitness,
            best.tree.size,
            self.max_leaves,
            dict(self._proposed),
            dict(self._accepted),
            str(best.tree),
            self.max_population,
            spec.representation.wrong_on_all_rows(best.tree, spec)
            if "wrong_on_all_rows" in spec.more_columns
            else None,
        )

    def advance(self) -> None:
        """Makes the start, or one more step; nothing after the end."""
        before = self.evaluations
        if self.outcome is None:
            self._do("step" if before else "start")
            if self.evaluations == before:
                raise self._wrong("made a step without an evaluation: that need never end")

    def _do(self, what: str) -> None:
        self.last_made.clear()
        before = [*self.population]
        try:
            getattr(self, what)()
        except _Over:
            pass
        except BadInput:
            raise
        except Exception as error:
            raise self._wrong(f"raised {type(error).__name__} in {what}: {error}") from error
        lost = not self.population or (self.outcome is Outcome.OPTIMUM and self._best not in self.population)
        if self.outcome is not None and lost and self._best is not None:
            self.population.append(self._best)  # the run can end before it is kept
        if not self.population or not all(isinstance(one, Individual) for one in self.population):
            raise self._wrong(f"left a population, after {what}, that is no list of what evaluate returned")
        self.max_population = max(self.max_population, len(self.population))
        self.max_leaves = max(self.max_leaves, *(one.tree.size for one in self.population))
        kept = {id(one.tree) for one in self.population}
        for made in self.last_made:
            for operation in made.operations if id(made.offspring) in kept else ():
                self._accepted[operation.kind] += 1
        if self.is_complete():
            self.outcome = Outcome.OPTIMUM
        elif self.outcome is not Outcome.OPTIMUM and self.population != before and self.is_stuck():
            self.outcome = Outcome.STUCK

    def _wrong(self, words: str) -> BadPart:
        return BadPart("search", str(self.spec.search or ""), words)
