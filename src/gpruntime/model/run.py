"""A run: the (1+1) GP of the paper, step by step.

1. choose an initial tree X                                   one evaluation
2. X′ := X
3. apply the mutation operator k times to X′                  one evaluation, whatever was drawn
4. if f(X′) ≥ f(X) (for GP*: >; or by another rule), and X′ respects the size limit, X := X′
5. go to 2, until X is optimal, stuck, or the budget is used up
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from gpruntime.model.errors import BadInput
from gpruntime.model.mutation import KINDS, Operation, mutated
from gpruntime.model.problem import Fitness
from gpruntime.model.representations.representation import MORE_COLUMNS
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import record_of
from gpruntime.model.stream import Stream
from gpruntime.model.stuck import stuck
from gpruntime.model.tree import Tree

if TYPE_CHECKING:
    from gpruntime.model.search import Search


class Outcome(StrEnum):
    """How a run ended."""

    OPTIMUM = "optimum"
    """The best fitness is reached; where the goal is the front, the whole of it."""
    STUCK = "stuck"
    """Proved: no proposal can ever be accepted again, so the time is infinite."""
    BUDGET = "budget"
    """The user's limit on evaluations was reached first."""


class Step(NamedTuple):
    """One offspring: what was proposed, what became of it, and where the run stands after it."""

    evaluations: int
    operations: tuple[Operation, ...]
    offspring_fitness: Fitness
    offspring_leaves: int
    accepted: bool
    fitness: Fitness
    leaves: int


@dataclass(frozen=True, repr=False)
class RunResult:
    """The record of one run.

    Attributes:
        spec, seed, run, method: its address, from which it can be repeated. The method is "stepping", as the model does
            it and the engine can, or "skipping", which has the same law and other random numbers.
        outcome: how it ended.
        evaluations: all fitness evaluations, the initial tree's included.
        fitness, leaves: of the last tree.
        max_leaves: of the largest tree accepted, the initial one included.
        proposed, accepted: operations by kind; those of accepted offspring are counted in both.
        tree: the last tree as text, or None where it was not kept.
        max_population: the most trees it kept, or None for a (1+1) GP.
        wrong_on_all_rows: errors of the last program on all rows, where the fitness samples them
            (`Representation.judges_all_rows`).
    """

    spec: RunSpec
    seed: int
    run: int
    method: str
    outcome: Outcome
    evaluations: int
    fitness: Fitness
    leaves: int
    max_leaves: int
    proposed: dict[str, int]
    accepted: dict[str, int]
    tree: str | None = field(default=None, repr=False)
    max_population: int | None = None
    wrong_on_all_rows: int | None = None

    def __repr__(self) -> str:
        size = self.spec.representation.size
        leaves = size.replace("leaves", "leaf").removesuffix("s") if self.leaves == 1 else size
        return (
            f"<RunResult: {self.spec.algorithm.name} on {self.spec.problem.name}, n = {self.spec.n:,}, "
            f"seed {self.seed}, run {self.run}: {self.outcome} after {self.evaluations:,} evaluations, "
            f"fitness {self.fitness:,} of {self.spec.best:,}, {self.leaves:,} {leaves}>"
        )

    def _repr_html_(self) -> str:
        from gpruntime.model.face import facts
        from gpruntime.model.picture import svg

        spec = self.spec
        rows = [
            ("outcome", self.outcome),
            ("evaluations", f"{self.evaluations:,}"),
            ("fitness", f"{self.fitness:,} of {spec.best:,}"),
            (self.spec.representation.size, f"{self.leaves:,} (at most {self.max_leaves:,} on the way)"),
            *((kind, f"{self.accepted[kind]:,} of {self.proposed[kind]:,} accepted") for kind in KINDS),
        ]
        picture = (
            ""
            if self.tree is None or not spec.representation.is_tree
            else svg(Tree.parse(self.tree), spec.problem, spec.n)
        )
        title = f"{spec.algorithm.name} on {spec.problem.name}, n = {spec.n:,}, seed {self.seed}, run {self.run}"
        return facts(title, rows, picture)

    def record(self) -> dict[str, Any]:
        """The result as one flat JSON object: the whole spec, the address, and what came out."""
        settings = record_of(self.spec)
        head = {name: settings.pop(name) for name in ("problem", "algorithm", "n", "init")}
        last: dict[str, Any] = {name: settings.pop(name) for name in ("search", "until") if name in settings}
        more = {name: value for name in MORE_COLUMNS if (value := getattr(self, name)) is not None}
        more |= {} if self.spec.representation.is_tree else {"size": self.spec.representation.size}
        return {
            **head,
            "seed": self.seed,
            "run": self.run,
            "outcome": str(self.outcome),
            "evaluations": self.evaluations,
            "fitness": self.fitness,
            "leaves": self.leaves,
            "max_leaves": self.max_leaves,
            **{f"proposed_{kind}": self.proposed[kind] for kind in KINDS},
            **{f"accepted_{kind}": self.accepted[kind] for kind in KINDS},
            **settings,
            "method": self.method,
            **last,
            **more,
        }


