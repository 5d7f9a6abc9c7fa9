"""`gpruntime watch`: one run to look at in the browser, served on this machine or as a file."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.options import integer, run_options, spec_from
from gpruntime.cli.output import Command, command, echo, echo_wrapped, examples, terminal_width, wrote
from gpruntime.model.algorithms import split_variant
from gpruntime.model.errors import BadInput, known
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import MAX_RUN, MAX_SEED
from gpruntime.systems import has_screen

if TYPE_CHECKING:
    from gpruntime.watch.offer import Offer

_CHANGEABLE = ("seed", "n", "algorithm", "versus", "init", "accept", "operations", "problem")
_DEFAULTS = {"problem": "majority", "algorithm": "gp-single", "n": "10", "substitute": ""}


@examples(
    "watch --problem order --algorithm gp-single -n 10 --versus gpstar-single",
    "watch --list-lessons",
    "watch --lesson trap -o trap.html",
    "watch --problem order -n 8 --choose seed=0,1,2 --choose algorithm=gp-single,gpstar-single -o try.html",
)
@click.command(cls=Command)
@run_options
@integer("--seed", most=MAX_SEED, default=0, metavar="S", help="Root seed: the same seed, the same run.")
@integer("--run", "number", most=MAX_RUN, default=0, metavar="R", help="Which run of this seed.")
@click.option("--versus", metavar="ALGORITHM", help="A second algorithm beside it, from the same initial tree.")
@integer("--port", most=65535, metavar="P", help="Port on 127.0.0.1 (8750, or any if that is taken).")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option("--lesson", metavar="NAME", help="A guided lesson instead of a run.")
@click.option("--list-lessons", is_flag=True, help="List the lessons.")
@click.option(
    "--choose",
    multiple=True,
    metavar="NAME=VALUE,…",
    help="With -o: what a reader can change, as in seed=0,1,2; may be given several times.",
)
@click.option("-o", "--output", metavar="FILE.html", help="Write one file that needs no server.")
def watch(
    seed: int,
    number: int,
    versus: str | None,
    port: int | None,
    no_open: bool,
    lesson: str | None,
    list_lessons: bool,
    choose: tuple[str, ...],
    output: str | None,
    **options: Any,
) -> None:
    """Watch a run step by step in the browser, or take a lesson."""
    if lesson is not None or list_lessons:
        _teach(lesson, port, no_open, output)
        return
    spec = _spec(options)
    address = seed, number
    from gpruntime.watch.choice import address_of, choice_of
    from gpruntime.watch.offer import Offer

    offer = Offer.of(spec, options["problem"], _named(options, "accept"), _named(options, "search"))
    words = address_of(spec, *address, versus)
    choice_of([(name, value) for name, value in words if name != "versus"], offer)  # the page's limits, before it opens
    if output is not None:
        from gpruntime.watch.export import write_page

        write_page(output, words, offer, _choices(choose, dict(words)))
        wrote(output)
        return
    if choose:
        raise BadInput("choose", choose[0], "is for a file, with -o; on the page everything can be changed")
    _serve(words, port, no_open, offer)


def _teach(name: str | None, port: int | None, no_open: bool, output: str | None) -> None:
    """Lists the lessons, writes one to a file, or serves it."""
    from gpruntime.watch.lessons import LESSONS, lesson_named

    if name is None:
        for lesson in LESSONS.values():
            echo_wrapped(f"{lesson.name:<10} {lesson.title}. {lesson.line}", terminal_width(), " " * 11)
        echo(f"next: {command()} watch --lesson {next(iter(LESSONS))}")
        return
    chosen = lesson_named(name)
    if output is None:
        _serve([("lesson", chosen.name)], port, no_open)
        return
    from gpruntime.watch.export import write_lesson

    write_lesson(output, chosen)
    wrote(output)


def _choices(texts: tuple[str, ...], state: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """What can be changed in a file: the run's own value is the first."""
    choices: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        known("choose", name, _CHANGEABLE)
        if not equals or name in choices:
            raise BadInput("choose", text, "must be NAME=VALUE,VALUE,… and each NAME once, as in seed=0,1,2")
        given = tuple(value.strip() for value in values.split(","))
        own = state.get(name)
        choices[name] = tuple(dict.fromkeys([*([own] if own in given else []), *given]))
    return choices


def _serve(words: list[tuple[str, str]], port: int | None, no_open: bool, offer: Offer | None = None) -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise click.ClickException("the page needs Starlette and uvicorn: pip install starlette uvicorn") from None
    from urllib.parse import urlencode

    from gpruntime.watch.offer import OURS
    from gpruntime.watch.serve import ADDRESS, loopback_socket, serve

    bound = loopback_socket(port)
    page = f"http://{ADDRESS}:{bound.getsockname()[1]}/#{urlencode(words)}"

    def started() -> None:
        click.echo(f"gpruntime: watch at {page} (Ctrl-C ends it)", err=True)
        if not no_open and has_screen():
            click.launch(page)

    try:
        serve(bound, started, replace(offer or OURS, command=command()))
    except KeyboardInterrupt:
        sys.exit(130)


def _spec(options: dict[str, Any]) -> RunSpec:
    """The spec; where nothing proves that its run ends, the page's limit is its budget."""
    try:
        return spec_from(options)
    except BadInput as error:
        if error.name != "budget" or options["budget"] is not None:
            raise
    from gpruntime.watch.choice import WATCHED, most_evaluations

    spec = spec_from({**options, "budget": str(WATCHED["model"].evaluations)})
    return spec.replace(budget=most_evaluations(spec, "model"))


def _named(options: dict[str, Any], field: str) -> str:
    """How the command names a part, by its option or behind the algorithm."""
    return options.get(field) or split_variant(options["algorithm"])[1].get(field, "")


for _option in watch.params:
    if _option.name in _DEFAULTS and isinstance(_option, click.Option):
        _default = _DEFAULTS[_option.name]
        _option.required, _option.default, _option.show_default = False, _default, bool(_default)
