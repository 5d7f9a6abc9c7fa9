"""Random programs in what kernels are written in: numbers, arrays in tuples, branches, loops and helpers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Inner(NamedTuple):
    values: Any
    table: Any


class Outer(NamedTuple):
    inner: Inner
    small: Any
    scale: int


def some_arrays() -> Outer:
    """What a program works on; all numbers stay below 1000."""
    table = np.arange(12, dtype=np.int32).reshape(3, 4)
    return Outer(Inner(np.arange(5) * 7, table), np.arange(6, dtype=np.uint8), 3)


class _Writer:
    """Writes one function; what is in `names` has been assigned."""

    def __init__(self, rng: random.Random, names: list[str], helper: bool) -> None:
        self.rng, self.names, self.helper, self.lines, self.loops = rng, names, helper, [], 0

    def index(self, size: int, depth: int) -> str:
        kind = self.rng.randrange(4)
        if kind == 0:
            return str(self.rng.randrange(-size, size))
        place = f"({self.number(depth - 1)}) % {size}"
        return f"-1 - {place}" if kind == 1 else f"np.uint64({place})" if kind == 2 else place

    def item(self, depth: int) -> str:
        return self.rng.choice(
            [
                f"arrays.inner.values[{self.index(5, depth)}]",
                f"arrays.inner.table[{self.index(3, depth)}, {self.index(4, depth)}]",
                f"arrays.small[{self.index(6, depth)}]",
            ]
        )

    def number(self, depth: int) -> str:
        kind = self.rng.randrange(9 if depth > 0 else 3)
        if kind == 0:
            return str(self.rng.randrange(-3, 10))
        if kind < 3:
            return self.rng.choice(self.names)
        if kind == 3:
            return f"np.int64({self.item(depth)})"
        one, two, three = (self.number(depth - 1) for _ in range(3))
        if kind == 4:
            return f"({one} {self.rng.choice('+-*')} {two}) % 1000"
        if kind == 5:
            return f"({one} if {two} {self.rng.choice(['<', '==', '>='])} {three} else arrays.scale)"
        if kind == 6:
            return f"max({one}, {two})"
        if kind == 7 or not self.helper:
            return "arrays.inner.table.shape[1]"
        return f"helped(arrays, {one}, {two})[{self.rng.randrange(2)}]"

    def block(self, indent: str, statements: int, depth: int) -> None:
        for _ in range(statements):
            self.statement(indent, depth)

    def statement(self, indent: str, depth: int) -> None:
        kind = self.rng.randrange(8 if depth > 0 else 4)
        if kind < 2:
            self.lines.append(f"{indent}{self.rng.choice(self.names)} = {self.number(2)}")
        elif kind == 2:
            self.lines.append(f"{indent}{self.item(2)} = ({self.number(2)}) % 100")
        elif kind == 3:
            self.lines.append(f"{indent}arrays.inner.values[{self.index(5, 1)}] += {self.number(1)} % 10")
        elif kind < 6:
            self.lines.append(f"{indent}if {self.number(1)} > {self.number(1)}:")
            self.block(indent + "    ", 2, depth - 1)
            if self.rng.random() < 0.6:
                self.lines.append(f"{indent}else:")
                self.block(indent + "    ", 2, depth - 1)
        else:
            self.loops += 1
            i = f"i{self.loops}"
            if kind == 6:
                self.lines.append(f"{indent}for {i} in range(({self.number(1)}) % 4):")
            else:
                self.lines.append(f"{indent}{i} = 0")
                self.lines.append(f"{indent}while {i} < ({self.number(1)}) % 4:")
                self.lines.append(f"{indent}    {i} += 1")
            self.block(indent + "    ", 2, depth - 1)
            if self.rng.random() < 0.4:
                leave = self.rng.choice(["break", "continue"])
                self.lines.append(f"{indent}    if {self.number(1)} > {self.number(1)}:")
                self.lines.append(f"{indent}        {leave}")
                self.lines.append(f"{indent}    {self.rng.choice(self.names)} = {i}")


def program(seed: int) -> str:
    """A helper and a kernel, as text."""
    rng = random.Random(seed)
    helped = _Writer(rng, ["x", "y"], helper=False)
    helped.block("    ", 2, 1)
    kernel = _Writer(rng, ["a", "b", "c", "d"], helper=True)
    kernel.block("    ", 5, 2)
    return "\n".join(
        [
            "@helper",
            "def helped(arrays, x, y):",
            *helped.lines,
            "    return x % 1000, y % 1000",
            "",
            "@kernel",
            "def total(arrays, a, b):",
            "    c, d = a + b, arrays.scale",
            *kernel.lines,
            "    return a, b, c, d",
        ]
    )


def run(text: str, helper: Callable[..., Any], kernel: Callable[..., Any]) -> list[Any]:
    """What the program gives, and what it leaves in the arrays, for some arguments."""
    names: dict[str, Any] = {"np": np, "helper": helper, "kernel": kernel}
    exec(compile(text, "<program>", "exec"), names)
    found = []
    for a, b in ((0, 0), (3, -2), (-7, 40)):
        arrays = some_arrays()
        found.append([int(number) for number in names["total"](arrays, a, b)])
        found.extend(array.tolist() for array in (*arrays.inner, arrays.small))
    return found
