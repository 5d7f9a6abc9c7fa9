"""`gpruntime guess`: a closed form or a recurrence behind exact values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.answers import answer_options, give, tell
from gpruntime.cli.options import integer, law_options, setting_line, spec_from
from gpruntime.cli.output import Command, echo, examples
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import MAX_BUDGET, RunSpec
from gpruntime.progress import simple_bar

if TYPE_CHECKING:
    from gpruntime.theory.guessing import Guess

_NEEDED = ("problem", "algorithm", "n")


@examples(
    "guess 1 7 29/2 23 129/4 421/10",
    "guess --problem and --algorithm gpstar-single -n 8 --init unity:leaves=1",
)
@click.command(cls=Command, context_settings={"ignore_unknown_options": True})  # so that -3 is a value
@click.argument("values", nargs=-1)
@law_options
@integer("--first", least=0, default=1, metavar="N", help="The n of the first value.")
@click.option("--seconds", default="30", show_default=True, metavar="S", help="How long a setting may take.")
@answer_options
def guess(
    values: tuple[str, ...], first: int, seconds: str, latex: bool, as_json: bool, output: str | None, **options: Any
) -> None:
    """A closed form or a recurrence behind exact values.

    VALUES are integers and fractions, f(1), f(2), … Or give a setting: its E[evaluations] is solved in fractions for n
    = 1, 2, … up to -n, as far as the time allows. The last two values are held back and have to be met exactly.
    """
    for word in values:
        if re.match(r"-[^\d\W]|--", word):
            raise click.NoSuchOption(word.partition("=")[0])
    from gpruntime.theory.guessing import guess as guessed

    given = [word for text in values for word in re.split(r"[,;\s]+", text) if word]
    spec = _spec(options, bool(values))
    if spec is None:
        answer = guessed(given, first)
    else:
        with simple_bar("n") as progress:
            answer = guessed(spec, first, _seconds(seconds), progress)
    give(answer, lambda: _print(answer), latex, as_json, output)


for _parameter in guess.params:
    if _parameter.name in _NEEDED:
        _parameter.required = False  # values stand for themselves


def _spec(options: dict[str, Any], has_values: bool) -> RunSpec | None:
    """The setting, if there is one; either that or values."""
    asked = [name for name in _NEEDED if options[name] is not None]
    if has_values:
        if asked:
            raise BadInput(asked[0], options[asked[0]], "give values or a setting, not both")
        return None
    missing = [name for name in _NEEDED if options[name] is None]
    if missing:
        raise BadInput(
            missing[0], "none", "give values, as in 1 7 29/2 23, or a setting: --problem, --algorithm and -n"
        )
    return spec_from({**options, "budget": str(MAX_BUDGET)})


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput("seconds", text, "must be a number above 0") from None


def _print(answer: Guess) -> None:
    if answer.spec is not None:
        setting = setting_line(answer.spec).replace(f"n = {answer.spec.n}", f"n = {answer.among}")
        echo(f"E[evaluations] of {setting}")
    tell(answer.sentences(), indent="", more="")
