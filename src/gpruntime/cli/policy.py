"""`gpruntime policy`: the best choice of operations for each state, and what it saves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.answers import answer_options, give, no_budget, tell, unlimited
from gpruntime.cli.options import law_options, setting_line
from gpruntime.cli.output import Command, echo, examples
from gpruntime.progress import simple_bar

if TYPE_CHECKING:
    from gpruntime.theory.policies import Policy


@examples(
    "policy --problem majority --algorithm gp-single --accept parsimony -n 3",
    "policy --problem majority --algorithm gpstar-single --operations table:p=0.5/0.3/0.2 -n 2 --init unity:leaves=1",
)
@click.command(cls=Command)
@law_options
@no_budget
@answer_options
def policy(latex: bool, as_json: bool, output: str | None, **options: Any) -> None:
    """The best choice of operations for each state, and what it saves.

    Of substitution, insertion and deletion; or of k, for a law of k on 1 … K. Beside the optimal choice stand the best
    one that looks at the fitness alone, the one of maximal drift, and the setting's own odds.
    """
    spec = unlimited(options, "policies are for runs without a budget")
    from gpruntime.theory.policies import policy as optimal_policy

    with simple_bar("states") as progress:
        answer = optimal_policy(spec, progress)
    give(answer, lambda: _print(answer), latex, as_json, output)


def _print(answer: Policy) -> None:
    chain, names = answer.choices.chain, answer.choices.names
    echo(setting_line(answer.spec))
    tell((f"{'choice':<14} {answer.what}", f"{'states':<14} {len(chain):,}, {chain.form}"), more=" " * 17)
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
