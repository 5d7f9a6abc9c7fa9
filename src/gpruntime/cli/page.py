"""What `gpruntime paper` and `atlas` share: they fill a folder with runs, go on where they were interrupted, and end
with a page."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gpruntime.cli.options import whole_number
from gpruntime.cli.output import command, complain
from gpruntime.cli.progress import simple_bar
from gpruntime.model.stream import MOST_SEED

if TYPE_CHECKING:
    from gpruntime.paper.frame import Executed

Function = TypeVar("Function", bound=Callable[..., Any])
Found = TypeVar("Found")
MOST_WORKERS = 1024


def page_options(command: Function) -> Function:
    """Which seed, how many processes, and whether to tell of progress."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="No progress, only what needs attention."),
        click.option("--workers", metavar="W", help="Processes (default: all cores); 0 computes in this one."),
        click.option("--seed", default="1", show_default=True, metavar="S", help="The same seed gives the same page."),
    ):
        command = option(command)
    return command


def seed_and_workers(seed: str, workers: str | None) -> tuple[int, int | None]:
    """Both as numbers."""
    return whole_number("seed", seed, 0, MOST_SEED) or 0, whole_number("workers", workers, 0, MOST_WORKERS)


def carry_out(
    execute: Callable[..., Executed[Found]], of: str, quiet: bool, words: Sequence[str]
) -> Executed[Found] | int:
    """Calls `execute` with a listener and what counts, and tells how it ended: what was found, or the exit status.

    `words` are what to type to go on after an interruption, `of` what is counted.
    """
    from gpruntime.cli.study_progress import StudyProgress

    again = f"to go on: {command()} {shlex.join(words)}"
    try:
        with StudyProgress(quiet) as progress, simple_bar(of, quiet, progress.hide) as counted:
            done = execute(listener=progress.listener, counted=counted)
    except KeyboardInterrupt:
        complain(f"interrupted; what is stored stays; {again}")
        return 130
    for failure in done.failures:
        complain(f"failed: {failure}")
    if done.interrupted:
        complain(f"interrupted; {done.stored:,} runs are stored; {again}")
        return 130
    return 1 if done.failures else done
