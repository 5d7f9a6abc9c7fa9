"""What the commands print, and one style for their help.

A line is a line: whatever is not to be seen in it is shown escaped (`printable`). A command is named as the user calls
it: `./run` through the launcher, `gpruntime` otherwise. Help ends with examples that can be typed as they stand.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

import click

from gpruntime.model.printable import printable

Made = TypeVar("Made", bound=click.Command)

_MAX_WIDTH = 100
_MIN_WIDTH = 60

# What the launcher adds to our commands.
LAUNCHER = (
    ("test", "The test suite; words after it go to pytest."),
    ("check", "Format, lint and types."),
    ("bench", "The benchmarks, side by side with what else there is."),
    ("findings", "Every finding of docs/findings.md again, on another seed."),
    ("screenshots", "The pictures of the page in docs/images."),
    ("site", "The documentation as a site."),
)
_CALL = re.compile(
    r"\bgpruntime (?=(?:run|exact|study|watch|paper|atlas|drift|improvement|size|worst|certify|levels"
    r"|guess|policy|limit|problems|algorithms|verify)\b)"
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
    from gpruntime.show.markup import signs

    line = signs(line)
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


def terminal_width() -> int:
    """How wide a line may be: the terminal's width, within reason; 100 where the output is no terminal."""
    return max(_MIN_WIDTH, min(shutil.get_terminal_size((_MAX_WIDTH, 24)).columns, 120))


class _Epilog(click.Command):
    """A command with examples at the end of its help."""

    examples: tuple[str, ...] = ()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The examples, as they can be typed."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{command()} {example}\n")


class Command(_Epilog):
    """A command in our style."""


class Group(_Epilog, click.Group):
    """Commands in the order in which one meets them, each with its whole first sentence."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order in which they were added."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list; through the launcher, with what that adds."""
        listed = [(name, self.commands[name].get_short_help_str(200)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(listed)
        if ctx.parent is None and command() != "gpruntime":
            with formatter.section("Commands of the launcher"):
                formatter.write_dl(LAUNCHER)


def examples(*lines: str) -> Callable[[Made], Made]:
    """Puts examples at the end of a command's help; without the word that starts them all."""

    def add(made: Made) -> Made:
        assert isinstance(made, _Epilog)
        made.examples = lines
        return made

    return add


def settings() -> dict[str, Any]:
    """Of every context: both spellings of help, as wide as the terminal."""
    return {"help_option_names": ["-h", "--help"], "max_content_width": min(terminal_width(), _MAX_WIDTH)}
