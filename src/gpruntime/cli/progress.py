"""What a person at a terminal sees on the error stream while a command takes long; nothing otherwise."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

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
        self._bar: Progress | None = None
        self._is_one = number_of_runs == 1
        self._total = budget if self._is_one else number_of_runs
        if sys.stderr.isatty():
            left = "" if self._total is None else "at most {} more" if self._is_one else "left {}"
            self._bar = _bar("one run" if self._is_one else "runs", left)
            self._task = self._bar.add_task("runs", total=self._total, said="")

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
            if not self._is_one:
                said = f"{_of(runs, self._total)}, {_short(total)} evaluations"
            elif self._total is not None:
                said = f"{_of(total, self._total)} evaluations"
            else:
                said = f"{_short(total)} evaluations, {_short(round(total / passed))}/s"
            self._bar.update(self._task, completed=total if self._is_one else runs, said=said)

    def hide(self) -> None:
        """Clears the bar away; the next progress shows it again."""
        if self._bar is not None:
            self._bar.stop()

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.hide()


@contextlib.contextmanager
def simple_bar(
    of: str, quiet: bool = False, before: Callable[[], None] = lambda: None
) -> Iterator[Callable[[int, int], None] | None]:
    """Yields what is to be called with what is done and what is known to be in all; None where nobody looks.

    `before` is called before the bar is shown: it clears away what is in its place.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    bar = _bar(of, "left {}")
    task = bar.add_task(of, start=False, total=None, said="")
    begun = time.monotonic()

    def progress(done: int, known: int) -> None:
        if not bar.tasks[0].started:  # its time is that of the work, not of what came before
            bar.start_task(task)
        if time.monotonic() - begun > _QUIET_SECONDS:
            if not bar.live.is_started:
                before()
                bar.start()
            bar.update(task, completed=done, total=known, said=_of(done, known))

    try:
        yield progress
    finally:
        bar.stop()


def _bar(what: str, left: str) -> Progress:
    """A line with what goes on, a bar, the field `said`, and the time it has taken and may yet take.

    The words stay whole: where the terminal is narrow, the bar gives way.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    def whole() -> Column:
        return Column(no_wrap=True)

    columns: list[ProgressColumn] = [TextColumn(what), BarColumn(), TextColumn("{task.fields[said]}")]
    columns.append(TimeElapsedColumn(whole()))
    before, brackets, after = left.partition("{}")
    if brackets:
        times: list[ProgressColumn] = [TextColumn(before.strip()), TimeRemainingColumn(table_column=whole())]
        columns += [*times, TextColumn(after.strip())] if after else times
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _of(done: int, known: int | None) -> str:
    return f"{_short(done)} of {_short(known)}" if known is not None else _short(done)


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**8 else f"{number:.3g}"
