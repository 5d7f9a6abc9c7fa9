"""Where runs are made: what is refused, what is chosen, and what happens when a device fails."""

import subprocess
import sys

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec, run_many
from gpruntime.gpu import DeviceFailed, device_for
from gpruntime.gpu.device import why_none
from gpruntime.study import BadPlan, Plan, Study, run_study
from gpruntime.study.cell import Tally
from gpruntime.study.progress import CellProgress
from gpruntime.study.schedule import Schedule
from tests.gpu.host import Host
from tests.gpu.host_help import as_device, host  # noqa: F401  # fixtures
from tests.parts import two_thirds

SPEC = RunSpec(problem="majority", algorithm="gp-single", n=8)
KEYS = {"problem": "majority", "algorithm": ["gp-single", "gpstar-single"], "n": [5, 8], "runs": 40, "seed": 4}
without_a_device = pytest.mark.skipif(why_none() is None, reason="there is a device")


@without_a_device
def test_without_a_device_there_is_one_line_and_status_2():
    with pytest.raises(BadInput, match="device = gpu"):
        run_many(SPEC, runs=3, device="gpu")
    words = ["run", "--problem", "majority", "--algorithm", "gp-single", "-n", "5", "--device", "gpu"]
    done = subprocess.run([sys.executable, "-m", "gpruntime", *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("gpruntime: --device gpu: ")
    assert len(done.stderr.splitlines()) == 1
    assert run_many(SPEC, seed=1, runs=3, device="auto").device == "cpu"


@without_a_device
def test_a_study_that_wants_a_device_writes_nothing_without_one(tmp_path):
    with pytest.raises(BadInput, match="device = gpu"):
        run_study(Plan.of(**KEYS, device="gpu"), tmp_path / "study")
    assert not (tmp_path / "study").exists()


def test_what_kernels_cannot_do_is_refused(as_device):  # noqa: F811
    as_device()

    for spec, words in (
        (RunSpec(problem=two_thirds, algorithm="gpstar-single", n=3), "majority and order only"),
        (RunSpec(problem="order", algorithm="gp-single", n=3, operator="hvl"), "hvl-prime only"),
        (RunSpec(problem="order", algorithm="smo-single", n=3, budget=9), "GP only"),
        (RunSpec(problem="order", algorithm="gp-multi", n=3, operations="exactly:k=2000", budget=5), "at most 1024"),
    ):
        with pytest.raises(BadInput, match=words):
            run_many(spec, runs=2, device="gpu")
    with pytest.raises(BadInput, match="stepping"):
        run_many(RunSpec(problem="order", algorithm="gpstar-single", n=3), method="skipping", device="gpu")
    with pytest.raises(BadInput, match="improvements"):
        run_many(SPEC, improvements=True, device="gpu")
    with pytest.raises(BadInput, match="did you mean gpu"):
        run_many(SPEC, device="gpus")


def test_auto_takes_the_device_for_many_runs(as_device):  # noqa: F811
    as_device()
    strict = RunSpec(problem="majority", algorithm="gpstar-single", n=8)
    assert device_for(SPEC, 10, "auto", None, False) == "cpu"
    assert device_for(SPEC, 10**6, "auto", None, False) == "gpu"
    assert device_for(strict, 10**6, "auto", None, False) == "cpu"  # skipping takes less
    assert device_for(strict, 10**6, "auto", "stepping", False) == "gpu"


def test_columns_say_which_device_made_them(as_device):  # noqa: F811
    machine = as_device()
    ours, theirs = run_many(SPEC, seed=1, runs=20, device="gpu"), run_many(SPEC, seed=1, runs=20)
    assert (ours.device, ours.method, theirs.device) == (machine.name, "stepping", "cpu")
    assert ours.to_arrow().drop(["seconds"]) == theirs.to_arrow().drop(["seconds"])


class Failing(Host):
    """Fails after this many launches."""

    left = 3

    def launch(self, kernel, layout, *arguments):
        self.left -= 1
        if self.left < 0:
            raise subprocess.CalledProcessError(1, "a kernel")
        super().launch(kernel, layout, *arguments)


def table(folder):
    rows = Study.load(folder).table().drop(["seconds"]).to_pylist()
    return sorted(rows, key=lambda row: (row["cell"], row["run"]))


def test_a_study_on_a_device_holds_the_same_runs_also_when_it_fails_midway(as_device, host, tmp_path):  # noqa: F811
    run_study(Plan.of(**KEYS, method="stepping"), tmp_path / "cpu", workers=0)
    as_device(host)
    run_study(Plan.of(**KEYS, device="gpu"), tmp_path / "gpu", workers=0)
    assert table(tmp_path / "gpu") == table(tmp_path / "cpu")
    machine = as_device(Failing(host._folder))
    run_many(SPEC, runs=1, device="gpu")  # two launches
    with pytest.raises(DeviceFailed, match="a kernel"):
        run_many(SPEC, runs=1, device="gpu")
    machine.left = 3
    assert not run_study(Plan.of(**KEYS, device="gpu"), tmp_path / "failing", workers=0).failures
    assert table(tmp_path / "failing") == table(tmp_path / "cpu")


def test_summaries_of_a_study_are_the_same_bytes_whoever_adds_up(as_device, host, tmp_path):  # noqa: F811
    keys = {**KEYS, "store": "summaries", "extremes": 3, "budget": 200}

    def shards(folder):
        return {path.name: path.read_bytes() for path in (tmp_path / folder / "shards").iterdir()}

    run_study(Plan.of(**keys, method="stepping"), tmp_path / "cpu", workers=0)
    as_device(host)
    run_study(Plan.of(**keys, device="gpu"), tmp_path / "gpu", workers=0)
    assert shards("gpu") == shards("cpu")
    assert all(found.device == "" for found in Study.load(tmp_path / "gpu").summaries.values())
    machine = as_device(Failing(host._folder))
    machine.left = 3
    assert not run_study(Plan.of(**keys, device="gpu"), tmp_path / "failing", workers=0).failures
    assert machine.left < 0
    assert shards("failing") == shards("cpu")


def test_parts_of_summaries_are_large_where_a_gpu_makes_them():
    keys = {"problem": "majority", "algorithm": "gp-single", "n": 5, "runs": 200_000, "store": "summaries"}
    plan = Plan.of(**keys, device="gpu", operator=["hvl-prime", "hvl"])
    progress = [CellProgress(cell, Tally(), 200_000, False) for cell in plan.cells]
    schedule = Schedule(plan, progress, {}, "sources")
    parts = [schedule.next_chunk(1).parts for _ in plan.cells]
    assert [(part.spec.operator.id, part.count) for (part,) in parts] == [("hvl-prime", 65_536), ("hvl", 1024)]


def test_plans():
    for keys, words in (({"method": "skipping"}, "stepping"), ({"improvements": True}, "improvements")):
        with pytest.raises(BadPlan, match=words):
            Plan.of(**KEYS, device="gpu", **keys)
    with pytest.raises(BadPlan, match="did you mean gpu"):
        Plan.of(**KEYS, device="gpuu")
    cpu, gpu = Plan.of(**KEYS), Plan.of(**KEYS, device="gpu")
    assert "device: cpu in the folder" in gpu.contradictions(cpu)[0]
    weak = {**KEYS, "algorithm": "gp-single"}
    assert Plan.of(**weak, device="gpu").contradictions(Plan.of(**weak)) == []
    assert np.array_equal([cell.id for cell in cpu.cells], [cell.id for cell in gpu.cells])
