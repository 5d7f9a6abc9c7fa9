"""ALTERNATE: two kinds of joins that must alternate from level to level, and the terminals right as well.

The founding paper (Durrett, Neumann, O'Reilly 2011, "Future Work") wishes for problems in which the higher levels of
a tree matter: "introduce a new type of join operation and use the fitness function to impose a constraint that
forces us to optimize the higher levels of the tree as well, perhaps by giving higher fitness to individuals when
this 'join prime' has regular joins as its children and vice versa."

The paper leaves the fitness open. **Fixed here:** F = {join, prime}, L = {x_1, x̄_1, …, x_n, x̄_n}. The fitness is
the number of variables that are expressed minus the number of *bad pairs*: a join and a child of it that is a join
of the same kind. `terminals=order` (the default) or `majority` says what is expressed. The optimum is n: everything
is expressed, and joins alternate along every path. So a bad pair costs as much as a variable, and an x_i may be paid
for by a bad pair. A single leaf has no joins, and is right.
"""

from __future__ import annotations

from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.errors import known
from gpruntime.model.problem import Problem


def _bad_pairs(program: Any) -> int:
    """Joins that have a join of their own kind as a child."""
    kinds = np.zeros(len(program) + 1, np.int64)  # of the roots on the stack; of a leaf 0
    top, bad = 0, 0
    for token in program:
        if token < 0:
            top -= 2
            bad += kinds[top] == token
            bad += kinds[top + 1] == token
        kinds[top] = min(token, 0)
        top += 1
    return bad


def _by_order(program: Any, n: int) -> int:
    seen = np.zeros(n, np.bool_)
    expressed = 0
    for token in program:
        if token >= 0 and not seen[token >> 1]:
            seen[token >> 1] = True
            expressed += token & 1 == 0
    return expressed - _bad_pairs(program)


def _by_majority(program: Any, n: int) -> int:
    counts = np.zeros(2 * n, np.int64)
    for token in program:
        if token >= 0:
            counts[token] += 1
    expressed = 0
    for i in range(n):
        expressed += counts[2 * i] >= max(counts[2 * i + 1], 1)
    return expressed - _bad_pairs(program)


_RULES = {"order": _by_order, "majority": _by_majority}


class Alternate(Problem):
    """The problem ALTERNATE; what is expressed is a parameter."""

    chooses = True

    def _settle(self) -> None:
        self.function = _RULES[known("terminals", self.parameters["terminals"], _RULES)]


PROBLEM = Alternate(
    "alternate",
    "ALTERNATE",
    _by_order,
    sees="program",
    functions={"join": 2, "prime": 2},
    best=lambda n: n,
    parameters={"terminals": "order"},
    optimal_leaves=lambda n: n,
    cite="Durrett, Neumann, O'Reilly 2011, future work",
    line="expressed variables, less the joins that have a join of their own kind as a child",
    number=12,
)
