"""`gpruntime atlas`: what is known and what is measured, for every problem, algorithm and initial tree."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

import click

from gpruntime.cli.options import whole_number
from gpruntime.cli.output import complain, echo
from gpruntime.cli.progress import simple_bar
from gpruntime.cli.style import Command, examples
from gpruntime.model.stream import MOST_SEED

_MOST_WORKERS = 1024


@examples("atlas", "atlas --problem order --problem majority -o here", "atlas --scale full --workers 16")
@click.command(cls=Command)
@click.option("-o", "--output", default="atlas", show_default=True, metavar="DIR", help="Where everything goes.")
@click.option("--scale", default="quick", show_default=True, metavar="quick|full|tiny", help="How far it goes.")
@click.option("--problem", "problems", multiple=True, metavar="NAME", help="Only this problem; may be repeated.")
@click.option("--seed", default="1", show_default=True, metavar="S", help="The same seed gives the same page.")
@click.option("--workers", metavar="W", help="Processes (default: all cores); 0 computes in this one.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, only what needs attention.")
def atlas(output: str, scale: str, problems: tuple[str, ...], seed: str, workers: str | None, quiet: bool) -> int:
    """Measure every problem with every algorithm from every initial tree, beside what is proved: one page.

    Call it again with the same DIR, and an interrupted run goes on; a larger scale goes on from a smaller one.
    """
    root_seed = whole_number("seed", seed, 0, MOST_SEED)
    number = whole_number("workers", workers, 0, _MOST_WORKERS)
    assert root_seed is not None
    from gpruntime.atlas.grid import scale_named
    from gpruntime.atlas.run import execute
    from gpruntime.cli.study_progress import StudyProgress

    how_far = scale_named(scale)
    words = ["gpruntime", "atlas", "-o", output, "--scale", scale, "--seed", str(root_seed)]
    again = shlex.join(words + [word for name in problems for word in ("--problem", name)])
    try:
        with StudyProgress(quiet) as progress, simple_bar("entries", quiet, progress.hide) as estimated:
            done = execute(
                how_far,
                root_seed,
                Path(output),
                only=problems,
                workers=number,
                listener=progress.listener,
                estimated=estimated,
            )
    except KeyboardInterrupt:
        complain(f"interrupted; what is stored stays; to go on: {again}")
        return 130
    for failure in done.failures:
        complain(f"failed: {failure}")
    if done.interrupted:
        complain(f"interrupted; {done.stored:,} runs are stored; to go on: {again}")
        return 130
    if done.failures:
        return 1
    for mark, count in Counter(entry.mark() for entry in done.entries).most_common():
        click.echo(f"{count:5} {mark}")
    echo(f"page: {done.page}")
    return 0
