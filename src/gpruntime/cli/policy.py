"""`gpruntime policy`: the best choice of operations for each state, and what it saves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.options import law_options, setting_line, spec_from
from gpruntime.cli.output import Command, echo, echo_wrapped, examples, terminal_width, wrote
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import MAX_BUDGET
from gpruntime.progress import simple_bar

if TYPE_CHECKING:
    from gpruntime.theory.policies import Policy


@examples(
    "policy --problem majority --algorithm gp-single --accept parsimony -n 3",
    "policy --problem majority --algorithm gpstar-single --operations table:p=0.5/0.3/0.2 -n 2 --init unity:leaves=1",
)
@click.command(cls=Command)
@law_options
@click.option("--budget", hidden=True)  # one of `run`'s, to be answered in our words
@click.option("--latex", is_flag=True, help="Print the table of strategies in LaTeX, and nothing else.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("-o", "--output", metavar="DIR", help="Draw it too: SVG, PDF, PNG and CSV, into this folder.")
def policy(budget: str | None, latex: bool, as_json: bool, output: str | None, **options: Any) -> None:
    """The best choice of operations for each state, and what it saves.

    Of substitution, insertion and deletion; or of k, for a law of k on 1 … K. Beside the optimal choice stand the best
    one that looks at the fitness alone, the one of maximal drift, and the setting's own odds.
    """
    if budget is not None:
        raise BadInput("budget", budget, "policies are for runs without a budget")
    spec = spec_from({**options, "budget": str(MAX_BUDGET)})  # an exact chain needs none
    from gpruntime.theory.policies import policy as optimal_policy

    with simple_bar("states") as progress:
        answer = optimal_policy(spec, progress)
    if as_json:
        click.echo(json.dumps(answer.to_record()))
    elif latex:
        click.echo(answer.to_latex())
    else:
        _print(answer)
    if output is not None:
        for file in answer.plot().save(output):
            wrote(file, err=as_json or latex)


def _print(answer: Policy) -> None:
    chain, names = answer.choices.chain, answer.choices.names
    echo(setting_line(answer.spec))
    for name, words in (("choice", answer.what), ("states", f"{len(chain):,}, {chain.form}")):
        echo_wrapped(f"  {name:<14} {words}", terminal_width(), " " * 17)
    rows = answer.rows()
    width = max(len(name) for name, _, _ in rows)
    echo(f"  {'strategy':<{width}} {'mean evaluations':>18}  regret")
    for name, mean, regret in rows:
        echo(f"  {name:<{width}} {mean:>18}  {regret}".rstrip())
    columns = [max(len(name), 12) for name in names]
    for name in answer.shown:
        heads = " ".join(f"{choice:>{size}}" for choice, size in zip(names, columns, strict=True))
        echo(f"  evaluations at each fitness, {name}:")
        echo(f"  {'fitness':>9} {heads}")
        for level, spent in zip(answer.levels, answer.of_levels(name), strict=True):
            cells = " ".join(f"{spent[choice]:>{size}.6f}" for choice, size in zip(names, columns, strict=True))
            echo(f"  {level:>9} {cells}")
