"""What a person sees while a study runs: a live table on a terminal, plain lines otherwise. All on the error stream."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from gpruntime.model.printable import printable
from gpruntime.study.execute import Listener, Situation
from gpruntime.study.schedule import CellState

_MOST_CELLS = 12
_LINE_SECONDS = 10.0
_DRAW_SECONDS = 0.25


class StudyProgress:
    """`listener` is for `run_study`. Enter it before, leave it after."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._live: Any = None
        self._next = time.monotonic() + 1.0
        self._stopping = False
        self.listener = Listener(self._notice, self._progress)

    def __enter__(self) -> StudyProgress:
        if not self._quiet and sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
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

    def _progress(self, situation: Situation) -> None:
        if situation.stopping and not self._stopping:
            self._stopping = True
            self._notice("finishing the chunks at hand; once more to stop at once")
        now = time.monotonic()
        if self._quiet or now < self._next:
            return
        if self._live is None:
            self._next = now + _LINE_SECONDS
            self._notice(summary(situation))
            return
        self._next = now + _DRAW_SECONDS
        with self._never_in_the_way():
            if not self._live.is_started:
                self._live.start()
            self._live.update(_picture(situation), refresh=True)

    @contextlib.contextmanager
    def _never_in_the_way(self) -> Iterator[None]:
        """Nobody may be there to read any more, `head` say: a study goes on all the same."""
        try:
            yield
        except (OSError, ValueError):
            self._quiet = True


def summary(situation: Situation) -> str:
    """How it stands, in a line."""
    rate = situation.computed / situation.seconds if situation.seconds > 0 else 0.0
    left = situation.seconds_left()
    failed = sum(1 for state in situation.schedule.states.values() if state.failure is not None)
    parts = [f"{situation.stored:,} of {situation.wanted:,} runs"]
    if rate > 0:
        parts.append(f"{rate:,.4g} runs/s")
    if situation.slots == 0:
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


def _picture(situation: Situation) -> Any:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    schedule = situation.schedule
    active = [state for state in schedule.states.values() if state.outstanding() or state.failure is not None]
    active.sort(key=lambda state: (state.failure is None, state.tally.runs == 0))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("", "runs", "of", "runs/s a worker"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("setting")  # the one that gives way where the terminal is narrow
    for state in active[:_MOST_CELLS]:
        wanted = state.tally.runs + state.outstanding()
        bar = ProgressBar(total=wanted, completed=state.tally.runs, width=10)
        setting = Text(printable(state.cell.words()), no_wrap=True, overflow="ellipsis")
        table.add_row(bar, f"{state.tally.runs:,}", f"{wanted:,}", _rate(state), setting)
    whole = Table.grid(expand=True)
    whole.add_row(ProgressBar(total=max(situation.wanted, 1), completed=situation.stored))
    more = f"… and {len(active) - _MOST_CELLS} more cells" if len(active) > _MOST_CELLS else ""
    return Group(Text(summary(situation)), whole, table, Text(more, style="dim"))


def _rate(state: CellState) -> str:
    if state.failure is not None:
        return "failed"
    return f"{state.timed / state.seconds:,.4g}" if state.seconds > 0 else ""
