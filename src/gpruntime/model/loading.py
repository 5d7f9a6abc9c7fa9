"""Whether the words of a spec may name files.

`FILE.py:NAME` runs a file and `@FILE` reads one. A user may ask for that: on the command line, in a plan that is named
there, in Python. Words that come from a ledger, a table, a trace, a certificate, a link or a request are somebody
else's: they are read with `no_files` (`RunSpec.from_data`), and then nothing is loaded, whatever field they stand in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from gpruntime.model.errors import BadInput

_REFUSED = "a folder, a table, a link or a request cannot have it loaded; name it on the command line or in a plan file"
_may_load = ContextVar("may_load", default=True)


@contextmanager
def no_files() -> Iterator[None]:
    """Inside, `check_may_load` refuses."""
    token = _may_load.set(False)
    try:
        yield
    finally:
        _may_load.reset(token)


def check_may_load(field: str, text: str) -> None:
    """Called before a file or a package that a word names is touched. Raises `BadInput` inside `no_files`."""
    if not _may_load.get():
        raise BadInput(field, text, _REFUSED)
