"""What a run is asked to be: problem, algorithm, n, initial tree, operator, limits.

Everything but the budget determines the law of the run and with it the *cell*, which addresses its random stream
(`gpruntime.model.stream`). The budget does not: a run with a larger budget is the same run, continued.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gpruntime.model.algorithms import Algorithm, algorithm_id, algorithm_named
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.hvl import Hvl
from gpruntime.model.initial import MOST_LEAVES, Initial
from gpruntime.model.mutation import LAST_LEAF, SUBSTITUTE_AT, HvlPrime
from gpruntime.model.problems import Problem, problem_named
from gpruntime.model.stream import poisson_table

OPERATORS = ("hvl-prime", "hvl")
MOST_VARIABLES = 10**9 // 2
MOST_BUDGET = 2**62
_LEAST_PROPORTION = 1e-12  # less would be lost in the 53 bits of the number that decides


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """One cell of an experiment. Checked when it is made; raises `BadInput` with the field and what is allowed.

    Attributes:
        problem: "order" or "majority".
        algorithm: "gp-single", "gp-multi", "gpstar-single" or "gpstar-multi".
        n: the number of variables.
        init: the initial tree as text, see `gpruntime.model.initial`.
        weights: of substitution, insertion and deletion, in proportion to their probabilities.
        poisson_mean: λ in k = 1 + Pois(λ), for the multi algorithms.
        operator: "hvl-prime", or "hvl" for the original.
        substitute: "leaves", or "nodes" for the dialect in which joins are picked too, in vain.
        last_leaf: deleting the only leaf changes nothing ("keep") or gives the empty tree ("empty").
        max_leaves_allowed: a larger offspring is rejected; None for no limit.
        budget: the run stops after this many evaluations; None for no limit.
    """

    problem: str
    algorithm: str
    n: int
    init: str = "unity"
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    poisson_mean: float = 1.0
    operator: str = "hvl-prime"
    substitute: str = "leaves"
    last_leaf: str = "keep"
    max_leaves_allowed: int | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        problem_named(self.problem)
        object.__setattr__(self, "algorithm", algorithm_id(self.algorithm))
        object.__setattr__(self, "n", whole("n", self.n, 1, MOST_VARIABLES))
        known("operator", self.operator, OPERATORS)
        known("substitute", self.substitute, SUBSTITUTE_AT)
        known("last_leaf", self.last_leaf, LAST_LEAF)
        if self.budget is not None:
            budget = whole("budget", self.budget, 1, MOST_BUDGET, " (the initial tree's evaluation counts)")
            object.__setattr__(self, "budget", budget)
        object.__setattr__(self, "weights", _checked_weights(self.weights))
        object.__setattr__(self, "poisson_mean", _checked_number("poisson_mean", self.poisson_mean))
        poisson_table(self.poisson_mean)
        object.__setattr__(self, "init", str(Initial.parse(str(self.init), self.n)))
        self._check_limits()
        self._check_dialect()

    def _check_limits(self) -> None:
        limit = self.max_leaves_allowed
        if limit is not None:
            limit = whole("max_leaves_allowed", limit, self.n, MOST_LEAVES, " (an optimal tree has n leaves)")
            object.__setattr__(self, "max_leaves_allowed", limit)
            if self.initial.leaves > limit:
                allowed = f"must be at least {self.initial.leaves}, the leaves the initial tree can have"
                raise BadInput("max_leaves_allowed", limit, allowed)
        _, insert, delete = self.weights
        if not self.algorithm_.strict and self.budget is None:
            if insert == 0:
                allowed = "without insertion a run that accepts neutral moves may never end: give a budget"
                raise BadInput("weights", self.weights, allowed)
            if delete == 0 and limit is None:
                allowed = "without deletion the tree grows for ever: give a budget or max_leaves_allowed"
                raise BadInput("weights", self.weights, allowed)

    def _check_dialect(self) -> None:
        if self.operator == "hvl" and (self.substitute, self.last_leaf) != ("leaves", "keep"):
            raise BadInput("operator", self.operator, "the dialects substitute and last_leaf are hvl-prime's")
        if self.initial.leaves == 0 and self.last_leaf != "empty":
            raise BadInput("init", self.init, "the empty tree needs last_leaf = empty")

    # ---- the parts, as objects

    @cached_property
    def problem_(self) -> Problem:
        """The problem itself."""
        return problem_named(self.problem)

    @cached_property
    def algorithm_(self) -> Algorithm:
        """The algorithm itself."""
        return algorithm_named(self.algorithm)

    @cached_property
    def initial(self) -> Initial:
        """The law of the initial tree."""
        return Initial.parse(self.init, self.n)

    @cached_property
    def mutation(self) -> HvlPrime | Hvl:
        """The mutation operator."""
        if self.operator == "hvl":
            return Hvl(self.n, self.proportions)
        return HvlPrime(self.n, self.proportions, self.last_leaf, self.substitute)

    @cached_property
    def proportions(self) -> tuple[float, float, float]:
        """The weights scaled to a maximum of 1, so that (1, 1, 2) and (3, 3, 6) are one law and one stream."""
        largest = max(self.weights)
        substitute, insert, delete = (weight / largest for weight in self.weights)
        return substitute, insert, delete

    # ---- the cell

    def law(self) -> dict[str, Any]:
        """The fields that determine the law of the run: all but the budget, and defaults left out.

        Defaults are left out so that a field added later does not change the cell of a run that does not use it.
        λ has no part in a single algorithm, so it is left out there too.
        """
        fields = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "budget" or (field.name == "poisson_mean" and not self.algorithm_.multi):
                continue
            if field.name == "weights":
                value = self.proportions
            if field.name in ("problem", "algorithm", "n", "init") or value != field.default:
                fields[field.name] = value
        return fields

    @cached_property
    def cell(self) -> tuple[int, int, int, int]:
        """The address of the cell: the first 128 bits of SHA-256 over the law as canonical JSON, as four words."""
        text = json.dumps(self.law(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        digest = hashlib.sha256(text.encode("ascii")).digest()
        a, b, c, d = (int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
        return a, b, c, d

    @property
    def cell_id(self) -> str:
        """The same as 32 hexadecimal digits."""
        return b"".join(word.to_bytes(4, "little") for word in self.cell).hex()


def _checked_weights(weights: Any) -> tuple[float, float, float]:
    allowed = "must be three non-negative numbers, not all zero: substitution, insertion, deletion"
    try:
        values = tuple(float(weight) for weight in weights)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("weights", weights, allowed) from None
    if len(values) != 3 or not all(math.isfinite(w) and w >= 0 for w in values) or max(values) == 0:
        raise BadInput("weights", weights, allowed)
    if any(0 < weight < max(values) * _LEAST_PROPORTION for weight in values):
        raise BadInput("weights", weights, "a weight above zero must be at least 1e-12 of the largest")
    return values


def _checked_number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise BadInput(name, value, "must be a number")
    return number
