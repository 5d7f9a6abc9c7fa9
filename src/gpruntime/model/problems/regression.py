"""REGRESSION: a formula that fits n points of a target function, from +, −, × and a protected division.

A standard problem of practice (Koza, Genetic Programming, 1992, for the polynomials; Uy, Hoai, O'Neill, McKay,
Galván-López 2011 for the others). F = {add, sub, mul, div}, L = {x, -1, 0.5, 1, 2}. **n is the number of points**,
evenly spaced over the interval, ends included; 20 is usual.

| `function`  | the target                     | interval  |
|-------------|--------------------------------|-----------|
| `quartic`   | x⁴ + x³ + x² + x               | −1 … 1    |
| `quintic`   | x⁵ − 2x³ + x                   | −1 … 1    |
| `sextic`    | x⁶ − 2x⁴ + x²                  | −1 … 1    |
| `nguyen-5`  | sin(x²)·cos(x) − 1             | −1 … 1    |
| `nguyen-7`  | ln(x + 1) + ln(x² + 1)         | 0 … 2     |

The fitness is the sum of the absolute errors over the points that are missed, by more than 0.01 (Koza's *hits*); a
point counts 10⁶ at most. The optimum is 0: every point is hit. That a tree can do so is known for the polynomials;
for the others they are only approximated, and nothing proves that a run ends.

**Division is protected**: by a number nearer to zero than 10⁻⁹ it gives 1. Values are cut at ±10³⁰, so that nothing
overflows. There are no functions that computers round differently, so runs are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.errors import BadInput, known
from gpruntime.model.problem import Problem

_TARGETS: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "quartic": (lambda x: x**4 + x**3 + x**2 + x, -1, 1),
    "quintic": (lambda x: x**5 - 2 * x**3 + x, -1, 1),
    "sextic": (lambda x: x**6 - 2 * x**4 + x**2, -1, 1),
    "nguyen-5": (lambda x: np.sin(x**2) * np.cos(x) - 1, -1, 1),
    "nguyen-7": (lambda x: np.log(x + 1) + np.log(x**2 + 1), 0, 2),
}
_CONSTANTS = ("-1", "0.5", "1", "2")
_MAX_POINTS = 10**5
_HIT, _MAX_ERROR, _MAX_VALUE, _NEAR_ZERO = 0.01, 1e6, 1e30, 1e-9


def _missed_by(program: Any, n: int, data: Any) -> float:
    """The sum of the errors; `data` are the points, what is wanted there, and the constants."""
    stack = np.zeros((len(program) + 1) * n)
    top = 0
    for token in program:
        if token >= 0:
            for i in range(n):
                stack[top + i] = data[i] if token == 0 else data[2 * n + token - 1]
            top += n
            continue
        top -= n
        _combine(token, stack, top - n, n)
    total = 0.0
    for i in range(n):
        error = abs(stack[i] - data[n + i])
        if error > _HIT:
            total += min(error, _MAX_ERROR)
    return total


def _combine(token: int, stack: Any, left: int, n: int) -> None:
    """Puts what a function makes of two rows of values in place of the first."""
    right = left + n
    for i in range(n):
        if token == -1:
            value = stack[left + i] + stack[right + i]
        elif token == -2:
            value = stack[left + i] - stack[right + i]
        elif token == -3:
            value = stack[left + i] * stack[right + i]
        else:
            divisor = stack[right + i]
            near = abs(divisor) < _NEAR_ZERO
            value = 1.0 if near else stack[left + i] / (1.0 if near else divisor)
        stack[left + i] = min(max(value, -_MAX_VALUE), _MAX_VALUE)


class Regression(Problem):
    """The problem REGRESSION; its target is a parameter."""

    chooses = True

    def _settle(self) -> None:
        known("function", self.parameters["function"], _TARGETS)


def _points(n: int, function: str) -> Any:
    if not 2 <= n <= _MAX_POINTS:
        raise BadInput("n", n, f"is the number of points, from 2 to {_MAX_POINTS}")
    target, low, high = _TARGETS[function]
    points = np.linspace(low, high, n)
    return np.concatenate([points, target(points), [float(constant) for constant in _CONSTANTS]])


PROBLEM = Regression(
    "regression",
    "REGRESSION",
    _missed_by,
    sees="program",
    terminals=("x", *_CONSTANTS),
    functions={"add": 2, "sub": 2, "mul": 2, "div": 2},
    best=lambda n: 0.0,  # noqa: ARG005
    better="smaller",
    parameters={"function": "quartic"},
    data=_points,
    cite="Koza 1992; Uy, Hoai, O'Neill, McKay, Galván-López 2011",
    line="a formula of x through n points of a function: quartic, quintic, sextic, nguyen-5 or nguyen-7",
    number=16,
)
