"""Archives of studies: whole and the same again, or refused with nothing written."""

import hashlib
import io
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gpruntime import BadInput
from gpruntime.study import Plan, Study
from gpruntime.study.pack import EXPECTED, MANIFEST, expected_table, pack, unpack
from tests.parts import two_thirds
from tests.study.studies import command, run_here, small_plan

MORE = {"report.html": b"<p>a page</p>", "requirements.lock": b"numpy==2.0\n"}


@pytest.fixture(scope="module")
def archive(study, tmp_path_factory):
    path = tmp_path_factory.mktemp("pack") / "a.zip"
    pack(study, path, MORE)
    return path


def made(path, files, *, manifest=True, **more):
    """An archive with these files, (name, content) or (info, content), and a manifest of them."""
    with zipfile.ZipFile(path, "w") as archive:
        lines = []
        for name, content in files:
            archive.writestr(name, content, **more)
            shown = name if isinstance(name, str) else name.filename
            lines.append(f"{hashlib.sha256(content).hexdigest()} {len(content)} {shown}")
        if manifest:
            archive.writestr(MANIFEST, "\n".join(lines) + "\n")
    return path


def refused(path, folder, why):
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(BadInput, match=why):
        unpack(path, folder)
    assert sorted(folder.parent.rglob("*")) == before


def test_what_was_packed_comes_back(study, archive, tmp_path):
    unpack(archive, tmp_path / "there")
    back = Study.load(tmp_path / "there/study")
    assert back.table().equals(study.table())
    assert (tmp_path / "there" / EXPECTED).read_bytes() == expected_table(study)
    assert (tmp_path / "there/plan.toml").read_text("utf-8") == study.plan.text
    said = (tmp_path / "there/REPRODUCE.md").read_text("utf-8")
    assert f"all {len(study):,} runs" in said
    assert b"seconds" not in expected_table(study).splitlines()[0]


def test_the_same_study_is_the_same_bytes(study, archive, tmp_path):
    pack(study, tmp_path / "b.zip", MORE)
    assert (tmp_path / "b.zip").read_bytes() == archive.read_bytes()


def test_a_repetition_has_the_same_table(study, tmp_path):
    run_here(Plan.from_toml(study.plan.text), tmp_path / "new")
    told = command("export", tmp_path / "new", "--format", "csv", "--repeatable", "-o", tmp_path / "new.csv")
    assert told.returncode == 0, told.stderr
    assert (tmp_path / "new.csv").read_bytes() == expected_table(study)


def test_what_is_not_complete_is_not_packed(tmp_path):
    run_here(small_plan(), tmp_path / "s", part=(1, 2))
    with pytest.raises(BadInput, match="is not complete"):
        pack(Study.load(tmp_path / "s"), tmp_path / "a.zip", MORE)
    assert not (tmp_path / "a.zip").exists()


def test_code_is_carried_and_named_and_not_run(tmp_path, monkeypatch):
    plan = Plan.of(problem=two_thirds, algorithm="gp-single", n=4, runs=3, budget=50)
    run_here(plan, tmp_path / "s")
    pack(Study.load(tmp_path / "s"), tmp_path / "a.zip", MORE)
    unpack(tmp_path / "a.zip", tmp_path / "there")
    assert "It runs code of its authors" in (tmp_path / "there/REPRODUCE.md").read_text("utf-8")
    assert "--trust" in (tmp_path / "there/repeat.sh").read_text("utf-8")
    told = command("run", tmp_path / "there/plan.toml", "-o", tmp_path / "new", "--workers", "0", "-q")
    assert told.returncode == 2
    assert "brings code of its own" in told.stderr


@pytest.mark.attack
@pytest.mark.parametrize(
    "name",
    ["../up", "a/../../up", "/etc/x", "C:/x", "a\\..\\x", "..", "a//b", "./x", "a/.", "nul", "a/con.txt",
     "x" * 300, "é", "a b",
     "x."],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, name):
    refused(made(tmp_path / "a.zip", [(name, b"x")]), tmp_path / "out", "holds a name")


@pytest.mark.attack
def test_links_folders_and_names_twice_are_refused(tmp_path):
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    refused(made(tmp_path / "l.zip", [(link, b"/etc/passwd")]), tmp_path / "out", "no ordinary file")
    refused(made(tmp_path / "c.zip", [("a", b"1"), ("A", b"2")]), tmp_path / "out", "a name twice")
    refused(made(tmp_path / "p.zip", [("a", b"1"), ("a/b", b"2")]), tmp_path / "out", "a file where others have")
    refused(made(tmp_path / "m.zip", [("a", b"1")], manifest=False), tmp_path / "out", "has no MANIFEST")


