"""What only a GPU can show: `./run test -m gpu`. Without one these are skipped with the reason."""

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from gpruntime.engine import run_many
from gpruntime.gpu import summarise_runs
from gpruntime.gpu.device import DeviceFailed, all_devices, why_none
from gpruntime.gpu.execute import run_on_gpu
from gpruntime.model.spec import RunSpec
from gpruntime.study import Plan, Study, run_study
from gpruntime.study.summaries import row_of

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(why_none() is not None, reason=str(why_none()))]

# n, and the runs of each problem and algorithm: in all more than a million
RUNS = {1: 30_000, 10: 60_000, 30: 30_000, 100: 6_000, 300: 200, 1000: 60}
BUDGET = 100_000
ALGORITHMS = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")
RULES = ("", " accept=parsimony")
INITS = ("unity", "insertion", "bad", "tlopt", "grow:join=0.6")


def by_the_engine(job):
    spec, seed, numbers = job
    return run_many(spec, seed=seed, runs=numbers, method="stepping").table


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as workers:
        yield workers


def in_parts(spec, seed, runs):
    return [(spec, seed, numbers) for numbers in np.array_split(np.arange(runs), 16) if len(numbers)]


@pytest.mark.parametrize("problem", ["majority", "order"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_million_runs_are_the_engines_bit_for_bit(problem, algorithm, pool, capsys):
    compared = 0
    for n, runs in RUNS.items():
        spec = RunSpec(problem=problem, algorithm=algorithm, n=n, budget=BUDGET)
        ours, _, outgrown = run_on_gpu(spec, 7, range(runs))
        assert outgrown < 0.05 * runs
        theirs = np.concatenate(list(pool.map(by_the_engine, in_parts(spec, 7, runs))))
        assert np.array_equal(ours, theirs), (n, np.nonzero((ours != theirs).any(axis=1))[0][:5])
        compared += runs
    with capsys.disabled():
        print(f"\n{problem} {algorithm}: {compared:,} runs compared", end="")


@pytest.mark.parametrize("problem", ["majority", "order"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("init", INITS)
def test_initial_trees_and_rules(problem, rule, init, pool):
    for algorithm in ("gp-single", "gp-multi"):
        spec = RunSpec(problem=problem, algorithm=algorithm + rule, n=12, init=init, budget=20_000)
        ours, _, _ = run_on_gpu(spec, 3, range(1000))
        assert np.array_equal(ours, np.concatenate(list(pool.map(by_the_engine, in_parts(spec, 3, 1000)))))


def test_a_summary_is_that_of_the_columns():
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=10)
    columns, found = run_many(spec, seed=5, runs=50_000, device="gpu"), summarise_runs(spec, 5, 50_000)
    assert columns.device == found.device == all_devices()[0].name
    assert columns.method == "stepping"
    reached = columns.evaluations[columns.table[:, 0] == 0]
    assert (found.total, found.optima) == (reached.sum(), len(reached))
    assert found.largest[0][0] == columns.evaluations.max()


def test_a_study_of_summaries_is_what_the_engine_adds_up(tmp_path):
    keys = {"problem": ["majority", "order"], "algorithm": "gp-single", "n": 10, "runs": 200_000, "store": "summaries"}
    run_study(Plan.of(**keys), tmp_path / "cpu")
    run_study(Plan.of(**keys, device="gpu"), tmp_path / "gpu", workers=0)
    ours, theirs = (Study.load(tmp_path / name) for name in ("gpu", "cpu"))
    assert len(ours.entries) == 2 * 4
    assert [row_of(found) for found in ours.summaries.values()] == [row_of(one) for one in theirs.summaries.values()]


def test_too_little_memory_makes_smaller_batches():
    spec, device = RunSpec(problem="majority", algorithm="gp-single", n=30), all_devices()[0]
    cupy = device.arrays
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=400 * 2**20)
    try:
        found = summarise_runs(spec, 1, 3_000_000, machine=device)
        assert found.runs == 3_000_000
        pool.free_all_blocks()
        pool.set_limit(size=2**20)
        large = RunSpec(problem="order", algorithm="gp-single", n=1000)
        with pytest.raises(DeviceFailed, match="memory"):
            run_on_gpu(large, 1, range(4), machines=[device])
    finally:
        pool.set_limit(size=0)


PROGRAM = """
import sys
from gpruntime.gpu import summarise_runs
from gpruntime.model.spec import RunSpec
spec = RunSpec(problem="majority", algorithm="gp-single", n=100)
progress = lambda *_: print("at work", flush=True)
print(summarise_runs(spec, 1, int(sys.argv[1]), progress=progress if sys.argv[2:] else None).total)
"""


def begun(*words):
    command = [sys.executable, "-c", PROGRAM, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def test_two_processes_on_one_device():
    with begun(2_000_000) as one, begun(2_000_000) as other:
        answers = {process.communicate()[0] for process in (one, other)}
    assert len(answers) == 1
    assert (one.returncode, other.returncode) == (0, 0)


def test_ctrl_c_ends_it_before_its_end():
    with begun(4_000_000_000, "progress") as process:
        assert process.stdout.readline() == b"at work\n"
        process.send_signal(signal.SIGINT)
        output = process.communicate()[0]
    assert process.returncode != 0
    assert set(output.splitlines()) <= {b"at work"}  # and no total
