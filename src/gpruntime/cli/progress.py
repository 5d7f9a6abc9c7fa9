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

    Of a single run nobody knows when it ends: its bar goes to the budget, if there is one, with the time until then.

    Nothing is shown in the first second, nor where the error stream is not a terminal. `hide` it before printing.
    """

    def __init__(self, number_of_runs: int, budget: int | None = None) -> None:
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
                ProgressColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            self._is_one = number_of_runs == 1
            evaluated = TextColumn("{task.fields[evaluations]} evaluations, {task.fields[rate]}/s")
            elapsed, left = TimeElapsedColumn(), (TextColumn("left"), TimeRemainingColumn())
            columns: tuple[ProgressColumn, ...]
            if not self._is_one:
                columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), evaluated, elapsed, *left)
            elif budget is not None:
                columns = (TextColumn("to the budget"), BarColumn(), evaluated, elapsed, TextColumn("at most"), *left)
            else:
                columns = (TextColumn("one run"), BarColumn(), evaluated, elapsed)
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            total = budget if self._is_one else number_of_runs
            self._task = self._bar.add_task("runs", total=total, evaluations="0", rate="0")

    def __call__(self, ended: int, evaluations: int) -> None:
        """How many runs of the present chunk have ended, and how many evaluations it has made."""
        if self._bar is None:
            return
        if evaluations < self._last[1]:  # a new chunk has begun: the one before is complete
            self._finished = (self._finished[0] + self._last[0], self._finished[1] + self._last[1])
        self._last = (ended, evaluations)
        passed = time.monotonic() - self._begun
        if passed > _QUIET_SECONDS:
            self._bar.start()
            runs, total = self._finished[0] + ended, self._finished[1] + evaluations
            done = total if self._is_one else runs
            self._bar.update(self._task, completed=done, evaluations=f"{total:,}", rate=f"{total / passed:,.3g}")

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
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    left = (TextColumn("left"), TimeRemainingColumn())
    columns = (TextColumn(of), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), *left)
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
