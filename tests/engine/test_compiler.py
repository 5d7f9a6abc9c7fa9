"""The engine's own way of compiling gives what Numba's ordinary way gives."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from gpruntime.engine import compiler
from gpruntime.engine.kernel import HELPER_OPTIONS, OPTIONS
from tests.engine import programs


class Pair(NamedTuple):
    counts: np.ndarray
    scale: float


def _add(pair, i, by):
    before = pair.counts[i]
    pair.counts[i] = before + by
    return before


def _kernel(add):
    def total(pair, steps):
        found = 0.0
        for step in range(steps):
            i = step % pair.counts.shape[0]
            if add(pair, i, max(step - 3, 0)) > 5 and not (step & 1):
                found += pair.scale / (step + 1)
        return found, pair.counts.sum() == steps

    return total


def _compiled(helper: dict[str, Any], kernel: dict[str, Any]) -> tuple[Any, Any]:
    add = numba.njit(**helper)(_add)
    return add, numba.njit(**kernel)(_kernel(add))


def test_the_same_results_as_the_ordinary_way():
    for_kernels, _ = compiler.pipelines()
    results = []
    for helper, kernel in (({}, {}), (HELPER_OPTIONS, {**OPTIONS, **for_kernels})):
        pair = Pair(np.arange(7), 1.5)
        _, total = _compiled(helper, kernel)
        results.append((total(pair, 1000), pair.counts.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_do_what_python_does(seed):
    text = programs.program(seed)
    expected = programs.run(text, lambda f: f, lambda f: f)
    kernel = numba.njit(**OPTIONS, **compiler.FOR_KERNELS)
    assert programs.run(text, numba.njit(**HELPER_OPTIONS), kernel) == expected, text


def test_the_locked_version_is_one_that_was_tried():
    # after an upgrade of Numba: run the engine's tests with it added to _TRIED, and ./run bench engine
    assert compiler.FOR_KERNELS


@pytest.mark.parametrize("version", ["0.60.0", "1.0", "0.69.0rc1"])
def test_other_versions_compile_the_ordinary_way(version):
    assert compiler.pipelines(version) == ({}, {})


def test_a_helper_is_not_made_machine_code():
    add, total = _compiled(HELPER_OPTIONS, {**OPTIONS, **compiler.FOR_KERNELS})
    total(Pair(np.arange(7), 1.5), 10)
    for function, translated in ((add, False), (total, True)):
        (result,) = function.overloads.values()
        engine = result.library.codegen._engine
        assert engine.is_symbol_defined(result.fndesc.llvm_func_name) is translated


def test_a_helper_within_a_kernel_is_nobody_elses(tmp_path):
    """LLVM changes what `labels._spread` is given within a kernel; another function must not find that one by name."""
    script = """
from gpruntime import RunSpec, run_many
from tests.engine.test_labels import test_labels_stay_in_order

run_many(RunSpec(problem="order", algorithm="gp-single", n=5), method="stepping")
test_labels_stay_in_order("same gap")
"""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}  # so that the kernel is compiled
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
