"""Figures: drawn for every kind of study, the same bytes each time, with the numbers behind them."""

import csv
import io
import re

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec
from gpruntime.analysis import profiles, summarise, trajectories
from gpruntime.show import Drawing, figure_of
from gpruntime.show.drawing import FORMATS, csv_text, slug
from gpruntime.show.figures import curve_figure, law_in_tex, overview_figure
from gpruntime.show.report import drawings, write_figures
from gpruntime.show.times import chance_figure, operations_figure, times_figure
from tests.figures_help import colliding, legend_without_bars, not_drawn
from tests.runs_help import planted_table, study_table, together, watched_table


def majority(n, algorithm="gp-single", **more):
    return RunSpec(problem="majority", algorithm=algorithm, n=n, **more)


@pytest.fixture(scope="module")
def table():
    return study_table([majority(n, a) for a in ("gp-single", "gpstar-single") for n in (4, 6, 9, 14)], 40)


STUDIES = {
    "stopped": lambda: study_table([majority(n, budget=30) for n in (4, 8, 32)], 20),
    "all stopped": lambda: study_table([majority(n, budget=2) for n in (20, 30)], 5),
    "never": lambda: study_table([majority(n, "gpstar-single", init="tlopt") for n in (4, 6)], 5),
    "no laws": lambda: study_table([majority(n, a) for a in ("gp-single", "gp-multi") for n in (4, 6)], 10),
    "one run": lambda: study_table([majority(5)], 1),
    "optimal from the start": lambda: study_table([majority(n, init="x1") for n in (1,)], 4),
    "empty": lambda: study_table([majority(5)], 1).slice(0, 0),
    "inside": lambda: watched_table(majority(6), 5),
}


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_can_be_drawn(study):
    table = STUDIES[study]()
    for part in drawings(summarise(table), table).values():
        for drawing in part:
            text = drawing.svg()
            assert text.startswith("<svg")
            assert "nan" not in re.findall(r'd="([^"]*)"', text)
            assert drawing.caption
            assert not_drawn(drawing) == []
            assert colliding(drawing.figure) == []
            assert legend_without_bars(drawing.figure) == []
            assert "nan" not in drawing.csv()
            assert "None" not in drawing.csv()


def test_all_parts_are_there(table):
    parts = drawings(summarise(table))
    assert {name: len(part) for name, part in parts.items()} == {
        "overview": 1,
        "curve 1": 3,
        "curve 2": 4,
        "comparisons": 1,
        "bounds": 1,
        "inside": 0,
        "profiles": 0,
    }
    names = [drawing.name for part in parts.values() for drawing in part]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", FORMATS)
def test_equal_numbers_make_equal_files(table, kind):
    curve = summarise(table).curves[0]
    first, second = (curve_figure(curve).to_bytes(kind) for _ in range(2))
    assert first == second
    assert not re.search(rb"20[2-9][0-9]-[01][0-9]", first)  # no date
    assert b"atplotlib v" not in first  # nor a version


def test_files_and_their_numbers(tmp_path):
    summary = summarise(study_table([majority(n, "gpstar-single") for n in (4, 9, 14)], 20))
    files = write_figures(summary, tmp_path / "figures", formats=["svg"])
    files += summary.curves[0].plot().save(tmp_path / "figures", ["pdf", "png"])[:2]
    assert {path.suffix for path in files} == {".svg", ".pdf", ".png", ".csv"}
    assert sorted(tmp_path.joinpath("figures").iterdir()) == sorted(files)  # nothing half-written beside them
    rows = list(csv.DictReader(io.StringIO((tmp_path / "figures" / "cells.csv").read_text(encoding="utf-8"))))
    assert [int(row["n"]) for row in rows] == [cell.n for cell in summary.cells]
    assert float(rows[0]["p_optimum"]) == summary.cells[0].chance.value
    assert rows[-1]["mean"] == "inf"
    behind = next(path for path in files if path.name.startswith("time-") and path.suffix == ".csv")
    drawn = list(csv.DictReader(io.StringIO(behind.read_text(encoding="utf-8"))))
    assert [float(row["mean_given_optimum"]) for row in drawn] == [cell.given_optimum.value for cell in summary.cells]


