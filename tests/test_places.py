"""No file says where it was made: neither where this clone lies, nor who served the packages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MADE = ("site", "dist", "paper-results", "literature-results", "atlas-results")
ANYBODYS = ("/", "/tmp", "/home", "/src", "/opt")
TEXT = ("", ".md", ".py", ".toml", ".yml", ".lock", ".json", ".js", ".mjs", ".css", ".html", ".ipynb", ".cff", ".txt")


def text_files() -> list[Path]:
    """The project's files that are text."""
    found = []
    for path in ROOT.rglob("*"):
        inside = path.relative_to(ROOT).parts
        hidden = any(part in (".git", ".venv", "node_modules") or part.endswith("_cache") for part in inside)
        if not hidden and inside[0] not in MADE and path.suffix in TEXT and path.is_file():
            found.append(path)
    return found


def places_in(text: str) -> list[str]:
    """The clone's folder, and the one that it lies in, where a text names them."""
    places = [str(place) for place in (ROOT, ROOT.parent) if str(place) not in ANYBODYS]
    return [place for place in places if re.search(rf"(?<![\w.~-]){re.escape(place)}/", text + "/")]


def test_no_file_names_where_the_clone_lies():
    files = text_files()
    assert len(files) > 500
    found = {str(path.relative_to(ROOT)): places_in(path.read_text("utf-8", errors="replace")) for path in files}
    assert {name: places for name, places in found.items() if places} == {}


def test_locks_name_no_host():
    locks = [path for path in text_files() if path.suffix == ".lock" or path.name == "package-lock.json"]
    assert len(locks) > 5
    assert [str(path.relative_to(ROOT)) for path in locks if "://" in path.read_text("utf-8")] == []


@pytest.mark.parametrize("text", ["see {}/docs", "'{}/'", "{}"])
def test_a_place_would_be_found(text):
    assert str(ROOT) in places_in(text.format(ROOT))
    assert places_in(text.format(f"web{ROOT}")) == []
