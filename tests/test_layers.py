"""Imports go downstream only: the folder order is the data flow."""

import ast
import re
from pathlib import Path

import gpruntime

ROOT = Path(gpruntime.__file__).parent
UPSTREAM = {
    "model": {"model"},
    "engine": {"model", "engine", "systems", "processes", "progress"},
    "verification": {"model", "engine", "verification", "progress"},
    "gpu": {"model", "engine", "gpu"},
    "exact": {"model", "exact", "progress"},
    "theory": {"files", "model", "exact", "show", "theory", "progress"},
    "study": {"files", "model", "engine", "gpu", "study", "_version", "systems", "processes", "progress"},
    "analysis": {"model", "engine", "exact", "study", "analysis"},
    "show": {"files", "model", "engine", "exact", "study", "analysis", "show", "_version", "progress"},
    "paper": {
        "files",
        "model",
        "engine",
        "exact",
        "study",
        "analysis",
        "show",
        "instruments",
        "paper",
        "_version",
        "systems",
        "processes",
    },
    "atlas": {"files", "model", "exact", "study", "analysis", "show", "paper", "atlas"},
    "instruments": {"model", "engine", "exact", "analysis", "show", "instruments", "progress"},
    "watch": {"files", "model", "engine", "analysis", "watch", "systems"},
    "cli": {
        "files",
        "model",
        "engine",
        "verification",
        "gpu",
        "exact",
        "theory",
        "study",
        "analysis",
        "show",
        "paper",
        "atlas",
        "instruments",
        "watch",
        "cli",
        "_version",
        "systems",
        "processes",
        "progress",
    },
}


# The types of what is looked up downstream by name, when it is asked for: seen by the type checker alone.
ONLY_TYPES = {"engine/columns.py": {"analysis"}}


def imported(file: Path) -> set[str]:
    return imported_by(ast.parse(file.read_text(encoding="utf-8")))


def imported_by(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gpruntime."):
            names.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.module == "gpruntime":
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            names.update(alias.name.split(".")[1] for alias in node.names if alias.name.startswith("gpruntime."))
    return names


def test_every_folder_is_known():
    assert {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(UPSTREAM)


def test_imports_go_downstream_only():
    for folder, allowed in UPSTREAM.items():
        for file in (ROOT / folder).rglob("*.py"):
            name = file.relative_to(ROOT).as_posix()
            found = imported(file) - ONLY_TYPES.get(name, set())
            assert found <= allowed, f"{name} imports {found - allowed}"


def test_types_from_downstream_are_not_imported():
    for name, downstream in ONLY_TYPES.items():
        tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
        for branch in [
            node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ]:
            tree.body.remove(branch)
        assert not imported_by(tree) & downstream


def test_writing_files_needs_the_model_alone():
    assert imported(ROOT / "files.py") == {"model", "systems"}
    assert imported(ROOT / "systems.py") == set()


# What a system may lack, or have another way.
MODULES = ("os", "sys", "signal", "socket", "ctypes")
SYSTEMS_OWN = {
    *("sys.platform", "fcntl", "msvcrt", "resource", "termios", "pwd", "winreg", "CDLL", "windll"),
    *("geteuid", "getuid", "getegid", "getppid", "kill", "killpg", "fork", "setsid", "mkfifo", "mknod"),
    *("fsync", "pread", "pwrite", "fchmod", "fchown", "chown", "umask", "sched_getaffinity", "cpu_count"),
    *("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC", "SIGHUP", "SIGKILL", "SO_REUSEADDR"),
    *("dir_fd", "src_dir_fd", "dst_dir_fd"),
}


def test_what_systems_lack_is_asked_of_one_file():
    found = {file.relative_to(ROOT).as_posix(): systems_own(file) for file in ROOT.rglob("*.py")}
    assert found.pop("systems.py") >= {"fcntl", "msvcrt", "O_NOFOLLOW", "dir_fd", "geteuid", "sys.platform"}
    assert {name: own for name, own in found.items() if own} == {}


def systems_own(file: Path) -> set[str]:
    """Which of them a file names."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in MODULES:
            names.add(node.attr)
            names |= {"sys.platform"} & {ast.unparse(node)}
        elif isinstance(node, ast.keyword):
            names.add(node.arg)
    return names & SYSTEMS_OWN


def test_one_place_connects_to_duckdb():
    found = {
        file.relative_to(ROOT).as_posix() for file in ROOT.rglob("*.py") if "duckdb.connect" in file.read_text("utf-8")
    }
    assert found == {"study/sql.py"}


def test_rooms_that_read_what_others_wrote_make_specs_from_data():
    """`RunSpec(…)` may load a file that its words name; `RunSpec.from_data(…)` cannot."""
    ours = {"watch/warm.py"}  # names of ours alone
    found = {
        file.relative_to(ROOT).as_posix()
        for room in ("study", "analysis", "show", "watch")
        for file in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "RunSpec"
    }
    assert found == ours


FOUND = {"problems", "populations", "lessons"}  # folders whose files are found when they are put there


def test_a_packages_docstring_is_its_index():
    for package in sorted({path.parent for path in ROOT.rglob("*.py")} - {ROOT}):
        if package.name not in FOUND:
            index = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
            files = {path.stem for path in package.glob("*.py") if path.stem != "__init__"}
            folders = {path.parent.name for path in package.glob("*/__init__.py")}
            assert [name for name in sorted(files | folders) if not re.search(rf"\b{name}\b", index)] == [], package
