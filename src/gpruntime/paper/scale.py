"""How far the checks go: sizes and numbers of runs.

`quick` has the paper's own numbers of trials and modest extensions; `full` goes where the paper could not; `tiny` is
for the tests. The paper's text does not tell the sizes of its two figures: 10, 20, …, 100 stand in for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

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
    """Sizes and numbers of runs.

    Attributes:
        name: "quick", "full" or "tiny".
        runs: runs a point, where nothing else is said.
        strict_runs: the same for GP*-single on ORDER, whose times vary most and whose runs are cheapest.
        order, order_multi: sizes for ORDER, one and many operations.
        majority, majority_multi: sizes for MAJORITY with neutral acceptance, one and many operations.
        failure, failure_runs: sizes for the probability of failing, and the runs of each.
        trap, trap_runs: sizes for GP*-multi from T_lopt, and the runs of each.
        figure: sizes for the paper's two figures.
        exact_failure, exact_trap: the largest sizes that are solved exactly.
        exact_order, exact_order_bad: the same for GP*-single on ORDER, from a random tree and from 2n leaves x̄₁.
        exact_order_limits: the most leaves allowed to GP-single on ORDER, for n = 1, 2, …, to be solved exactly.
        exact_bad, exact_states: the largest size for GP-single on MAJORITY from 2n leaves x̄₁, and its most states.
        exact_runs: runs of the small sizes that are there to be held to exact values.
        trees: runs whose trees are looked at one by one.
        sweep, sweep_runs: the size for the sweep of operator weights, and the runs of each.
        insert_budget: evaluations after which runs that only insert are stopped.
    """

    name: str
    runs: int
    strict_runs: int
    order: tuple[int, ...]
    order_multi: tuple[int, ...]
    majority: tuple[int, ...]
    majority_multi: tuple[int, ...]
    failure: tuple[int, ...]
    failure_runs: int
    trap: tuple[int, ...]
    trap_runs: int
    figure: tuple[int, ...]
    exact_failure: int
    exact_trap: int
    exact_order: int
    exact_order_bad: int
    exact_order_limits: tuple[int, ...]
    exact_bad: int
    exact_states: int
    exact_runs: int
    trees: int
    sweep: int
    sweep_runs: int
    insert_budget: int


SCALES = {
    scale.name: scale
    for scale in (
        Scale(
            name="quick",
            runs=200,
            strict_runs=600,
            order=doubling(10, 2560),
            order_multi=doubling(10, 2560),
            majority=doubling(10, 10_240),
            majority_multi=doubling(10, 5120),
            failure=(2, 3, 4, 5, 6, 10, 20, 50, 100, 200, 500, 1000),
            failure_runs=2000,
            trap=(2, 3, 4, 5, 6),
            trap_runs=100,
            figure=tuple(range(10, 101, 10)),
            exact_failure=6,
            exact_trap=4,
            exact_order=2,
            exact_order_bad=4,
            exact_order_limits=(6, 5),
            exact_bad=2,
            exact_states=20_000,
            exact_runs=2_000,
            trees=10,
            sweep=500,
            sweep_runs=800,
            insert_budget=10_000,
        ),
        Scale(
            name="full",
            runs=1000,
            strict_runs=2000,
            order=(*doubling(10, 40_960), 102_400),
            order_multi=doubling(10, 20_480),
            majority=(*doubling(10, 40_960), 102_400),
            majority_multi=doubling(10, 40_960),
            failure=(2, 3, 4, 5, 6, 7, 8, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000),
            failure_runs=10_000,
            trap=(2, 3, 4, 5, 6),
            trap_runs=1000,
            figure=tuple(range(10, 101, 10)),
            exact_failure=7,
            exact_trap=5,
            exact_order=3,
            exact_order_bad=5,
            exact_order_limits=(8, 6),
            exact_bad=2,
            exact_states=150_000,
            exact_runs=10_000,
            trees=200,
            sweep=1000,
            sweep_runs=4000,
            insert_budget=10_000,
        ),
        Scale(
            name="tiny",
            runs=40,
            strict_runs=40,
            order=doubling(5, 80),
            order_multi=doubling(5, 80),
            majority=doubling(5, 80),
            majority_multi=doubling(5, 80),
            failure=(3, 5, 10, 20, 50),
            failure_runs=100,
            trap=(2, 3, 4),
            trap_runs=40,
            figure=(10, 20, 30, 40),
            exact_failure=3,
            exact_trap=2,
            exact_order=1,
            exact_order_bad=3,
            exact_order_limits=(4,),
            exact_bad=1,
            exact_states=1_000,
            exact_runs=200,
            trees=2,
            sweep=20,
            sweep_runs=100,
            insert_budget=1000,
        ),
    )
}


def by_scale(scale: Scale, *, quick: _T, full: _T, tiny: _T) -> _T:
    """A setting that one claim alone has."""
    return {"quick": quick, "full": full, "tiny": tiny}[scale.name]


def scale_named(name: str) -> Scale:
    """The scale of this name."""
    return SCALES[known("scale", name, ("quick", "full", "tiny"))]
