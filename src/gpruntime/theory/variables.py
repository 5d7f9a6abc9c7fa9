"""The kinds of variables of a setting: which terms they add to the fitness, and which leaves they begin with."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec

Values = NDArray[np.float64]

_ASKED = 1000  # variables whose terms are compared
_LOOK = 6  # leaves of each sign up to which they are compared
_MAX_KINDS = 16
_MAX_LEAVES = 100  # of one variable, of each sign, in the initial tree


@dataclass(frozen=True)
class Variables:
    """The kinds, in a fixed order.

    Attributes:
        spec: the setting.
        examples: a variable of each kind.
        shares: of all variables; 0 for a kind that is one variable.
        begins: the leaves x_i and x̄_i that each kind begins with; None where they are random.
        mean: how many random leaves each other kind begins with in the mean.
    """

    spec: RunSpec
    examples: tuple[int, ...]
    shares: Values
    begins: tuple[dict[tuple[int, int], float] | None, ...]
    mean: float

    @property
    def signed(self) -> bool:
        """Whether there are complements."""
        return self.spec.primitives.signed

    def counts(self, n: float) -> Values:
        """How many variables of each kind there are where there are n in all."""
        alone = self.shares == 0
        return np.where(alone, 1.0, (n - alone.sum()) * self.shares)

    def terms(self, most_plain: int, most_bar: int) -> Values:
        """What a variable of each kind adds, larger being better, by kind, leaves x_i and leaves x̄_i."""
        return np.array([_terms(self.spec, i, most_plain, most_bar) for i in self.examples])

    def total(self, terms: Values) -> float:
        """What the terms of all variables add up to."""
        return float(terms @ self.counts(self.spec.primitives.variables))

    def start(self, most_plain: int, most_bar: int) -> Values:
        """p at the start, by kind and state."""
        found = np.zeros((len(self.examples), most_plain + 1, most_bar + 1))
        for shares, begin in zip(found, self.begins, strict=True):
            if begin is None:
                laws = [_poisson(self.mean / (1 + self.signed), most) for most in (most_plain, most_bar)]
                shares += np.outer(laws[0], laws[1] if self.signed else [1.0])
            else:
                for (plain, bar), share in begin.items():
                    shares[plain, bar] += share
        return found.reshape(len(found), -1)

    @property
    def most(self) -> int:
        """How many leaves of a sign a grid has to have room for at the start."""
        random = math.ceil(self.mean + 8 * math.sqrt(self.mean) + 8)
        return max([random, *(max(max(state) for state in begin) for begin in self.begins if begin)])


def variables_of(spec: RunSpec) -> Variables:
    """The kinds of a setting.

    Raises:
        BadInput: the initial tree is not spread over the variables, or there are too many kinds.
    """
    number = spec.primitives.variables
    some = np.unique(np.linspace(1, number, min(number, _ASKED)).astype(int)).tolist()
    tables: dict[bytes, list[int]] = {}
    for i in some:
        tables.setdefault(_terms(spec, i, _LOOK, _LOOK if spec.primitives.signed else 0).tobytes(), []).append(i)
    if len(tables) > 1 and number > _ASKED:
        raise BadInput("n", spec.n, f"terms differ between variables; then n may be at most {_ASKED:,}")
    kinds = [(members[0], frozenset(members), len(members) / len(some)) for members in tables.values()]
    init = spec.init
    if init.tree is not None:
        return _from_tree(spec, kinds)
    if init.name not in ("unity", "insertion"):
        raise BadInput("init", str(init), "must be unity, insertion or a tree: its leaves have to be many and spread")
    mean = init.leaves / number
    examples, shares = [example for example, _, _ in kinds], [share for _, _, share in kinds]
    begins: list[dict[tuple[int, int], float] | None] = [None] * len(kinds)
    if init.leaves == 1 and len(kinds) == 1:  # one variable has it
        begin = {(1, 0): 0.5, (0, 1): 0.5} if spec.primitives.signed else {(1, 0): 1.0}
        examples, shares, begins, mean = examples * 2, [1.0, 0.0], [{(0, 0): 1.0}, begin], 0.0
    return _checked(Variables(spec, tuple(examples), np.array(shares), tuple(begins), mean))


def _from_tree(spec: RunSpec, kinds: list[tuple[int, frozenset[int], float]]) -> Variables:
    tree, number = spec.init.tree, spec.primitives.variables
    assert tree is not None
    plain, bar = Counter[int](), Counter[int]()
    for leaf in tree.terminals():
        code = spec.primitives.code(leaf)
        signed = spec.primitives.signed
        variable, negated = (code // 2, code % 2) if signed else (code, 0)
        (bar if negated else plain)[variable + 1] += 1
    groups = Counter[tuple[int, int, int]]()
    for i in range(1, number + 1):
        kind = next((example for example, members, _ in kinds if i in members), kinds[0][0])
        groups[kind, plain[i], bar[i]] += 1
    shares = np.array([count / number for count in groups.values()])
    begins = tuple({(a, b): 1.0} for _, a, b in groups)
    return _checked(Variables(spec, tuple(kind for kind, _, _ in groups), shares, begins, 0.0))


def _checked(variables: Variables) -> Variables:
    if len(variables.examples) > _MAX_KINDS:
        raise BadInput(
            "problem",
            variables.spec.problem.id,
            f"has {len(variables.examples)} kinds of variables: at most {_MAX_KINDS} can be",
        )
    if variables.most > _MAX_LEAVES + 8 * math.sqrt(_MAX_LEAVES) + 8:
        raise BadInput("init", str(variables.spec.init), f"a variable may begin with about {_MAX_LEAVES} leaves")
    return variables


def _terms(spec: RunSpec, i: int, most_plain: int, most_bar: int) -> Values:
    answer, direction = spec.problem.answer, spec.problem.direction
    return np.array(
        [
            [float(direction * answer(i, plain, bar, spec.n)) for bar in range(most_bar + 1)]
            for plain in range(most_plain + 1)
        ]
    )


def _poisson(mean: float, most: int) -> Values:
    numbers = np.arange(most + 1)
    logs = numbers * math.log(mean) - mean - np.array([math.lgamma(k + 1.0) for k in numbers])
    return np.asarray(np.exp(logs))
