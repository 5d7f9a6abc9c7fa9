"""Lines: cells along which one number grows, n or T_init. What a claim runs is lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import Request
from gpruntime.paper.scale import Scale, by_scale, doubling

FOUR = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")


@dataclass(frozen=True)
class Line:
    """Cells along which one number grows.

    Attributes:
        name: the line in words, such as T_init = n².
        factor: what grows, "n", "T_init" or "2^n".
        specs: the cells.
        runs: of each.
    """

    name: str
    factor: str
    specs: tuple[RunSpec, ...]
    runs: int

    @property
    def x(self) -> list[int]:
        """What grows, at each cell."""
        if self.factor == "2^n":
            return [2**spec.n for spec in self.specs]
        return [spec.n if self.factor == "n" else spec.init.leaves for spec in self.specs]

    @property
    def requests(self) -> list[Request]:
        """The runs it needs."""
        return [Request(spec, self.runs) for spec in self.specs]


Lines: TypeAlias = Callable[[Scale], Sequence[Line]]


def requests_of(lines: Iterable[Line]) -> list[Request]:
    """The runs that lines need."""
    return [request for line in lines for request in line.requests]


def over_n(name: str, sizes: Iterable[int], runs: int, **fields: Any) -> Line:
    """A line over n; fields of the spec may be functions of n."""
    specs = (
        RunSpec(n=n, **{field: value(n) if callable(value) else value for field, value in fields.items()})
        for n in sizes
    )
    return Line(name, "n", tuple(specs), runs)


def over_leaves(name: str, sizes: Iterable[tuple[int, int]], runs: int, init: str = "unity", **fields: Any) -> Line:
    """A line over T_init, from pairs of n and T_init; fields of the spec may be functions of T_init."""
    specs = (
        RunSpec(n=n, init=f"{init}:leaves={leaves}",
                **{field: value(leaves) if callable(value) else value for field, value in fields.items()})
        for n, leaves in sizes
    )  # fmt: skip
    return Line(name, "T_init", tuple(specs), runs)


def plane(scale: Scale, problem: str, algorithm: str, accept: str = "", init: str = "unity") -> tuple[Line, ...]:
    """Three lines: T_init = n, T_init = n², and a small n with ever larger trees."""
    along = by_scale(scale, quick=doubling(50, 3200), full=doubling(50, 25_600), tiny=doubling(10, 160))
    squares = by_scale(
        scale, quick=(10, 14, 20, 28, 40, 57, 80, 113, 160), full=(*range(20, 81, 20), 113, 160, 226, 320, 452),
        tiny=(4, 6, 8, 11, 16),
    )  # fmt: skip
    small = by_scale(scale, quick=50, full=50, tiny=5)
    trees = by_scale(scale, quick=doubling(400, 25_600), full=doubling(400, 204_800), tiny=doubling(10, 320))
    many = by_scale(scale, quick=120, full=400, tiny=40)
    few = by_scale(scale, quick=80, full=200, tiny=40)
    setting = {"problem": problem, "algorithm": algorithm, "accept": accept}
    return (
        over_n("T_init = n", along, many, init=lambda n: f"{init}:leaves={n}", **setting),
        over_leaves("T_init = n²", [(n, n * n) for n in squares], few, init, **setting),
        over_leaves(f"n = {small}", [(small, leaves) for leaves in trees], few, init, **setting),
    )


# ---- lines that several claims share, so that their runs are made once and budgets agree


def order(scale: Scale, algorithm: str, init: str = "unity") -> Line:
    """ORDER over n."""
    sizes = scale.order_multi if algorithm.endswith("multi") else scale.order
    runs = scale.strict_runs if algorithm == "gpstar-single" else scale.runs
    return over_n(algorithm, sizes, runs, problem="order", algorithm=algorithm, init=init)


def majority(scale: Scale, algorithm: str = "gp-single", init: str = "unity") -> Line:
    """MAJORITY with neutral acceptance over n."""
    sizes = scale.majority_multi if algorithm == "gp-multi" else scale.majority
    return over_n(algorithm, sizes, scale.runs, problem="majority", algorithm=algorithm, init=init)


def failure(scale: Scale) -> Line:
    """MAJORITY, GP*-single, unity expectation, over n."""
    return over_n("failure", scale.failure, scale.failure_runs, problem="majority", algorithm="gpstar-single")


def trap(scale: Scale) -> Line:
    """MAJORITY, GP*-multi from T_lopt, over n."""
    return over_n("trap", scale.trap, scale.trap_runs, problem="majority", algorithm="gpstar-multi", init="tlopt")
