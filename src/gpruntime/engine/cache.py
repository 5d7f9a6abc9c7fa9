"""Where compiled code is kept on disk.

Numba's own cache looks only at the file a function stands in, so after a change to a helper in another file it would
run old code. Here the cache folder is named after a hash of all sources of the engine, the versions below them and the
settings that make other code: an upgrade finds an empty folder and compiles anew. All processes share the folder, so a
worker does not compile what another has.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np


def _cache_folder() -> str:
    digest = hashlib.sha256()
    for version in (sys.version, numba.__version__, llvmlite.__version__, np.__version__):
        digest.update(version.encode())
    config: Any = numba.config
    settings = config.BOUNDSCHECK, int(config.OPT), config.DEBUGINFO_DEFAULT  # they make other code
    digest.update(repr(settings).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "gpruntime" / f"engine-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:  # no home, or one that cannot be written to
        folder = Path(tempfile.gettempdir()) / f"gpruntime-{os.getuid()}-{digest.hexdigest()[:16]}"
        folder.mkdir(mode=0o700, exist_ok=True)
    return str(folder)


CACHE_FOLDER = _cache_folder()


def kept_on_disk(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    """What `compiler` makes of a function, kept in our folder and not in Numba's."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = CACHE_FOLDER  # read when the function is decorated, not when it is compiled
    try:
        return compiler(cache=True)(function)
    finally:
        config.CACHE_DIR = before


@contextlib.contextmanager
def first_call(name: str) -> Iterator[None]:
    """Around a call that may compile: one line for a person at a terminal, the first time on this machine.

    A file in the cache folder says that it has happened; nothing else depends on it.
    """
    marker = Path(CACHE_FOLDER) / f"compiled-{name}"
    new = name not in _called and not marker.exists()
    if new and sys.stderr.isatty():
        print("gpruntime: compiling the engine, once: some seconds", file=sys.stderr, flush=True)
    collecting = gc.isenabled()
    if new:
        gc.disable()  # compiling makes many objects and little garbage: looking for it takes a tenth of the time
    try:
        yield
    finally:
        if new and gc.get_freeze_count() == 0:
            gc.freeze()  # and back: all objects count as old ones, and are not looked through at once
            gc.unfreeze()
        if collecting:
            gc.enable()
    _called.add(name)
    if new:
        with contextlib.suppress(OSError):
            marker.touch()


_called: set[str] = set()
