"""No index of a kernel is out of bounds, which only code compiled to check would notice."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import itertools
from gpruntime import RunSpec, run_many
from gpruntime.model.errors import BadInput

algorithms = {"stepping": ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")}
algorithms["skipping"] = algorithms["stepping"][2:]
done = 0
trees = ("unity", "bad", "insertion", "tlopt", "grow")
for problem, init, n, most, (method, names) in itertools.product(
    ("order", "majority"), trees, (1, 2, 7, 60), (None, 9, 100), algorithms.items()
):
    for name in names:
        try:
            spec = RunSpec(problem=problem, algorithm=name, n=n, init=init, budget=3000, max_leaves_allowed=most)
        except BadInput:  # an initial tree larger than allowed
            continue
        run_many(spec, 3, 4, method, improvements=True)
        done += 1
print(done)
"""


@pytest.mark.long
def test_no_index_is_out_of_bounds(tmp_path):
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert int(done.stdout) > 500
