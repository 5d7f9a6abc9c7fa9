"""What an archive needs to be installed: the lock with hashes, and wheels of everything on request."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from gpruntime._version import __version__
from gpruntime.model.errors import BadInput

_ROOT = Path(__file__).parents[3]
_LOCK = "requirements.lock"


def lock_of(wheels: Path | None) -> bytes:
    """Exact versions with hashes: the repository's, or of the wheels. Raises `BadInput` where there is neither."""
    lock = _ROOT / _LOCK
    if lock.is_file() and (_ROOT / "pyproject.toml").is_file():
        return lock.read_bytes()
    if wheels is None:
        raise BadInput("wheels", "missing", "this installation has no lock beside it: say --wheels, which makes one")
    lines = []
    for wheel in sorted(wheels.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        if name not in ("gpruntime", "pip"):
            lines.append(f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}")
    return ("\n".join(lines) + "\n").encode()


@contextlib.contextmanager
def wheels_of(folder: Path) -> Iterator[Path]:
    """Fills a folder with the wheels of this version, of all it needs, and of pip, for this system and this Python."""
    source = _ROOT / "pyproject.toml"
    own = [str(_ROOT), "--no-build-isolation"] if source.is_file() else [f"gpruntime=={__version__}"]
    _pip("wheel", "-q", "--no-deps", "-w", str(folder), *own)
    constraints = folder / "constraints.txt"
    lock = (_ROOT / _LOCK).read_text("utf-8").splitlines() if (_ROOT / _LOCK).is_file() else []
    pins = [line.rstrip(" \\") for line in lock if line[:1].isalnum()]
    constraints.write_text("\n".join(pins), encoding="utf-8")
    words = ["--only-binary", ":all:", "-d", str(folder), "--find-links", str(folder), "-c", str(constraints)]
    _pip("download", "-q", *words, f"gpruntime=={__version__}", "pip")
    yield folder


def _pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        why = next((line for line in lines if line.startswith("ERROR")), lines[-1])
        raise BadInput("wheels", "pip", f"could not make them: {why}")
