"""What the commands print. A line is a line: whatever is not to be seen in it is shown escaped (`printable`)."""

from __future__ import annotations

import contextlib
import os

import click

from gpruntime.model.printable import printable


def echo(line: str) -> None:
    """One line of the answer."""
    click.echo(printable(line))


def complain(line: str) -> None:
    """One line on the error stream. Nobody may be there to read it: no reason to fail."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"gpruntime: {printable(line)}", err=True)


def command() -> str:
    """What a user types to call us: the launcher says so, if it was the launcher."""
    return os.environ.get("GPRUNTIME_COMMAND") or "gpruntime"