class Run:
    """One run that can be watched: iterate over it for its steps, or ask for its `result()`.

        for step in Run(spec, seed=1):
            print(step.evaluations, step.fitness)

    Attributes:
        tree: the current tree X.
        initial_tree: the first one, as text.
        outcome: None while the run goes on.
    """

    method = "stepping"

    def __init__(self, spec: RunSpec, seed: int = 0, run: int = 0) -> None:
        if spec.has_population:
            name, value = ("search", spec.search.id) if spec.search else ("algorithm", spec.algorithm.id)
            raise BadInput(name, value, "is no (1+1) GP, and has no steps to see: simulate and run_many run it")
        spec.require_parts()
        self.spec, self.seed, self.run = spec, seed, run
        self._stream = Stream(seed, spec.cell, run)
        self.tree = spec.init.build(self._stream)
        self.initial_tree = str(self.tree)
        self.evaluations = 1
        self.fitness = self._fitness(self.tree)
        self.max_leaves = len(self.tree.leaves)
        self.proposed = dict.fromkeys(KINDS, 0)
        self.accepted = dict.fromkeys(KINDS, 0)
        self.outcome: Outcome | None = None
        self._judge(changed=True)

    def __iter__(self) -> Iterator[Step]:
        while self.outcome is None:
            yield self.step()

    def step(self) -> Step:
        """Makes one offspring and accepts or rejects it. Not to be called once there is an outcome."""
        assert self.outcome is None, "the run has ended"
        offspring, operations = self._offspring()
        for operation in operations:
            self.proposed[operation.kind] += 1
        fitness, leaves = self._fitness(offspring), len(offspring.leaves)
        self.evaluations += 1
        gain, growth = (fitness - self.fitness) * self.spec.problem.direction, leaves - len(self.tree.leaves)
        accepted = self.spec.fits(leaves) and self.spec.accept.accepts(gain, growth)
        if accepted:
            self.tree, self.fitness = offspring, fitness
            self.max_leaves = max(self.max_leaves, leaves)
            for operation in operations:
                self.accepted[operation.kind] += 1
        self._judge(changed=accepted)
        return Step(
            self.evaluations,
            tuple(operations),
            fitness,
            leaves,
            accepted,
            self.fitness,
            len(self.tree.leaves),
        )

    def _offspring(self) -> tuple[Tree, list[Operation]]:
        return mutated(self.tree, self.spec.operations.draw(self._stream), self.spec.mutation, self._stream)

    def result(self) -> RunResult:
        """Runs to the end, if that has not happened yet, and returns the record."""
        for _ in self:
            pass
        assert self.outcome is not None
        return RunResult(
            self.spec,
            self.seed,
            self.run,
            self.method,
            self.outcome,
            self.evaluations,
            self.fitness,
            len(self.tree.leaves),
            self.max_leaves,
            dict(self.proposed),
            dict(self.accepted),
            str(self.tree),
        )

    def _fitness(self, tree: Tree) -> Fitness:
        fitness = self.spec.problem.fitness(tree, self.spec.n)
        self.spec.problem.check(fitness, self.spec.n)
        return fitness

    def _judge(self, changed: bool) -> None:
        """Optimal comes first, then stuck (which only a new tree can become), then the budget."""
        if self.fitness == self.spec.best:
            self.outcome = Outcome.OPTIMUM
        elif changed and stuck(self.tree, self.spec):
            self.outcome = Outcome.STUCK
        elif self.evaluations == self.spec.budget:
            self.outcome = Outcome.BUDGET

    def _repr_svg_(self) -> str:
        from gpruntime.model.picture import svg

        return svg(self.tree, self.spec.problem, self.spec.n)


def run_of(spec: RunSpec, seed: int = 0, run: int = 0) -> Run | Search:
    """The run at this address: a (1+1) GP, of a family of algorithms, or of an algorithm of one's own."""
    if spec.family is not None:
        return spec.family.search(spec, seed, run)
    if spec.search is None:
        return Run(spec, seed, run)
    spec.require_parts()
    search: Search = spec.search.function(spec, seed, run)
    return search


def simulate(spec: RunSpec, seed: int = 0, run: int = 0) -> RunResult:
    """The run at this address, from beginning to end."""
    return run_of(spec, seed, run).result()


def rebuild(spec: RunSpec, initial_tree: str, steps: Iterable[Step]) -> Tree:
    """The tree after these steps, from the initial tree and the accepted operations alone."""
    tree = Tree.parse(initial_tree, spec.primitives)
    for step in steps:
        if step.accepted:
            for operation in step.operations:
                spec.mutation.apply(tree, operation)
    return tree
