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
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import OPTIONAL, SETTINGS, fields_from, sentence
from gpruntime.model.tree_file import init_from

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTION_OF_FIELD = {"tree": "--init", "output": "-o", **{name: setting.option for name, setting in SETTINGS.items()}}
_ARGUMENTS = ("folder", "query", "plan", "values", "paper", "PLAN.toml", "FILE.py:NAME", "archive")
_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*((\.[0-9]+)?[eE]\+?[0-9]{1,2})?")
_MAX_DIGITS = 40


def option_of(field: str) -> str:
    """The option that sets this field of a spec, for messages."""
    if field in _ARGUMENTS:
        return field
    return str(_OPTION_OF_FIELD.get(field, "--" + field.replace("_", "-")))


def whole_number(name: str, text: str | None, least: int, most: int | None = None) -> int | None:
    """The option's text as a whole number, also 1e4 and 10_000; None stays None.

    Not 10,000: a comma stands between numbers (--at, --weights).
    """
    if text is None:
        return None
    if len(text) <= _MAX_DIGITS and _WHOLE.fullmatch(text):
        number = Decimal(text)
        if number == number.to_integral_value():
            return whole(name, int(number), least, most)
    raise BadInput(name, text, f"must be a whole number, {least} or more")


def integer(*names: str, least: int = 0, most: int | None = None, **attributes: Any) -> Callable[[Command], Command]:
    """An option that takes an integer between two, refused in our own words."""

    def number(_: click.Context, option: click.Parameter, text: str | None) -> int | None:
        return whole_number(option.opts[-1].lstrip("-"), text, least, most)

    shown = "default" in attributes
    return click.option(*names, type=str, callback=number, show_default=shown, **attributes)


def _limit(name: str, text: str, least: int) -> int | None:
    """A limit: a whole number, or none at all."""
    return None if text.lower() == "none" else whole_number(name, text, least)


def run_options(command: Command) -> Command:
    """Adds the options that make up a RunSpec."""
    return law_options(_option("budget")(command))


def law_options(command: Command) -> Command:
    """The same without the budget. All arrive as text: `spec_from` checks them with our own words."""
    problem = "One of ours (`problems` lists them), perhaps with parameters, or your own in a file."
    algorithm = "GP* accepts improvements only; `algorithms` lists all."
    names = "|".join((*ALGORITHMS, "smo-single", "…"))
    options = [
        click.option("--problem", required=True, metavar="NAME[:KEY=VALUE,…]|FILE.py:NAME", help=problem),
        click.option("--algorithm", required=True, metavar=names, help=algorithm),
        click.option("-n", "n", required=True, metavar="N", help="Number of variables."),
        *(_option(name) for name in OPTIONAL if name != "budget"),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _option(name: str) -> Callable[[Command], Command]:
    setting = SETTINGS[name]
    default = _text(setting.default)
    shown: dict[str, Any] = {"default": default, "show_default": True} if default else {}
    names = dict.fromkeys([setting.option, f"--{name.replace('_', '-')}"])  # an option is also called as its field
    return click.option(*names, name, metavar=setting.metavar, help=setting.help or None, **shown)


def _text(value: Any) -> str:
    """A default as a user would write it."""
    if isinstance(value, tuple):
        return ",".join(f"{number:g}" for number in value)
    return f"{value:g}" if isinstance(value, float) else value or ""


def spec_from(options: dict[str, Any]) -> RunSpec:
    """The spec that these options describe."""
    given = {name: text for name, text in options.items() if text is not None}
    fields = fields_from(given, lambda name, text: (whole_number if name == "n" else _limit)(name, text, 1))
    return RunSpec(**fields | {"init": init_from(given["init"], Path())})


def setting_line(spec: RunSpec) -> str:
    """The first line of an answer."""
    return sentence(spec, sized=True)
