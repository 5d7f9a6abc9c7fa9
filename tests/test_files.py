"""Every command writes files whole, and writes to nothing but ordinary files that are not a study's."""

import contextlib
import hashlib
import os
import shutil
import socket
import stat

import pytest

from gpruntime import BadInput, files
from gpruntime.cli.main import commands
from gpruntime.files import whole_file, whole_folder, write_whole
from tests.study.studies import run_here, small_plan


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files") / "study"
    run_here(small_plan(runs=3), folder)
    return folder


def gpruntime(*words):
    commands.main([str(word) for word in words], standalone_mode=False)


def writers(folder):
    """What writes a file, without its name."""
    return {
        "report": ["study", "report", folder, "-o"],
        "csv": ["study", "export", folder, "--format", "csv", "-o"],
        "parquet": ["study", "export", folder, "--format", "parquet", "-o"],
        "new": ["study", "new"],
        "watch": ["watch", "-n", "3", "-o"],
        "trace": ["run", "--problem", "order", "--algorithm", "gp-single", "-n", "3", "--trace"],
    }


def put(kind, path):
    """Something that is no ordinary file; what must not change about it."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        try:
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("only root can make a device")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    elif kind == "link":
        (path.parent.parent / "elsewhere").write_text("mine", encoding="utf-8")
        path.symlink_to("../elsewhere")
    elif kind == "folder":
        path.mkdir()
    return path.lstat().st_ino, path.lstat().st_mode


@pytest.mark.parametrize("kind", ["pipe", "device", "socket", "link", "folder"])
def test_what_is_no_ordinary_file_is_refused_and_stays(tmp_path, kind):
    (tmp_path / "here").mkdir()
    target = tmp_path / "here" / "out"
    before = put(kind, target)
    with pytest.raises(BadInput, match=f"is a {kind}"):
        write_whole(target, b"new")
    assert (target.lstat().st_ino, target.lstat().st_mode) == before
    assert [path.name for path in target.parent.iterdir()] == ["out"]
    if kind == "link":
        assert (tmp_path / "elsewhere").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("command", ["report", "csv", "parquet", "new", "watch", "trace"])
def test_every_command_refuses_a_device_and_a_studys_own_files(finished, tmp_path, command):
    folder = shutil.copytree(finished, tmp_path / "study")
    shard = next((folder / "shards").iterdir())
    for target in (folder / "ledger", shard, folder / "shards" / "new", folder / "shards" / "sub" / "new"):
        target.parent.mkdir(exist_ok=True)
        before = _digests(folder)
        with pytest.raises(BadInput):
            gpruntime(*writers(folder)[command], target)
        assert _digests(folder) == before
    (tmp_path / "here").mkdir()
    device = tmp_path / "here" / "null"
    before = put("device" if os.geteuid() == 0 else "pipe", device)
    with pytest.raises(BadInput):
        gpruntime(*writers(folder)[command], device)
    assert (device.lstat().st_ino, device.lstat().st_mode) == before


def _digests(folder):
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_not_made_inside_a_study_or_over_a_link(finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "study")
    (tmp_path / "link").symlink_to("nowhere")
    for target in (folder / "shards" / "ioh", folder / "set-aside", tmp_path / "link"):
        with pytest.raises(BadInput), whole_folder(target):
            pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "study"]


def test_the_temporary_name_is_new_each_time_and_is_made_not_found(tmp_path, monkeypatch):
    seen = set()
    for _ in range(3):
        with whole_file(tmp_path / "out") as file:
            file.write(b"whole")
            seen |= {path.name for path in tmp_path.iterdir()} - {"out"}
    assert len(seen) == 3
    assert all(files.is_half(name) for name in seen)
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (tmp_path / "guessed").symlink_to("victim")
    monkeypatch.setattr(files, "_half", lambda: "guessed")
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "out", b"new")
    assert victim.read_bytes() == b"mine"
    assert (tmp_path / "out").read_bytes() == b"whole"


def test_a_planted_link_beside_the_file_is_not_followed(finished, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (tmp_path / ".runs.csv.half").symlink_to("victim")
    gpruntime("study", "export", finished, "--format", "csv", "-o", tmp_path / "runs.csv")
    assert victim.read_bytes() == b"mine"


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_permissions_are_as_the_mask_gives(tmp_path, mask):
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "out", b"")
        with whole_folder(tmp_path / "folder"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o777 & ~mask


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "out").write_bytes(b"old")
    with contextlib.suppress(KeyboardInterrupt), whole_file(tmp_path / "out") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    with contextlib.suppress(KeyboardInterrupt), whole_folder(tmp_path / "folder") as folder:
        (folder / "file").write_bytes(b"half")
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").read_bytes() == b"old"


def test_an_open_stream_is_written_to_as_it_is(tmp_path):
    with (tmp_path / "log").open("wb") as file:
        file.write(b"before ")
        file.flush()
        write_whole(f"/dev/fd/{file.fileno()}", b"after")
    assert (tmp_path / "log").read_bytes() == b"before after"
