"""Cartesian GP as a chain: that of the (1+λ) GP, on genotypes."""

from __future__ import annotations

from gpruntime.exact.chain import END, Row, add
from gpruntime.exact.circuits import CircuitStates
from gpruntime.exact.populations.one_plus_lambda import LambdaPopulation
from gpruntime.exact.states import State
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec


class CircuitPopulation(LambdaPopulation):
    """A circuit, how many offspring are made, and the best of them."""

    def after(self, state: State) -> Row:
        if self.spec.algorithm.values["ties"] != "uniform":
            return super().after(state)
        row, now = Row(), self.seen(state.parent).score
        for child, chance in self.offspring(state.parent):
            score, _, is_best = self.seen(child)
            if score >= now:
                share = chance / 2 if score == now else chance
                add(row, END if is_best else state._replace(parent=child), share)
        return row

    @classmethod
    def check(cls, spec: RunSpec) -> None:
        """Equals of several offspring are not followed."""
        if spec.algorithm.values["ties"] == "uniform" and spec.algorithm.values["lambda"] != 1:
            raise BadInput("algorithm", spec.algorithm.id, "with ties = uniform, exact answers exist for lambda = 1")
        CircuitStates.check(spec)

    @classmethod
    def grows(cls, spec: RunSpec) -> bool:  # noqa: ARG003
        return False


POPULATION = CircuitPopulation