@pytest.mark.attack
def test_bombs_are_refused(tmp_path, monkeypatch):
    bomb = made(tmp_path / "b.zip", [("a", b"\0" * 5_000_000)], compress_type=zipfile.ZIP_DEFLATED)
    refused(bomb, tmp_path / "out", "grows more than 200 times")
    monkeypatch.setattr("gpruntime.study.pack._MAX_BYTES", 10)
    refused(made(tmp_path / "l.zip", [("a", os.urandom(100))]), tmp_path / "out", "holds more than")


@pytest.mark.attack
def test_what_is_no_file_is_refused(tmp_path):
    refused(tmp_path / "none.zip", tmp_path / "out", "is not there; give a file")
    refused(tmp_path, tmp_path / "out", "is a folder; give a file")
    if Path("/dev/zero").exists():
        refused(Path("/dev/zero"), tmp_path / "out", "is a device; give a file")


def test_a_folder_that_is_reached_by_a_link(archive, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    unpack(archive, tmp_path / "link/there")
    assert (tmp_path / "real/there" / MANIFEST).is_file()


@pytest.mark.attack
def test_other_compression_is_refused(tmp_path):
    path = made(tmp_path / "a.zip", [("a", os.urandom(5000))], compress_type=zipfile.ZIP_LZMA)
    raw = bytearray(path.read_bytes())
    raw[45:60] = bytes(15)  # what LZMA begins with: read, it raises an error of its own
    path.write_bytes(raw)
    refused(path, tmp_path / "out", "otherwise than by deflate")


@pytest.mark.attack
def test_a_size_that_is_a_lie_is_refused(tmp_path):
    """The headers say 10 bytes; more come out."""
    path = made(tmp_path / "a.zip", [("a", b"x" * 5000)], compress_type=zipfile.ZIP_DEFLATED)
    raw = path.read_bytes().replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(raw)
    refused(path, tmp_path / "out", r"does not hold what|damaged|no sound zip")


@pytest.mark.attack
def test_damage_anywhere_is_refused(archive, tmp_path):
    """A byte that is changed is noticed, or was one that says nothing of what the files hold."""
    whole = archive.read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as sound:
        files = {name: sound.read(name) for name in sound.namelist()}
    for place in range(0, len(whole), max(len(whole) // 60, 1)):
        (tmp_path / "d.zip").write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        out = tmp_path / f"out{place}"
        try:
            unpack(tmp_path / "d.zip", out)
        except BadInput:
            assert not out.exists()
        else:
            assert {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()} == files
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "d.zip").write_bytes(whole[:size])
        refused(tmp_path / "d.zip", tmp_path / "cut", r"no sound zip")


@pytest.mark.attack
def test_a_manifest_that_lies_is_refused(tmp_path):
    for lines, why in (("x", "cannot be read"), ("", "does not hold"), (f"{'0' * 64} 1 a\n", "its digest is wrong")):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            archive.writestr("a", b"1")
            archive.writestr(MANIFEST, lines)
        refused(tmp_path / "a.zip", tmp_path / "out", why)


def test_the_commands(tmp_path):
    run_here(Plan.of(problem="majority", algorithm="gp-single", n=4, runs=5), tmp_path / "s")
    told = command("pack", tmp_path / "s", "-o", tmp_path / "a.zip")
    assert told.returncode == 0, told.stderr
    assert command("unpack", tmp_path / "a.zip", "-o", tmp_path / "there").returncode == 0
    again = command("unpack", tmp_path / "a.zip", "-o", tmp_path / "there")
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    missing = command("unpack", tmp_path / "none.zip", "-o", tmp_path / "x")
    assert (missing.returncode, missing.stderr.split(" ")[1]) == (2, "archive")
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == sorted(
        ["CITATION.cff", "Containerfile", "MANIFEST", "REPRODUCE.md", "expected.csv", "plan.toml", "repeat.sh",
         "report.html", "requirements.lock", "study", "zenodo.json"]
    )  # fmt: skip


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_repeat_is_one_command(study, archive, tmp_path):
    """With an environment that is there already: that of the tests."""
    unpack(archive, tmp_path / "there")
    (tmp_path / "there/venv/bin").mkdir(parents=True)
    launcher = tmp_path / "there/venv/bin/gpruntime"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gpruntime "$@"\n')
    launcher.chmod(0o755)
    done = subprocess.run(["sh", "repeat.sh"], cwd=tmp_path / "there", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["equal: the same bytes"]), done.stderr
    (tmp_path / "there/expected.csv").write_text("other")
    done = subprocess.run(["sh", "repeat.sh"], cwd=tmp_path / "there", capture_output=True, text=True, check=False)
    assert done.returncode == 1
