import signal
import subprocess
import sys

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec
from gpruntime.engine import run_many, unsupported
from gpruntime.engine.columns import row_of
from gpruntime.engine.execute import Execution, method_for
from gpruntime.model.run import simulate
from tests import parts

SPEC = RunSpec(problem="order", algorithm="gp-single", n=6)


def test_run_numbers():
    all_of_them = run_many(SPEC, seed=1, runs=10)
    some = run_many(SPEC, seed=1, runs=[7, 2, 2])
    assert some.runs.tolist() == [7, 2, 2]
    assert some.table.tolist() == all_of_them.table[[7, 2, 2]].tolist()
    assert len(run_many(SPEC, seed=1, runs=0)) == len(run_many(SPEC, seed=1, runs=[])) == 0
    assert run_many(SPEC, seed=1, runs=np.arange(3)).table.tolist() == all_of_them.table[:3].tolist()
    assert run_many(SPEC, seed=1, runs=[2**32 - 1]).runs.tolist() == [2**32 - 1]


@pytest.mark.parametrize("runs", [-1, 2**32, [-1], [2**32], [0.5], ["a"], [[1]], 1.5])
def test_bad_run_numbers(runs):
    with pytest.raises((BadInput, TypeError)):
        run_many(SPEC, seed=1, runs=runs)


def test_bad_seed():
    with pytest.raises(BadInput):
        run_many(SPEC, seed=-1, runs=1)


def test_columns_are_the_records():
    columns = run_many(SPEC, seed=4, runs=5)
    records = [result.record() for result in columns.results()]
    assert records == [simulate(SPEC, 4, run).record() for run in range(5)]
    assert columns.proposed.sum() == (columns.evaluations - 1).sum()
    assert [str(o) for o in columns.outcome] == ["optimum"] * 5


def test_the_model_takes_over_where_the_engine_cannot():
    spec = RunSpec(problem=parts.far_from_pi, algorithm="gp-single", n=3, accept=parts.small_losses, budget=100)
    assert "model" in unsupported(spec)
    seen = []
    columns = run_many(spec, seed=2, runs=4, progress=lambda ended, evaluations: seen.append((ended, evaluations)))
    assert columns.table.tolist() == [row_of(simulate(spec, 2, run)) for run in range(4)]
    assert [ended for ended, _ in seen] == [1, 2, 3, 4]


def test_progress_is_reported():
    seen = []
    columns = run_many(
        RunSpec(problem="majority", algorithm="gp-single", n=50, budget=10**7),
        seed=3,
        runs=400,
        progress=lambda ended, evaluations: seen.append((ended, evaluations)),
    )
    assert seen[-1] == (400, columns.evaluations.sum())
    assert seen == sorted(seen)


def test_runs_that_end_at_once_are_sliced_too():
    """Their initial trees take time as well: 200 of them with 20,000 leaves each are more than one slice."""
    calls = []
    spec = RunSpec(problem="order", algorithm="gp-single", n=10_000, budget=1)
    columns = run_many(spec, seed=1, runs=200, progress=lambda ended, _: calls.append(ended))
    assert columns.evaluations.tolist() == [1] * 200
    assert len(calls) >= 4


def test_a_kernel_makes_a_million_offspring_at_a_time():
    """A fraction of a second, in which nobody hears Ctrl-C."""
    seen = [1]
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=100, budget=3_500_000)
    run_many(spec, method="stepping", runs=100, progress=lambda _, evaluations: seen.append(evaluations))
    assert len(seen) > 3
    assert np.diff(seen).max() <= 1_000_000


def test_ctrl_c_stops_a_long_run():
    """A run that would take hours, in a process of its own."""
    script = (
        "from gpruntime import RunSpec, run_many\n"
        "spec = RunSpec(problem='order', algorithm='gpstar-single', n=100_000)\n"
        "run_many(spec, method='stepping', progress=lambda *_: print('under way', flush=True))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "under way\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1].endswith("KeyboardInterrupt\n")
    finally:
        process.kill()


def test_threads_can_share_the_engine():
    """Kernels release the GIL and share nothing: the same runs from four threads at once."""
    from concurrent.futures import ThreadPoolExecutor

    expected = run_many(SPEC, seed=1, runs=400).table
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda i: run_many(SPEC, seed=1, runs=range(100 * i, 100 * i + 100)).table, range(4)))
    assert np.concatenate(parts).tolist() == expected.tolist()


def test_large_runs_end():
    """n = 20,000: billions of evaluations on ORDER, and a stuck run on MAJORITY."""
    order = run_many(RunSpec(problem="order", algorithm="gpstar-single", n=20_000), seed=1)
    assert order.fitness.tolist() == [20_000]
    assert order.evaluations[0] > 10**7
    majority = run_many(RunSpec(problem="majority", algorithm="gpstar-single", n=20_000), seed=1)
    assert [str(outcome) for outcome in majority.outcome] == ["stuck"]
    limited = run_many(RunSpec(problem="order", algorithm="gp-single", n=5_000, budget=200_000), seed=1)
    assert limited.evaluations[0] <= 200_000


@pytest.mark.parametrize("problem", ["majority", "order"])
@pytest.mark.parametrize("algorithm", ["gp-single", "gp-multi", "gpstar-single", "gpstar-multi"])
def test_a_fork_goes_on_as_the_run_would(problem, algorithm):
    """Also where its arrays become too small: GP's tree grows from one leaf to more than 64."""
    spec = RunSpec(problem=problem, algorithm=algorithm, n=60, init="insertion:leaves=1", budget=5_000)
    execution = Execution(spec, 3, np.arange(2), method_for(spec, None))
    execution.slice(100)
    fork = execution.fork()
    while not execution.done:
        execution.slice(1_000)
    while not fork.done:
        fork.slice(1_000)
    assert fork.out.tolist() == execution.out.tolist()
    assert fork.run.rng.tolist() == execution.run.rng.tolist()
