"""`./run` with a Python that only notes what it is asked to install: which layers, and one line for each failure."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[1]
LOCKS = {
    "run": "requirements.lock",
    "test": "tests/requirements.lock",
    "ioh": "tests/ioh.lock",
    "check": ".ci/requirements.lock",
    "bench": "benchmarks/requirements.lock",
    "site": "docs/requirements.lock",
}

# What it cannot do is in the file "cannot", what pip says when it fails in "failure"; it waits while there is "wait".
PYTHON = """#!/bin/sh
cd "{here}"
can() {{ ! grep -qs "$1" cannot; }}
case "$*" in
"-P -c "*ensurepip*) can ensurepip ;;
"-P -c "*) can work ;;
*"-m pip --version") can pip || [ -e "$(dirname "$0")/pip" ] ;;
*"-m venv "*)
    for folder; do :; done
    mkdir -p "$folder/bin"
    cp "$0" "$folder/bin/python"
    printf '#!/bin/sh\\necho gpruntime "$@"\\n' >"$folder/bin/gpruntime"
    chmod +x "$folder/bin/gpruntime" ;;
*" install "*)
    echo "$@" >>notes
    while [ -e wait ]; do sleep 0.01; done
    if [ -e failure ]; then cat failure >&2; exit 1; fi ;;
