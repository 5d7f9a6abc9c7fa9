"""No file says where it was made: neither where this clone lies, nor who served the packages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = (".ci", ".github", "benchmarks", "docs", "src", "tests", "web")
ANYBODYS = ("/", "/tmp", "/home", "/src", "/opt")
TEXT = ("", ".md", ".py", ".toml", ".yml", ".lock", ".json", ".js", ".mjs", ".css", ".html", ".ipynb", ".cff", ".txt")


def text_files() -> list[Path]:
    """The project's files that are text."""
    folders = [ROOT / folder for folder in FOLDERS]
    found = [*ROOT.glob("*"), *(path for folder in folders for path in folder.rglob("*"))]
    return [
        path
        for path in found
        if path.suffix in TEXT and "node_modules" not in path.parts and path.is_file() and path.stat().st_size
    ]


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
    assert len(locks) > 3
    assert [str(path.relative_to(ROOT)) for path in locks if "://" in path.read_text("utf-8")] == []


@pytest.mark.parametrize("text", ["see {}/docs", "'{}/'", "{}"])
def test_a_place_would_be_found(text):
    assert str(ROOT) in places_in(text.format(ROOT))
    assert places_in(text.format(f"web{ROOT}")) == []
