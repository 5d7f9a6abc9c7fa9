"""`gpruntime drift`, `improvement`, `size` and `worst`: instruments that look inside a setting."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gpruntime.cli.options import integer, law_options, spec_from
from gpruntime.cli.output import Command, echo, examples, wrote
from gpruntime.model.spec import MAX_BUDGET, RunSpec
from gpruntime.model.stream import MAX_SEED
from gpruntime.progress import simple_bar

if TYPE_CHECKING:
    from gpruntime.instruments.worst import Worst, WorstTrees
    from gpruntime.show.drawing import Drawing

Function = TypeVar("Function", bound=Callable[..., Any])

_BUDGET = click.option("--budget", metavar="B", help="Stop a run after B evaluations.")
_RUNS = integer("--runs", least=2, most=10**6, default=100, metavar="R", help="How many runs are looked at.")
_SEED = integer("--seed", most=MAX_SEED, default=1, metavar="S", help="Root seed.")
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
_PICTURE = click.option("-o", "--output", metavar="DIR", help="Draw it too: SVG, PDF, PNG and CSV, into this folder.")


def runs_options(command: Function) -> Function:
    """The setting of a (1+1) GP, and which runs of it are looked at."""
    return law_options(_BUDGET(_RUNS(_SEED(_AS_JSON(command)))))


def _chosen(options: dict[str, Any]) -> tuple[RunSpec, int, int]:
    """The setting, the number of runs, the seed."""
    return spec_from(options), options["runs"], options["seed"]


def _print_records(records: Iterable[Any], as_json: bool) -> None:
    for record in records:
        echo(json.dumps(record.to_record()) if as_json else str(record))


def _draw(drawing: Drawing, output: str | None) -> None:
    if output is not None:
        for file in drawing.save(output):
            wrote(file)


@examples("drift --problem order --algorithm gp-single -n 20")
@click.command(cls=Command)
@runs_options
def drift(as_json: bool, **options: Any) -> None:
    """Drift of the fitness, chance of improvement p_k and leaves, by fitness level, with 95 % intervals."""
    from gpruntime.instruments.drift import drift as measured

    _print_records(measured(*_chosen(options)), as_json)


@examples(
    "improvement --problem order --algorithm gp-single -n 20",
    "improvement --problem and --algorithm gpstar-single -n 50 --init unity:leaves=1 -o here",
)
@click.command(cls=Command)
@runs_options
@_PICTURE
def improvement(as_json: bool, output: str | None, **options: Any) -> None:
    """The chance of improvement p_k by fitness level, with 95 % intervals, beside the theory's formulas."""
    from gpruntime.instruments import improvement as instrument

    chosen = _chosen(options)
    levels = instrument.improvement_chances(*chosen)
    _print_records(levels, as_json)
    for line in () if as_json else instrument.verdicts(levels):
        echo(line)
    _draw(instrument.figure(chosen[0], levels), output)


@examples(
    "size --problem order --algorithm gp-single -n 100",
    "size --problem majority --algorithm gp-single --accept parsimony -n 50 --init unity:leaves=500 -o here",
)
@click.command(cls=Command)
@runs_options
@_PICTURE
def size(as_json: bool, output: str | None, **options: Any) -> None:
    """The size of the tree over time: leaves after t evaluations, with 95 % intervals."""
    from gpruntime.instruments import size as instrument

    chosen = _chosen(options)
    sizes = instrument.size_over_time(*chosen)
    _print_records(sizes, as_json)
    _draw(instrument.figure(chosen[0], sizes), output)


@examples(
    "worst --problem order --algorithm gpstar-single -n 2 --leaves 4",
    "worst --problem majority --algorithm gp-single -n 10 --leaves 20 --race 50",
)
@click.command(cls=Command)
@law_options
@integer("--leaves", least=1, most=10**6, required=True, metavar="T", help="Leaves of the initial trees.")
@integer("--first", least=1, most=10**4, default=5, metavar="K", help="How many trees are told.")
@integer("--race", least=1, most=10**5, metavar="C", help="Race C random trees instead of looking at all.")
@click.option("--budget", metavar="B", help="Stop a run after B evaluations, where trees are measured.")
@integer("--seed", most=MAX_SEED, default=1, metavar="S", help="Of candidates and runs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a tree.")
def worst(
    leaves: int, first: int, race: int | None, budget: str | None, seed: int, as_json: bool, **options: Any
) -> None:
    """The initial trees with the longest mean time.

    All trees of a size are solved exactly, every shape and every function among them; or measured, with 95 %
    intervals, where the Markov chain is truncated. With --race, random trees are raced instead.
    """
    spec = spec_from({**options, "budget": budget or str(MAX_BUDGET)})
    from gpruntime.instruments.worst import worst as worst_trees

    with simple_bar("states") as progress:
        answer = worst_trees(spec, leaves, first=first, race=race or 0, seed=seed, progress=progress)
    for tree in answer.trees:
        if as_json:
            click.echo(json.dumps(_worst_record(answer, tree)))
        else:
            how = tree.time.remark or f"measured {tree.time.bracket()}, {tree.runs:,} runs".replace("  ", " ")
            echo(f"{tree.time.short()} ({how}): {tree.tree}")
    if not as_json:
        echo(answer.summary())


def _worst_record(trees: WorstTrees, tree: Worst) -> dict[str, Any]:
    """All that is known of one tree; an infinite mean is null, as in `exact`."""
    time = tree.time
    return {
        "tree": tree.tree,
        "exact": tree.is_exact,
        "mean": None if time.value == math.inf else time.value,
        "mean_is_infinite": time.value == math.inf,
        "low": time.low,
        "high": time.high,
        "runs": tree.runs,
        "remark": time.remark,
        "alike": tree.alike,
        "trees_looked_at": trees.looked_at,
        "different_trees": trees.different,
        "all_trees": trees.all_trees,
        "truncated": trees.is_truncated,
    }