def test_equation_and_law_are_in_the_figure():
    generator = np.random.default_rng(1)
    tables = [planted_table(majority(n), generator.gamma(20, n * n / 20, 50)) for n in (10, 20, 40, 80, 160)]
    drawing = curve_figure(summarise(together(tables)).curves[0])
    labels = drawing.figure.axes[0].get_legend_handles_labels()[1]
    assert any("n^2" in label for label in labels)
    assert drawing.figure.axes[0].get_xscale() == drawing.figure.axes[0].get_yscale() == "log"


def test_results_draw_themselves(table):
    summary = summarise(table)
    watched = [one(watched_table(majority(5), 4))[0] for one in (trajectories, profiles)]
    for result in (summary, summary.cells[0], summary.curves[0], summary.comparisons[0], summary.bounds[0], *watched):
        drawing = result.plot()
        assert isinstance(drawing, Drawing)
        assert drawing._repr_svg_().startswith("<svg")
        assert "<table" in result._repr_html_()
    with pytest.raises(BadInput, match="must be a result"):
        figure_of(3)


def test_the_users_style_is_left_alone(table):
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 33}):
        summarise(table).plot().to_bytes("svg")
        assert mpl.rcParams["font.size"] == 33


def test_unknown_format():
    with pytest.raises(BadInput, match="must be one of svg, pdf, png"):
        Drawing("x", None, "", []).to_bytes("gif")


def test_names_and_csv():
    assert slug("(1+1) GP*-single on ORDER, initial tree unity") == "gpstar-single-on-order-initial-tree-unity"
    assert slug("(1+1) GP-single on ORDER, initial tree (x1 !x2)").startswith("gp-single-on-order-initial-tree-x1-x2-")
    assert slug("initial tree (x1 !x2)") != slug("initial tree (!x1 x2)")
    assert slug("x" * 100 + "a") != slug("x" * 100 + "b")
    assert len(slug("x" * 200)) < 100
    assert csv_text([]) == ""
    assert csv_text([{"a": 1, "b": None, "c": float("inf"), "d": 'x,"y'}]) == 'a,b,c,d\n1,,inf,"x,""y"\n'


def test_a_law_that_overflows_beyond_the_fit():
    """2^(βn) is best up to n = 20; at n = 6000 it is beyond all floats, and no run ended there."""
    generator = np.random.default_rng(1)
    tables = [planted_table(majority(n), 10 * generator.gamma(50, 2.0**n / 50, 40)) for n in (3, 4, 6, 9, 14, 20)]
    tables.append(planted_table(majority(6000, budget=10), np.full(20, 10), "budget"))
    tables.append(planted_table(majority(5000, budget=10), np.full(20, 10), ["optimum"] * 10 + ["budget"] * 10))
    (curve,) = summarise(together(tables)).curves
    assert curve.fit.best.law.id == "2^n"
    assert curve_figure(curve).to_bytes("svg")


def test_figures_of_alike_settings_have_their_own_files(tmp_path):
    specs = [majority(4, init=tree) for tree in ("(x1 !x2)", "(!x1 x2)")]
    specs += [majority(4, weights=(1, 1, w)) for w in (0.12345678, 0.12345679)]
    specs += [majority(4, budget=budget) for budget in (10**6, 10**7)]
    summary = summarise(study_table(specs, 5))
    assert len(summary.curves) == 6
    drawn = [drawing for part in drawings(summary).values() for drawing in part]
    assert len({drawing.name for drawing in drawn}) == len(drawn)
    two = summarise(study_table(specs[:2], 5))
    drawn = [drawing for part in drawings(two).values() for drawing in part]
    files = write_figures(two, tmp_path, formats=["svg"])
    assert len(list(tmp_path.iterdir())) == len(files) == 2 * len(drawn) + 4


