"""Verdicts that are known already, so that a second `gpruntime paper` takes seconds.

A verdict is found by a digest of all that it follows from: our files, Python and what is installed, the claim, the
scale, the seed, and every run that is looked at. So none is ever stale: whatever changes, another is looked for. It is
kept where compiled code is, in a folder that nobody else can write to (`gpruntime.engine.cache`), and never in a
study's folder, which may come from anybody. Its figures stay in the folder of the paper, and are held to their digests.
"""

from __future__ import annotations

import dataclasses
import hashlib
import platform
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np

from gpruntime.engine.cache import KEPT, CodeCache
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.report import Evaluated

_ROOT = Path(__file__).parents[1]


class KnownVerdicts:
    """Of this user, with the figures in a folder."""

    def __init__(self, figures: Path) -> None:
        self._figures, self._cache = figures, CodeCache("verdicts")  # both go to workers

    def find(self, evidence: Evidence, claim: str) -> Evaluated | None:
        """What a claim is known to have come to, if its figures are there, whole."""
        path = self._path(evidence, claim)
        content = None if path is None else self._cache.read(path)
        if content is None:
            return None
        evaluated, files = content
        sound = all(_digest_of(self._figures / name) == digest for name, digest in files.items())
        return evaluated if sound and isinstance(evaluated, Evaluated) else None

    def keep(self, evidence: Evidence, evaluated: Evaluated, files: Iterable[Path]) -> None:
        """Keeps what a claim came to, with the digests of its files."""
        path = self._path(evidence, evaluated.id)
        if path is not None:
            self._cache.write(path, (evaluated, {file.name: _digest_of(file) for file in files}))

    def _path(self, evidence: Evidence, claim: str) -> Path | None:
        if self._cache.folder is None:
            return None
        digest = hashlib.sha256(f"{_circumstances()}\n{claim}\n{evidence.scale!r}\n{evidence.seed}\n".encode())
        for spec, runs in evidence.runs.items():
            digest.update(f"{spec!r}\n".encode())
            for field in dataclasses.fields(runs):
                digest.update(_bytes_of(getattr(runs, field.name)))
        return self._cache.folder / f"verdict-{digest.hexdigest()}{KEPT}"


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
def _circumstances() -> str:
    """A digest of our files, of Python, and of what is installed."""
    digest = hashlib.sha256(f"{sys.version}\n{platform.platform()}\n".encode())
    digest.update(repr(sorted(f"{found.name} {found.version}" for found in distributions())).encode())
    for file in sorted(path for path in _ROOT.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        digest.update(
            f"{file.relative_to(_ROOT).as_posix()}\n{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode()
        )
    return digest.hexdigest()
