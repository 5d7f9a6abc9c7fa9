"""One style for the help of all commands: options, then examples that can be typed as they stand.

A command is named as the user calls it: `./run` through the launcher, `gpruntime` otherwise (`output.command`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any, TypeVar

import click

from gpruntime.cli.output import command

Made = TypeVar("Made", bound=click.Command)

_MAX_WIDTH = 100
_MIN_WIDTH = 60

# What the launcher adds to our commands.
LAUNCHER = (
    ("test", "The test suite; words after it go to pytest."),
    ("check", "Format, lint and types."),
    ("bench", "The benchmarks, side by side with what else there is."),
    ("screenshots", "The pictures of the page in docs/images."),
    ("site", "The documentation as a site."),
)


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
