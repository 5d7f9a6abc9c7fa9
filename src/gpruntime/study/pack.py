"""A study as one archive for artefact evaluation, and back.

    plan.toml              the plan, with the sources of user-defined components
    study/                 the study's folder: ledger, shards, plan, provenance
    expected.csv           the table that `repeat.sh` must make again, byte for byte
    report.html            what the runs say
    REPRODUCE.md           the one command, what comes out, with which tolerance, how long it takes
    repeat.sh              the one command: from wheels/ alone, without a network, if they are there
    Containerfile          the same in a container
    requirements.lock      exact versions with hashes
    wheels/                on request
    CITATION.cff, zenodo.json
    MANIFEST               a digest and a size for each file

The same study gives the same bytes. An archive may come from anybody: `unpack` looks at every name, size and digest
before it writes anything, writes into a new folder that gets its name at the end, and runs nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from gpruntime._version import __version__
from gpruntime.files import LEDGER, PLAN, PROVENANCE, SHARDS, check_target, odd_kind, whole_file, whole_folder
from gpruntime.model.errors import BadInput
from gpruntime.study.export import write_csv
from gpruntime.study.files import read_plain
from gpruntime.study.study import Study

MANIFEST, STUDY, EXPECTED = "MANIFEST", "study", "expected.csv"
_DATE = (1980, 1, 1, 0, 0, 0)  # of every file: the same study, the same bytes
_MAX_FILES, _MAX_BYTES, _MAX_RATIO = 100_000, 20 * 2**30, 200
_MAX_MANIFEST = 32 * 2**20
_NAME = re.compile(r"[A-Za-z0-9_+.-]+(?:/[A-Za-z0-9_+.-]+)*")
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_LINE = re.compile(r"([0-9a-f]{64}) ([0-9]{1,12}) (\S+)")


def pack(study: Study, path: Path, more: Mapping[str, bytes], wheels: Path | None = None) -> int:
    """Writes the archive; the number of files in it.

    Args:
        study: whole, with every run of its plan.
        path: of the archive, which is replaced.
        more: what goes beside: the report, the lock.
        wheels: a folder with wheels to be put in.

    Raises:
        BadInput: the study is damaged or not complete, or the archive cannot be written there.
    """
    check_target(path)
    study.check_rows()
    if study.damaged:
        raise BadInput("folder", str(study.folder), f"is damaged: {study.damaged[0]}; study run makes it whole")
    if not all(cell.complete for cell in study.progress()):
        raise BadInput("folder", str(study.folder), "is not complete: study run goes on with it")
    kept = [LEDGER, PLAN, PROVENANCE, *(f"{SHARDS}/{entry.name}" for entry in study.entries)]
    files = {f"{STUDY}/{name}": read_plain(study.folder / name) for name in kept if (study.folder / name).exists()}
    files |= {PLAN: study.plan.text.encode(), EXPECTED: expected_table(study), **more}
    if wheels is not None:
        files |= {f"wheels/{wheel.name}": read_plain(wheel) for wheel in sorted(wheels.glob("*.whl"))}
    files |= _papers(study, wheels is not None)
    lines = [f"{hashlib.sha256(content).hexdigest()} {len(content)} {name}" for name, content in sorted(files.items())]
    files[MANIFEST] = ("\n".join(lines) + "\n").encode()
    for name in files:
        _check_name(name)
    with whole_file(path) as target, zipfile.ZipFile(target, "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_STORED if name.endswith((".whl", ".parquet")) else zipfile.ZIP_DEFLATED
            entry.create_system, mode = 3, 0o755 if name.endswith(".sh") else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, content, compresslevel=9)
    return len(files)


def expected_table(study: Study) -> bytes:
    """The table that a repetition makes again, byte for byte."""
    table = io.BytesIO()
    write_csv(study, table, repeatable=True)
    return table.getvalue()


# ---- back


def unpack(path: Path, folder: Path) -> int:
    """Writes what an archive holds into a new folder, if all of it is sound; the number of files. Runs nothing.

    Raises:
        BadInput: it is no archive of a study, is damaged, or holds what no such archive does; nothing is written then.
    """
    odd = odd_kind(path.stat().st_mode) if path.exists() else "is not there"
    if odd is not None:  # a device may have no end
        raise _refused(path, f"{odd}; give a file")
    try:
        with zipfile.ZipFile(path) as archive:
            entries = _checked(path, archive)
            with whole_folder(folder) as half:
                for name, (digest, size) in entries.items():
                    content = _content(path, archive, name, size)
                    if hashlib.sha256(content).hexdigest() != digest:
                        raise _refused(path, f"{name} is damaged: its digest is wrong")
                    target = half / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
            return len(entries)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise _refused(path, "is no sound zip archive") from None


def _refused(path: Path, why: str) -> BadInput:
    return BadInput("archive", str(path), why)


def _checked(path: Path, archive: zipfile.ZipFile) -> dict[str, tuple[str, int]]:
    """Digest and size by name, as the manifest says; it must say of every entry of the archive, and of no other."""
    infos = archive.infolist()
    if len(infos) > _MAX_FILES or sum(info.file_size for info in infos) > _MAX_BYTES:
        raise _refused(path, f"holds more than {_MAX_FILES:,} files, or more than {_MAX_BYTES // 2**30} GiB")
    seen: set[str] = set()
    for info in infos:
        try:
            _check_name(info.orig_filename)
        except BadInput as error:
            raise _refused(path, f"{error.allowed}: {error.value!r}") from None
        mode = info.external_attr >> 16
        if info.is_dir() or stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise _refused(path, f"holds what is no ordinary file: {info.filename}")
        if info.filename.lower() in seen:
            raise _refused(path, f"holds a name twice: {info.filename}")
        if info.file_size > _MAX_RATIO * max(info.compress_size, 1000):
            raise _refused(path, f"holds a file that grows more than {_MAX_RATIO} times: {info.filename}")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refused(path, f"holds a file that is compressed otherwise than by deflate: {info.filename}")
        if info.flag_bits & 1:
            raise _refused(path, f"is encrypted: {info.filename}")
        seen.add(info.filename.lower())
    sizes = {info.filename: info.file_size for info in infos}
    if sizes.get(MANIFEST, _MAX_MANIFEST + 1) > _MAX_MANIFEST:
        raise _refused(path, f"is no archive of a study: it has no {MANIFEST}")
    said: dict[str, tuple[str, int]] = {}
    manifest = _content(path, archive, MANIFEST, sizes[MANIFEST])
    for line in manifest.decode("utf-8", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise _refused(path, f"has a {MANIFEST} that cannot be read")
        said[match[3]] = match[1], int(match[2])
    if {name: size for name, (_, size) in said.items()} != {n: s for n, s in sizes.items() if n != MANIFEST}:
        raise _refused(path, f"does not hold what its {MANIFEST} says")
    parents = {str(parent).lower() for name in sizes for parent in PurePosixPath(name).parents}
    if parents & seen:
        raise _refused(path, "has a file where others have a folder")
    return {**said, MANIFEST: (hashlib.sha256(manifest).hexdigest(), len(manifest))}


def _check_name(name: str) -> None:
    """Raises `BadInput` unless it is a plain name inside the folder, on every system."""
    parts = name.split("/")
    if len(name) > 240 or not _NAME.fullmatch(name):
        raise BadInput("archive", name, "holds a name that is not allowed")
    if any(part.strip(".") == "" or part.endswith(".") or _DEVICE.fullmatch(part) for part in parts):
        raise BadInput("archive", name, "holds a name that leads elsewhere")


def _content(path: Path, archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    """What a file of the archive holds; never reads more than was said."""
    import zlib

    try:
        with archive.open(name) as file:
            content = file.read(size + 1)
    except (zipfile.BadZipFile, zlib.error, OSError):
        raise _refused(path, f"{name} is damaged") from None
    if len(content) != size:
        raise _refused(path, f"{name} is damaged: it has another size than is said")
    return content


# ---- the papers beside it


def _papers(study: Study, has_wheels: bool) -> dict[str, bytes]:
    own = bool(study.plan.parts)
    name, runs = study.folder.name, len(study)
    seconds = _seconds(study)
    texts = {
        "REPRODUCE.md": _reproduce(name, runs, seconds, own, has_wheels),
        "repeat.sh": _REPEAT.replace("TRUST", " --trust" if own else ""),
        "Containerfile": _CONTAINER,
        "CITATION.cff": f"""cff-version: 1.2.0
