"""How far the checks go: sizes and numbers of runs.

`quick` has the paper's own numbers of trials and modest extensions; `full` goes where the paper could not; `tiny` is
for the tests. The paper's text does not tell the sizes of its two figures: 10, 20, …, 100 stand in for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from gpruntime.model.errors import known

_T = TypeVar("_T")


def doubling(first: int, last: int) -> tuple[int, ...]:
    """first, 2·first, 4·first, … up to last."""
    sizes = [first]
    while 2 * sizes[-1] <= last:
        sizes.append(2 * sizes[-1])
    return tuple(sizes)


@dataclass(frozen=True)
class Scale:
    """What several claims of the founding paper share; a claim alone has its settings by `by_scale`."""

    name: str  # "quick", "full" or "tiny"
    runs: int  # a point, where nothing else is said
    strict_runs: int  # the same for GP*-single on ORDER, whose times vary most and whose runs are cheapest
    order: tuple[int, ...]  # sizes for ORDER, one operation
    order_multi: tuple[int, ...]  # and many
    majority: tuple[int, ...]  # sizes for MAJORITY with neutral acceptance, one operation
    majority_multi: tuple[int, ...]  # and many
    failure: tuple[int, ...]  # sizes for the probability of failing
    failure_runs: int
    trap: tuple[int, ...]  # sizes for GP*-multi from T_lopt
    trap_runs: int
    figure: tuple[int, ...]  # sizes for the paper's two figures
    exact_failure: int  # the largest size whose P(stuck) is solved exactly
    exact_trap: int  # the largest size solved from T_lopt
    exact_order: int  # the same for GP*-single on ORDER, from a random tree
    exact_order_bad: int  # and from 2n leaves x̄₁
    exact_order_limits: tuple[int, ...]  # the most leaves allowed to GP-single on ORDER, n = 1, 2, …, to be solved
    exact_bad: int  # the largest size solved for GP-single on MAJORITY from 2n leaves x̄₁
    exact_states: int  # and its most states
    exact_runs: int  # runs of the small sizes that are there to be held to exact values
    trees: int  # runs whose trees are looked at one by one
    sweep: int  # the size for the sweep of operator weights
    sweep_runs: int
    insert_budget: int  # evaluations after which runs that only insert are stopped


_FIGURE = tuple(range(10, 101, 10))
_SETTINGS: dict[str, tuple[Any, Any, Any]] = {  # quick, full, tiny
    "runs": (200, 1000, 40),
    "strict_runs": (600, 2000, 40),
    "order": (doubling(10, 2560), (*doubling(10, 40_960), 102_400), doubling(5, 80)),
    "order_multi": (doubling(10, 2560), doubling(10, 20_480), doubling(5, 80)),
    "majority": (doubling(10, 10_240), (*doubling(10, 40_960), 102_400), doubling(5, 80)),
    "majority_multi": (doubling(10, 5120), doubling(10, 40_960), doubling(5, 80)),
    "failure": (
        (2, 3, 4, 5, 6, 10, 20, 50, 100, 200, 500, 1000),
        (2, 3, 4, 5, 6, 7, 8, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000),
        (3, 5, 10, 20, 50),
    ),
    "failure_runs": (2000, 10_000, 100),
    "trap": ((2, 3, 4, 5, 6), (2, 3, 4, 5, 6), (2, 3, 4)),
    "trap_runs": (100, 1000, 40),
    "figure": (_FIGURE, _FIGURE, (10, 20, 30, 40)),
    "exact_failure": (6, 7, 3),
    "exact_trap": (4, 5, 2),
    "exact_order": (2, 3, 1),
    "exact_order_bad": (4, 5, 3),
    "exact_order_limits": ((6, 5), (8, 6), (4,)),
    "exact_bad": (2, 2, 1),
    "exact_states": (20_000, 150_000, 1_000),
    "exact_runs": (2_000, 10_000, 200),
    "trees": (10, 200, 2),
    "sweep": (500, 1000, 20),
    "sweep_runs": (800, 4000, 100),
    "insert_budget": (10_000, 10_000, 1000),
}
SCALES = {
    name: Scale(name, **{setting: values[place] for setting, values in _SETTINGS.items()})
    for place, name in enumerate(("quick", "full", "tiny"))
}


def by_scale(scale: Scale, *, quick: _T, full: _T, tiny: _T) -> _T:
    """A setting that one claim alone has."""
    return {"quick": quick, "full": full, "tiny": tiny}[scale.name]


def scale_named(name: str) -> Scale:
    """The scale of this name."""
    return SCALES[known("scale", name, tuple(SCALES))]
