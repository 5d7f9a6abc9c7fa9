"""What a release would hold: the wheel the package alone, the sdist all that `./run` and its tests need."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from gpruntime import __version__
from tests.test_launcher import LOCKS

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The names in the wheel and in the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wheel = zipfile.ZipFile(folder / f"gpruntime-{__version__}-py3-none-any.whl").namelist()
    with tarfile.open(folder / f"gpruntime-{__version__}.tar.gz") as archive:
        sdist = [name.partition("/")[2] for name in archive.getnames()]
        assert archive.getmember(f"gpruntime-{__version__}/run").mode & 0o111
    return wheel, sdist


def tracked(*folders: str) -> set[str]:
    """The files of folders, as git knows them; without git, as they lie there."""
    done = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout:
        return set(done.stdout.splitlines())
    found = (path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def test_the_wheel_holds_the_package_and_nothing_else(packages):
    wheel, _ = packages
    inside = {name for name in wheel if not name.startswith(f"gpruntime-{__version__}.dist-info/")}
    wanted = {name.removeprefix("src/") for name in tracked("src")}
    assert wanted <= inside
    assert all(name.startswith("gpruntime/") for name in inside)
    assert {Path(name).suffix for name in inside - wanted} <= {".py"}  # what is new and not yet known to git
    assert "gpruntime/py.typed" in inside
    assert any(name.startswith("gpruntime/watch/static/") for name in inside)
    assert f"gpruntime-{__version__}.dist-info/licenses/LICENSE" in wheel


def test_the_sdist_holds_all_that_run_needs(packages):
    _, sdist = packages
    wanted = {"run", "mkdocs.yml", "pyproject.toml", *LOCKS.values(), *tracked("*.md", "*.cff", "LICENSE")}
    wanted |= tracked("src", "tests", "docs", "benchmarks", "web/src")
    assert wanted <= set(sdist)
    assert not [name for name in sdist if name.startswith(("site/", ".site/", ".venv", "web/node_modules"))]


def test_one_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