message: Runs of a study, to be repeated. Put your names here before you publish it.
title: {json.dumps(f"Runs of the study {name}", ensure_ascii=False)}
type: dataset
authors:
  - name: Your name
references:
  - type: software
    title: "gpruntime: a laboratory for the runtime analysis of genetic programming"
    version: {__version__}
    authors:
      - name: The gpruntime authors
""",
        "zenodo.json": json.dumps(
            {
                "title": f"Runs of the study {name}",
                "upload_type": "dataset",
                "description": f"{runs:,} runs made with gpruntime {__version__}; REPRODUCE.md says how to repeat them",
                "creators": [{"name": "Your name"}],
                "keywords": ["genetic programming", "runtime analysis"],
            },
            ensure_ascii=False,
            indent=2,
        )
        + "\n",
    }
    return {file: text.encode("utf-8", "backslashreplace") for file, text in texts.items()}


def _seconds(study: Study) -> float:
    """How long the runs took, on one core of the machine that made them."""
    return sum(float(value) for table in study.tables() for value in table["seconds"].to_pylist() if value is not None)


def _reproduce(name: str, runs: int, seconds: float, own: bool, has_wheels: bool) -> str:
    took = "less than a minute" if seconds < 60 else f"about {seconds / 60:,.0f} minutes" if seconds < 7200 else (
        f"about {seconds / 3600:,.0f} hours"
    )  # fmt: skip
    where = (
        "The wheels are in `wheels/`, for the system and the Python they were packed on: no network is needed."
        if has_wheels
        else "Wheels are fetched from the package index, by exact version and hash."
    )
    code = (
        "\n**It runs code of its authors**: user-defined components, whose source is in `plan.toml` under `[parts]`.\n"
        "Read it first. `repeat.sh` passes `--trust`, which is your word for that.\n"
        if own
        else ""
    )
    return f"""# How to repeat this

    sh repeat.sh

