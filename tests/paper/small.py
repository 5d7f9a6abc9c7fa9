"""Evidence for the tests: runs that are made in a moment and still decide every claim."""

import dataclasses
from functools import cache

from gpruntime.paper.evidence import Evidence, SeenRuns, cell_here
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.scale import SCALES, doubling
from gpruntime.paper.verdict import Verdict
from gpruntime.show.drawing import Drawing

SEED = 2  # of some seeds tried, one on which every check decides

SMALL = dataclasses.replace(
    SCALES["quick"],
    name="tiny",
    runs=100,
    strict_runs=400,
    order=doubling(10, 640),
    order_multi=doubling(10, 1280),
    majority=doubling(10, 640),
    majority_multi=doubling(10, 640),
    failure=(3, 5, 10, 20, 50, 100),
    failure_runs=400,
    trap=(2, 3, 4, 5),
    trap_runs=60,
    figure=(10, 20, 30),
    exact_failure=4,
    exact_trap=2,
    exact_order_limits=(6, 4),
    exact_states=6_000,
    trees=2,
    sweep=50,
    sweep_runs=600,
    insert_budget=1000,
)


cell = cache(cell_here)


@cache
def evidence_of(identifier: str) -> Evidence:
    """The runs a claim asks for; cells that claims share are run once."""
    wanted = {}
    for spec, runs in CLAIMS[identifier].cells(SMALL):
        wanted[spec] = max(runs, wanted.get(spec, 0))
    return Evidence(SMALL, SEED, {spec: cell(spec, SEED, runs) for spec, runs in wanted.items()})


@cache
def verdict_of(identifier: str) -> Verdict:
    """The verdict on these runs."""
    return CLAIMS[identifier].check(evidence_of(identifier))


@cache
def figures_of(identifier: str) -> tuple[Drawing, ...]:
    """The figures of this verdict."""
    return tuple(CLAIMS[identifier].figures(evidence_of(identifier), verdict_of(identifier)))


def part_of(runs: SeenRuns, first: int, end: int) -> SeenRuns:
    """Some of the runs of a cell. (Sums over operations stay those of all runs: they are kept as sums only.)"""
    part = slice(first, end)
    columns = ("outcome", "evaluations", "max_leaves", "leaves")
    return dataclasses.replace(runs, **{name: getattr(runs, name)[part] for name in columns})


def changed(evidence: Evidence, change) -> Evidence:
    """The evidence with every cell's runs replaced by `change(spec, runs)`; the specs stay."""
    return Evidence(evidence.scale, evidence.seed, {spec: change(spec, runs) for spec, runs in evidence.runs.items()})
