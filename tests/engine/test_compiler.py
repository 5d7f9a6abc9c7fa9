"""The engine's own way of compiling gives what Numba's ordinary way gives."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from gpruntime.engine.kernel import FOR_KERNELS, HELPER_OPTIONS, OPTIONS, pipelines
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
    results = []
    for helper, kernel in (({}, {}), (HELPER_OPTIONS, {**OPTIONS, **FOR_KERNELS})):
        pair = Pair(np.arange(7), 1.5)
        _, total = _compiled(helper, kernel)
        results.append((total(pair, 1000), pair.counts.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_do_what_python_does(seed):
    text = programs.program(seed)
    expected = programs.run(text, lambda f: f, lambda f: f)
    kernel = numba.njit(**OPTIONS, **FOR_KERNELS)
    assert programs.run(text, numba.njit(**HELPER_OPTIONS), kernel) == expected, text


def test_the_locked_version_is_one_that_was_tried():
    # after an upgrade of Numba: run the engine's tests with it added to _TRIED, and ./run bench engine
    assert FOR_KERNELS


@pytest.mark.parametrize("version", ["0.60.0", "1.0", "0.69.0rc1"])
def test_other_versions_compile_the_ordinary_way(version):
    assert pipelines(version) == ({}, {})


def test_a_version_not_tried_does_not_meet_the_compiler():
    script = """
import sys
import numba
numba.__version__ = "0.69.0"
import gpruntime.engine.kernel as kernel
assert kernel.FOR_KERNELS == {} and "gpruntime.engine.compiler" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("setting", ["NUMBA_DEBUGINFO", "NUMBA_BOUNDSCHECK", "NUMBA_OPT"])
def test_settings_of_numba_change_no_result(setting):
    text = programs.program(3)
    script = f"""
import numba
from gpruntime.engine.kernel import FOR_KERNELS, HELPER_OPTIONS, OPTIONS
from tests.engine import programs
print(programs.run({text!r}, numba.njit(**HELPER_OPTIONS), numba.njit(**OPTIONS, **FOR_KERNELS)))
"""
    environment = {**os.environ, setting: "1"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(programs.run(text, lambda f: f, lambda f: f))


def test_settings_that_make_other_code_have_a_folder_of_their_own(tmp_path):
    folders = set()
    for setting in ({}, {"NUMBA_BOUNDSCHECK": "1"}, {"NUMBA_OPT": "1"}):
        environment = {**os.environ, **setting, "XDG_CACHE_HOME": str(tmp_path)}
        script = "from gpruntime.engine.kernel import CACHE_FOLDER; print(CACHE_FOLDER)"
        folders.add(subprocess.check_output([sys.executable, "-c", script], env=environment, text=True))
    assert len(folders) == 3


def test_who_hunts_a_bad_index_is_told():
    script = """
import numba
import numpy as np
from gpruntime.engine.kernel import FOR_KERNELS, OPTIONS
numba.njit(**OPTIONS, **FOR_KERNELS)(lambda values, i: values[i])(np.zeros(3), 3)
"""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert "IndexError" in done.stderr


def test_a_helper_called_from_python_or_from_other_code_says_so():
    add, _ = _compiled(HELPER_OPTIONS, {**OPTIONS, **FOR_KERNELS})
    pair = Pair(np.arange(7), 1.5)
    with pytest.raises(KeyError):
        add(pair, 1, 2)
    with pytest.raises(RuntimeError, match="is a helper of kernels"):
        numba.njit(lambda pair: add(pair, 1, 2))(pair)


def test_a_helper_is_not_made_machine_code():
    add, total = _compiled(HELPER_OPTIONS, {**OPTIONS, **FOR_KERNELS})
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
