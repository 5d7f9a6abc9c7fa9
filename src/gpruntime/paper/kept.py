"""Verdicts that are known already, so that a second `gpruntime paper` takes seconds.

A verdict is found by a digest of all that it follows from: our files, Python and what is installed, the claim, the
scale, the seed, and every run that is looked at. So none is ever stale: whatever changes, another is looked for. What
was found while somebody edited a file is not kept at all, as nobody knows which state it is of. A verdict is kept as
JSON, of which only what a verdict is made of is read, where compiled code is, in a folder that nobody else can write to
(`gpruntime.engine.cache`), and never in a study's folder, which may come from anybody. Its figures stay in the folder
of the paper, and are held to their digests.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import platform
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.formatting import Above
from gpruntime.engine.cache import KEPT, CodeCache
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.report import Evaluated
from gpruntime.paper.verdict import Layout, Numbers, Verdict
from gpruntime.show.page import Plate

Seal: TypeAlias = "list[tuple[str, int, int]]"
_ROOT = Path(__file__).parents[1]
_ATOMS = (type(None), bool, int, float, str)
_DATACLASSES = (Evaluated, Verdict, Numbers, Plate, Estimate)
_MADE_BY = {kind.__name__: kind for kind in (*_DATACLASSES, Layout)}


class KnownVerdicts:
    """Of this user, with the figures in a folder; made before the sources are used that verdicts follow from."""

    def __init__(self, figures: Path) -> None:
        self._figures, self._cache = figures, CodeCache("verdicts")  # all go to workers
        self._circumstances, self._seal = _circumstances()

    def find(self, evidence: Evidence, claim: str) -> Evaluated | None:
        """What a claim is known to have come to, if its figures are there, whole."""
        path = self._path(evidence, claim)
        content = None if path is None else self._cache.read_bytes(path)
        if content is None:
            return None
        try:
            evaluated, files = from_text(content.decode("utf-8"))
            sound = all(_digest_of(self._figures / name) == digest for name, digest in files.items())
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):  # nothing that we wrote
            return None
        return evaluated if sound and isinstance(evaluated, Evaluated) and evaluated.id == claim else None

    def keep(self, evidence: Evidence, evaluated: Evaluated, files: Mapping[str, bytes]) -> None:
        """Keeps what a claim came to, with the digests of its files, unless sources were edited meanwhile."""
        path = self._path(evidence, evaluated.id)
        if path is None or _seal() != self._seal:
            return
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        with contextlib.suppress(TypeError, ValueError):  # a claim of somebody's with more in it is checked each time
            self._cache.write_bytes(path, to_text((evaluated, digests)).encode("utf-8"))

    def _path(self, evidence: Evidence, claim: str) -> Path | None:
        if self._cache.folder is None:
            return None
        digest = hashlib.sha256(f"{self._circumstances}\n{claim}\n{evidence.scale!r}\n{evidence.seed}\n".encode())
        for spec, runs in evidence.runs.items():
            digest.update(f"{spec.cell_id} {spec!r}\n".encode())
            for field in dataclasses.fields(runs):
                digest.update(_bytes_of(getattr(runs, field.name)))
        return self._cache.folder / f"verdict-{digest.hexdigest()}{KEPT}"


def to_text(value: Any) -> str:
    """As JSON: lists and atoms as they are, all else under its name. Raises a TypeError where no verdict has such."""
    return json.dumps(_plain(value))


def from_text(text: str) -> Any:
    """What `to_text` was given."""
    return _rebuilt(json.loads(text))


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is list:
        return [_plain(one) for one in value]
    if kind is Above:
        return {"Above": float(value)}
    if kind is dict:
        return {"dict": [[_plain(key), _plain(one)] for key, one in value.items()]}
    if kind in (tuple, Layout):
        return {kind.__name__: [_plain(one) for one in value]}
    if kind in _DATACLASSES:
        return {kind.__name__: [_plain(getattr(value, field.name)) for field in dataclasses.fields(value)]}
    raise TypeError(f"no verdict has a {kind.__name__}")


def _rebuilt(value: Any) -> Any:
    if isinstance(value, list):
        return [_rebuilt(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    if name == "Above":
        return Above(content)
    parts = [_rebuilt(one) for one in content]
    return tuple(parts) if name == "tuple" else dict(parts) if name == "dict" else _MADE_BY[name](*parts)


def _bytes_of(value: Any) -> bytes:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}\n".encode() + value.tobytes()
    return f"{value!r}\n".encode()


def _digest_of(file: Path) -> str | None:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None


@cache
def _circumstances() -> tuple[str, Seal]:
    """A digest of our files, of Python, and of what is installed; and the files' seal."""
    seal = _seal()
    digest = hashlib.sha256(f"{sys.version}\n{platform.platform()}\n".encode())
    digest.update(repr(sorted(f"{found.name} {found.version}" for found in distributions())).encode())
    for file in _our_files():
        digest.update(
            f"{file.relative_to(_ROOT).as_posix()}\n{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode()
        )
    return digest.hexdigest(), seal


def _seal() -> Seal:
    """What tells at once whether one of our files was edited."""
    return [(str(file), status.st_mtime_ns, status.st_size) for file in _our_files() for status in [file.stat()]]


def _our_files() -> Iterator[Path]:
    yield from sorted(path for path in _ROOT.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
