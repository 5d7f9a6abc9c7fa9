"""The settings that claims share, so that runs are made once and budgets agree."""

from __future__ import annotations

from collections.abc import Iterable

from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import Asked
from gpruntime.paper.scale import Scale

FOUR = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")


def specs(problem: str, algorithm: str, sizes: Iterable[int], init: str = "unity") -> list[RunSpec]:
    """One setting at several sizes."""
    return [RunSpec(problem=problem, algorithm=algorithm, n=n, init=init) for n in sizes]


def asked(found: Iterable[RunSpec], runs: int) -> list[Asked]:
    """This number of runs of each."""
    return [Asked(spec, runs) for spec in found]


def order_specs(scale: Scale, algorithm: str, init: str = "unity") -> list[RunSpec]:
    """ORDER over n."""
    sizes = scale.order_multi if algorithm.endswith("multi") else scale.order
    return specs("order", algorithm, sizes, init)


def order_asked(scale: Scale, algorithm: str, init: str = "unity") -> list[Asked]:
    """The runs on ORDER over n."""
    runs = scale.strict_runs if algorithm == "gpstar-single" else scale.runs
    return asked(order_specs(scale, algorithm, init), runs)


def majority_specs(scale: Scale, algorithm: str = "gp-single", init: str = "unity") -> list[RunSpec]:
    """MAJORITY with neutral acceptance over n."""
    return specs("majority", algorithm, scale.majority_multi if algorithm == "gp-multi" else scale.majority, init)


def failure_specs(scale: Scale) -> list[RunSpec]:
    """MAJORITY, GP*-single, unity expectation, over n."""
    return specs("majority", "gpstar-single", scale.failure)


def trap_specs(scale: Scale) -> list[RunSpec]:
    """MAJORITY, GP*-multi from T_lopt, over n."""
    return specs("majority", "gpstar-multi", scale.trap, "tlopt")
