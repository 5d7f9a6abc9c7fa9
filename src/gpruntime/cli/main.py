"""The group of commands. Bad input ends with one line and exit status 2, never with a traceback."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import click

from gpruntime._version import __version__
from gpruntime.cli.exact import exact
from gpruntime.cli.options import option_of
from gpruntime.cli.paper import paper
from gpruntime.cli.run import run
from gpruntime.cli.study import study
from gpruntime.cli.watch import watch
from gpruntime.model.errors import BadInput
from gpruntime.study.errors import BadPlan


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gpruntime")
def commands() -> None:
    """A laboratory for the runtime analysis of genetic programming."""


commands.add_command(run)
commands.add_command(exact)
commands.add_command(study)
commands.add_command(watch)
commands.add_command(paper)


def main() -> NoReturn:
    """Runs the command line and ends the process."""
    signal.signal(signal.SIGTERM, _as_interrupt)  # what is half written is cleared away, as after Ctrl-C
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a drawing on a terminal without its signs is better than none
    try:
        status = commands.main(prog_name="gpruntime", standalone_mode=False)
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
        where = error.ctx.command_path if error.ctx else "gpruntime"
        _end(2, f"{_with_short(error).format_message()} (try '{where} --help')")
    except click.ClickException as error:
        _end(1, error.format_message())
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _end(1, f"{error.filename or 'the system'}: {error.strerror or error}")
    except MemoryError:
        _end(1, "out of memory: take a smaller n or fewer leaves")
    except (KeyboardInterrupt, click.Abort):
        _end(130, "interrupted")


def _as_interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _with_short(error: click.UsageError) -> click.UsageError:
    """Suggests -n for --n, which Click finds too far away."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        short = error.option_name.removeprefix("-")
        if any(short in option.opts for option in error.ctx.command.params):
            return click.NoSuchOption(error.option_name, possibilities=[short], ctx=error.ctx)
    return error


def _end(status: int, *messages: str) -> NoReturn:
    for message in messages:
        click.echo(f"gpruntime: {' '.join(message.split())}", err=True)
    sys.exit(status)
