"""What a type checker says of code that uses gpruntime: `mypy --strict`, as a user would run it."""

import os
from importlib.util import find_spec

import pytest

from tests.docs_help import ROOT, blocks_of

pytestmark = pytest.mark.skipif(
    find_spec("mypy") is None and "CI" not in os.environ, reason="mypy comes with ./run check"
)

MISUSE = """
from gpruntime import RunSpec, acceptance, operator, problem


@problem
def bare(i: int, plain: int, bar: int, n: int) -> int:  # it needs sees and best
    return plain


@problem(sees="count", best=lambda n: n)
def misspelt(i: int, plain: int, bar: int, n: int) -> int:
    return plain


@operator
class Nothing:  # without draw, apply and proposals
    pass


@acceptance
def lonely(gain: float) -> bool:
    return gain > 0


spec = RunSpec(problem="order", algorithm="gp-single", n="ten")
is_order: bool = spec.problem == "order"
RunSpec(problem="order", algorithm="gp-single", n=10, accept=spec.problem)
"""


def checked(path):
    from mypy import api

    out, err, _ = api.run(["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary", str(path)])
    return [
        line.partition(": ")[0].rpartition(":")[2] + ": " + line.partition("error: ")[2]
        for line in out.splitlines()
        if "error: " in line
    ] + err.splitlines()


def test_the_examples_of_the_readme_pass(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    examples = [block.text for block in blocks_of("README.md") if block.language == "python"]
    assert len(examples) == 2
    (tmp_path / "examples.py").write_text("\n\n".join(examples), "utf-8")
    assert checked(tmp_path / "examples.py") == []


def test_misuse_is_seen_by_the_type_checker(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    (tmp_path / "misuse.py").write_text(MISUSE, "utf-8")
    lines = MISUSE.splitlines()
    errors = checked(tmp_path / "misuse.py")
    assert {lines[int(error.partition(":")[0]) - 1] for error in errors} >= {
        "@problem",
        '@problem(sees="count", best=lambda n: n)',
        "@operator",
        "@acceptance",
        'spec = RunSpec(problem="order", algorithm="gp-single", n="ten")',
        'is_order: bool = spec.problem == "order"',
        'RunSpec(problem="order", algorithm="gp-single", n=10, accept=spec.problem)',
    }, errors
