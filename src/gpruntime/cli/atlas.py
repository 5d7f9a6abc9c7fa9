"""`gpruntime atlas`: what is known and what is measured, for every problem, algorithm and initial tree."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

import click

from gpruntime.cli.output import wrote
from gpruntime.cli.page import carry_out, page_options, seed_and_workers
from gpruntime.cli.style import Command, examples


@examples("atlas", "atlas --problem order --problem majority -o here", "atlas --scale full --workers 16")
@click.command(cls=Command)
@click.option("-o", "--output", default="atlas", show_default=True, metavar="DIR", help="Where everything goes.")
@click.option("--scale", default="quick", show_default=True, metavar="quick|full|tiny", help="How far it goes.")
@click.option("--problem", "problems", multiple=True, metavar="NAME", help="Only this problem; may be repeated.")
@page_options
def atlas(output: str, scale: str, problems: tuple[str, ...], seed: str, workers: str | None, quiet: bool) -> int:
    """Measure every problem with every algorithm from every initial tree, beside what is proved: one page.

    Call it again with the same DIR, and an interrupted run goes on; a larger scale goes on from a smaller one.
    """
    root_seed, number = seed_and_workers(seed, workers)
    from gpruntime.atlas.grid import scale_named
    from gpruntime.atlas.run import execute

    how_far = scale_named(scale)
    words = ["atlas", "-o", output, "--scale", scale, "--seed", str(root_seed)]
    words += [word for name in problems for word in ("--problem", name)]
    run = partial(execute, how_far, root_seed, Path(output), only=problems, workers=number)
    done = carry_out(run, "entries", quiet, words)
    if isinstance(done, int):
        return done
    for mark, count in Counter(entry.mark() for entry in done.results).most_common():
        click.echo(f"{count:5} {mark}")
    wrote(done.page)
    return 0
