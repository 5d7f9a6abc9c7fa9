"""`gpruntime watch`: one run to look at in the browser, served on this machine or written to a file."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from gpruntime.cli.options import run_options, spec_from, whole_number
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import MOST_RUN, MOST_SEED

_DEFAULTS = {"problem": "majority", "algorithm": "gp-single", "n": "10", "substitute": ""}


@click.command()
@run_options
@click.option("--seed", default="0", show_default=True, metavar="S", help="Root seed: the same seed, the same run.")
@click.option("--run", "number", default="0", show_default=True, metavar="R", help="Which run of this seed.")
@click.option("--versus", metavar="ALGORITHM", help="A second algorithm beside it, from the same initial tree.")
@click.option("--port", metavar="P", help="Port on 127.0.0.1 (8750, or any if that is taken).")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option("-o", "--output", metavar="FILE.html", help="Write the run as one file that needs no server.")
def watch(
    seed: str, number: str, versus: str | None, port: str | None, no_open: bool, output: str | None, **options: Any
) -> None:
    """Watch a run step by step in the browser."""
    spec = _spec(options)
    address = (whole_number("seed", seed, 0, MOST_SEED) or 0, whole_number("run", number, 0, MOST_RUN) or 0)
    chosen_port = whole_number("port", port, 0, 65535)
    from gpruntime.watch.choice import address_of, choice_of
    from gpruntime.watch.offer import Offer

    offer = Offer.of(spec, options["problem"], options.get("accept") or "")
    words = address_of(spec, *address, versus)
    choice_of([(name, value) for name, value in words if name != "versus"], offer)  # the page's limits, before it opens
    if output is not None:
        from gpruntime.watch.export import write_page

        write_page(output, words, offer)
        return
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise click.ClickException("the page needs Starlette and uvicorn: pip install 'gpruntime[web]'") from None
    from urllib.parse import urlencode

    from gpruntime.watch.serve import ADDRESS, loopback_socket, serve

    bound = loopback_socket(chosen_port)
    page = f"http://{ADDRESS}:{bound.getsockname()[1]}/#{urlencode(words)}"

    def started() -> None:
        click.echo(f"gpruntime: watch at {page} (Ctrl-C ends it)", err=True)
        if not no_open and _has_screen():
            click.launch(page)

    try:
        serve(bound, started, offer)
    except KeyboardInterrupt:
        sys.exit(130)


def _spec(options: dict[str, Any]) -> RunSpec:
    """The spec; where nothing proves that its run ends, the page's limit is its budget."""
    try:
        return spec_from(options)
    except BadInput as error:
        if error.name != "budget" or options["budget"] is not None:
            raise
    from gpruntime.watch.choice import MOST_WATCHED_BY_MODEL_EVALUATIONS

    return spec_from({**options, "budget": str(MOST_WATCHED_BY_MODEL_EVALUATIONS)})


def _has_screen() -> bool:
    """Whether a browser opens in a window of its own, and not in this terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


for _option in watch.params:
    if _option.name in _DEFAULTS and isinstance(_option, click.Option):
        _default = _DEFAULTS[_option.name]
        _option.required, _option.default, _option.show_default = False, _default, bool(_default)
