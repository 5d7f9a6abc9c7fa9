"""Imports go downstream only: the folder order is the data flow."""

import ast
from pathlib import Path

import gpruntime

ROOT = Path(gpruntime.__file__).parent
UPSTREAM = {
    "model": {"model"},
    "engine": {"model", "engine"},
    "exact": {"model", "exact"},
    "study": {"files", "model", "engine", "study", "_version"},
    "analysis": {"model", "exact", "study", "analysis"},
    "show": {"files", "model", "exact", "study", "analysis", "show", "_version"},
    "paper": {"files", "model", "engine", "exact", "study", "analysis", "show", "paper", "_version"},
    "watch": {"files", "model", "engine", "analysis", "watch"},
    "cli": {"files", "model", "engine", "exact", "study", "analysis", "show", "paper", "watch", "cli", "_version"},
}


def imported(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
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
            assert imported(file) <= allowed, f"{file.relative_to(ROOT)} imports {imported(file) - allowed}"


def test_writing_files_needs_the_model_alone():
    assert imported(ROOT / "files.py") == {"model"}
