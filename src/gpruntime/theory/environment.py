"""Runs in which an agent makes the choices: reset and step, as reinforcement learning knows them.

    environment = Environment(spec)
    observation, info = environment.reset(seed=1)
    observation, reward, terminated, truncated, info = environment.step(0)

An *action* is the number of a choice (`choices`). An *observation* is the fitness and the leaves of the tree; `info`
has the tree itself, on which the optimal policy depends. Each step is an evaluation and costs 1, so the *return* of an
episode is 1 minus the run's evaluations: the initial tree's costs nothing. An episode is *terminated* at the optimum,
and *truncated* at the spec's budget, or where a run is proved to be stuck. `optimal_value` is the largest expected
return.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from gpruntime.model.errors import BadInput, whole
from gpruntime.model.mutation import KINDS, Operation, mutated
from gpruntime.model.operator import Mutation
from gpruntime.model.problem import Fitness
from gpruntime.model.run import Outcome, Run
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.theory.choices import choosable, with_kind
from gpruntime.theory.policies import Policy, policy

Observation = tuple[Fitness, int]


class _ChosenRun(Run):
    """A run whose next operations are chosen from outside."""

    number: int
    mutation: Mutation

    def _offspring(self) -> tuple[Tree, list[Operation]]:
        return mutated(self.tree, self.number, self.mutation, self._stream)


class Environment:
    """Episodes of one setting.

    Attributes:
        spec: of the runs.
        actions: what each action chooses, by its number.
    """

    def __init__(self, spec: RunSpec) -> None:
        """Takes any setting in which something can be chosen, of whatever size; a run that may not end needs a budget.

        Raises:
            BadInput: there is nothing to choose.
        """
        self.spec = spec
        chosen, self.actions = choosable(spec)
        if self.actions[0] in KINDS:
            self._choices = [(1, with_kind(spec, kind).mutation) for kind in chosen]
        else:
            self._choices = [(k, spec.mutation) for k in chosen]
        self._seed, self._episode = 0, -1
        self._run: _ChosenRun | None = None

    @cached_property
    def policy(self) -> Policy:
        """The optimal policy and others, from the exact chain; raises `BadInput` where that is too large."""
        return policy(self.spec)

    @property
    def optimal_value(self) -> float:
        """The expected return of the optimal policy: no agent has more."""
        return 1 - self.policy.optimal.mean

    def reset(self, seed: int | None = None, options: object = None) -> tuple[Observation, dict[str, Any]]:  # noqa: ARG002
        """Begins an episode: the first of a seed, if one is given, else the next."""
        if seed is not None:
            self._seed, self._episode = whole("seed", seed, 0), -1
        self._episode += 1
        self._run = _ChosenRun(self.spec, self._seed, self._episode)
        return self._observed(self._run), self._info(self._run)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One evaluation."""
        run = self._run
        if run is None or run.outcome is not None:
            raise BadInput("action", action, "there is no episode, or it has ended: call reset()")
        run.number, run.mutation = self._choices[whole("action", action, 0, len(self.actions) - 1)]
        made = run.step()
        terminated = run.outcome == Outcome.OPTIMUM
        truncated = run.outcome in (Outcome.STUCK, Outcome.BUDGET)
        return self._observed(run), -1.0, terminated, truncated, self._info(run) | {"accepted": made.accepted}

    @staticmethod
    def _observed(run: Run) -> Observation:
        return run.fitness, len(run.tree.leaves)

    @staticmethod
    def _info(run: Run) -> dict[str, Any]:
        return {
            "tree": str(run.tree),
            "evaluations": run.evaluations,
            "outcome": None if run.outcome is None else str(run.outcome),
        }
