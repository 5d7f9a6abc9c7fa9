"""Where results come from: versions, platform, a hash of the sources, the command, times. JSON lines."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import socket
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gpruntime._version import __version__
from gpruntime.files import PROVENANCE
from gpruntime.study.files import append_line, read_plain
from gpruntime.systems import available_cores

_ROOT = Path(__file__).parent.parent
_COMPUTING = ("model", "engine", "gpu", "study")
_SUFFIXES = (".py", ".cuh")


@cache
def source_hash() -> str:
    """A digest of the sources that make runs and rows of them: equal digests, equal rows."""
    digest = hashlib.sha256()
    for source in sources():
        digest.update(
            f"{source.relative_to(_ROOT).as_posix()}\n".encode() + source.read_bytes().replace(b"\r\n", b"\n")
        )
    return digest.hexdigest()[:16]


def sources() -> list[Path]:
    """The files of that digest."""
    return sorted(path for folder in _COMPUTING for path in (_ROOT / folder).rglob("*") if path.suffix in _SUFFIXES)


def now() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def circumstances() -> dict[str, Any]:
    """What may matter for repeating the runs, and for judging the times."""
    return {
        "gpruntime": __version__,
        "sources": source_hash(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "pyarrow": version("pyarrow"),
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": available_cores(),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "command": sys.argv,
    }


def for_a_page() -> dict[str, Any]:
    """When a page is written, and by what: of the circumstances those that a reader may want, without names."""
    here = circumstances()
    kept = ("gpruntime", "sources", "python", "numpy", "numba", "platform", "cores")
    return {"written": now(), **{name: here[name] for name in kept}}


def note_event(folder: Path, event: str, **record: Any) -> None:
    """Appends a record of what happens now."""
    note(folder, {"event": event, "time": now(), **record})


def note(folder: Path, record: dict[str, Any]) -> None:
    """Appends a record."""
    append_line(folder / PROVENANCE, json.dumps(record, ensure_ascii=False).encode(errors="replace") + b"\n")


def read(folder: Path) -> list[dict[str, Any]]:
    """The records of a folder; lines that cannot be read are left out: nothing but words depends on them."""
    try:
        lines = read_plain(folder / PROVENANCE).splitlines()
    except FileNotFoundError:
        return []
    records = []
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and all(_SHAPES[name](record[name]) for name in _SHAPES.keys() & record.keys()):
            records.append(record)
    return records


# What others than a report look at.
_SHAPES: dict[str, Callable[[Any], bool]] = {
    "event": lambda value: isinstance(value, str),
    "failures": lambda value: isinstance(value, list) and all(isinstance(line, str) for line in value),
    "part": lambda value: isinstance(value, list) and [type(number) for number in value] == [int, int],
    "cluster": lambda value: value is None or isinstance(value, str),
}
