"""The chance of improvement p_k, as the theory has it: formulas in n, the fitness k and the leaves T of a tree.

Each is a lower bound on the probability that one offspring is better than its parent, which our rules accept then, from
proofs that count certain insertions only; what else can improve comes on top. One operation inserts with probability
1/3, and a certain terminal of m with probability 1/(3m). With 1 + Pois(λ) operations there is exactly one with
probability e^−λ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from gpruntime.model.spec import RunSpec

Chance: TypeAlias = "Callable[[int, int, int], Fraction]"
"""p(n, k, T) for one operation."""


@dataclass(frozen=True)
class Formula:
    """A lower bound on p_k.

    Attributes:
        id: a name for records.
        formula: it, in words.
        conditions: of which trees it speaks.
        source: where it stands.
        problem: of which problem it speaks.
        chance: it, for one operation; 0 for trees of which it says nothing.
    """

    id: str
    formula: str
    conditions: str
    source: str
    problem: str
    chance: Chance

    def applies(self, spec: RunSpec) -> bool:
        """Whether it speaks of this setting: HVL-Prime as the papers have it, a tree alone, no limit on the leaves."""
        return (
            spec.problem.id == self.problem
            and not spec.has_population
            and spec.operator.id == "hvl-prime"
            and len(set(spec.weights)) == 1
            and spec.max_leaves_allowed is None
            and not spec.accept.is_own
            and not spec.settings["operations"]
        )

    def of(self, spec: RunSpec, fitness: int, leaves: int) -> float:
        """The bound for an offspring of a tree with this fitness and this many leaves."""
        alone = math.exp(-spec.poisson_mean) if spec.algorithm.multi else 1.0
        return float(self.chance(spec.n, fitness, leaves)) * alone

    def __str__(self) -> str:
        return f"{self.formula} ({self.conditions}; {self.source})"


def order_chance(n: int, fitness: int, leaves: int) -> Fraction:
    """The explicit lower bound in the proof of lem:order_oneonegp, for one operation."""
    missing, nodes = n - fitness, 2 * leaves - 1
    if leaves >= missing:
        return Fraction(missing * (missing + 1), 6 * n * 4 * nodes)
    return Fraction(leaves * (leaves + 1), 6 * n * 4 * nodes) + Fraction(missing - leaves, 6 * n)


def bare_chance(n: int, fitness: int, leaves: int) -> Fraction:
    """Where each leaf is the only one of an expressed variable, the n − k others are absent: any of them, anywhere."""
    return Fraction(n - fitness, 6 * n) if leaves == fitness else Fraction(0)


def and_chance(n: int, missing: int, leaves: int) -> Fraction:  # noqa: ARG001  # the tree's size has no part
    """Each missing variable, inserted anywhere; the terminals are n, without negations."""
    return Fraction(missing, 3 * n)


_FOUNDING = "Durrett, Neumann, O'Reilly, FOGA 2011, lemma on ORDER"
_BARE = "behind O(T_init + n·log n) of Neumann, GECCO 2012; counted here"
FORMULAS = (
    Formula(
        "order", "(n−k)(n−k+1) ÷ 24n(2T−1)", "any tree with T ≥ n−k leaves; for fewer as its proof says", _FOUNDING,
        "order", order_chance,
    ),
    Formula("order-bare", "(n−k) ÷ 6n", "trees without redundant leaves, T = k", _BARE, "order", bare_chance),
    Formula("majority-bare", "(n−k) ÷ 6n", "trees without redundant leaves, T = k", _BARE, "majority", bare_chance),
    Formula("and", "k ÷ 3n", "k variables missing", "Mambrini, Oliveto, EuroGP 2016", "and", and_chance),
)  # fmt: skip


def formulas_for(spec: RunSpec) -> list[Formula]:
    """Those that speak of a setting."""
    return [formula for formula in FORMULAS if formula.applies(spec)]
