"""Whether a part answers alike in every process: each worker of a study works its answers out for itself.

Two processes are started that have the part from its source, as workers have it, and each orders Python's sets and
hashes its texts in its own way. What they answer must be what this process answers.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from gpruntime.model.errors import BadInput
from gpruntime.model.part import Part
from gpruntime.verification.finding import BAD, GOOD, Finding

Answers = dict[str, Any]
"""What was asked, in words, and the answer, as JSON can hold it."""

_HASH_SEEDS = ("1", "2")
_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from gpruntime.verification.elsewhere import main; main()"
)


def same_elsewhere(part: Part, ask: Callable[[Any], Answers], words: str) -> Finding:
    """Asks here, and in two fresh processes; `words` say what is asked. `ask` is a function of a module of ours."""
    what = "the same in every process"
    here = _plain(ask(part))
    request = pickle.dumps((part, ask))
    children = [_start(seed) for seed in _HASH_SEEDS]
    try:
        replies = [_reply(child, request) for child in children]
    finally:
        for child in children:
            child.kill()
            child.wait()
    for there in replies:
        if isinstance(there, str):
            return Finding(BAD, what, f"another process cannot run it: {there}")
        for question, answer in here.items():
            if there[question] != answer:
                both = f"{_short(answer)} in this process, {_short(there[question])} in another"
                return Finding(BAD, what, f"{question}: {both}")
    return Finding(GOOD, what, f"{words}, in this one and in two others that were started for it")


def _start(hash_seed: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  # this very Python, and words of ours
        [sys.executable, "-P", "-c", _CHILD, json.dumps(_path())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )


def _reply(child: subprocess.Popen[bytes], request: bytes) -> Answers | str:
    try:
        reply: Answers | str = json.loads(child.communicate(request)[0])
    except ValueError:
        return f"it ended with status {child.returncode}"
    return reply


def _path() -> list[str]:
    """Where to import from: as here, but for the current folder, from which workers import nothing either."""
    ours, current = str(Path(__file__).parents[2]), os.path.realpath(os.curdir)
    return [ours, *(folder for folder in sys.path if os.path.realpath(folder) != current)]


def main() -> None:
    """The other process: a part and what to ask on standard input, the answers as JSON on standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the part itself prints is no answer
    answers.write(json.dumps(_answered(sys.stdin.buffer)).encode())
    answers.close()


def _answered(request: BinaryIO) -> Answers | str:
    try:
        part, ask = pickle.load(request)  # noqa: S301  # written by the process that started this one
        return _plain(ask(part))
    except BadInput as refused:
        return str(refused)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _plain(answers: Answers) -> Answers:
    """As they are after the way from one process to another."""
    plain: Answers = json.loads(json.dumps(answers))
    return plain


def _short(answer: Any) -> str:
    text = str(answer)
    return text if len(text) <= 40 else text[:37] + "..."
