"""A run as one file: what is in it, and that it is whole or not there."""

import json
import re

import pytest

from gpruntime import BadInput, Run, RunSpec
from gpruntime.watch import export
from gpruntime.watch.choice import address_of
from gpruntime.watch.window import tree_to_json
from tests.command_help import gpruntime


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_a_short_run_is_there_with_all_its_steps():
    spec = RunSpec(problem="order", algorithm="gp-multi", n=8)
    data = data_of(export.page_of(address_of(spec, 3, 0)))
    (scene,) = data["scenes"]
    (run,) = scene["runs"]
    result = Run(spec, seed=3).result()
    assert run["end"]["evaluations"] == result.evaluations
    assert sum(len(block["steps"]) for block in run["blocks"].values()) == result.evaluations - 1
    assert run["blocks"]["0"]["tree"] == tree_to_json(Run(spec, seed=3).tree)
    assert f"all {result.evaluations - 1:,} steps are in this file" in scene["words"]


def test_of_a_long_run_the_file_says_what_it_has():
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=200)
    (scene,) = data_of(export.page_of(address_of(spec, 1, 0)))["scenes"]
    (run,) = scene["runs"]
    assert run["end"]["evaluations"] > 50_000
    assert len(run["blocks"]) <= 80
    assert "the first, those around improvements, the last" in scene["words"]
    last = (run["end"]["evaluations"] - 2) // export.BLOCK
    assert {"0", "19", str(last)} <= set(run["blocks"])
    improved = [point[0] for point in run["points"] if point[3]]
    assert 100 < len(improved) <= 200 - run["points"][0][1]
    kept = sum(str((t - 2) // export.BLOCK) in run["blocks"] for t in improved)
    assert kept > 0.9 * len(improved)


def test_two_runs_from_the_same_tree():
    words = address_of(RunSpec(problem="majority", algorithm="gp-single", n=6), 1, 0, "gpstar-multi")
    first, second = data_of(export.page_of(words))["scenes"][0]["runs"]
    assert first["blocks"]["0"]["tree"] == second["blocks"]["0"]["tree"]
    assert (first["start"]["algorithm"], second["start"]["algorithm"]) == ("gp-single", "gpstar-multi")


def test_nothing_comes_from_elsewhere_and_nothing_breaks_out(monkeypatch):
    page = export.page_of(address_of(RunSpec(problem="order", algorithm="gp-single", n=3), 0, 0))
    assert not re.findall(r'(?:src|href)="(?!data:)[^#"]', page)
    assert "default-src &#x27;none&#x27;; script-src &#x27;sha256-" in page
    assembled = export._assembled({"words": "</script><script>alert(1)</script>"})
    assert "<script>alert" not in assembled
    assert data_of(assembled)["words"] == "</script><script>alert(1)</script>"


def test_the_command_writes_it(tmp_path):
    done = gpruntime("watch", "-n", "5", "-o", tmp_path / "run.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"wrote {tmp_path}/run.html\n", "")
    assert [path.name for path in tmp_path.iterdir()] == ["run.html"]
    assert data_of((tmp_path / "run.html").read_text(encoding="utf-8"))["scenes"][0]["state"]["n"] == "5"


def test_a_file_has_a_run_for_each_way_to_choose():
    words = address_of(RunSpec(problem="order", algorithm="gp-single", n=3), 0, 0)
    data = data_of(export.page_of(words, choices={"seed": ("0", "7"), "n": ("3", "4", "5")}))
    assert data["choices"] == {"seed": ["0", "7"], "n": ["3", "4", "5"]}
    for scene in data["scenes"]:
        spec = RunSpec(problem="order", algorithm="gp-single", n=int(scene["state"]["n"]))
        assert scene["runs"][0]["end"]["evaluations"] == Run(spec, int(scene["state"]["seed"])).result().evaluations
    assert len({(scene["state"]["seed"], scene["state"]["n"]) for scene in data["scenes"]}) == 6


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"seed": tuple(map(str, range(201)))}, "must be at most 200 in a file"),
        ({"seed": tuple("0123456789")}, "more than 0 MB; take fewer, or a smaller n"),
        ({"algorithm": ("gp-double",)}, "must be one of gp-single"),
    ],
)
def test_too_much_to_choose_from_is_one_line(monkeypatch, choices, words):
    monkeypatch.setattr(export, "_MAX_CHARACTERS", 20_000)
    with pytest.raises(BadInput, match=words):
        export.page_of(address_of(RunSpec(problem="order", algorithm="gp-single", n=3), 0, 0), choices=choices)


def test_the_command_checks_what_can_be_chosen(tmp_path):
    for choose, words in (("colour=red", "must be one of seed, n"), ("seed", "must be NAME=VALUE,VALUE")):
        done = gpruntime("watch", "--choose", choose, "-o", tmp_path / "run.html")
        assert (done.returncode, done.stdout, list(tmp_path.iterdir())) == (2, "", [])
        assert words in done.stderr


def test_a_failure_leaves_nothing_behind(tmp_path, monkeypatch):
    (tmp_path / "run.html").write_text("old", encoding="utf-8")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gpruntime.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        export.write_page(
            str(tmp_path / "run.html"), address_of(RunSpec(problem="order", algorithm="gp-single", n=3), 0, 0)
        )
    assert [path.name for path in tmp_path.iterdir()] == ["run.html"]
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == "old"
