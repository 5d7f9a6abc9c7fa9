"""What a person at a terminal sees on the error stream while a command takes long; nothing otherwise."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

_QUIET_SECONDS = 1.0


@contextlib.contextmanager
def progress_bar(number_of_runs: int) -> Iterator[Callable[[int, int], None] | None]:
    """Yields what `run_many` calls with its progress: a bar over the runs, with evaluations and an estimate.

    Nothing is shown in the first second, nor where the error stream is not a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("runs"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[evaluations]} evaluations"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("runs", total=number_of_runs, evaluations="0")
    begun, finished, counted = time.monotonic(), 0, 0
    last = (0, 0)

    def progress(ended: int, evaluations: int) -> None:
        nonlocal finished, counted, last
        if ended < last[0] or evaluations < last[1]:  # a new chunk has begun: the one before is complete
            finished, counted = finished + last[0], counted + last[1]
        last = (ended, evaluations)
        if time.monotonic() - begun > _QUIET_SECONDS:
            if not bar.live.is_started:
                bar.start()
            bar.update(task, completed=finished + ended, evaluations=f"{counted + evaluations:,}")

    try:
        yield progress
    finally:
        bar.stop()


@contextlib.contextmanager
def states_bar() -> Iterator[Callable[[int, int], None] | None]:
    """Yields what `solve` calls with the states done and known: a bar over the states found so far."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("states"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("states", total=None)
    begun = time.monotonic()

    def progress(done: int, known: int) -> None:
        if time.monotonic() - begun > _QUIET_SECONDS:
            if not bar.live.is_started:
                bar.start()
            bar.update(task, completed=done, total=known)

    try:
        yield progress
    finally:
        bar.stop()
