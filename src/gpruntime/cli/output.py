"""What the commands print. A line is a line: whatever is not to be seen in it is shown escaped (`printable`)."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import textwrap

import click

from gpruntime.model.printable import printable

_CALL = re.compile(
    r"\bgpruntime (?=(?:run|exact|study|watch|paper|atlas|drift|improvement|size|worst|problems|algorithms|verify)\b)"
)


def command() -> str:
    """What a user types to call us: the launcher says so, if it was the launcher."""
    return os.environ.get("GPRUNTIME_COMMAND") or "gpruntime"


def typed(line: str) -> str:
    """The line with our commands named as the user can type them."""
    return _CALL.sub(lambda _: f"{command()} ", line)


def echo(line: str) -> None:
    """One line of the answer."""
    click.echo(printable(line))


def echo_wrapped(line: str, width: int, indent: str = "  ") -> None:
    """A sentence of the answer: on a terminal on as many lines as the width takes, else on one."""
    if not sys.stdout.isatty():
        echo(line)
        return
    folded = textwrap.wrap(printable(line), width, subsequent_indent=indent, break_long_words=False)
    click.echo("\n".join(folded))


def fitting(line: str) -> str:
    """The line, cut to the terminal's width; whole where the output goes elsewhere."""
    width = shutil.get_terminal_size().columns
    if not sys.stdout.isatty() or len(line) <= width:
        return line
    return line[: width - 1] + "…"


def wrote(name: object, more: str = "", err: bool = False) -> None:
    """That a file or a folder is there now, in the same words for every command."""
    click.echo(printable(f"wrote {name}{f' ({more})' if more else ''}"), err=err)


def complain(line: str) -> None:
    """One line on the error stream. Nobody may be there to read it: no reason to fail."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"gpruntime: {printable(typed(line))}", err=True)
