"""The kernels, compiled for this processor, in place of a GPU."""

import os

import numpy as np
import pytest

from gpruntime.engine import run_many
from gpruntime.gpu import device, execute
from gpruntime.gpu.batch import Batch
from gpruntime.gpu.execute import LAYOUTS
from tests.gpu.host import COMPILERS, Host, compiler


@pytest.fixture(scope="session")
def host(tmp_path_factory):
    """Where there is no C++ compiler, the test is skipped with the reason; in CI it fails."""
    if compiler() is None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(f"no C++ compiler: none of {', '.join(COMPILERS)}")
    return Host(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def as_device(host, monkeypatch):
    """A machine that is taken for this computer's only GPU."""

    def taken(machine=host):
        monkeypatch.setattr("gpruntime.gpu.execute.why_none", lambda: None)
        for module in (device, execute):
            monkeypatch.setattr(module, "all_devices", lambda: [machine])
        monkeypatch.setattr("gpruntime.study.execute.all_devices", lambda: [machine])
        return machine

    return taken


def same_runs(host, spec, runs, seed=18, steps=None, change=lambda layout: layout):
    """Compares tables with the engine's; returns how many runs outgrew their room, which are left out."""
    layout = change(LAYOUTS[spec.problem.id](spec, host.machine))
    batch = Batch(host, spec, seed, range(runs), layout)
    while not batch.done:
        batch.slice(steps)
    outgrown = batch.outgrown()
    theirs = run_many(spec, seed=seed, runs=runs, method="stepping").table
    kept = np.setdiff1d(np.arange(runs), outgrown)
    assert np.array_equal(batch.out[kept], theirs[kept]), spec
    return len(outgrown)
