"""`gpruntime drift`, `improvement`, `size` and `worst`: instruments that look inside a setting."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gpruntime.cli.options import integer, law_options, spec_from
from gpruntime.cli.output import Command, echo, echo_wrapped, examples, terminal_width, wrote
from gpruntime.model.spec import MAX_BUDGET
from gpruntime.model.stream import MAX_SEED
from gpruntime.progress import simple_bar

if TYPE_CHECKING:
    from gpruntime.instruments.worst import WorstTrees
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.tables import Table

Function = TypeVar("Function", bound=Callable[..., Any])

_BUDGET = click.option("--budget", metavar="B", help="Stop a run after B evaluations.")
_RUNS = integer("--runs", least=2, most=10**6, default=100, metavar="R", help="How many runs are looked at.")
_SEED = integer("--seed", most=MAX_SEED, default=1, metavar="S", help="Root seed.")
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
_PICTURE = click.option("-o", "--output", metavar="DIR", help="Draw it too: SVG, PDF, PNG and CSV, into this folder.")


def runs_options(command: Function) -> Function:
    """The setting of a (1+1) GP, and which runs of it are looked at."""
    return law_options(_BUDGET(_RUNS(_SEED(_AS_JSON(command)))))


def _print(records: Iterable[Any], table: Table, as_json: bool) -> None:
    """The records as JSON, or their table, aligned."""
    from gpruntime.show.terminal import table_lines

    for line in [json.dumps(one.to_record()) for one in records] if as_json else table_lines(table, terminal_width()):
        echo(line)


def _draw(drawing: Drawing, output: str | None) -> None:
    if output is not None:
        for file in drawing.save(output):
            wrote(file)


def _instrument(name: str, measure: str, what: str, *shown: str) -> click.Command:
    """The command of gpruntime.instruments.NAME: what its function `measure` finds, as lines and as a figure."""

    @examples(*shown)
    @click.command(name, cls=Command, help=what)
    @runs_options
    @_PICTURE
    def command(as_json: bool, output: str | None, **options: Any) -> None:
        spec, instrument = spec_from(options), import_module(f"gpruntime.instruments.{name}")
        found = getattr(instrument, measure)(spec, options["runs"], options["seed"])
        _print(found, instrument.table(found), as_json)
        if not as_json and hasattr(instrument, "verdicts"):
            for line in instrument.verdicts(found):
                echo_wrapped(line, terminal_width())
        _draw(instrument.figure(spec, found), output)

    return command


drift = _instrument(
    *("drift", "drift"),
    "Drift of the fitness, chance of improvement p_k and leaves, by fitness level, with 95 % intervals.",
    "drift --problem order --algorithm gp-single -n 20",
)
improvement = _instrument(
    *("improvement", "improvement_chances"),
    "The chance of improvement p_k by fitness level, with 95 % intervals, beside the theory's formulas.",
    "improvement --problem order --algorithm gp-single -n 20",
    "improvement --problem and --algorithm gpstar-single -n 50 --init unity:leaves=1 -o here",
)
size = _instrument(
    *("size", "size_over_time"),
    "The size of the tree over time: leaves after t evaluations, with 95 % intervals.",
    "size --problem order --algorithm gp-single -n 100",
    "size --problem majority --algorithm gp-single --accept parsimony -n 50 --init unity:leaves=500 -o here",
)


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
@_PICTURE
def worst(
    leaves: int,
    first: int,
    race: int | None,
    budget: str | None,
    seed: int,
    as_json: bool,
    output: str | None,
    **options: Any,
) -> None:
    """The initial trees with the longest mean time.

    All trees of a size are solved exactly, every shape and every function among them; or measured, with 95 %
    intervals, where the Markov chain is truncated. With --race, random trees are raced instead.
    """
    spec = spec_from({**options, "budget": budget or str(MAX_BUDGET)})
    from gpruntime.instruments.worst import figure, table
    from gpruntime.instruments.worst import worst as worst_trees

    with simple_bar("states") as progress:
        answer = worst_trees(spec, leaves, first=first, race=race or 0, seed=seed, progress=progress)
    if as_json:
        for tree in answer.trees:
            click.echo(json.dumps(tree.to_record() | _of_all(answer)))
    else:
        _print(answer.trees, table(answer.trees), as_json)
        for place, tree in enumerate(answer.trees, start=1):
            echo(f"  {place}  {tree.tree}")
        echo(answer.summary())
    _draw(figure(spec, leaves, answer.trees), output)


def _of_all(trees: WorstTrees) -> dict[str, Any]:
    """What is known of all trees, with each."""
    return {
        "trees_looked_at": trees.looked_at,
        "different_trees": trees.different,
        "all_trees": trees.all_trees,
        "truncated": trees.is_truncated,
    }
