"""A verdict that is known is found again, and none that is of something else."""

import copy
import dataclasses
import json
import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.formatting import Above
from gpruntime.engine.cache import CodeCache
from gpruntime.paper import kept
from gpruntime.paper.evidence import made_here
from gpruntime.paper.kept import KnownVerdicts, from_text, to_text
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.report import Evaluated
from gpruntime.paper.run import _evaluate_all, evaluate
from gpruntime.paper.scale import SCALES
from gpruntime.paper.verdict import Layout, Numbers, Verdict
from gpruntime.show.page import Plate

CLAIM = CLAIMS["thm:majority_gpstar_multi_wc"]
TINY = SCALES["tiny"]


@pytest.fixture(scope="module")
def evidence():
    return made_here(list(CLAIM.cells(TINY)), TINY, 1)


@pytest.fixture(scope="module")
def made(evidence, tmp_path_factory):
    """What the claim came to, with its figures, kept in a cache."""
    base = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPRUNTIME_CACHE", str(base / "cache"))
        return evaluate(CLAIM.id, evidence, base / "figures", KnownVerdicts(base / "figures")), base


@pytest.fixture
def known(made, tmp_path, monkeypatch):
    """A copy of that cache and of the figures."""
    shutil.copytree(made[1], tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("GPRUNTIME_CACHE", str(tmp_path / "cache"))
    return KnownVerdicts(tmp_path / "figures")


def only_file(folder):
    (file,) = (folder / "cache/verdicts").iterdir()
    return file


def test_what_is_known_is_found_and_nothing_else(evidence, made, known, tmp_path, monkeypatch):
    figures = tmp_path / "figures"
    assert known.find(evidence, CLAIM.id) == made[0]
    monkeypatch.setattr("gpruntime.paper.run.evaluate", None)  # it is not asked
    assert list(_evaluate_all({CLAIM.id: evidence}, figures, 0, known)) == [made[0]]

    assert known.find(evidence, "sdp") is None
    for name, value in (("seed", 2), ("scale", SCALES["quick"]), ("scale", dataclasses.replace(TINY, trees=3))):
        other = copy.copy(evidence)
        setattr(other, name, value)
        assert known.find(other, CLAIM.id) is None
    spec, runs = next(iter(evidence.runs.items()))
    fewer = {name: getattr(runs, name)[:-1] for name in ("outcome", "evaluations", "max_leaves", "leaves")}
    for change in ({"evaluations": runs.evaluations + (runs.evaluations > 9)}, {"leaves": runs.leaves + 1}, fewer):
        other = copy.copy(evidence)
        other.runs = {**evidence.runs, spec: dataclasses.replace(runs, **change)}
        assert known.find(other, CLAIM.id) is None
    assert known.find(evidence, CLAIM.id) == made[0]

    file = next(iter(sorted(figures.iterdir())))
    file.write_bytes(file.read_bytes() + b" ")
    assert known.find(evidence, CLAIM.id) is None
    file.unlink()
    assert known.find(evidence, CLAIM.id) is None


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """Files that verdicts follow from, in place of ours."""
    folder = tmp_path / "sources"
    for name in ("paper/papers/claims.py", "analysis/estimates.py"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("a = 1\n", encoding="utf-8")
    monkeypatch.setattr(kept, "_ROOT", folder)
    kept._circumstances.cache_clear()
    yield folder
    kept._circumstances.cache_clear()


@pytest.mark.parametrize("name", ["paper/papers/claims.py", "analysis/estimates.py"])
def test_whoever_edits_a_source_gets_another_verdict(evidence, made, known, sources, tmp_path, name):
    def next_process():
        kept._circumstances.cache_clear()
        return KnownVerdicts(tmp_path / "figures")

    files = {file.name: file.read_bytes() for file in (tmp_path / "figures").iterdir()}
    before = next_process()
    assert before.find(evidence, CLAIM.id) is None  # what is known is of our files
    before.keep(evidence, made[0], files)
    assert before.find(evidence, CLAIM.id) == made[0]
    (sources / name).write_text("a = 2\n", encoding="utf-8")
    after = next_process()
    assert after.find(evidence, CLAIM.id) is None
    before.keep(evidence, made[0], files)  # by a process that began before, and may have read either
    assert after.find(evidence, CLAIM.id) is None
    (sources / name).unlink()
    assert next_process().find(evidence, CLAIM.id) is None


def test_what_is_edited_while_a_claim_is_checked_is_not_kept(evidence, made, sources, tmp_path, monkeypatch):
    monkeypatch.setenv("GPRUNTIME_CACHE", str(tmp_path / "cache"))
    known = KnownVerdicts(tmp_path / "figures")
    (sources / "paper/papers/claims.py").write_text("a = 22\n", encoding="utf-8")
    known.keep(evidence, made[0], {})
    assert list((tmp_path / "cache/verdicts").iterdir()) == []


def test_figures_are_held_to_what_was_drawn_not_to_what_another_wrote_there(evidence, made, known, tmp_path):
    figures = {file.name: file.read_bytes() for file in (tmp_path / "figures").iterdir()}
    only_file(tmp_path).unlink()
    name = sorted(figures)[0]
    (tmp_path / "figures" / name).write_bytes(b"of another call")
    known.keep(evidence, made[0], figures)
    assert known.find(evidence, CLAIM.id) is None
    (tmp_path / "figures" / name).write_bytes(figures[name])
    assert known.find(evidence, CLAIM.id) == made[0]


def test_what_is_damaged_is_thrown_away(evidence, known, tmp_path):
    file = only_file(tmp_path)
    content = bytearray(file.read_bytes())
    content[-9] ^= 1
    file.write_bytes(content)
    assert known.find(evidence, CLAIM.id) is None
    assert not file.exists()


class Hostile:
    """Unpickled, it would leave a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.attack
@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"null", b"[1, 2]", b"[[], {}]", b"\xff", b"[" * 100_000, b'{"tuple": 5}', b'{"tuple": [1, 2]}',
        b'{"Hostile": []}', b'{"dict": [1]}', b'{"Evaluated": [1]}', b'{"a": [], "b": []}',
        b'{"tuple": [{"Evaluated": ["sdp", null, {"tuple": []}, {"tuple": []}]}, {"dict": []}]}',
    ],
)  # fmt: skip
def test_what_is_read_is_data(evidence, known, tmp_path, content):
    """Its checksum fits: somebody wrote it on purpose."""
    file = only_file(tmp_path)
    CodeCache("verdicts").write_bytes(file, content)
    assert known.find(evidence, CLAIM.id) is None


@pytest.mark.attack
def test_nothing_that_is_read_runs(evidence, known, tmp_path):
    file, ran = only_file(tmp_path), tmp_path / "ran"
    CodeCache("verdicts").write(file, (Hostile(ran), {}))
    assert known.find(evidence, CLAIM.id) is None
    assert not ran.exists()
    code = file.read_bytes().partition(b"\n")[2]
    pickle.loads(code)[0].close()
    assert ran.exists()


def test_a_verdict_with_more_in_it_than_text_and_numbers_is_not_kept(evidence, made, known, tmp_path):
    only_file(tmp_path).unlink()
    for value in (Fraction(1, 3), np.float64(0.5), 10**5000):
        table = Numbers("t", "c", [{"a": value}])
        known.keep(evidence, dataclasses.replace(made[0], verdict=Verdict("open", "", tables=(table,))), {})
        assert known.find(evidence, CLAIM.id) is None


def test_where_nothing_can_be_kept_nothing_is_known(evidence, made, monkeypatch):
    monkeypatch.setattr("gpruntime.engine.cache.code_folder", lambda name: None)
    known = KnownVerdicts(made[1] / "figures")
    known.keep(evidence, made[0], {})
    assert known.find(evidence, CLAIM.id) is None


def test_a_folder_that_becomes_read_only_costs_no_verdict(evidence, made, known, tmp_path):
    shutil.rmtree(tmp_path / "cache/verdicts")
    (tmp_path / "cache/verdicts").touch()  # so that root cannot write there either
    known.keep(evidence, made[0], {})
    assert known.find(evidence, CLAIM.id) is None


def test_a_verdict_comes_back_as_it_was(made):
    estimate = Estimate(Above(1e6), 0.1, float("inf"), 0.99, "made", "said")
    numbers = Numbers(
        "t", "c", [{"a": 1, "b": 0.1 + 0.2, "c": None, "d": True}], {"a": "A"}, Layout("a", ("b",), ("c",))
    )
    verdict = Verdict("open", "Nothing “is” said.\n", "q", estimate, ("r",), (numbers, made[0].verdict.tables[0]))
    value = (Evaluated("id", verdict, (Plate("p", "c", "a", "<svg/>", "x\r\n1", 3),), ("new",)), {"p.svg": "0" * 64})
    text = to_text(value)
    assert from_text(text) == value
    assert repr(from_text(text)) == repr(value)
    json.loads(text)
    with pytest.raises(TypeError, match="no verdict has a Hostile"):
        to_text(Hostile("path"))


def test_two_calls_at_once_leave_one_whole_verdict(evidence, made, known, tmp_path):
    figures = {file.name: file.read_bytes() for file in (tmp_path / "figures").iterdir()}
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            pool.submit(known.keep, evidence, made[0], figures)
        found = [future.result() for future in [pool.submit(known.find, evidence, CLAIM.id) for _ in range(20)]]
    assert all(one == made[0] for one in found)
    assert only_file(tmp_path).is_file()
