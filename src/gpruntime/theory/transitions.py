"""The mean field of a problem that counts leaves: n → ∞ with time in units of n evaluations.

One variable is in state (a, b): it has a leaves x_i and b leaves x̄_i. p(a, b) is the share of variables in each state,
τ = Σ (a + b)·p the leaves for each variable, T = n·τ. An offspring has one operation, which moves one variable by one
leaf, and a substitution two variables: the one whose leaf goes, and the one that gets the new one. Let σ be the
terminals for each variable (2, or 1 where there are no complements) and w the probabilities of the kinds. In a unit of
time, that is n evaluations, a variable

- gets a leaf x_i at the rate (w_ins·A(δ, +1) + w_sub·E A(δ + δ′, 0))/σ, δ′ being what a uniform leaf of the tree
  costs that goes;
- loses a given leaf at the rate (w_del·A(δ, −1) + w_sub·E A(δ + δ″, 0))/τ, δ″ being what a uniform terminal brings a
  uniform variable that gets it.

δ is the change of the variable's own term, and A(gain, growth) is 1 if the rule accepts that and 0 if not. So p follows
a differential equation, whose coefficients are τ and the laws of δ′ and δ″. Of all substitutions one in n is inside a
variable, and makes x_i of x̄_i or the other way round. In the limit there is none; with n given they are counted.

Variables may be of several *kinds*: with other terms, or other initial leaves. Each has a share, and p is kept for
each kind by itself. The kind of a share of 0 is one variable.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec
from gpruntime.theory.variables import Values, Variables

MAX_SIDE = 250
NOTHING = 1e-30  # a share that is no variable, however many there are
_EDGE = 1e-10  # a share that is too small to matter
_MAX_CHANGES = 250
_DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, -1), (-1, 1))


class Grid:
    """All states up to a side, and what an operation does there."""

    def __init__(self, spec: RunSpec, variables: Variables, side: int, n: float = math.inf) -> None:
        self.spec, self.variables, self.side, self.n = spec, variables, side, n
        self.width = side + 1 if variables.signed else 1
        terms = variables.terms(side, self.width - 1)
        best = terms.max(axis=(1, 2))
        wanted = spec.best * spec.problem.direction
        self.reaches_best = variables.total(best) >= wanted - 1e-9 * max(1.0, abs(wanted))
        self.suboptimal = (terms < best[:, None, None]).reshape(len(terms), -1)
        a, b = np.meshgrid(np.arange(side + 1.0), np.arange(float(self.width)), indexing="ij")
        self.sizes = (a + b).ravel()
        self.counts = (a.ravel(), b.ravel())
        self.largest = np.maximum(a, b).ravel()
        self.least_side = 1 + int(np.where(self.suboptimal, side, self.largest).min(axis=1).max())
        changes = [_changes(terms, *direction) for direction in _DIRECTIONS]
        values = np.unique(np.concatenate([change[np.isfinite(change)] for change in changes]))
        if len(values) > _MAX_CHANGES:
            raise BadInput("problem", spec.problem.id, f"an operation changes a term in {len(values):,} ways: too many")
        self.changes = [
            np.searchsorted(values, np.nan_to_num(c, nan=values[0])).reshape(len(terms), -1) for c in changes
        ]
        self.possible = [np.isfinite(c).reshape(len(terms), -1) for c in changes]
        accepts = spec.accept.accepts
        substitute, insert, delete = np.array(spec.weights) / sum(spec.weights)
        substitute *= 0.5 if spec.substitute == "nodes" else 1.0  # half of the nodes are joins
        self.grown = insert * np.array([accepts(value, 1) for value in values.tolist()], float)
        self.shrunk = delete * np.array([accepts(value, -1) for value in values.tolist()], float)
        self.exchanged = substitute * np.array(
            [[accepts(old + new, 0) for new in values.tolist()] for old in values.tolist()], float
        )
        self.inside = substitute * np.array([accepts(value, 0) for value in values.tolist()], float)
        self.per_variable = 2 if variables.signed else 1

    def leaves(self, p: Values) -> Values:
        """Of a variable of each kind."""
        return np.asarray(p @ self.sizes)

    def coefficients(self, p: Values) -> Values:
        """τ, the law of what a uniform leaf costs that goes, and that of what a uniform terminal brings."""
        kinds = len(self.grown)
        weighted = p * self.variables.shares[:, None]
        leaves = float((weighted @ self.sizes).sum())
        gone, come = np.zeros(kinds), np.zeros(kinds)
        for number, change in enumerate(self.changes[:4]):
            if number < 2:
                if number == 0 or self.per_variable == 2:
                    come += np.bincount(change.ravel(), weighted.ravel(), kinds) / self.per_variable
            elif leaves > 0:
                gone += np.bincount(change.ravel(), (weighted * self.counts[number - 2]).ravel(), kinds) / leaves
        return np.concatenate([[leaves], gone, come])

    def rates(self, coefficients: Values) -> list[Values]:
        """Of each kind and state, in each direction."""
        kinds = len(self.grown)
        leaves, gone, come = coefficients[0], coefficients[1 : 1 + kinds], coefficients[1 + kinds :]
        grows = (self.grown + self.exchanged.T @ gone) / self.per_variable
        shrinks = (self.shrunk + self.exchanged @ come) / leaves if leaves > 0 else 0 * self.shrunk
        found = [grows[change] for change in self.changes[:2]]
        found += [shrinks[change] * count for change, count in zip(self.changes[2:4], self.counts, strict=True)]
        if math.isfinite(self.n) and leaves > 0:
            each = self.inside / (leaves * self.per_variable * self.n)
            found += [each[change] * count for change, count in zip(self.changes[4:], self.counts[::-1], strict=True)]
        return [np.where(possible, rate, 0.0) for rate, possible in zip(found, self.possible, strict=False)]

    def steps(self) -> tuple[int, ...]:
        """How far apart in a row two states are, in each direction."""
        return self.width, 1, -self.width, -1, self.width - 1, 1 - self.width

    def derivative(self, p: Values) -> Values:
        """dp/ds."""
        change = np.zeros_like(p)
        for step, rate in zip(self.steps(), self.rates(self.coefficients(p)), strict=False):
            flow = rate * p
            change -= flow
            if step > 0:
                change[:, step:] += flow[:, :-step]
            else:
                change[:, :step] += flow[:, -step:]
        return change

    def generators(self, coefficients: Values) -> list[Any]:
        """For each kind the matrix G of dp/ds = G·p, where the coefficients stay."""
        rates, states = self.rates(coefficients), self.suboptimal.shape[1]
        found = []
        for kind in range(len(self.suboptimal)):
            matrix = -sparse.diags(sum(rate[kind] for rate in rates))
            for step, rate in zip(self.steps(), rates, strict=False):
                if abs(step) < states:
                    part = rate[kind][:-step] if step > 0 else rate[kind][-step:]
                    matrix = matrix + sparse.diags(part, -step, shape=(states, states))
            found.append(matrix.tocsc())
        return found

    def suboptimal_share(self, p: Values) -> Values:
        """u of each kind."""
        return np.asarray(np.where(self.suboptimal, p, 0.0).sum(axis=1))

    def needed(self, p: Values) -> int:
        """The side beyond which there is too little to matter, of all variables and of those that are suboptimal."""
        low = np.where(self.suboptimal, p, 0.0)
        share = np.maximum(p, low / np.maximum(low.sum(axis=1, keepdims=True), NOTHING)).max(axis=0)
        return int(self.largest[share > _EDGE].max())

    def start(self) -> Values:
        """p at the start."""
        p = self.variables.start(self.side, self.width - 1)
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def carried(self, p: Values, side: int) -> tuple[Grid, Values]:
        """The same shares on a grid of this side."""
        if side == self.side:
            return self, p
        other = Grid(self.spec, self.variables, side, self.n)
        moved = np.zeros((len(p), other.side + 1, other.width))
        rows, columns = min(self.side, other.side) + 1, min(self.width, other.width)
        moved[:, :rows, :columns] = p.reshape(len(p), self.side + 1, self.width)[:, :rows, :columns]
        return other, moved.reshape(len(p), -1)


def _changes(terms: Values, a: int, b: int) -> Values:
    """What one leaf more or less changes; not a number where there is no such state."""
    found = np.full_like(terms, np.nan)
    rows, columns = terms.shape[1:]
    here = (slice(max(0, -a), rows - max(0, a)), slice(max(0, -b), columns - max(0, b)))
    there = (slice(max(0, a), rows + min(0, a)), slice(max(0, b), columns + min(0, b)))
    found[(slice(None), *here)] = terms[(slice(None), *there)] - terms[(slice(None), *here)]
    return found