def _inside(drawing):
    """Whether all titles and legends lie within the figure."""
    figure = drawing.figure
    drawing.to_bytes("svg")
    renderer = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else None
    texts = [axes.title for axes in figure.axes] + [axes._left_title for axes in figure.axes] + list(figure.legends)
    texts += [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    boxes = [text.get_window_extent(renderer) for text in texts]
    return all(box.x1 <= figure.bbox.x1 + 1 and box.x0 >= -1 for box in boxes)


def test_long_titles_are_wrapped():
    long = majority(5, weights=(0.123456789, 1, 0.5), last_leaf="empty", substitute="nodes")
    (curve,) = summarise(study_table([long], 5)).curves
    for drawing in (curve_figure(curve), times_figure(curve), operations_figure(curve)):
        assert _inside(drawing), drawing.name


def test_an_overview_of_many_curves():
    tables = [
        planted_table(majority(n, init=f"unity:leaves={leaves}"), np.arange(20, 40) * n * leaves)
        for leaves in range(100, 112)
        for n in (4, 8, 16, 32)
    ]
    tables.append(planted_table(majority(4, "gpstar-single", init="tlopt"), np.full(5, 7), "stuck"))
    drawing = summarise(together(tables)).plot()
    assert _inside(drawing)
    assert len(drawing.figure.axes) == 2
    assert "Not drawn" in drawing.caption
    assert "GP*-single" in drawing.caption.partition("Not drawn")[2]
    assert len({record["curve"] for record in drawing.records}) == 13


def test_products_in_legends():
    generator = np.random.default_rng(1)
    tables = [planted_table(majority(n), 10 * generator.gamma(50, 2.0**n / 50, 40)) for n in (3, 4, 6, 9, 14, 20)]
    (curve,) = summarise(together(tables)).curves
    assert r"\cdot 2^{" in law_in_tex(curve.fit.best)


def test_a_narrow_axis_has_more_than_one_label():
    from gpruntime.show.axes import log_values, new_figure

    figure, (axes,) = new_figure(3.0)
    axes.plot([1, 2], [0.86, 1.0])
    log_values(axes)
    figure.draw_without_rendering()
    low, high = axes.get_ylim()
    labels = [text.get_text() for text in axes.get_yticklabels(which="both") if low <= text.get_position()[1] <= high]
    assert len([label for label in labels if label]) >= 2


def test_captions_name_the_method_of_their_intervals():
    (curve,) = summarise(planted_table(majority(5), np.arange(20, 60))).curves
    assert "with Clopper–Pearson 95 % intervals" in chance_figure(curve).caption
    assert "95 % intervals (Clopper–Pearson)" in times_figure(curve).caption


def test_an_interval_that_goes_on_has_an_arrow():
    wide = [planted_table(majority(n), np.array([n, n, n, 10_000 * n])) for n in (4, 8)]
    narrow = [planted_table(majority(n), np.full(40, 100 * n)) for n in (4, 8)]
    for tables, expected in ((wide, True), (narrow, False)):
        drawing = overview_figure(summarise(together(tables)))
        (axes,) = drawing.figure.axes
        tips = [
            line for line in axes.get_lines() if line.get_marker() == "^" and line.get_ydata()[0] == axes.get_ylim()[1]
        ]
        assert bool(tips) == ("An arrow" in drawing.caption) == expected


def test_small_multiples_share_their_axes_and_name_their_curves():
    specs = [
        RunSpec(problem=p, algorithm=a, n=n)
        for p in ("order", "majority")
        for a in ("gp-single", "gp-multi")
        for n in (4, 8)
    ]
    drawing = overview_figure(summarise(study_table(specs, 20)))
    left, right = drawing.figure.axes
    assert (left.get_title(loc="left"), right.get_title(loc="left")) == ("MAJORITY", "ORDER")
    assert left.get_ylim() == right.get_ylim()
    for axes in (left, right):
        assert sorted(text.get_text() for text in axes.texts) == ["GP-multi", "GP-single"]
    assert _inside(drawing)
