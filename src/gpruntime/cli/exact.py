"""`gpruntime exact`: the expected time and the success probability of a setting, solved, not sampled."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.answers import as_json_option, no_budget, tell, unlimited
from gpruntime.cli.options import law_options, setting_line, whole_number
from gpruntime.cli.output import Command, echo, examples
from gpruntime.model.errors import BadInput
from gpruntime.model.spec_text import record_of
from gpruntime.progress import simple_bar

if TYPE_CHECKING:
    from gpruntime.exact import ExactResult
    from gpruntime.theory import Enclosure

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_CLOSED = "a certificate bounds what was cut off, so every run reaches the optimum"
_MAX_WORK = 10**10  # products of probabilities that quantiles may cost: up to 20 seconds


@examples(
    "exact --problem majority --algorithm gpstar-single -n 5",
    "exact --problem order --algorithm gp-single -n 2 --max-leaves 5",
    "exact --problem majority --algorithm gpstar-single -n 3 --rational",
    "exact --problem majority --algorithm gpstar-single -n 5 --at 100,1000",
)
@click.command(cls=Command)
@law_options
@no_budget
@click.option("--rational", is_flag=True, help="Answer in fractions (algorithms with one operation).")
@click.option("--at", metavar="T,T,…", help="Print P(evaluations ≤ T) for these T.")
@as_json_option
def exact(rational: bool, at: str | None, as_json: bool, **options: Any) -> None:
    """Solve a small setting: success probability, expected time, distribution."""
    from gpruntime.exact import solve  # imports scipy: a fifth of a second that other commands need not wait

    spec = unlimited(options, "exact answers are for runs without a budget; --at B gives P(evaluations ≤ B)")
    evaluations = [whole_number("at", text, 1, 10**7) or 1 for text in at.split(",")] if at else []
    with simple_bar("states") as progress:
        result = solve(spec, rational, progress)
    most = _MAX_WORK // result.times.work_per_evaluation
    if evaluations and max(evaluations) > most:
        raise BadInput("at", max(evaluations), f"would take minutes: at most {most} with {result.states} states")
    enclosure = _enclosure(result)
    record = _record(result, evaluations)
    if enclosure is not None:
        record |= enclosure.to_record() | {"kind": result.kind}
        if enclosure.is_certain:
            for name, chance in (("p_optimum", 1.0), ("p_stuck", 0.0), ("p_endless", 0.0)):
                record |= {name: chance, f"{name}_bounds": [chance, chance]}
        record["more_than_bounds"] = {str(t): enclosure.more_than(t) for t in evaluations}
    if as_json:
        click.echo(json.dumps(record))
    else:
        _print(result, record, enclosure)


def _enclosure(result: ExactResult) -> Enclosure | None:
    """Of a truncated answer."""
    from gpruntime.theory import enclose

    if not result.is_truncated:
        return None
    with simple_bar("trees") as progress:
        return enclose(result.spec, progress, result.solved)


def _record(result: ExactResult, evaluations: list[int]) -> dict[str, Any]:
    """All of the answer; fractions as text. What a truncated answer does not know is null, and its bounds are there."""
    spec, times = result.spec, result.times
    settings = record_of(spec)
    bounds = {level: result.quantile_bounds(float(level), _MAX_WORK) for level in _with_progress(_QUANTILES)}
    record: dict[str, Any] = {
        **{name: settings[name] for name in ("problem", "algorithm", "n", "init", "accept", "operations")},
        "kind": result.kind,
        "states": result.states,
        "form": result.form,
        "p_optimum": _float(result.optimum),
        "p_optimum_bounds": [float(bound) for bound in result.optimum_bounds],
        "p_stuck": _float(result.stuck),
        "p_stuck_bounds": [float(bound) for bound in result.stuck_bounds],
        "p_endless": _float(result.endless),
        "p_endless_bounds": [float(bound) for bound in result.endless_bounds],
        "p_lost": result.lost,
        "mean_is_infinite": _mean_is_infinite(result),  # of all runs; the one below is over those that reach it
        "mean": _float(result.mean),
        "standard_deviation": result.deviation,
        "mean_at_least": _float(result.mean_at_least),
        "mean_not_lost": _float(result.mean_not_lost),
        "standard_deviation_not_lost": result.deviation_not_lost,
        "quantiles": {level: low if low == high else None for level, (low, high) in bounds.items()},
        "quantile_bounds": bounds,
        "at_most": {str(t): times.at_most(t) for t in evaluations},
        "at_most_bounds": {str(t): times.at_most_bounds(t) for t in evaluations},
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


def _float(number: float | Fraction | None) -> float | None:
    return None if number is None else float(number)


def _mean_is_infinite(result: ExactResult) -> bool | None:
    """None if a truncated answer cannot tell."""
    if result.expected == math.inf:
        return True
    return None if result.is_truncated else False


def _with_progress(levels: tuple[float, ...]) -> Iterator[str]:
    with simple_bar("quantiles") as progress:
        for number, level in enumerate(levels, 1):
            yield str(level)
            if progress is not None:
                progress(number, len(levels))


def _print(result: ExactResult, record: dict[str, Any], enclosure: Enclosure | None) -> None:
    from gpruntime.exact.solve import between

    echo(setting_line(result.spec))
    tell((f"answer         {_kind(result)}", f"states         {result.states:,}, {result.form}"), more=" " * 17)
    fractions = record.get("fractions", {})
    certain = enclosure is not None and enclosure.is_certain
    optimum, stuck = ((1, 1), (0, 0)) if certain else (result.optimum_bounds, result.stuck_bounds)
    click.echo(f"  P(optimum)     {between(optimum)}{_shown(fractions.get('p_optimum'))}")
    click.echo(f"  P(stuck)       {between(stuck)}{_shown(fractions.get('p_stuck'))}")
    if result.endless_at_least > 0:
        shown = between(result.endless_bounds)
        click.echo(f"  P(neither)     {shown}  (moves for ever, none of which leads to the optimum)")
    _print_evaluations(result, record, enclosure)
    for evaluations, chances in record["at_most_bounds"].items():
        click.echo(f"  P(optimum within {int(evaluations):,} evaluations)  {between(chances)}")
    width = max(9, len(result.measure))
    if result.levels:
        names = f"{'P(reached)':>13} {'P(optimum | reached)':>22} {'further evaluations':>21}"
        click.echo(f"  {result.measure:>{width}} {names}")
    for level in result.levels:
        further = "never" if level.evaluations is None else f"{level.evaluations:,.6f}"
        click.echo(f"  {level.fitness:>{width}} {level.entered:>13.10f} {level.optimum:>22.10f} {further:>21}")


def _print_evaluations(result: ExactResult, record: dict[str, Any], enclosure: Enclosure | None) -> None:
    """Mean, deviation and quantiles, as far as they are known."""
    from gpruntime.exact.solve import between, rounded_down

    if result.optimum_bounds[1] == 0:
        click.echo("  evaluations    the optimum is never reached")
        return
    if enclosure is not None and math.isfinite(enclosure.mean[0]):
        many = between(enclosure.mean, 8) if not enclosure.why else f"at least {between((enclosure.mean[0],) * 2, 8)}"
        words = f"no upper bound: {enclosure.why}" if enclosure.why else _CLOSED
        mean = f"evaluations    {many} in the mean of all runs, with all rounding"
        tell((mean, f"{'':<14} {words}"), more=" " * 17)
    if result.expected == math.inf:
        click.echo("  evaluations    infinite in the mean, since a run may never reach the optimum")
    click.echo("  evaluations, given the optimum:")
    if not result.is_truncated:
        click.echo(f"    mean         {record['mean']:,.8f}{_shown(record.get('fractions', {}).get('mean'))}")
        click.echo(f"    deviation    {result.deviation:,.8f}")
    elif result.mean_at_least is not None:
        least = rounded_down(record["mean_at_least"], 8)
        click.echo(f"    mean         at least {least:,.8f}")
        not_lost = f"{result.mean_not_lost:,.8f}, deviation {result.deviation_not_lost:,.8f}"
        click.echo(f"    not lost     mean {not_lost}, of the runs that are not lost")
    else:
        click.echo("    mean         unknown")
    quantiles = [f"{float(level):.0%} {_quantile(*ends)}" for level, ends in record["quantile_bounds"].items()]
    click.echo(f"    quantiles    {', '.join(quantiles)}")


def _kind(result: ExactResult) -> str:
    if result.is_truncated:
        operations = "" if result.operations is None else f"{result.operations} operations and "
        lost = f"runs of probability {result.lost:.1e} are lost"
        where = f"{operations}{result.most_leaves} leaves"
        return f"truncated at {where}: {lost}, and numbers are bounds, whatever becomes of them"
    if result.residual:
        return f"{result.kind} (residual {result.residual:.1e}, error at most {result.error:.1e})"
    return result.kind


def _quantile(low: int | None, high: int | None) -> str:
    if low is None:
        return "(takes long)"
    if high is None:
        return f"at least {low:,}"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _shown(fraction: str | None) -> str:
    """A fraction beside its decimals; a long one by its length, since --json prints it."""
    if fraction is None:
        return ""
    return f"  = {fraction}" if len(fraction) <= 60 else f"  (a fraction of {len(fraction):,} characters: --json)"
