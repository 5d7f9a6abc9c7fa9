"""`gpruntime exact`: the expected time and the success probability of a setting, solved, not sampled."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.options import law_options, spec_from, whole_number
from gpruntime.cli.output import echo, echo_wrapped
from gpruntime.cli.progress import simple_bar
from gpruntime.cli.style import Command, examples, terminal_width
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import MOST_BUDGET

if TYPE_CHECKING:
    from gpruntime.exact import ExactResult

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_MOST_WORK = 10**10  # products of probabilities that quantiles may cost: up to 20 seconds


@examples(
    "exact --problem majority --algorithm gpstar-single -n 5",
    "exact --problem order --algorithm gp-single -n 2 --max-leaves 5",
    "exact --problem majority --algorithm gpstar-single -n 3 --rational",
    "exact --problem majority --algorithm gpstar-single -n 5 --at 100,1000",
)
@click.command(cls=Command)
@law_options
@click.option("--budget", hidden=True)  # one of `run`'s, to be answered in our words
@click.option("--rational", is_flag=True, help="Answer in fractions (algorithms with one operation).")
@click.option("--at", metavar="T,T,…", help="Print P(evaluations ≤ T) for these T.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def exact(budget: str | None, rational: bool, at: str | None, as_json: bool, **options: Any) -> None:
    """Solve a small setting: success probability, expected time, distribution."""
    from gpruntime.exact import solve  # imports scipy: a fifth of a second that other commands need not wait

    if budget is not None:
        raise BadInput("budget", budget, "exact answers are for runs without a budget; --at B gives P(evaluations ≤ B)")
    spec = spec_from({**options, "budget": str(MOST_BUDGET)})  # a run that never ends has an exact answer all the same
    evaluations = [whole_number("at", text, 1, 10**7) or 1 for text in at.split(",")] if at else []
    with simple_bar("states") as progress:
        result = solve(spec, rational, progress)
    most = _MOST_WORK // result.times.work_per_evaluation
    if evaluations and max(evaluations) > most:
        raise BadInput("at", max(evaluations), f"would take minutes: at most {most} with {result.states} states")
    record = _record(result, evaluations)
    if as_json:
        click.echo(json.dumps(record))
    else:
        _tell(result, record)


def _record(result: ExactResult, evaluations: list[int]) -> dict[str, Any]:
    """All of the answer; fractions as text."""
    spec = result.spec
    record: dict[str, Any] = {
        "problem": spec.problem,
        "algorithm": spec.algorithm,
        "n": spec.n,
        "init": spec.init,
        "accept": spec.accept_.id,
        "operations": spec.operations_.id,
        "kind": result.kind,
        "states": result.states,
        "form": result.form,
        "p_optimum": float(result.optimum),
        "p_stuck": float(result.stuck),
        "p_endless": float(result.endless),
        "p_lost": result.lost,
        "mean_is_infinite": result.expected == math.inf,  # of all runs; the one below is over those that reach it
        "mean": None if result.mean is None else float(result.mean),
        "standard_deviation": result.deviation,
        "quantiles": _quantiles(result),
        "at_most": {str(t): result.times.at_most(t) for t in evaluations},
        "measure": result.measure,
        "levels": [level._asdict() for level in result.levels],
        "residual": result.residual,
        "error_bound": result.error,
        "most_operations": result.operations,
        "most_leaves": result.most_leaves,
    }
    if isinstance(result.optimum, Fraction):
        exact_numbers = {"p_optimum": result.optimum, "p_stuck": result.stuck, "mean": result.mean}
        record["fractions"] = {name: None if value is None else str(value) for name, value in exact_numbers.items()}
    return record


def _quantiles(result: ExactResult) -> dict[str, int | None]:
    found = {}
    with simple_bar("quantiles") as progress:
        for level in _QUANTILES:
            found[str(level)] = result.quantile(level, _MOST_WORK)
            if progress is not None:
                progress(len(found), len(_QUANTILES))
    return found


def _tell(result: ExactResult, record: dict[str, Any]) -> None:
    spec = result.spec
    init = spec.init if len(spec.init) <= 60 else spec.init[:57] + "..."
    echo(f"{spec.algorithm_.name} on {spec.problem_.name}, n = {spec.n}, initial tree {init}")
    for name, said in (("answer", _kind(result)), ("states", f"{result.states:,}, {result.form}")):
        echo_wrapped(f"  {name:<14} {said}", terminal_width(), " " * 17)
    fractions = record.get("fractions", {})
    click.echo(f"  P(optimum)     {float(result.optimum):.10f}{_shown(fractions.get('p_optimum'))}")
    click.echo(f"  P(stuck)       {float(result.stuck):.10f}{_shown(fractions.get('p_stuck'))}")
    if result.endless > 0:
        click.echo(
            f"  P(neither)     {float(result.endless):.10f}  (moves for ever, none of which leads to the optimum)"
        )
    if result.mean is None:
        click.echo("  evaluations    the optimum is never reached")
    else:
        if result.expected == math.inf:
            click.echo("  evaluations    infinite in the mean, since a run may never reach the optimum")
        click.echo("  evaluations, given the optimum:")
        click.echo(f"    mean         {float(result.mean):,.8f}{_shown(fractions.get('mean'))}")
        click.echo(f"    deviation    {result.deviation:,.8f}")
        told = [f"{float(level):.0%} {_or_long(value)}" for level, value in record["quantiles"].items()]
        click.echo(f"    quantiles    {', '.join(told)}")
    for evaluations, chance in record["at_most"].items():
        click.echo(f"  P(optimum within {int(evaluations):,} evaluations)  {chance:.10f}")
    width = max(9, len(result.measure))
    if result.levels:
        click.echo(
            f"  {result.measure:>{width}} {'P(reached)':>13} {'P(optimum | reached)':>22} {'further evaluations':>21}"
        )
    for level in result.levels:
        further = "never" if level.evaluations is None else f"{level.evaluations:,.6f}"
        click.echo(f"  {level.fitness:>{width}} {level.entered:>13.10f} {level.optimum:>22.10f} {further:>21}")


def _kind(result: ExactResult) -> str:
    if result.kind == "truncated":
        operations = "" if result.operations is None else f"{result.operations} operations and "
        return (
            f"truncated at {operations}{result.most_leaves} leaves: every probability is too small by at most "
            f"{result.lost:.1e}, and the mean is over the other runs"
        )
    if result.residual:
        return f"{result.kind} (residual {result.residual:.1e}, error at most {result.error:.1e})"
    return result.kind


def _or_long(quantile: int | None) -> str:
    return "(takes long)" if quantile is None else f"{quantile:,}"


def _shown(fraction: str | None) -> str:
    """A fraction beside its decimals; a long one by its length, since --json prints it."""
    if fraction is None:
        return ""
    return f"  = {fraction}" if len(fraction) <= 60 else f"  (a fraction of {len(fraction):,} characters: --json)"
