"""The report: one page that needs nothing else, summary first, readable on a phone, the same bytes each time."""

import csv
import io
import json
import re
import shlex
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from gpruntime import RunSpec
from gpruntime.analysis import summarise
from gpruntime.cli.main import commands
from gpruntime.show.drawing import csv_text
from gpruntime.show.repeat import commands as commands_of
from gpruntime.show.report import drawings, report_html, write_report
from gpruntime.show.tables import Table
from gpruntime.show.terminal import summary_text, table_lines
from tests.runs_help import planted_table, study_table, together, watched_table

PROVENANCE = {"name": "A <small> study", "written": "2026-01-02", "plan": {"seed": 1, "runs": 40}}


@pytest.fixture(scope="module")
def table():
    star = [RunSpec(problem="majority", algorithm="gpstar-single", n=n, budget=400) for n in (4, 6, 9, 14)]
    weak = [RunSpec(problem="majority", algorithm="gp-single", n=n) for n in (4, 6, 9, 14)]
    return study_table([*star, *weak], 40)


@pytest.fixture(scope="module")
def page(table):
    return report_html(summarise(table), table, PROVENANCE)


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.open, self.headings = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.ids += [named["id"]] if "id" in named else []
        self.links += [value for name, value in attributes if name in ("href", "src", "xlink:href")]
        if tag not in ("meta", "br", "img", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)


def test_page_is_whole_and_needs_nothing_else(page):
    parsed = Page(page)
    assert parsed.open == []
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert all(link.startswith(("#", "data:")) for link in parsed.links)
    assert {link[1:] for link in parsed.links if link.startswith("#")} <= set(parsed.ids)
    assert "url(http" not in page
    assert "<script" not in page


def test_summary_first_then_figures_tables_provenance_and_repeating(page):
    headings = Page(page).headings
    assert headings[:2] == ["A <small> study", "Answers"]
    assert headings[-2:] == ["Provenance", "How to repeat each number"]
    assert page.index("320 runs in 8 cells") < page.index("<figure")
    assert "2026-01-02" in page
    assert "&#34;seed&#34;: 1" in page
    assert not re.search(r">[^<]*\b(nan|None|inf)\b[^<]*<", page)


def test_same_runs_same_bytes(tmp_path):
    table = study_table([RunSpec(problem="majority", algorithm="gp-single", n=n) for n in (4, 6)], 20)
    path = write_report(summarise(table), table, PROVENANCE, tmp_path / "report.html", tmp_path / "data")
    shuffled = table.take(list(range(table.num_rows))[::-1])
    assert report_html(summarise(shuffled), shuffled, PROVENANCE) == path.read_text(encoding="utf-8")
    assert (tmp_path / "data" / "cells.csv").exists()
    assert not list(tmp_path.glob(".report*"))


def test_the_commands_repeat_the_runs(table, page):
    lines = [line.replace("&#39;", "'") for line in re.findall(r"<pre>(gpruntime run .*)</pre>", page)]
    assert len(lines) == 8
    result = CliRunner().invoke(commands, shlex.split(lines[0])[1:])
    assert result.exit_code == 0, result.output
    rows = table.filter(table["n"].to_numpy() == 4).to_pylist()
    found = [int(re.search(r'"evaluations": ?(\d+)', line).group(1)) for line in result.output.splitlines()]
    assert found == [row["evaluations"] for row in rows if row["algorithm"] == "gp-single"]


def test_commands_hold_all_digits():
    spec = RunSpec(problem="order", algorithm="gp-multi", n=4, weights=(1, 1 / 3, 0.1234567891), poisson_mean=1 / 7)
    (cell,) = summarise(study_table([spec], 2)).cells
    (line,) = commands_of(cell)
    assert repr(1 / 3) in line
    assert "0.1234567891" in line
    assert repr(1 / 7) in line


def test_an_empty_study_and_inside_a_run():
    empty = study_table([RunSpec(problem="order", algorithm="gp-single", n=4)], 1).slice(0, 0)
    page = report_html(summarise(empty), empty, {})
    assert "No runs yet" in page
    assert Page(page).open == []
    watched = watched_table(RunSpec(problem="order", algorithm="gp-single", n=6), 6)
    page = report_html(summarise(watched), watched, {})
    assert 'id="inside"' in page
    assert 'id="profiles"' in page


def test_readable_on_a_phone_and_printable(browser, page, tmp_path):
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    tab = browser.new_page(viewport={"width": 360, "height": 740})
    urls = []
    tab.on("request", lambda request: urls.append(request.url))
    tab.goto((tmp_path / "report.html").as_uri())
    assert [url for url in urls if not url.startswith(("file:", "data:"))] == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", tab.pdf(format="A4"))) <= 25


def test_terminal_text(table):
    text = summary_text(summarise(table), width=90)
    assert text.startswith("320 runs in 8 cells:")
    assert max(len(line) for line in text.splitlines()) <= 90
    assert "mean if optimum" in text
    assert "stuck for ever: the mean is infinite" in text
    assert not re.search(r"\b(nan|None|inf)\b", text)


