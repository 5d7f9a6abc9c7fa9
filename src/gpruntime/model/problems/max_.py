"""MAX: the largest value that a program of bounded depth can have.

One terminal, a constant t > 0 (here x1); F = {+} or {+, ×}; trees of depth at most D, where a single leaf has depth
0 (Kötzing, Sutton, Neumann, O'Reilly, GECCO 2012; TCS 545, 2014; the definition is that of a later program).
Offspring that are deeper are rejected. **n is the depth limit D**, unless `depth=D` says another.

| parameter   | meaning                                                      | default     |
|-------------|--------------------------------------------------------------|-------------|
| `functions` | `+` or `+*`: the functions add, or add and mul               | `+`         |
| `t`         | the constant, a number such as 2, 0.25 or 1/3                | 1           |
| `depth`     | the depth limit                                              | 0: n        |

**Rejection, in the problem's own terms.** A tree that is deeper than D has fitness D − its depth, below zero; every
other tree has a fitness above zero. So a run that begins within the limit stays within it, and one that begins
beyond it is led back.

**Values never overflow.** With {+} a value is t times the number of leaves: for t = p/q the fitness is p times the
number of leaves, the value in units of 1/q. With {+, ×} a value is kept as m·2^e, 1 ≤ m < 2 with 53 bits, and e a
whole number: m is rounded, always monotonically, so a better subtree never makes a worse tree, and differences
beyond 53 bits are ties. The fitness is then e + m − 1, plus a constant that keeps it above zero: log₂ of the value
at the powers of two, and straight lines in between. It has the same order, and no logarithm that two computers might
round differently.

**The optimum** is t·2^D for {+}. In general v_0 = t and v_(d+1) = max(2·v_d, v_d²), since both functions grow with
their arguments: max(2t, t²)^(2^(D−1)) for t ≥ 1.

**Known.** With N = 2^(D+1) − 1 nodes GP takes O(N log N) on {+}, and on {+, ×} under conditions on t (reported,
texts not seen).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.bound import REPORTED, UPPER, Bound
from gpruntime.model.errors import BadInput, known
from gpruntime.model.problem import MAX_FITNESS, Problem

_FUNCTIONS = {"+": ("add",), "+*": ("add", "mul")}
_MAX_DEPTH = 50
_NEVER_SMALL = 2.0**-20  # t, for {+, ×}: no value is below t^(2^D), which then has an exponent of few digits


def _sum(program: Any, n: int, data: Any) -> Any:  # noqa: ARG001
    """p times the leaves; `data` is the depth limit and p."""
    depth = _depth(program)
    return data[0] - depth if depth > data[0] else data[1] * ((len(program) + 1) // 2)


def _binary_order(program: Any, n: int, data: Any) -> Any:  # noqa: ARG001
    """About log₂ of the value, see above; `data` is the depth limit, m and e of t, and what is added."""
    depth = _depth(program)
    if depth > data[0]:
        return data[0] - depth
    factors = np.zeros(len(program) + 1)
    exponents = np.zeros(len(program) + 1)
    top = 0
    for token in program:
        if token >= 0:
            factors[top], exponents[top] = data[1], data[2]
            top += 1
            continue
        top -= 1
        m, e = factors[top - 1], exponents[top - 1]
        if token == -2:
            m, e = m * factors[top], e + exponents[top]
        elif e >= exponents[top]:
            m += factors[top] * 2.0 ** max(exponents[top] - e, -1000.0)
        else:
            m, e = factors[top] + m * 2.0 ** max(e - exponents[top], -1000.0), exponents[top]
        if m >= 2:
            m, e = m / 2, e + 1
        factors[top - 1], exponents[top - 1] = m, e
    return exponents[0] + factors[0] - 1 + data[3] if len(program) else 0.0


def _depth(program: Any) -> Any:
    """How deep a tree is; −1 if it is empty."""
    depths = np.full(len(program) + 1, -1)
    top = 0
    for token in program:
        if token >= 0:
            depths[top] = 0
            top += 1
        else:
            top -= 1
            depths[top - 1] = 1 + max(depths[top - 1], depths[top])
    return depths[0]


def _log_nodes(n: float, *_: float) -> float:
    nodes = 2.0 ** (n + 1) - 1
    return math.log(nodes * math.log(nodes))


BOUNDS = (
    Bound(
        "X1", "O(N·log N), N = 2^(n+1) − 1", r"N\,\log N", UPPER,
        "Kötzing, Sutton, Neumann, O'Reilly, GECCO 2012, TCS 545, 2014", "F = {+}", REPORTED,
        ("gp-single", "gp-multi"), (), _log_nodes, "text not seen",
    ),
)  # fmt: skip


class Max(Problem):
    """The problem MAX; its functions are a parameter."""

    chooses = True

    def _settle(self) -> None:
        functions, t, depth = self.parameters.values()
        self.functions = _FUNCTIONS[known("functions", functions, _FUNCTIONS)]
        self.function = _sum if functions == "+" else _binary_order
        self.bounds = BOUNDS if functions == "+" and not depth else ()
        constant(t)
        if not 0 <= depth <= _MAX_DEPTH:
            raise BadInput("problem", f"depth={depth}", f"must be from 1 to {_MAX_DEPTH}, or 0 for n")


def constant(text: str) -> Fraction:
    """The constant t."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not 0 < value <= 10**9 or value.denominator > 10**9:
        raise BadInput("problem", f"t={text}", "must be a number above 0 and up to 10^9, such as 2, 0.25 or 1/3")
    return value


def _data(n: int, functions: str, t: str, depth: int) -> list[Any]:
    limit, value = depth or n, constant(t)
    if limit > _MAX_DEPTH:
        raise BadInput("n", n, f"is the depth limit, which can be {_MAX_DEPTH} at most")
    if functions == "+":
        if value.numerator << limit > MAX_FITNESS:
            raise BadInput("n", n, f"t·2^{limit} has more than 60 bits")
        return [limit, value.numerator]
    if value < _NEVER_SMALL:
        raise BadInput("problem", f"t={t}", "must be at least 2^-20 where there is a product")
    m, e = math.frexp(float(value))
    m, e = 2 * m, e - 1  # frexp's m is from 1/2 to 1
    least = min(0, math.floor(math.log2(value)) * 2**limit)  # of log₂ of a value
    return [float(limit), m, float(e), float(1 - least)]


def _best(n: int, functions: str, t: str, depth: int) -> int | float:
    data = np.array(_data(n, functions, t, depth))
    if functions == "+":
        return int(data[1]) << int(data[0])
    m, e = data[1], data[2]
    for _ in range(int(data[0])):  # as `_binary_order` does it: twice the value, or its square
        square = (m * m, 2 * e) if m * m < 2 else (m * m / 2, 2 * e + 1)
        m, e = max((m, e + 1), square, key=lambda value: (value[1], value[0]))
    return float(e + m - 1 + data[3])


PROBLEM = Max(
    "max",
    "MAX",
    _sum,
    sees="program",
    terminals="plain",
    functions={"add": 2},
    best=_best,
    variables=lambda n: 1,  # noqa: ARG005
    parameters={"functions": "+", "t": "1", "depth": 0},
    data=_data,
    optimal_leaves=lambda n, functions, t, depth: 2 ** (depth or n) if functions == "+" else 1,  # noqa: ARG005
    cite="Kötzing, Sutton, Neumann, O'Reilly 2012",
    line="the largest value of a sum, or of sums and products, of a constant in a tree of bounded depth",
    number=11,
)
