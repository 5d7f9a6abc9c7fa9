"""What a person sees while it takes long fits a narrow terminal, and no number is cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from gpruntime.cli import progress


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


def test_a_simple_bar_fits(monkeypatch):
    at_a_terminal(monkeypatch)
    made = []
    monkeypatch.setattr(progress, "_bar", lambda *words, made_by=progress._bar: made.append(made_by(*words)) or made[0])
    with progress.simple_bar("claims checked") as told:
        told(12_345_678, 34_567_890)
        assert "claims checked" in line(made[0])
        assert "12,345,678 of 34,567,890" in line(made[0])
