"""The kernels as plain Python: every form against the model, all copies of an operation and of `stuck`, coverage."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpruntime.engine

ROOT = Path(__file__).parents[2]
MIN_COVERAGE, MAX_PARAMETERS = 0.95, 8


def _plainly(module: str) -> str:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", module]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.processes
def test_every_form_is_the_model_and_its_lines_are_run():
    said = _plainly("tests.engine.plain")
    found = re.match(r"\d+ settings, (\S+) of \d+ lines", said)
    assert found is not None
    assert float(found[1]) >= MIN_COVERAGE, said


@pytest.mark.processes
def test_all_copies_agree_with_the_model():
    assert re.fullmatch(r"545 operations, \d+ trees that may be stuck\n", _plainly("tests.engine.copies"))


def test_no_function_takes_more_than_eight_parameters():
    for file in Path(gpruntime.engine.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.Lambda):
                names = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                taken = [name for name in names if name not in ("self", "cls")]
                assert len(taken) <= MAX_PARAMETERS, f"{file.name}:{node.lineno}"
