"""What a package index would show: links and pictures that work there, and bounds that the pages name."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HERE = "https://example.org/gpruntime"
_specification = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
hatch_build = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(hatch_build)


def targets(text):
    return re.findall(r"\]\(([^)\s]+)\)", text)


@pytest.mark.parametrize("repository", ["", HERE])
def test_no_link_of_the_long_description_is_relative(repository):
    text = hatch_build.long_description(README, repository, "1.2.3")
    assert all(target.startswith(("https://", "#")) for target in targets(text))
    assert ("<!--" in README) > ("<!--" in text)
    assert "| ORDER, MAJORITY, HVL-Prime | yes |" in text
    assert bool(re.search(r"!\[", text)) == bool(repository)


def test_with_a_repository_they_lead_to_files_of_this_version():
    text = hatch_build.long_description(README, HERE, "1.2.3")
    ours = [target for target in targets(text) if target.startswith(HERE)]
    assert len(ours) == len([target for target in targets(README) if not target.startswith(("https://", "#"))]) > 10
    for target in ours:
        kind, version, path = target.removeprefix(f"{HERE}/").split("/", 2)
        assert (kind, version) == ("raw" if path.endswith(".png") else "blob", "v1.2.3")
        assert (ROOT / path.partition("#")[0]).exists()
    assert hatch_build.addresses(HERE)["Issues"] == f"{HERE}/issues"
    assert hatch_build.addresses("") == {}


def test_the_address_is_one_or_not_there_yet():
    assert re.fullmatch(r"(https://[^\s]*[^/])?", PROJECT["tool"]["gpruntime"]["repository"])


def test_the_page_on_systems_names_the_lower_bounds():
    page = (ROOT / "docs" / "systems.md").read_text("utf-8")
    bounds = dict(line.split(">=") for line in PROJECT["project"]["dependencies"])
    told = dict(re.findall(r"^\| (\w+) \| ([\d.]+) \|", page, re.MULTILINE))
    assert told.pop("Python") == PROJECT["project"]["requires-python"].removeprefix(">=")
    assert told
    assert {name.lower(): bound for name, bound in told.items()}.items() <= bounds.items()
