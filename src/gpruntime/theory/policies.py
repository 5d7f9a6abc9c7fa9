"""The best choice before each evaluation, and what it saves: by state, by fitness level, and by drift.

`policy(spec)` compares four strategies on the exact chain of a run (`choices`, `strategies`): the optimal one, the best
of those that look at the fitness alone, the one of maximal drift, and the spec's fixed odds. It is what an adaptive
choice of operators can be measured against: none does better than the optimal one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpruntime.exact.chain import OPTIMUM
from gpruntime.model.errors import BadInput, known
from gpruntime.model.spec import RunSpec, a_spec
from gpruntime.model.spec_text import record_of
from gpruntime.model.tree import Tree
from gpruntime.progress import Shown, states_bar, telling
from gpruntime.theory.answer import Answer
from gpruntime.theory.choices import Choices, choices_of
from gpruntime.theory.strategies import BY_LEVEL, DRIFT, FIXED, OPTIMAL, Solver, Strategy

if TYPE_CHECKING:
    from gpruntime.model.problem import Fitness

_SIGNS = ("·", "-"), ("%", r"\%"), ("*", r"$^*$"), ("=", "$=$")


@dataclass(frozen=True, repr=False)
class Policy(Answer):
    """Strategies on one chain, and what they cost.

    Attributes:
        spec: of the run; its own odds are the fixed ones.
        choices: the chain, with its choices by name.
        levels: the fitness levels below the best, from the worst on.
        strategies: "optimal", "by level", "maximal drift" and "fixed odds", by name.
        gap: how far the optimal mean may be above the true one by rounding, relatively.
    """

    spec: RunSpec
    choices: Choices = field(compare=False)
    levels: tuple[Fitness, ...]
    strategies: dict[str, Strategy] = field(compare=False)
    gap: float

    @property
    def optimal(self) -> Strategy:
        """The optimal one."""
        return self.strategies[OPTIMAL]

    @property
    def by_level(self) -> Strategy:
        """The one that looks at the fitness alone."""
        return self.strategies[BY_LEVEL]

    @property
    def drift(self) -> Strategy:
        """The one of maximal drift."""
        return self.strategies[DRIFT]

    @property
    def fixed(self) -> Strategy:
        """The spec's own odds."""
        return self.strategies[FIXED]

    def regret(self, name: str) -> float:
        """How many evaluations a strategy takes more than the optimal one."""
        return max(self.strategies[known("strategy", name, self.strategies)].mean - self.optimal.mean, 0.0)

    def choice(self, tree: str | Tree, strategy: str = OPTIMAL) -> dict[str, float]:
        """The odds of each choice at a tree; nothing for an optimal tree.

        Raises:
            BadInput: the tree cannot be read, or is in no run from these initial trees.
        """
        odds = self.strategies[known("strategy", strategy, self.strategies)].odds
        parsed = Tree.parse(tree, self.spec.primitives) if isinstance(tree, str) else tree
        if any(leaf.variable > self.spec.primitives.variables for leaf in parsed.terminals()):
            raise BadInput(
                "tree", str(tree), f"has more variables than {self.spec.problem.name} with n = {self.spec.n}"
            )
        state = self.choices.states.of(parsed)
        if self.choices.states.fitness(state) == self.spec.best:
            return {}
        if state not in self._numbers:
            raise BadInput("tree", str(tree), f"no run from {self.spec.init} comes to this tree")
        row = odds[self._numbers[state]]
        return {name: float(chance) for name, chance in zip(self.choices.names, row, strict=True) if chance > 0}

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return {state: number for number, state in enumerate(self.choices.chain.states) if number != OPTIMUM}

    def of_levels(self, name: str) -> list[dict[str, float]]:
        """For each level the expected evaluations by each choice; nothing where the mean is infinite."""
        spent = self.strategies[name].spent
        if spent is None:
            return []
        return [dict(zip(self.choices.names, map(float, row), strict=True)) for row in spent]

    @property
    def what(self) -> str:
        """What is chosen."""
        names = self.choices.names
        if names[0].startswith("k"):
            return f"the number of operations, {names[0]} … {names[-1].removeprefix('k = ')}"
        return f"{', '.join(names[:-1])} or {names[-1]}"

    @property
    def shown(self) -> list[str]:
        """The strategies, besides the fixed odds, whose mean is finite."""
        return [name for name, strategy in self.strategies.items() if name != FIXED and strategy.spent is not None]

    def rows(self) -> list[tuple[str, str, str]]:
        """A row for each strategy: name, mean, regret."""
        found = []
        for name, strategy in self.strategies.items():
            regret = self.regret(name)
            share = f"+{regret:,.6f} ({regret / self.optimal.mean:+.1%})" if math.isfinite(regret) else "infinite"
            mean = f"{strategy.mean:,.6f}" if math.isfinite(strategy.mean) else "infinite"
            found.append((self.label(name), mean, "" if name == OPTIMAL else share))
        return found

    def label(self, name: str) -> str:
        """A strategy in words: the fixed odds with their numbers."""
        if name != FIXED:
            return name
        odds = self.choices.odds
        if len(set(odds.tolist())) == 1:
            return f"{name}, 1/{len(odds)} each"
        return f"{name} {' : '.join(f'{chance:.3g}' for chance in odds)}"

    def sentences(self) -> list[str]:
        """The answer in words."""
        fixed, drift = self.regret(FIXED), self.regret(DRIFT)
        best = f"the best choice of {self.what} in each of {len(self.choices.chain):,} states"
        words = [f"{self.title}: {best} takes {self.optimal.mean:,.6f} evaluations in the mean."]
        if math.isfinite(fixed):
            times = self.fixed.mean / self.optimal.mean
            words.append(f"The fixed odds take {self.fixed.mean:,.6f}, {times:.2f} times as many.")
        else:
            words.append("With the fixed odds the mean is infinite.")
        if drift > self.optimal.mean * 1e-9:
            words.append("Maximal drift is not optimal here.")
        return words

    def to_latex(self) -> str:
        """The table of strategies, as a tabular."""
        lines = [r"\begin{tabular}{lrr}", r"strategy & $E[\text{evaluations}]$ & regret \\ \hline"]
        for cells in self.rows():
            text = " & ".join(cells)
            for sign, plain in _SIGNS:
                text = text.replace(sign, plain)
            lines.append(rf"{text} \\")
        return "\n".join([*lines, r"\end{tabular}"])

    def to_record(self) -> dict[str, Any]:
        """Plain data: what `gpruntime policy --json` prints."""
        settings = record_of(self.spec)
        kept = ("problem", "algorithm", "n", "init", "accept", "operations")
        return {
            **{name: settings[name] for name in kept},
            "choices": list(self.choices.names),
            "odds": self.choices.odds.tolist(),
            "states": len(self.choices.chain),
            "form": self.choices.chain.form,
            "gap": self.gap,
            "strategies": [self._record(name) for name in self.strategies],
        }

    def _record(self, name: str) -> dict[str, Any]:
        mean, regret = self.strategies[name].mean, self.regret(name)
        levels = [
            {"fitness": level, "evaluations": spent}
            for level, spent in zip(self.levels, self.of_levels(name), strict=False)
        ]
        finite = math.isfinite(mean)
        return {
            "strategy": name,
            "mean": mean if finite else None,
            "mean_is_infinite": not finite,
            "regret": regret if finite else None,
            "levels": levels,
        }

    more = ".choice(tree), .regret(name), .to_latex(), .sentences(), .to_record(), .plot()"
    figure = "pictures:choices_by_level"

    def table(self) -> list[str]:
        """A line for each strategy."""
        return [f"{name} {mean}  {regret}".rstrip() for name, mean, regret in self.rows()]

    def _facts(self) -> list[tuple[str, object]]:
        return [*((name, f"{mean}  {regret}") for name, mean, regret in self.rows()), *super()._facts()]


def policy(spec: RunSpec, progress: Shown = None) -> Policy:
    """The optimal choice in each state of a run's exact chain, and strategies beside it.

    What is chosen is the kind of the operation; or, for a law of k on 1 … K, the number of operations.

    Raises:
        BadInput: there is nothing to choose, the chain is not finite or too large, or every mean is infinite.
    """
    with telling(progress, states_bar) as tell:
        choices = choices_of(a_spec(spec), tell)
    solver = Solver(choices)
    optimum = solver.optimal()
    found = [optimum.strategy, solver.by_level(), solver.drift(), solver.fixed()]
    strategies = {strategy.name: strategy for strategy in found}
    return Policy(spec, choices, tuple(solver.levels), strategies, optimum.gap)
