"""`gpruntime WORDS` in a process of its own, without the second that Python takes to import everything.

A process that has imported it all is copied for each command (`fork`). What depends on how a process begins, its
environment or its streams, starts one anew.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

COMMAND = [sys.executable, "-m", "gpruntime"]
_ROOT = Path(__file__).parent.parent
_COPIES = """
import importlib, json, os, signal, sys, traceback
import duckdb, pyarrow, scipy.stats
import gpruntime.analysis, gpruntime.exact, gpruntime.show
from gpruntime import RunSpec, run_many
from gpruntime.cli.main import main
for problem in ("majority", "order"):
    run_many(RunSpec(problem=problem, algorithm="gp-single", n=2))
for line in sys.stdin:
    here, folder, words, called = json.loads(line)
    child = os.fork()
    if child == 0:
        signal.alarm(300)  # nothing waits for ever
        for stream, name in enumerate((os.devnull, "out", "err")):
            os.dup2(os.open(os.path.join(folder, name), (os.O_WRONLY | os.O_CREAT) if stream else os.O_RDONLY), stream)
        os.chdir(here)
        sys.argv = ["gpruntime", *words]
        status = 1
        try:
            if called is None:
                main()
            sys.path.insert(0, called[0])
            getattr(importlib.import_module(called[1]), called[2])(*words)
            status = 0
        except SystemExit as end:
            status = end.code
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


_AT_FIRST = _environment()


@cache
def _copier() -> subprocess.Popen[str]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # it has no threads that a copy would lack
    return subprocess.Popen(
        [sys.executable, "-c", _COPIES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )


def gpruntime(*words: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """What a user gets who types it, in the current folder. With options of `subprocess.run`: a process anew."""
    texts = [str(word) for word in words]
    if options or _environment() != _AT_FIRST:
        return subprocess.run([*COMMAND, *texts], capture_output=True, text=True, timeout=120, check=False, **options)
    return _copied(texts)


def called_apart(function: Callable[..., None], *arguments: object) -> subprocess.CompletedProcess[str]:
    """A function of a module, called in a process of its own; what is raised there is on its error stream."""
    return _copied([str(argument) for argument in arguments], [str(_ROOT), function.__module__, function.__name__])


def _copied(texts: list[str], called: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    copier = _copier()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps([str(Path.cwd()), folder, texts, called]), file=copier.stdin, flush=True)
        status = int(copier.stdout.readline())
        output, errors = (Path(folder, name).read_text("utf-8") for name in ("out", "err"))
    return subprocess.CompletedProcess(texts, status, output, errors)