*) echo python "$@" ;;
esac
"""
APT = """#!/bin/sh
cd "{here}"
case "$*" in
*update*) echo update >>apt; rm -f stale ;;
*-s*) [ ! -e stale ] || exit 100; cat plan ;;
*) echo "$@" >>apt; echo /usr/share/python-wheels/pip-1.whl >installed ;;
esac
"""


class Clone:
    """A clone of the launcher and its locks, with its own Python, apt-get and dpkg."""

    def __init__(self, here: Path) -> None:
        self.here, self.root, self.venv = here, here / "clone", here / "clone" / ".venv"
        for name in ("run", "pyproject.toml", *LOCKS.values()):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes((ROOT / name).read_bytes() if name == "run" else name.encode())
        self.tool("python3", PYTHON.format(here=here))
        self.tool("apt-get", APT.format(here=here))
        self.tool("dpkg", f'#!/bin/sh\ncat "{here}/installed" 2>/dev/null\n')
        self.tool("id", "#!/bin/sh\necho 0\n")

    def tool(self, name: str, text: str) -> None:
        (self.here / "bin").mkdir(exist_ok=True)
        (self.here / "bin" / name).write_text(text)
        (self.here / "bin" / name).chmod(0o755)

    def start(self, *words: str, **settings: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["sh", self.root / "run", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={"PATH": f"{self.here / 'bin'}:/usr/bin:/bin", **settings},
        )

    def run(self, *words: str, **settings: str) -> tuple[int, str, list[str]]:
        process = self.start(*words, **settings)
        output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors.splitlines()

    def installed(self) -> list[str]:
        """The locks that were installed since the last call of this, and "project" for the clone itself."""
        notes = self.here / "notes"
        lines = notes.read_text().splitlines() if notes.exists() else []
        notes.unlink(missing_ok=True)
        places = {str(self.root / lock): name for name, lock in LOCKS.items()} | {str(self.root): "project"}
        return [places[line.split()[-1]] for line in lines]

    def say(self, name: str, text: str) -> None:
        (self.here / name).write_text(text)


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


# ---- layers


def test_each_command_adds_what_it_needs_when_it_is_first_called(clone):
    assert clone.run("a", "b") == (
        0,
        "gpruntime a b\n",
        ["gpruntime: making the environment in .venv (once; a minute or two)"],
    )
    assert clone.installed() == ["run", "project"]
    status, output, told = clone.run("test", "-k", "x")
    assert (status, output) == (0, "python -m pytest -n 2 -k x\n")
    assert told == ["gpruntime: adding what ./run test needs to .venv (once)"]
    assert clone.installed() == ["test"]
    assert clone.run("test", CI="1")[0] == 0
    assert clone.installed() == ["ioh"]
    checks = clone.run("check")[1].splitlines()
    assert [line.split()[4] for line in checks if "mypy" in line] == ["linux", "darwin", "win32"]
    assert clone.installed() == ["check"]
    assert clone.run("bench")[1] == "python -m benchmarks\n"
    assert clone.installed() == ["bench"]
    assert clone.run("site")[1] == "python -m docs.making\n"
    assert clone.installed() == ["site"]
    for words in (["a"], ["test"], ["check"], ["bench"], ["site"], ["screenshots"], ["findings"]):
        status, _, told = clone.run(*words, CI="1")
        assert (status, told, clone.installed()) == (0, [], [])


def test_what_changed_is_made_anew_and_nothing_else(clone):
    clone.run("test")
    clone.installed()
    (clone.root / "tests/requirements.lock").write_text("other")
    clone.run("a")
    assert clone.installed() == []
    clone.run("test")
    assert clone.installed() == ["test"]
    (clone.root / "pyproject.toml").write_text("other")
    clone.run("test")
    assert clone.installed() == ["project"]
    (clone.root / "requirements.lock").write_text("other")
    clone.run("test")
    assert clone.installed()[0] == "run"


def test_an_environment_whose_python_is_gone_is_made_anew(clone):
    clone.run("a")
    clone.installed()
    (clone.venv / "bin/python").write_text("#!/bin/sh\nexit 127\n")
    assert clone.run("a")[:2] == (0, "gpruntime a\n")
    assert clone.installed()[0] == "run"


def test_of_two_first_calls_the_second_waits(clone):
    def lines():
        return (clone.here / "notes").read_text().count("\n") if (clone.here / "notes").exists() else 0

    def waits(process):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return any(Path(f"/proc/{child}/comm").read_text() == "flock\n" for child in children)

    clone.say("wait", "")
    first = clone.start("a")
    eventually(lambda: lines() == 1)
    second = clone.start("b")
    eventually(lambda: waits(second) or lines() == 2)
    (clone.here / "wait").unlink()
    assert first.communicate(timeout=60)[0] == "gpruntime a\n"
    assert second.communicate(timeout=60) == ("gpruntime b\n", "")
    assert clone.installed() == ["run", "project"]


def eventually(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


# ---- what can go wrong

OFFLINE = "WARNING: Retrying after connection broken by 'NewConnectionError(...)': /simple/x/\nERROR: No matching x\n"


@pytest.mark.parametrize(
    ("failure", "line"),
    [
        (OFFLINE, "could not install into .venv: the package index cannot be reached; once it can, call ./run again"),
        ("OSError: [Errno 28] No space left on device\n", "could not install into .venv: the disk is full"),
        ("error: [Errno 13] Permission denied: 'x'\n", "could not install into .venv: no permission to write"),
    ],
)
def test_a_failed_first_call_is_one_line_and_leaves_nothing(clone, failure, line):
    clone.say("failure", failure)
    status, output, told = clone.run("a")
    assert (status, output, told[1:]) == (1, "", [f"gpruntime: {line}"])
    assert not clone.venv.exists()
    (clone.here / "failure").unlink()
    assert clone.run("a")[:2] == (0, "gpruntime a\n")


def test_of_an_unknown_failure_the_installer_tells_itself(clone):
    clone.say("failure", "ERROR: hashes differ\n")
    assert clone.run("a")[2][1:] == ["ERROR: hashes differ", "gpruntime: could not install into .venv; see above"]
    assert not clone.venv.exists()


def test_a_layer_that_fails_leaves_the_rest_as_it_was(clone):
    clone.run("a")
    clone.say("failure", OFFLINE)
    assert clone.run("test")[0] == 1
    assert clone.run("a") == (0, "gpruntime a\n", [])


def test_ctrl_c_leaves_nothing(clone):
    clone.say("wait", "")
    process = clone.start("a")
    eventually((clone.here / "notes").exists)
    os.killpg(process.pid, signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert (process.returncode, told.splitlines()[1:]) == (130, ["gpruntime: interrupted"])
    assert not clone.venv.exists()


def test_a_clone_that_cannot_be_written_to(clone, tmp_path):
    """Root can write everywhere, but not to a folder as if it were a file."""
    (clone.root / ".venv.lock").mkdir()
    status, output, told = clone.run("a")
    where = "set GPRUNTIME_VENV to another folder for the environment"
    assert (status, output, told) == (1, "", [f"gpruntime: cannot write to {clone.root}: {where}"])
    assert clone.run("a", GPRUNTIME_VENV=str(tmp_path / "new" / "env"))[:2] == (0, "gpruntime a\n")
    assert not clone.venv.exists()
    assert clone.run("a", GPRUNTIME_VENV=str(tmp_path / "new" / "env")) == (0, "gpruntime a\n", [])


def test_what_is_somebody_elses_is_left_alone(clone, tmp_path):
    clone.venv.write_text("mine")
    status, _, told = clone.run("a")
    assert (status, len(told)) == (1, 1)
    assert told[0].startswith(f"gpruntime: {clone.venv} is not a folder: move it away, or set GPRUNTIME_VENV")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    status, _, told = clone.run("a", GPRUNTIME_VENV=str(tmp_path / "mine"))
    assert (status, len(told)) == (1, 1)
    assert told[0].startswith(f"gpruntime: {tmp_path / 'mine'} was not made by ./run")
    assert (tmp_path / "mine" / "letter").read_text() == "dear"
    assert clone.venv.read_text() == "mine"


# ---- a Debian without pip

NEW = "Inst ca-certificates (1 Debian:12 [all])\nInst python3-pip-whl (23 Debian:12 [all])\nConf python3-pip-whl (23)\n"


def test_apt_says_what_it_installs(clone):
    clone.say("cannot", "ensurepip pip")
    clone.say("plan", NEW)
    clone.say("stale", "")  # its lists do not know the package: they are fetched first
    status, _, told = clone.run("a")
    assert status == 0
    line = "this Python has no pip: apt-get installs ca-certificates python3-pip-whl, and changes nothing else"
    assert told[1:] == [f"gpruntime: {line}"]
    assert (clone.here / "apt").read_text().splitlines() == [
        "update",
        "-q -y --no-install-recommends --no-upgrade install python3-pip-whl",
    ]
    assert (clone.here / "notes").read_text().startswith("-P /usr/share/python-wheels/pip-1.whl/pip install ")


def test_apt_changes_nothing_that_is_installed(clone):
    clone.say("cannot", "ensurepip pip")
    clone.say("plan", NEW + "Inst python3.11 [3.11.2-1] (3.11.2-6 Debian:12 [amd64]) []\nRemv tzdata [2024a]\n")
    status, _, told = clone.run("a")
    assert status == 1
    assert "must upgrade or remove python3.11 tzdata; if you agree: apt-get install python3-pip-whl" in told[-1]
    assert not (clone.here / "apt").exists()
    assert not clone.venv.exists()


def test_who_is_not_root_is_told_what_to_install(clone):
    clone.say("cannot", "ensurepip pip")
    clone.tool("id", "#!/bin/sh\necho 1000\n")
    line = "gpruntime: this Python has neither pip nor ensurepip; first: sudo apt-get install python3-venv"
    assert clone.run("a")[2][1:] == [line]


# ---- the locks


def versions(lock: str) -> dict[tuple[str, str], str]:
    """Name and condition on Python's version, and the version, of everything in a lock."""
    found = {}
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            name, version, marker = re.fullmatch(r"([a-z0-9-]+)==(\S+)(?: ; (.*))? \\", line).groups()
            when = re.search(r"python_full_version (?:<|>=) '3.12'", marker or "")
            found[name, when[0] if when else ""] = version
    return found


def test_locks_agree_are_hashed_and_name_no_host():
    first = versions(LOCKS["run"]) | versions(LOCKS["ioh"])
    for lock in LOCKS.values():
        text = (ROOT / lock).read_text(encoding="utf-8")
        assert "://" not in text
        assert re.search(r"^[^ ].*\n(?!    --hash=sha256:)", text, re.MULTILINE) is None
        for package, version in versions(lock).items():
            assert first.get(package, version) == version, f"{lock}: {package}"
