"""`gpruntime paper`: the founding paper, executed."""

from __future__ import annotations

import difflib
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.options import whole_number
from gpruntime.model.errors import BadInput, known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpruntime.paper import Claim

_SCALES = ("quick", "full")
_FOLDERS = {"quick": "paper-results", "full": "paper-results-full"}
_MOST_WORKERS = 1024
_MOST_SEED = 2**63 - 1


@click.command()
@click.option("-o", "output", metavar="DIR", help="Where everything goes (default: paper-results, paper-results-full).")
@click.option(
    "--scale", default="quick", show_default=True, metavar="|".join(_SCALES), help="quick: two minutes; full: hours."
)
@click.option("--only", multiple=True, metavar="ID", help="Only this claim; may be given several times.")
@click.option("--list", "list_", is_flag=True, help="Show all claims, run nothing.")
@click.option("--seed", default="1", show_default=True, metavar="S", help="The same seed gives the same report.")
@click.option("--workers", metavar="W", help="Processes (default: all cores); 0 computes in this one.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, only what needs attention.")
def paper(
    output: str | None, scale: str, only: tuple[str, ...], list_: bool, seed: str, workers: str | None, quiet: bool
) -> int:
    """Reproduce the founding paper: its figures, its table, every claim, each with a verdict.

    Once more with the same DIR, and an interrupted run goes on.
    """
    known("scale", scale, _SCALES)
    root_seed = whole_number("seed", seed, 0, _MOST_SEED)
    number = whole_number("workers", workers, 0, _MOST_WORKERS)
    assert root_seed is not None
    from gpruntime.paper.terminal import claims_text, verdicts_text

    claims = _chosen(only)
    if list_:
        click.echo(claims_text(claims))
        return 0
    from gpruntime.cli.study_progress import StudyProgress
    from gpruntime.paper.run import execute
    from gpruntime.paper.scale import scale_named

    folder = Path(output or _FOLDERS[scale])
    again = f"gpruntime paper -o {folder} --scale {scale} --seed {root_seed}" + "".join(
        f" --only {id_}" for id_ in only
    )
    try:
        with StudyProgress(quiet) as progress, _bar(quiet) as checked:
            done = execute(
                claims,
                scale_named(scale),
                root_seed,
                folder,
                workers=number,
                listener=progress.listener,
                checked=checked,
            )
    except KeyboardInterrupt:
        click.echo(f"gpruntime: interrupted; what is stored stays; to go on: {again}", err=True)
        return 130
    for failure in done.failures:
        click.echo(f"gpruntime: failed: {failure}", err=True)
    if done.interrupted:
        click.echo(f"gpruntime: interrupted; {done.stored:,} runs are stored; to go on: {again}", err=True)
        return 130
    if done.failures:
        return 1
    click.echo(verdicts_text(done.settled, min(shutil.get_terminal_size((100, 24)).columns, 120)))
    click.echo(f"report: {done.report}")
    return 0


def _chosen(only: Sequence[str]) -> list[Claim]:
    from gpruntime.paper.claims import CLAIMS

    for identifier in only:
        if identifier not in CLAIMS:
            near = difflib.get_close_matches(identifier, CLAIMS, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else "--list shows all claims"
            raise BadInput("only", identifier, f"is no claim; {hint}")
    return [claim for id_, claim in CLAIMS.items() if not only or id_ in only]


@contextmanager
def _bar(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar over the claims that are checked, on a terminal; nothing otherwise."""
    if quiet or not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns: tuple[Any, ...] = (TextColumn("claims checked"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("claims", total=None)

    def checked(done: int, all_: int) -> None:
        if not bar.live.is_started:
            bar.start()
        bar.update(task, completed=done, total=all_)

    try:
        yield checked
    finally:
        bar.stop()
