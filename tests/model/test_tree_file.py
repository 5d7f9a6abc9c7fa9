"""`@FILE`: a tree from a file, or one line that says why not."""

import errno
import os
from pathlib import Path

import pytest

from gpruntime import BadInput
from gpruntime.model.tree_file import MAX_BYTES, init_from


def test_a_tree_from_a_file(tmp_path):
    (tmp_path / "tree").write_text(" (x1\n\t x̄2 )\r\n", encoding="utf-8")
    assert init_from("@tree", tmp_path) == "(x1 !x2)"
    assert init_from(f"@{tmp_path / 'tree'}", Path("/nowhere")) == "(x1 !x2)"  # an absolute name is one
    assert init_from("unity:leaves=4n", tmp_path) == "unity:leaves=4n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nowhere", None, "there is no such file"),
        ("nul\0", None, "there is no such file"),
        ("n" * 300, None, "the file cannot be read: File name too long"),
        ("", None, "is no ordinary file"),
        ("folder", None, "is no ordinary file"),
        ("pipe", None, "is no ordinary file"),
        ("bytes", b"\xff\xfe\x00", "the file is not UTF-8 text"),
        ("long", b" " * (MAX_BYTES + 1), "the file has more than 1,048,576 bytes"),
        ("empty", b"", "holds no tree such as (x1 !x2): must be a tree"),
        ("name", b"unity", "holds no tree such as (x1 !x2): at character 1: expected a terminal"),
        ("half", b"(x1 x2", "holds no tree such as (x1 !x2): at character 7: expected 1 more )"),
    ],
)
def test_what_holds_no_tree(tmp_path, name, content, message):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput) as refused:
        init_from("@" + name, tmp_path)
    assert refused.value.name == "init"
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "tree").write_text("x1", encoding="utf-8")

    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root, who may run this, may read everything
    with pytest.raises(BadInput, match="the file cannot be read: Permission denied"):
        init_from("@tree", tmp_path)
