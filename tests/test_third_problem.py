"""A third problem is one file: put among ours, every room has it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpruntime

SOURCE = '''"""PARITY-COUNT: each variable an odd number of times."""

from gpruntime.model.problem import Problem


def _is_odd(i, plain, bar, n):
    return (plain + bar) % 2 == 1


PROBLEM = Problem("odd", "ODD", _is_odd, sees="counts", best=lambda n: n, ends=("weak",))
PROBLEM.number = 3
PROBLEM.line = "each variable an odd number of times"
'''

SCRIPT = """
from gpruntime import RunSpec, run_many, simulate, verify
from gpruntime.exact import solve

spec = RunSpec(problem="odd", algorithm="gp-single", n=3)
columns = run_many(spec, seed=1, runs=20)
assert [simulate(spec, 1, run).evaluations for run in range(20)] == columns.evaluations.tolist()
assert spec.law()["problem"] == "odd"
assert verify("odd").good
print(columns.solved(), solve(RunSpec(problem="odd", algorithm="gpstar-single", n=2)).optimum)
"""


@pytest.mark.processes
def test_a_file_among_ours_is_a_problem_everywhere(tmp_path):
    package = Path(gpruntime.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__", "static", "paper")
    shutil.copytree(package, tmp_path / "gpruntime", ignore=ignored)
    (tmp_path / "gpruntime" / "model" / "problems" / "odd.py").write_text(SOURCE)
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1.000")
