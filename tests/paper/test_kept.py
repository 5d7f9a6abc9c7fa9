"""A verdict that is known is found again, and none that is of something else."""

import copy
import dataclasses

import pytest

from gpruntime.paper import kept
from gpruntime.paper.evidence import made_here
from gpruntime.paper.kept import KnownVerdicts
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.run import _evaluate_all, evaluate
from gpruntime.paper.scale import SCALES

CLAIM = CLAIMS["thm:majority_gpstar_multi_wc"]
TINY = SCALES["tiny"]


@pytest.fixture
def evidence():
    return made_here(list(CLAIM.cells(TINY)), TINY, 1)


@pytest.fixture
def known(tmp_path, monkeypatch):
    monkeypatch.setenv("GPRUNTIME_CACHE", str(tmp_path / "cache"))
    return KnownVerdicts(tmp_path / "figures")


def test_what_is_known_is_found_and_nothing_else(evidence, known, tmp_path, monkeypatch):
    figures = tmp_path / "figures"
    assert known.find(evidence, CLAIM.id) is None
    made = evaluate(CLAIM.id, evidence, figures, known)
    assert known.find(evidence, CLAIM.id) == made
    monkeypatch.setattr("gpruntime.paper.run.evaluate", None)  # it is not asked
    assert list(_evaluate_all({CLAIM.id: evidence}, figures, 0, known)) == [made]

    assert known.find(evidence, "sdp") is None
    other = copy.copy(evidence)
    other.seed = 2
    assert known.find(other, CLAIM.id) is None
    other = copy.copy(evidence)
    spec, runs = next(iter(evidence.runs.items()))
    other.runs = {
        **evidence.runs,
        spec: dataclasses.replace(runs, evaluations=runs.evaluations + (runs.evaluations > 9)),
    }
    assert known.find(other, CLAIM.id) is None
    with monkeypatch.context() as edited:
        edited.setattr(kept, "_circumstances", lambda: "other sources")
        assert known.find(evidence, CLAIM.id) is None
    assert known.find(evidence, CLAIM.id) == made

    file = next(iter(sorted(figures.iterdir())))
    file.write_bytes(file.read_bytes() + b" ")
    assert known.find(evidence, CLAIM.id) is None
    file.unlink()
    assert known.find(evidence, CLAIM.id) is None


def test_what_is_damaged_is_thrown_away(evidence, known, tmp_path):
    evaluate(CLAIM.id, evidence, tmp_path / "figures", known)
    (file,) = (tmp_path / "cache/verdicts").iterdir()
    content = bytearray(file.read_bytes())
    content[-9] ^= 1
    file.write_bytes(content)
    assert known.find(evidence, CLAIM.id) is None
    assert not file.exists()
