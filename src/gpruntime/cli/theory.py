"""`gpruntime certify`: bounds with a certificate, and the verifier of their files; `gpruntime levels`."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import click

from gpruntime.cli.answers import answer_options, as_json_option, figure_option, give, no_budget, tell, unlimited
from gpruntime.cli.options import law_options, setting_line
from gpruntime.cli.output import Command, echo, examples, wrote
from gpruntime.model.errors import BadInput
from gpruntime.progress import simple_bar

_MAX_BYTES = 10**8
_REQUIRED = ("problem", "algorithm", "n")
_NO_BUDGET = "bounds are for runs without a budget"


class _OrCheck(Command):
    """A command whose setting comes from a file where --check names one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """With --check, no option of a setting is needed."""
        if not any(word.partition("=")[0] == "--check" for word in args):
            return super().parse_args(ctx, args)
        twin = copy.copy(self)
        twin.params = [copy.copy(option) for option in self.params]
        for option in twin.params:
            option.required = False
        return Command.parse_args(twin, ctx, args)


@examples(
    "certify --problem and --algorithm gpstar-single -n 5 --init unity:leaves=1 -o and.json",
    "certify --check and.json",
    "certify --problem majority --algorithm gp-single --accept parsimony -n 3 --lower",
    "certify --problem order --algorithm gpstar-single -n 2 --features level,leaves,blocked",
)
@click.command(cls=_OrCheck)
@law_options
@no_budget
@click.option("--features", metavar="NAME,…", help="What the potential is made of; the problem's own list by default.")
@click.option(
    "--potential", metavar="NAME|FILE.py:NAME", help="Check this potential, a function of (tree, n), as it is."
)
@click.option("--lower", is_flag=True, help="A lower bound, by drift of at most 1.")
@click.option("--check", metavar="FILE", help="Check a certificate, by the model alone and in fractions.")
@click.option("--load", multiple=True, metavar="FILE.py", help="With --check: run this file, which defines its parts.")
@click.option("-o", "--output", metavar="FILE", help="Write the certificate here, as JSON.")
@figure_option("--figure")
@click.option("--latex", is_flag=True, help="Print the bound as LaTeX.")
@as_json_option
def certify(check: str | None, load: tuple[str, ...], **options: Any) -> int:
    """A bound on the expected time with its proof: the best potential in the span of features.

    Exit status 1 says that there is none, or that a certificate does not hold; the state that shows it is printed.
    """
    if check is not None:
        return _check(check, load, options)
    if load:
        raise BadInput("load", load[0], "goes with --check; name FILE.py:NAME as the problem, rule or feature itself")
    return _certify(**options)


def _certify(
    features: str | None,
    potential: str | None,
    lower: bool,
    output: str | None,
    figure: str | None,
    latex: bool,
    as_json: bool,
    **options: Any,
) -> int:
    from gpruntime.theory.certificate import Certificate
    from gpruntime.theory.certifying import certify as certified

    spec = unlimited(options, _NO_BUDGET)
    if features is not None and potential is not None:
        raise BadInput("potential", potential, "is checked as it is, without --features")
    names = [] if features is None else [name for name in features.split(",") if name]
    if features is not None and not names:
        raise BadInput("features", features, "must be at least one")
    with simple_bar("states") as progress:
        answer = certified(spec, names, "lower" if lower else "upper", potential, progress)

    def words() -> None:
        echo(setting_line(spec))
        tell(answer.sentences())

    if not isinstance(answer, Certificate):
        give(answer, words, False, as_json, None)
        return 1
    give(answer, words, latex, as_json, figure)
    if output is not None:
        wrote(answer.save(output), err=as_json or latex)
    return 0


def _check(name: str, load: tuple[str, ...], options: dict[str, Any]) -> int:
    from gpruntime.model.part import load_file
    from gpruntime.theory.features import define
    from gpruntime.theory.verifier import verify

    for option in (*_REQUIRED, "features", "potential", "output", "figure"):
        if options[option] is not None:
            raise BadInput(option, options[option], "has no part in --check: the setting is the certificate's")
    for file in load:
        define(load_file("load", file))
    with simple_bar("states") as progress:
        checked = verify(_read(name), progress)

    def words() -> None:
        echo(setting_line(checked.spec))
        tell(checked.sentences())

    give(checked, words, False, options["as_json"], None)
    return 0 if checked.holds else 1


def _read(name: str) -> object:
    path = Path(name)
    if not path.is_file():
        raise BadInput("check", name, "must be a file")
    if path.stat().st_size > _MAX_BYTES:
        raise BadInput("check", name, f"has more than {_MAX_BYTES:,} bytes: hardly a certificate")
    try:
        return json.loads(path.read_text("utf-8"), object_pairs_hook=_each_once)
    except OSError as error:
        raise BadInput("check", name, f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise BadInput("check", name, "is no JSON, or says a name twice") from None


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Of two bounds a reader may see the first, and Python takes the last."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError
    return found


@examples(
    "levels --problem and --algorithm gpstar-single -n 5 --init unity:leaves=1 --rational",
    "levels --problem majority --algorithm gp-single --accept parsimony -n 3 -o here",
)
@click.command(cls=Command)
@law_options
@no_budget
@click.option("--rational", is_flag=True, help="Show the chances as fractions.")
@answer_options
def levels(rational: bool, latex: bool, as_json: bool, output: str | None, **options: Any) -> None:
    """The fitness-level method done exactly: least and largest chance of improvement of each level, and the bounds."""
    from gpruntime.theory.leveling import levels as leveled

    spec = unlimited(options, _NO_BUDGET)
    with simple_bar("states") as progress:
        answer = leveled(spec, progress)

    def words() -> None:
        echo(setting_line(spec))
        for line in answer.table(rational):
            echo(f"  {line}")
        tell(answer.sentences())

    give(answer, words, latex, as_json, output)
