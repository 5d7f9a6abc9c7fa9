"""What the commands share that answer by computing: a setting without a budget, and one way to give the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import click

from gpruntime.cli.options import spec_from
from gpruntime.cli.output import echo, echo_wrapped, terminal_width, wrote
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import MAX_BUDGET, RunSpec


def figure_option(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option, by these names, of a folder for a figure."""
    return click.option(*names, metavar="DIR", help="Draw it too: SVG, PDF, PNG and CSV, into this folder.")


no_budget = click.option("--budget", hidden=True)  # one of `run`'s, to be answered in our words
as_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object.")
_OPTIONS = (
    click.option("--latex", is_flag=True, help="Print it in LaTeX, and nothing else."),
    as_json_option,
    figure_option("-o", "--output"),
)


def answer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --latex, --json and -o."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def unlimited(options: dict[str, Any], refusal: str) -> RunSpec:
    """The setting of these options, in which a budget is refused: a run that never ends has an exact answer too."""
    if options["budget"] is not None:
        raise BadInput("budget", options["budget"], refusal)
    return spec_from({**options, "budget": str(MAX_BUDGET)})


def give(
    answer: Any,
    words: Callable[[], None],
    latex: bool,
    as_json: bool,
    output: str | None,
    more: dict[str, Any] | None = None,
    drawings: Callable[[], Iterable[Any]] | None = None,
) -> None:
    """The answer as JSON, as LaTeX or in words; and its figure."""
    if as_json:
        click.echo(json.dumps(answer.to_record() | (more or {})))
    elif latex:
        for line in answer.to_latex().splitlines():
            echo(line)
    else:
        words()
    if output is not None:
        for drawing in drawings() if drawings else (answer.plot(),):
            for file in drawing.save(output):
                wrote(file, err=as_json or latex)


def tell(lines: Iterable[str], indent: str = "  ", more: str = "    ") -> None:
    """Sentences of an answer."""
    for line in lines:
        echo_wrapped(f"{indent}{line}", terminal_width(), more)
