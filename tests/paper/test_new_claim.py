"""A new claim is one file that is put beside the papers: found, run, judged, drawn and told."""

import pytest

from gpruntime.paper import papers
from gpruntime.paper.run import execute
from gpruntime.paper.scale import SCALES

CLAIM = '''
"""Somebody's remark on ORDER."""

from gpruntime.paper.claim import ABSTRACT, THEOREM, Claim, Paper
from gpruntime.paper.kinds import Ask, Levels
from gpruntime.paper.kinds.levels import SHARE_AXIS
from gpruntime.paper.lines import over_n
from gpruntime.paper.rules import above, below


def lines(scale):
    setting = {"problem": "order", "init": "unity:leaves=1", "budget": lambda n: 100 * n * n}
    return [over_n(name, (2, 3, 4), 30, algorithm=name, **setting) for name in ("gp-single", "gpstar-single")]


def claim(identifier, rule):
    return Claim(
        id=identifier,
        title="ORDER is solved",
        kind=THEOREM,
        place="abstract",
        statement="Both algorithms solve ORDER.",
        rule="Supported if P(optimum) lies on its side of 0.5.",
        check=Levels(
            name=identifier,
            lines=lines,
            asks=[Ask(rule, 0.5)],
            sentence=lambda facts: f"P(optimum) at n = {facts.n}: {facts.each()}.",
            number="gp-single",
            quantity="P(optimum)",
            caption="P(optimum)",
            figure={"title": "ORDER", "ylabel": "P(optimum)", "caption": "With 95 % intervals.", **SHARE_AXIS},
        ),
        wording=ABSTRACT,
    )


PAPER = Paper("somebody-2026", "Somebody", "ORDER", "a letter", 2026, "read", (claim("Z1", above), claim("Z2", below)))
'''


@pytest.fixture
def added(monkeypatch, tmp_path):
    """The papers with one more, as an import of the package would find them."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "somebody_2026.py").write_text(CLAIM, encoding="utf-8")
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(folder)])
    everything = papers._papers()
    for paper in everything.values():
        monkeypatch.setitem(papers.PAPERS, paper.name, paper)
        for claim in paper.claims:
            monkeypatch.setitem(papers.CLAIMS, claim.id, claim)
    return everything["somebody-2026"]


def test_one_file_adds_claims(added, tmp_path):
    done = execute(added.claims, SCALES["tiny"], 1, tmp_path / "results", workers=0)
    assert [(result.id, result.verdict.status) for result in done.results] == [
        ("Z1", "supported"),
        ("Z2", "contradicted"),
    ]
    figures = {path.name for path in (tmp_path / "results" / "figures").iterdir()}
    assert {"Z1.svg", "Z1.csv", "Z1-numbers.csv", "Z2.svg"} <= figures
    page = done.page.read_text(encoding="utf-8")
    for text in ("Somebody: <i>ORDER</i>", "Both algorithms solve ORDER.", "P(optimum) at n = 4: gp-single 1 ["):
        assert text in page
    assert next(iter(papers.PAPERS)) == papers.FOUNDING
