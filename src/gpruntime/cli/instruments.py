"""`gpruntime drift` and `gpruntime worst`: instruments that look inside a setting."""

from __future__ import annotations

import json
from typing import Any

import click

from gpruntime.cli.options import law_options, spec_from, whole_number
from gpruntime.cli.output import echo
from gpruntime.cli.style import Command, examples
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import MOST_BUDGET
from gpruntime.model.stream import MOST_SEED


@examples("drift --problem order --algorithm gp-single -n 20")
@click.command(cls=Command)
@law_options
@click.option("--budget", metavar="B", help="Stop a run after B evaluations.")
@click.option("--runs", default="100", show_default=True, metavar="R", help="How many runs are looked at.")
@click.option("--seed", default="1", show_default=True, metavar="S", help="Root seed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a level.")
def drift(budget: str | None, runs: str, seed: str, as_json: bool, **options: Any) -> None:
    """Drift of the fitness, chance of improvement p_k and leaves, by fitness level, with 95 % intervals."""
    spec = spec_from({**options, "budget": budget})
    number = whole_number("runs", runs, 2, 10**6) or 2
    root_seed = whole_number("seed", seed, 0, MOST_SEED) or 0
    if spec.has_population:
        raise BadInput("algorithm", spec.algorithm, "has no steps of one tree; drift is of a (1+1) GP")
    from gpruntime.instruments.drift import drift as measured

    for level in measured(spec, number, root_seed):
        echo(json.dumps(level.to_record()) if as_json else str(level))


@examples(
    "worst --problem order --algorithm gpstar-single -n 2 --leaves 4",
    "worst --problem majority --algorithm gp-single -n 10 --leaves 20 --race 50",
)
@click.command(cls=Command)
@law_options
@click.option("--leaves", required=True, metavar="T", help="Leaves of the initial trees.")
@click.option("--first", default="5", show_default=True, metavar="K", help="How many trees are told.")
@click.option("--race", metavar="C", help="Race C random trees instead of solving all.")
@click.option("--budget", metavar="B", help="Stop a run after B evaluations, for --race.")
@click.option("--seed", default="1", show_default=True, metavar="S", help="Of candidates and runs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a tree.")
def worst(
    leaves: str, first: str, race: str | None, budget: str | None, seed: str, as_json: bool, **options: Any
) -> None:
    """The initial trees with the longest mean time: exactly for small n, by racing for larger."""
    spec = spec_from({**options, "budget": budget or str(MOST_BUDGET)})
    from gpruntime.instruments.worst import worst as found

    trees = found(
        spec,
        whole_number("leaves", leaves, 1, 10**6) or 1,
        first=whole_number("first", first, 1, 10**4) or 1,
        race=whole_number("race", race, 1, 10**5) or 0,
        seed=whole_number("seed", seed, 0, MOST_SEED) or 0,
    )
    for one in trees:
        if as_json:
            record = {"tree": one.tree, "how": one.how, "mean": one.time.short()}
            click.echo(json.dumps(record | {"low": one.time.low, "high": one.time.high}))
        else:
            remark = one.time.remark or f"{one.how} {one.time.bracket()}"
            echo(f"{one.time.short()} ({remark}): {one.tree}")
