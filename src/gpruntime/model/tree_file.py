"""`@FILE` in place of an initial tree, on the command line and in plans: the tree that the file holds as text."""

from __future__ import annotations

from pathlib import Path

from gpruntime.model.errors import BadInput, BadTree
from gpruntime.model.loading import check_may_load
from gpruntime.model.terminals import ANY
from gpruntime.model.text import parse

MAX_BYTES = 2**20  # some 150,000 leaves, and ten seconds to read them


def init_from(text: str, folder: Path) -> str:
    """The text as it is, or for `@FILE` the tree in that file, which is looked for in the folder.

    Raises:
        BadInput: there is no such file, or what it holds is no tree.
    """
    if not text.startswith("@"):
        return text
    check_may_load("init", text)
    content = _content(text, folder / text[1:])
    try:
        return str(parse(content))
    except BadTree as error:
        refused = BadInput("init", text, f"the file holds no tree such as (x1 !x2): {error.allowed}")
    try:
        tree = parse(content, ANY)  # names of a problem's own, which says whether they are
    except BadTree:
        raise refused from None
    if not tree.joins:
        raise refused
    return str(tree)


def _content(text: str, path: Path) -> str:
    try:
        if "\0" in text or not path.exists():
            raise BadInput("init", text, "there is no such file")
        if not path.is_file():
            raise BadInput("init", text, "is no ordinary file; give a file's name after the @")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput("init", text, f"the file cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise BadInput("init", text, f"the file has more than {MAX_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("init", text, "the file is not UTF-8 text") from None
