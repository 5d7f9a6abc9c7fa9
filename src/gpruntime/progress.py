"""What a person sees on the error stream while something takes long.

Bars are for a terminal. Elsewhere there are lines now and then, where somebody asked for them (`progress=True`), in a
notebook one that changes. Of a study there is a live table, or such lines.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from gpruntime.model.printable import printable

if TYPE_CHECKING:
    from gpruntime.study.execute import ProgressReport
    from gpruntime.study.schedule import CellState

_QUIET_SECONDS = 1.0
_MAX_CELLS = 12
_LINE_SECONDS = 10.0
_DRAW_SECONDS = 0.25

Progress = Callable[[int, int], None]


Shown = Progress | bool | None
"""What somebody who waits may give: a function, or True for a bar."""


@contextlib.contextmanager
def telling(progress: Shown, bar: Callable[[], AbstractContextManager[Progress | None]]) -> Iterator[Progress | None]:
    """Yields what is to be called: what a caller gave, or with True a new bar."""
    if progress is True:
        with bar() as told:
            yield told
    else:
        yield progress or None


def in_a_notebook() -> bool:
    """Whether what is printed stands below a cell of a notebook."""
    return "ipykernel" in sys.modules


class _Lines:
    """What a bar can, in lines."""

    def __init__(self, what: str) -> None:
        self._what, self._in_place, self._next, self._written = what, in_a_notebook(), 0.0, 0
        self.is_started, self.live, self.tasks, self.started = False, self, [self], True

    def add_task(self, *_: object, **__: object) -> int:
        return 0

    def start(self) -> None:
        self.is_started = True

    def start_task(self, _: int) -> None:
        pass

    def update(self, _: int, *, counts: str, **__: object) -> None:
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + (_DRAW_SECONDS if self._in_place else _LINE_SECONDS)
        line = f"gpruntime: {self._what}: {counts}"
        with contextlib.suppress(OSError, ValueError):  # nobody may be there to read any more
            if self._in_place:
                print(f"\r{line:<{self._written}}", end="", file=sys.stderr, flush=True)
                self._written = len(line)
            else:
                print(line, file=sys.stderr, flush=True)

    def stop(self) -> None:
        if self._written:
            print("\r" + " " * self._written, end="\r", file=sys.stderr, flush=True)
        self._written, self.is_started = 0, False


class RunProgress:
    """A bar over the runs, with evaluations and an estimate. Call it with progress, as `run_many` does.

    Of a single run nobody knows when it ends: its bar goes to the budget, if there is one, with the time until then.

    Nothing is shown in the first second, nor, unless `asked`, where there is no terminal. `hide` it before printing.
    """

    def __init__(self, number_of_runs: int, budget: int | None = None, asked: bool = False) -> None:
        self._begun = time.monotonic()
        self._finished = (0, 0)  # runs and evaluations of the chunks that are complete
        self._last = (0, 0)  # and of the present one
        self._bar: Any = None
        self._is_one = number_of_runs == 1
        self._total = budget if self._is_one else number_of_runs
        if asked or _is_terminal():
            left = "" if self._total is None else "at most {} more" if self._is_one else "left {}"
            self._bar = _bar("one run" if self._is_one else "runs", left)
            self._task = self._bar.add_task("runs", total=self._total, counts="")

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
                counts = f"{_of(runs, self._total)}, {_short(total)} evaluations"
            elif self._total is not None:
                counts = f"{_of(total, self._total)} evaluations"
            else:
                counts = f"{_short(total)} evaluations, {_short(round(total / passed))}/s"
            self._bar.update(self._task, completed=total if self._is_one else runs, counts=counts)

    def hide(self) -> None:
        """Clears the bar away; the next progress shows it again."""
        if self._bar is not None:
            self._bar.stop()

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()


@contextlib.contextmanager
def simple_bar(
    of: str, quiet: bool = False, before: Callable[[], None] = lambda: None, asked: bool = False
) -> Iterator[Progress | None]:
    """Yields what is to be called with what is done and what is known to be in all; None where nobody looks.

    `before` is called before the bar is shown: it clears away what is in its place.
    """
    if quiet or sys.stderr is None or not (asked or _is_terminal()):
        yield None
        return
    bar = _bar(of, "left {}")
    task = bar.add_task(of, start=False, total=None, counts="")
    begun = time.monotonic()

    def progress(done: int, known: int) -> None:
        if not bar.tasks[0].started:  # its time is that of the work, not of what came before
            bar.start_task(task)
        if time.monotonic() - begun > _QUIET_SECONDS:
            if not bar.live.is_started:
                before()
                bar.start()
            bar.update(task, completed=done, total=known, counts=_of(done, known))

    try:
        yield progress
    finally:
        bar.stop()


def states_bar() -> AbstractContextManager[Progress | None]:
    """A bar for chains, which grow while they are explored."""
    return simple_bar("states", asked=True)


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _bar(what: str, left: str) -> Any:
    """A line with what goes on, a bar, the field `counts`, and the time it has taken and may yet take.

    The words stay whole: where the terminal is narrow, the bar gives way.
    """
    if not _is_terminal():
        return _Lines(what)
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    def whole() -> Column:
        return Column(no_wrap=True)

    columns: list[ProgressColumn] = [TextColumn(what), BarColumn(), TextColumn("{task.fields[counts]}")]
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


class StudyProgress:
    """`listener` is for `run_study`. Enter it before, leave it after."""

    def __init__(self, quiet: bool) -> None:
        from gpruntime.study.execute import Listener  # imports Numba

        self._quiet = quiet
        self._live: Any = None
        self._next = time.monotonic() + 1.0
        self._stopping = False
        self.listener = Listener(self._notice, self._progress)

    def __enter__(self) -> StudyProgress:
        if not self._quiet and _is_terminal():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def hide(self) -> None:
        """Clears the table away; the next progress shows it again."""
        if self._live is not None:
            self._live.stop()

    def _notice(self, words: str) -> None:
        with self._never_in_the_way():
            line = f"gpruntime: {printable(words)}"
            if self._live is not None and self._live.is_started:
                self._live.console.print(line, highlight=False, markup=False, emoji=False)
            else:
                print(line, file=sys.stderr, flush=True)

    def _progress(self, report: ProgressReport) -> None:
        if report.stopping and not self._stopping:
            self._stopping = True
            self._notice("finishing the chunks at hand; once more to stop at once")
        now = time.monotonic()
        if self._quiet or now < self._next:
            return
        if self._live is None:
            self._next = now + _LINE_SECONDS
            self._notice(summary(report))
            return
        self._next = now + _DRAW_SECONDS
        with self._never_in_the_way():
            if not self._live.is_started:
                self._live.start()
            self._live.update(_picture(report), refresh=True)

    @contextlib.contextmanager
    def _never_in_the_way(self) -> Iterator[None]:
        """Nobody may be there to read any more, `head` say: a study goes on all the same."""
        try:
            yield
        except (OSError, ValueError):
            self._quiet = True


def summary(report: ProgressReport) -> str:
    """How it stands, in a line."""
    rate = report.computed / report.seconds if report.seconds > 0 else 0.0
    left = report.seconds_left()
    failed = sum(1 for state in report.schedule.states.values() if state.failure is not None)
    parts = [f"{report.stored:,} of {report.wanted:,} runs"]
    if rate > 0:
        parts.append(f"{rate:,.4g} runs/s")
    if report.slots == 0:
        parts.append("waiting for workers")
    elif left is not None:
        parts.append(f"about {duration(left)} left")
    if failed:
        parts.append(f"{failed} cells failed")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """A time in words: 12 s, 3 min 5 s, 2 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _picture(report: ProgressReport) -> Any:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    from gpruntime.model.spec_text import common_parts, short_labels

    schedule = report.schedule
    settings = [state.cell.words() for state in schedule.states.values()]
    labels, shared = short_labels(settings), ", ".join(common_parts(settings)) if len(settings) > 1 else ""
    active = [state for state in schedule.states.values() if state.outstanding() or state.failure is not None]
    active.sort(key=lambda state: (state.failure is None, state.tally.runs == 0))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("", "runs", "of", "runs/s a worker"):
        table.add_column(name, justify="right", no_wrap=True)
    heading = f"setting, all {printable(shared)}" if shared else "setting"
    table.add_column(Text(heading, no_wrap=True, overflow="ellipsis"))  # gives way where the terminal is narrow
    for state in active[:_MAX_CELLS]:
        wanted = state.tally.runs + state.outstanding()
        bar = ProgressBar(total=wanted, completed=state.tally.runs, width=10)
        setting = Text(printable(labels[state.cell.words()]), no_wrap=True, overflow="ellipsis")
        table.add_row(bar, f"{state.tally.runs:,}", f"{wanted:,}", _rate(state), setting)
    whole = Table.grid(expand=True)
    whole.add_row(ProgressBar(total=max(report.wanted, 1), completed=report.stored))
    more = f"… and {len(active) - _MAX_CELLS} more cells" if len(active) > _MAX_CELLS else ""
    return Group(Text(summary(report)), whole, table, Text(more, style="dim"))


def _rate(state: CellState) -> str:
    if state.failure is not None:
        return "failed"
    return f"{state.timed / state.seconds:,.4g}" if state.seconds > 0 else ""
