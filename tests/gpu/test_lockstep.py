"""The kernels make the engine's runs, number for number: compiled for this processor, lane by lane."""

import dataclasses

import numpy as np
import pytest

from gpruntime import RunSpec, run_many
from gpruntime.engine.summary import BINS, OPEN_BIN, RunsSummary, bin_begins, bins_of
from gpruntime.gpu.batch import Batch
from gpruntime.gpu.execute import LAYOUTS, run_on_gpu, summarise_runs, why_not
from gpruntime.gpu.layout import Machine
from tests.engine.golden import settings
from tests.gpu.host_help import as_device, host, same_runs  # noqa: F401  # fixtures
from tests.shares import one_in

GOLDEN = [spec for method, _, spec in settings() if method == "stepping" and spec.n <= 400]


@pytest.mark.parametrize("algorithm", one_in(3, ["gp-single", "gp-multi", "gpstar-single", "gpstar-multi"]))
@pytest.mark.parametrize("problem", ["majority", "order"])
def test_whole_runs_in_slices(host, problem, algorithm):  # noqa: F811
    for n, steps in ((8, None), (8, 37), (30, 1000)):
        assert same_runs(host, RunSpec(problem=problem, algorithm=algorithm, n=n, budget=5000), 30, steps=steps) <= 3


@pytest.mark.parametrize("problem", ["majority", "order"])
def test_a_few_settings_of_all_kinds(host, problem):  # noqa: F811
    """Dialects, limits, weights, initial trees: the golden settings, of which a test that takes long has all."""
    mine = [spec for spec in GOLDEN if spec.problem.id == problem and why_not(spec) is None and spec.n <= 50]
    for place, spec in enumerate(mine[::20]):
        same_runs(host, spec, 3, steps=(None, 101, 1000)[place % 3])


@pytest.mark.long
@pytest.mark.parametrize("problem", ["majority", "order"])
def test_all_settings(host, problem):  # noqa: F811
    compared = 0
    for place, spec in enumerate(spec for spec in GOLDEN if spec.problem.id == problem):
        if why_not(spec) is None:
            same_runs(host, spec, 3, steps=(None, 101, 1000)[place % 3])
            compared += 1
    assert compared > 100


def test_parsimony_and_larger_numbers(host):  # noqa: F811
    """16 bits for terminals, and counts in shared memory alone; all in global memory; 32 bits for links."""
    spec = RunSpec(problem="majority", algorithm="gp-single accept=parsimony", n=150, budget=2000)
    assert LAYOUTS["majority"](spec, host.machine).macros["TERMINAL_BITS"] == 16
    places = set()
    for shared in (2**18, 2**17, 2**10):
        host.machine, before = Machine(1, shared), host.machine
        try:
            macros = LAYOUTS["majority"](spec, host.machine).macros
            places.add((macros["COUNTS_SHARED"], macros["REGISTER_SHARED"]))
            same_runs(host, spec, 4)
        finally:
            host.machine = before
    assert len(places) >= 2

    def wide(layout):
        return dataclasses.replace(
            LAYOUTS["order"](RunSpec(problem="order", algorithm="gp-single", n=20_000), host.machine), blocks=1
        )

    large = RunSpec(problem="order", algorithm="gp-single", n=20_000, budget=300)
    assert wide(None).macros["LINK_BITS"] == 32
    same_runs(host, large, 1, change=wide)


def test_labels_that_run_out_are_spread(host):  # noqa: F811
    def few(layout):
        return dataclasses.replace(layout, macros={**layout.macros, "LABEL_BITS": 9})

    for algorithm in ("gp-single", "gp-multi"):
        same_runs(host, RunSpec(problem="order", algorithm=algorithm, n=8, budget=2000), 20, change=few)


def test_what_outgrows_its_room_is_made_by_the_engine(host):  # noqa: F811
    spec = RunSpec(problem="majority", algorithm="gp-single", n=8, weights=(1, 3, 1), budget=3000)
    table, _, outgrown = run_on_gpu(spec, 2, range(40), machines=[host])
    assert outgrown > 0
    assert np.array_equal(table, run_many(spec, seed=2, runs=40, method="stepping").table)


def test_any_numbers_in_small_batches_and_on_two_machines(host, monkeypatch):  # noqa: F811
    spec, numbers = RunSpec(problem="majority", algorithm="gpstar-single", n=8), np.array([7, 3, 2**32 - 1, 12, 3])
    theirs = run_many(spec, seed=5, runs=numbers, method="stepping").table
    assert np.array_equal(run_on_gpu(spec, 5, numbers, machines=[host])[0], theirs)
    monkeypatch.setattr(host, "most_bytes", 250_000)
    progress = []
    table = run_on_gpu(spec, 5, range(10, 510), lambda *now: progress.append(now), [host, host])[0]
    columns = run_many(spec, seed=5, runs=range(10, 510), method="stepping")
    assert np.array_equal(table, columns.table)
    assert progress[-1][0] == 500


def test_a_summary_is_that_of_the_columns(host, monkeypatch):  # noqa: F811
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=8)
    monkeypatch.setattr("gpruntime.gpu.execute._FIRST_RUNS", 50)
    monkeypatch.setattr(host, "most_bytes", 250_000)
    found, wanted = summarise_runs(spec, 3, range(5, 1005), keep=7, machine=host), RunsSummary(spec, 3, 5)
    columns = run_many(spec, seed=3, runs=range(5, 1005), method="stepping")
    wanted.add(columns.table, 5, 7, np)
    for name in ("runs", "outcomes", "total", "squares", "evaluations", "largest", "smallest"):
        assert getattr(found, name) == getattr(wanted, name), name
    assert np.array_equal(found.histogram, wanted.histogram)
    reached = columns.evaluations[columns.table[:, 0] == 0]
    assert found.mean() == pytest.approx(reached.mean())
    assert found.deviation() == pytest.approx(reached.std(ddof=1))
    beyond = dict(found.beyond())
    assert beyond[20] == (reached >= 20).sum() + 1000 - len(reached)
    assert wanted.largest[0][0] == columns.evaluations.max()


def test_bins_are_as_documented():
    begins = bin_begins()
    assert np.array_equal(bins_of(begins), np.arange(BINS))
    assert np.array_equal(bins_of(begins[1:] - 1), np.arange(BINS - 1))
    assert begins[:130].tolist() == [*range(128), 128, 130]
    assert bins_of(np.array([2**53 - 1, 2**53, 2**63 - 1])).tolist() == [OPEN_BIN, OPEN_BIN + 1, BINS - 1]


def test_a_slice_has_an_end(host):  # noqa: F811
    spec = RunSpec(problem="majority", algorithm="gp-single", n=30)
    batch = Batch(host, spec, 1, range(5), LAYOUTS["majority"](spec, host.machine))
    batch.slice(10)
    assert not batch.done
    assert batch.ended == 0