def test_wide_tables_go_on_below():
    table = Table(("n", "aaaa", "bbbb"), (("1", "22", "33"), ("10", "2", "3")))
    assert table_lines(table, 100) == ["   n  aaaa  bbbb", "   1    22    33", "  10     2     3"]
    assert table_lines(table, 12) == [
        "   n  aaaa", "   1    22", "  10     2",
        "   n  bbbb", "   1    33", "  10     3",
    ]  # fmt: skip


def test_words_of_one_small_study():
    table = together([study_table([RunSpec(problem="order", algorithm="gp-single", n=5)], 30)])
    assert summary_text(summarise(table)).splitlines()[:6] == [
        "30 runs in 1 cell: 30 reached the optimum.",
        "",
        "(1+1) GP-single on ORDER, initial tree unity",
        "  n  runs         mean  deviation       median               Tₘₐₓ",
        "  5    30  53 [41, 69]       34.8  46 [39, 62]  14.4 [12.9, 16.3]",
        "  No law: one size with a known mean, and a law needs 4.",
    ]


def test_show_as_json_tells_infinite_from_beyond_and_unknown(tmp_path, monkeypatch):
    from gpruntime.cli import study

    specs = [
        RunSpec(problem="majority", algorithm="gpstar-multi", n=5, poisson_mean=2.5, weights=(1, 2, 1), budget=100),
        RunSpec(problem="majority", algorithm="gpstar-single", n=5, init="tlopt"),
    ]
    stopped = planted_table(specs[0], np.full(9, 100), ["optimum"] + ["budget"] * 8)
    table = together([stopped, planted_table(specs[1], np.full(9, 7), "stuck")])
    monkeypatch.setattr(study, "load", lambda folder: SimpleNamespace(plan=SimpleNamespace(summarised=False)))
    monkeypatch.setattr(study, "_summary", lambda loaded: summarise(table))
    monkeypatch.setattr(study, "_complain_if_incomplete", lambda loaded: None)
    lines = CliRunner().invoke(commands, ["study", "show", "x", "--json"]).output.splitlines()
    multi, single = (json.loads(line) for line in lines)
    assert (multi["poisson_mean"], multi["weight_insert"], multi["operator"]) == (2.5, 1.0, "hvl-prime")
    assert multi["cell"] == specs[0].cell_id
    assert multi["mean"] is None
    assert multi["quantile_0.5"] == "> 100"
    assert single["mean"] == single["quantile_0.5"] == "infinite"
    rows = list(csv.DictReader(io.StringIO(csv_text(summarise(table).to_records()["cells"]))))
    assert [row["quantile_0.5"] for row in rows] == ["> 100", "inf"]


def test_other_levels_are_named_in_captions(table):
    summary = summarise(table, level=0.9)
    drawn = [drawing for part in drawings(summary).values() for drawing in part]
    assert not any("95 %" in drawing.caption for drawing in drawn)
    labels = drawn[1].figure.axes[0].get_legend_handles_labels()[1]
    assert not any("95 %" in label for label in labels)
    assert sum("90 % interval" in drawing.caption for drawing in drawn) >= 4


def test_figures_are_drawn_once_and_fewer_for_many_curves(table, tmp_path, monkeypatch):
    from gpruntime.show import report

    drawn = []
    draw = report.curve_figure
    monkeypatch.setattr(report, "curve_figure", lambda curve: drawn.append(curve.name) or draw(curve))
    monkeypatch.setattr(report, "_MAX_CURVES", 1)
    summary = summarise(table)
    write_report(summary, None, {}, tmp_path / "r.html", tmp_path / "figures")
    assert sorted(drawn) == sorted(curve.name for curve in summary.curves)
    assert not list((tmp_path / "figures").glob("operations-*"))


def test_it_begins_with_the_answer(page):
    from gpruntime.show.tables import answers

    matrix = page[page.index('<table class="matrix">') : page.index("</table>")]
    assert page.index("<figure") > page.index('<table class="matrix">') > page.index("<h1>")
    assert re.findall(r'<th scope="col">(?:\(1\+1\) )?<span class="whole">([^<]*)', matrix) == [
        "GP-single",
        "GP*-single",
    ]
    assert "stuck 0." in matrix
    assert matrix.count('href="#curve-') == 2
    mixed = [
        RunSpec(problem=p, algorithm=a, n=n)
        for p, a in (("order", "gp-multi"), ("majority", "gp-single"))
        for n in (4, 6)
    ]
    found = answers(summarise(study_table(mixed, 5)).curves)
    assert found.algorithms == ("(1+1) GP-single", "(1+1) GP-multi")
    assert [(setting, [len(cell) for cell in cells]) for setting, cells in found.rows] == [
        ("MAJORITY", [1, 0]),
        ("ORDER", [0, 1]),
    ]
