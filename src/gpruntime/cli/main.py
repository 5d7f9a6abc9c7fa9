"""The group of commands. Bad input ends with one line and exit status 2, never with a traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from typing import Any, NoReturn

import click

from gpruntime._version import __version__
from gpruntime.cli.exact import exact
from gpruntime.cli.guess import guess
from gpruntime.cli.instruments import drift, improvement, size, worst
from gpruntime.cli.limit import limit
from gpruntime.cli.options import option_of
from gpruntime.cli.output import Group, command, complain, examples, settings
from gpruntime.cli.pages import atlas, paper
from gpruntime.cli.parts import algorithms, problems, verify
from gpruntime.cli.policy import policy
from gpruntime.cli.run import run
from gpruntime.cli.streams import show_in_words
from gpruntime.cli.study import study
from gpruntime.cli.theory import certify, levels
from gpruntime.cli.watch import watch
from gpruntime.model.errors import BadInput
from gpruntime.model.printable import printable
from gpruntime.study.errors import BadPlan
from gpruntime.systems import is_reader_gone, terminate_gently

_AGAIN_SECONDS = 0.1


class ReaderGone(Exception):
    """The reader of our output, `head` say, has seen enough: all is well. Click would make a failure of it."""


class Commands(Group):
    """Our group, but for the readers that go."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command."""
        try:
            return super().invoke(ctx)
        except OSError as error:
            if is_reader_gone(error):
                raise ReaderGone from None
            raise


@examples(
    "run --problem order --algorithm gp-single -n 20 --runs 100",
    "watch --lesson trap",
    "study new plan.toml",
    "paper",
)
@click.group(cls=Commands)
@click.version_option(__version__, prog_name="gpruntime")
def commands() -> None:
    """A laboratory for the runtime analysis of genetic programming."""


for _command in (
    *(run, exact, study, watch, paper, atlas),
    *(drift, improvement, size, worst),
    *(certify, levels),
    *(guess, policy, limit),
    *(problems, algorithms, verify),
):
    commands.add_command(_command)


def main() -> NoReturn:
    """Runs the command line and ends the process."""
    sys.unraisablehook = _not_lost
    signal.signal(signal.SIGTERM, _as_interrupt)  # what is half written is cleared away, as after Ctrl-C
    show_in_words()
    try:
        _check_words(sys.argv[1:])
        status = commands.main(prog_name=command(), standalone_mode=False, **settings())
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(status if isinstance(status, int) else 0)
    except BadInput as error:
        _end(2, f"{option_of(error.name)} {error.shown_value}: {error.allowed}", *getattr(error, "differences", ()))
    except BadPlan as error:
        _end(2, *(str(problem) for problem in error.problems))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else command()
        _end(2, f"{_words_of(error)} (try '{where} --help')")
    except click.ClickException as error:
        _end(1, error.format_message())
    except ReaderGone:
        _leave_quietly()
    except OSError as error:
        if is_reader_gone(error):
            _leave_quietly()
        _end(1, f"{error.filename or 'the system'}: {error.strerror or error}")
    except MemoryError:
        _end(1, "out of memory: take a smaller n or fewer leaves")
    except (KeyboardInterrupt, click.Abort):
        _end(130, "interrupted")
    except Exception:  # a fault of ours: all of it, but nothing that a terminal would obey
        for line in traceback.format_exc().rstrip("\n").split("\n"):
            click.echo(printable(line), err=True)
        sys.exit(1)


def _leave_quietly() -> NoReturn:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still to be written has nowhere to go
    sys.exit(0)


def _check_words(words: list[str]) -> None:
    for word in words:
        try:
            word.encode("utf-8")
        except UnicodeEncodeError:
            _end(2, f"{word[:60]}: this word is not UTF-8 text")


def _as_interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _not_lost(dropped: sys.UnraisableHookArgs) -> None:
    """An interrupt that came where Python drops exceptions, as it collects garbage say, comes again."""
    if not isinstance(dropped.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    again = threading.Timer(_AGAIN_SECONDS, terminate_gently)
    again.daemon = True
    again.start()


def _words_of(error: click.UsageError) -> str:
    """Click's words; of an unknown option ours, with the near one: Click finds -n too far away from --n."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error.format_message()
    short = error.option_name.removeprefix("-")
    has_short = any(short in option.opts for option in error.ctx.command.params)
    near = [short] if has_short else sorted(error.possibilities or ())
    return f"no such option: {error.option_name}" + (f"; did you mean {' or '.join(near)}?" if near else "")


def _end(status: int, *messages: str) -> NoReturn:
    for message in messages:
        complain(" ".join(message.split()))
    sys.exit(status)
