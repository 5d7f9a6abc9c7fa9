"""What a person at a terminal sees on the error stream while a command takes long; nothing otherwise."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from types import TracebackType

_QUIET_SECONDS = 1.0


class RunProgress:
    """A bar over the runs, with evaluations and an estimate. Call it with progress, as `run_many` does.

    Nothing is shown in the first second, nor where the error stream is not a terminal. `hide` it before printing.
    """

    def __init__(self, number_of_runs: int) -> None:
        self._begun = time.monotonic()
        self._finished = (0, 0)  # runs and evaluations of the chunks that are complete
        self._last = (0, 0)  # and of the present one
        self._bar = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            self._bar = Progress(
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
            self._task = self._bar.add_task("runs", total=number_of_runs, evaluations="0")

    def __call__(self, ended: int, evaluations: int) -> None:
        """The present chunk has so many runs that ended, and so many evaluations."""
        if self._bar is None:
            return
        if evaluations < self._last[1]:  # a new chunk has begun: the one before is complete
            self._finished = (self._finished[0] + self._last[0], self._finished[1] + self._last[1])
        self._last = (ended, evaluations)
        if time.monotonic() - self._begun > _QUIET_SECONDS:
            self._bar.start()
            runs, total = self._finished[0] + ended, self._finished[1] + evaluations
            self._bar.update(self._task, completed=runs, evaluations=f"{total:,}")

    def hide(self) -> None:
        """Clears the bar away; the next progress shows it again."""
        if self._bar is not None:
            self._bar.stop()

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.hide()


@contextlib.contextmanager
def simple_bar(of: str, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Yields what is to be called with what is done and what is known to be in all; None where nobody looks."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(of), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(of, total=None)
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
