"""What a person sees while it takes long fits a narrow terminal, and no number is cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from gpruntime import progress, verify
from gpruntime.model.acceptance import ACCEPTANCES, Acceptance
from gpruntime.study import Plan
from gpruntime.study.cell import Tally
from gpruntime.study.execute import ProgressReport
from gpruntime.study.progress import CellProgress
from gpruntime.study.schedule import Schedule
from gpruntime.verification.finding import GOOD, Finding


class Terminal(io.StringIO):
    def isatty(self):
        return True


def at_a_terminal(monkeypatch):
    """Bars are made, and shown from the start. (Not a fixture: pytest sets the streams anew before each test.)"""
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(progress, "_QUIET_SECONDS", -1.0)


def line(bar) -> str:
    """The bar as it stands, 80 columns wide."""
    console = Console(width=80, file=io.StringIO())
    console.print(bar.get_renderable())
    bar.stop()
    (shown,) = console.file.getvalue().splitlines()
    assert len(shown) <= 80
    assert "…" not in shown
    return shown


@pytest.mark.parametrize(
    ("runs", "budget", "said"),
    [
        (100_000, None, "12,345 of 100,000, 1.23e+10 evaluations"),
        (1, 10**12, "1.23e+10 of 1e+12 evaluations"),
        (1, None, "1.23e+10 evaluations, "),
    ],
)
def test_the_bar_of_runs_fits(monkeypatch, runs, budget, said):
    at_a_terminal(monkeypatch)
    bar = progress.RunProgress(runs, budget)
    bar(12_345, 12_345_678_901)
    assert said in line(bar._bar)


def test_a_simple_bar_fits_and_clears_its_place_first(monkeypatch):
    at_a_terminal(monkeypatch)
    made, shown_before = [], []
    monkeypatch.setattr(progress, "_bar", lambda *words, made_by=progress._bar: made.append(made_by(*words)) or made[0])
    with progress.simple_bar("claims checked", before=lambda: shown_before.append(made[0].live.is_started)) as told:
        told(1, 2)
        told(12_345_678, 34_567_890)
        assert "claims checked" in line(made[0])
        assert "12,345,678 of 34,567,890" in line(made[0])
    assert shown_before == [False]


def picture(plan) -> list[str]:
    """The table of a study whose cells have 5 of 9 runs each."""
    done = [CellProgress(cell, Tally(5, 5, 10, 99), 9, False) for cell in plan.cells]
    report = ProgressReport(Schedule(plan, done, {}, "sources"), computed=5, seconds=1.0, slots=2)
    console = Console(width=80, file=io.StringIO())
    console.print(progress._picture(report))
    return console.file.getvalue().splitlines()


def test_rows_show_what_differs_between_cells():
    shown = picture(Plan.of(problem="order", algorithm=["gp-single", "gp-multi"], n=[8, 9], runs=9))
    (heading,) = (line for line in shown if "setting" in line)
    assert heading.rstrip().endswith("setting, all order, init = unity")
    rows = [line.strip().split("  ")[-1].strip() for line in shown if " = 8" in line or " = 9" in line]
    assert sorted(rows) == ["gp-multi, n = 8", "gp-multi, n = 9", "gp-single, n = 8", "gp-single, n = 9"]


def test_a_cell_alone_is_shown_whole():
    shown = picture(Plan.of(problem="order", algorithm="gp-single", n=8, runs=9))
    assert any(line.rstrip().endswith("order, gp-single, n = 8, init = unity") for line in shown)
    assert any(line.rstrip().endswith("setting") for line in shown)


def test_off_a_terminal_a_bar_that_is_asked_for_is_a_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_QUIET_SECONDS", -1.0)
    monkeypatch.setattr("time.monotonic", iter(range(0, 1000, 4)).__next__)
    with progress.simple_bar("claims checked", asked=True) as told:
        for number in range(9):
            told(number, 9)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "gpruntime: claims checked: 0 of 9"
    assert 2 <= len(lines) < 9
    with progress.simple_bar("claims checked") as told:
        assert told is None


def test_the_table_of_a_study_fits_and_cuts_settings_only():
    plan = Plan.of(problem="order", algorithm="gp-single", n=50, init="unity:leaves=4n", budget=10**9, runs=1_000_000)
    done = CellProgress(plan.cells[0], Tally(123_456, 123_456, 10**6, 10**9), 1_000_000, False)
    schedule = Schedule(plan, [done], {}, "sources")
    console = Console(width=80, file=io.StringIO())
    console.print(progress._picture(ProgressReport(schedule, computed=123_456, seconds=100.0, slots=2)))
    shown = console.file.getvalue().splitlines()
    assert max(map(len, shown)) <= 80
    (row,) = (line for line in shown if "order, gp-single" in line)
    assert row.split()[1:3] == ["123,456", "1,123,456"]
    assert row.count("…") == 1
    assert row.rstrip().endswith("…")


def test_verify_tells_what_it_has_looked_at(monkeypatch):
    found = [Finding(GOOD, what, "") for what in ("one", "two")]
    monkeypatch.setattr("gpruntime.verification.kinds._LOOKS", {Acceptance: lambda _: iter(found)})
    told = []
    assert verify(ACCEPTANCES["weak"], lambda *counts: told.append(counts)).findings == tuple(found)
    assert told == [(1, 1), (2, 2)]
