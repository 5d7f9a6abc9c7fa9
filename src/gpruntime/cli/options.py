"""The options that describe a run. Names and words are fixed: scripts and papers depend on them."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import click

from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.errors import BadInput, whole
from gpruntime.model.initial import NAMES
from gpruntime.model.mutation import LAST_LEAF, SUBSTITUTE_AT
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.spec import OPERATORS, RunSpec
from gpruntime.model.tree_file import init_from

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTION_OF_FIELD = {
    "n": "-n",
    "tree": "--init",
    "max_leaves_allowed": "--max-leaves",
    "output": "-o",
}
_ARGUMENTS = ("folder", "query", "plan", "PLAN.toml")
_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*((\.[0-9]+)?[eE]\+?[0-9]{1,2})?")
_MOST_DIGITS = 40


def option_of(field: str) -> str:
    """The option that sets this field of a spec, for messages."""
    if field in _ARGUMENTS:
        return field
    return _OPTION_OF_FIELD.get(field, "--" + field.replace("_", "-"))


def whole_number(name: str, text: str | None, least: int, most: int | None = None) -> int | None:
    """The option's text as a whole number, also 1e4 and 10_000; None stays None.

    Not 10,000: a comma stands between numbers (--at, --weights).
    """
    if text is None:
        return None
    if len(text) <= _MOST_DIGITS and _WHOLE.fullmatch(text):
        number = Decimal(text)
        if number == number.to_integral_value():
            return whole(name, int(number), least, most)
    raise BadInput(name, text, f"must be a whole number, {least} or more")


def _limit(name: str, text: str | None) -> int | None:
    """A limit: a whole number, or none at all."""
    return None if text is None or text.lower() == "none" else whole_number(name, text, 1)


def run_options(command: Command) -> Command:
    """Adds the options that make up a RunSpec."""
    return law_options(click.option("--budget", metavar="B", help="Stop after B evaluations.")(command))


def law_options(command: Command) -> Command:
    """The same without the budget. All arrive as text: `spec_from` checks them with our own words."""
    for option in reversed(
        [
            click.option("--problem", required=True, metavar="|".join(PROBLEMS)),
            click.option("--algorithm", required=True, metavar="|".join(ALGORITHMS)),
            click.option("-n", "n", required=True, metavar="N", help="Number of variables."),
            click.option(
                "--init",
                default="unity",
                show_default=True,
                metavar="|".join(NAMES) + "|'TREE'|@FILE",
                help="Initial tree; NAME:leaves=M for M leaves instead of 2n, also leaves=4n; a tree such as "
                "'((x1 !x4) (x2 x3))', or the file that holds it.",
            ),
            click.option("--max-leaves", metavar="M", help="Reject offspring with more than M leaves."),
            click.option(
                "--weights",
                default="1,1,1",
                show_default=True,
                metavar="S,I,D",
                help="Weights of substitution, insertion and deletion.",
            ),
            click.option(
                "--poisson-mean",
                default="1",
                show_default=True,
                metavar="L",
                help="Multi algorithms make 1 + Pois(L) operations.",
            ),
            click.option("--operator", default=OPERATORS[0], show_default=True, metavar="|".join(OPERATORS)),
            click.option(
                "--substitute",
                default=SUBSTITUTE_AT[0],
                show_default=True,
                metavar="|".join(SUBSTITUTE_AT),
                help="What a substitution picks; a join it picks stays as it is.",
            ),
            click.option(
                "--last-leaf",
                default=LAST_LEAF[0],
                show_default=True,
                metavar="|".join(LAST_LEAF),
                help="What deleting the only leaf does.",
            ),
        ]
    ):
        command = option(command)
    return command


def spec_from(options: dict[str, Any]) -> RunSpec:
    """The spec that these options describe."""
    return RunSpec(
        problem=options["problem"],
        algorithm=options["algorithm"],
        n=whole_number("n", options["n"], 1),  # type: ignore[arg-type]  # required, so never None
        init=init_from(options["init"], Path()),
        budget=_limit("budget", options["budget"]),
        max_leaves_allowed=_limit("max_leaves_allowed", options["max_leaves"]),
        weights=options["weights"].split(","),
        poisson_mean=options["poisson_mean"],
        operator=options["operator"],
        substitute=options["substitute"],
        last_leaf=options["last_leaf"],
    )