makes all {runs:,} runs of the study {name} again and compares the table with `expected.csv`, byte for byte. It needs
Python 3.11 or newer, and nothing else. {where}
{code}
- **What comes out**: the line `equal: the same bytes`, and exit status 0. `new/` is then the repeated study,
  `new.csv` its table, `new.html` its report.
- **Tolerance**: none for the table. A run is a function of its setting, seed and number, on every machine. Estimates
  and laws in the report are computed from the table: equal up to rounding in the last digits with other versions of
  numerical libraries.
- **How long**: the runs took {took} on one core; installing and compiling take some minutes more.
- **In a container**: `podman build -t repeat . && podman run --network=none repeat` (or docker).
- **One run alone**: `gpruntime study replay study --run CELL:RUN`.
- **What is here**: `MANIFEST` has the digest of each file; `gpruntime study unpack` checks them before it writes.
"""


_REPEAT = """#!/bin/sh
# Makes every run of the study again, and compares. Everything goes into this folder.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}
if [ ! -x venv/bin/gpruntime ]; then
    if [ -d wheels ]; then
        "$python" -m venv --without-pip venv
        venv/bin/python "$(ls wheels/pip-*.whl)/pip" install -q --no-index --find-links wheels gpruntime
    else
        "$python" -m venv venv
        venv/bin/python -m pip install -q --require-hashes -r requirements.lock
        venv/bin/python -m pip install -q --no-deps "gpruntime==VERSION"
    fi
fi
rm -rf new new.csv new.html
venv/bin/gpruntime study run plan.toml -o new -qTRUST
venv/bin/gpruntime study report new -o new.html
venv/bin/gpruntime study export new --format csv --repeatable -o new.csv
if cmp new.csv expected.csv; then echo "equal: the same bytes"; else echo "different"; exit 1; fi
""".replace("VERSION", __version__)

_CONTAINER = """FROM docker.io/library/python:3.11-slim
COPY . /artefact
WORKDIR /artefact
RUN python -m venv venv && if [ -d wheels ]; \\
    then venv/bin/pip install -q --no-index --find-links wheels gpruntime; \\
    else venv/bin/pip install -q --require-hashes -r requirements.lock \\
    && venv/bin/pip install -q --no-deps gpruntime==VERSION; fi
CMD ["sh", "repeat.sh"]
""".replace("VERSION", __version__)
