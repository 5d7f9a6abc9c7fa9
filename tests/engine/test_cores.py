"""The same runs for any number of cores; what goes wrong, or never ends, in one thread ends all."""

import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from gpruntime import BadInput, BadPart, RunSpec, problem, processes, run_many
from gpruntime.engine import cores, execute
from gpruntime.engine.columns import row_of
from gpruntime.model.run import simulate
from tests import parts

SPECS = [
    RunSpec(problem="majority", algorithm="gp-multi", n=8),
    RunSpec(problem="order", algorithm="gpstar-single", n=8),
    RunSpec(problem="order", algorithm="smo-single", n=3),
    RunSpec(problem=parts.two_thirds, algorithm="gp-single", n=6, budget=3_000),
    RunSpec(problem=parts.order_by_leaves, algorithm="gp-single", n=4, budget=300),
]


def content(columns):
    improved = columns.improvements
    return [columns.table.tolist(), *(array.tolist() for array in (improved.offsets, improved.evaluations))]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.algorithm} on {spec.problem}")
def test_the_table_is_the_same_for_1_3_and_16_workers(spec):
    numbers = [*range(60), 5, 2**32 - 1]
    one, three, sixteen = (
        run_many(spec, seed=7, runs=numbers, improvements=True, workers=workers) for workers in (1, 3, 16)
    )
    assert content(one) == content(three) == content(sixteen)
    assert one.table[3].tolist() == row_of(simulate(spec, 7, 3)) or one.method == "skipping"


def test_every_thread_makes_runs_and_all_are_told(monkeypatch):
    makers, told = set(), []
    slice_ = execute.Execution.slice

    def noting(execution, offspring=None):
        makers.add(threading.get_ident())
        time.sleep(0.001)
        return slice_(execution, offspring)

    monkeypatch.setattr(execute.Execution, "slice", noting)
    columns = run_many(SPECS[0], seed=1, runs=200, workers=5, progress=lambda *now: told.append(now))
    assert len(makers) == 1 + 5  # this one, which begins, and then looks on
    assert told == sorted(told)
    assert told[-1] == (200, columns.evaluations.sum())


def test_few_runs_stay_in_this_thread_and_many_do_not(monkeypatch):
    monkeypatch.setattr(processes, "available_cores", lambda: 4)
    monkeypatch.setattr(cores.Threads, "_run_in_threads", lambda *_: pytest.fail("threads"))
    monkeypatch.setattr(execute, "WORTH_THREADS", 100.0)
    run_many(SPECS[0], seed=1, runs=20)
    monkeypatch.setattr(execute, "WORTH_THREADS", 0.0)
    with pytest.raises(pytest.fail.Exception):
        run_many(SPECS[0], seed=1, runs=20)
    monkeypatch.setattr(execute, "is_a_worker", lambda: True)  # whoever started it has plans for the other cores
    run_many(SPECS[0], seed=1, runs=20)


def test_blocks_are_all_of_the_rows_and_become_smaller():
    for runs, workers, most in [(1, 1, 9), (100, 1, 9), (1_000, 16, 1_000), (1_000, 3, 64)]:
        blocks, taken = cores.Blocks(3, 3 + runs, workers, most), []
        while (block := blocks.take()) is not None:
            taken += range(*block)
            assert block.end - block.first <= most
        assert taken == list(range(3, 3 + runs))


@pytest.mark.parametrize("workers", [0, -2, 1.5, True, "all", 5_000])
def test_bad_numbers_of_workers(workers):
    with pytest.raises(BadInput, match="workers = "):
        run_many(SPECS[0], runs=2, workers=workers)


def test_minus_one_is_all_cores_by_the_one_place_that_counts_them(monkeypatch):
    monkeypatch.setattr(processes, "available_cores", lambda: 11)
    assert processes.number_of_workers(None) == processes.number_of_workers(-1) == 11
    assert processes.number_of_workers(np.int64(3)) == 3


# ---- what ends badly


@problem(sees="leaves", best=lambda n: 10**6)
def raises_late(leaves, n):
    return 100 // (17 - len(leaves))


def test_one_that_raises_ends_all_of_them():
    spec = RunSpec(problem=raises_late, algorithm="gp-single", n=4, budget=10**8, max_leaves_allowed=30)
    before = threading.active_count()
    with pytest.raises(BadPart, match="raised ZeroDivisionError"):
        run_many(spec, seed=1, runs=50, workers=4)
    assert threading.active_count() == before


ENDLESS = """
    import _thread, gc, threading, time, weakref
    from gpruntime import RunSpec, problem, run_many
    from gpruntime.engine.execute import Execution

    @problem(sees="leaves", best=lambda n: 1, parameters={"most": 99})
    def endless(leaves, n, most):
        turns = 0
        while len(leaves) > most:
            turns += 1
        return turns

    def spec(most):
        name = f"{endless.id}:most={most}"
        return RunSpec(problem=name, algorithm="gp-single", n=4, init="unity:leaves=8", budget=20)

    run_many(spec(99))  # compiled
    executions, begin = weakref.WeakSet(), Execution.__init__

    def noting(self, *words, **more):
        executions.add(self)
        begin(self, *words, **more)

    Execution.__init__ = noting
    threading.Timer(5, _thread.interrupt_main).start()
    try:
        run_many(spec(16), runs=200, workers=16)  # a few get 17 leaves
    except KeyboardInterrupt as error:
        error.__traceback__ = None
    gc.collect()
    assert 0 < len(executions) < 16
    assert len(run_many(spec(99), runs=200, workers=8)) == 200
    print("ended")
"""


@pytest.mark.processes
def test_one_that_never_ends_is_left_and_the_others_end_with_what_they_had():
    """Nothing can end a thread but the end of its process, which it does not hold up; it holds no lock."""
    script = textwrap.dedent(ENDLESS)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.py").write_text(script, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, timeout=100, check=False
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")


@pytest.mark.processes
def test_what_only_the_model_runs_goes_to_processes_and_errors_are_its_own(monkeypatch):
    spec = RunSpec(problem=parts.far_from_pi, algorithm="gp-single", n=3, accept=parts.small_losses, budget=100)
    told = []
    one = run_many(spec, seed=2, runs=40, workers=1, improvements=True)
    two = run_many(spec, seed=2, runs=40, workers=2, improvements=True, progress=lambda *now: told.append(now))
    assert content(one) == content(two)
    assert told[-1] == (40, one.evaluations.sum())
    monkeypatch.setattr(execute, "WORTH_PROCESSES", 0.01)
    assert content(run_many(spec, seed=2, runs=40, improvements=True)) == content(one)
