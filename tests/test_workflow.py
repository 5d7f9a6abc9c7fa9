"""The workflow for a public CI: it can be read, its actions have versions, and what it calls is there."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from gpruntime.cli.main import commands

ROOT = Path(__file__).parents[1]
FILE = ROOT / ".github" / "workflows" / "tests.yml"
WORKFLOW = yaml.safe_load(FILE.read_text("utf-8"))
JOBS = WORKFLOW["jobs"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LABELS = {"ubuntu-24.04", "macos-15", "macos-15-intel", "windows-2025"}
STEPS = [(name, step) for name, job in JOBS.items() for step in job["steps"]]
CALLS = [step["run"] for _, step in STEPS if "run" in step]


def test_it_has_what_a_workflow_has():
    assert set(WORKFLOW) == {"name", True, "permissions", "concurrency", "jobs"}  # YAML takes "on" for true
    assert set(WORKFLOW[True]) == {"push", "pull_request", "workflow_dispatch"}
    assert WORKFLOW["permissions"] == {"contents": "read"}
    for job in JOBS.values():
        assert set(job) <= {"strategy", "runs-on", "timeout-minutes", "steps"}
        assert job["timeout-minutes"] <= 120


def test_names_in_braces_are_of_the_matrix():
    for name, job in JOBS.items():
        matrix = job.get("strategy", {}).get("matrix", {})
        for used in re.findall(r"\$\{\{ (.*?) \}\}", str(job)):
            assert used.removeprefix("matrix.") in matrix, name
        machines = matrix.get("os", [job["runs-on"]]) + [one["os"] for one in matrix.get("include", [])]
        assert set(machines) <= LABELS


def test_systems_and_pythons_are_those_that_are_declared():
    matrix = JOBS["systems"]["strategy"]["matrix"]
    declared = {line.rpartition(" :: ")[2] for line in PROJECT["project"]["classifiers"] if " :: Python :: 3." in line}
    assert set(matrix["python"]) == declared
    assert len(matrix["os"]) == sum(line.startswith("Operating System") for line in PROJECT["project"]["classifiers"])


@pytest.mark.parametrize("action", sorted({step["uses"] for _, step in STEPS if "uses" in step}))
def test_an_action_is_of_one_version(action):
    assert re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", action)


def test_a_job_gets_the_sources_first():
    for job in JOBS.values():
        assert job["steps"][0]["uses"].startswith("actions/checkout@")
    assert all(len({"uses", "run"} & set(step)) == 1 for _, step in STEPS)


@pytest.mark.parametrize("call", sorted(set(CALLS)))
def test_what_is_called_is_there(call):
    program, *words = shlex.split(call)
    if program.startswith(".ci/"):
        assert (ROOT / program).stat().st_mode & 0o111
        assert words in ([], ["${{", "matrix.which", "}}"])
        return
    assert (program, words[0]) == ("python", "-m")
    if words[1] == "gpruntime":
        assert CliRunner().invoke(commands, words[2:]).exit_code == 0
    elif words[1] == "pip":
        for name in re.findall(r"--group (\S+)", call):
            assert name in PROJECT["dependency-groups"]
        for names in re.findall(r"\[(.*?)\]", call):
            assert set(names.split(",")) <= set(PROJECT["project"]["optional-dependencies"])
    else:
        assert words[1] == "pytest"
        paths = [word for word in words if "tests/" in word]
        assert paths
        for path in paths:
            lines = (ROOT / path[1:]).read_text("utf-8").split() if path.startswith("@") else [path]
            assert all((ROOT / line).exists() for line in lines)
