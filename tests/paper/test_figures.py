"""Captions speak of what is drawn: the figures in which they once did not."""

import dataclasses

import pytest

from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.verdict import Numbers
from tests.paper.small import evidence_of, figures_of, verdict_of


def drawn(identifier, name, verdict=None):
    found = CLAIMS[identifier].figures(evidence_of(identifier), verdict) if verdict else figures_of(identifier)
    return next(drawing for drawing in found if drawing.name == name)


def straight(drawing):
    """The lines to compare with: (label, x, y) of those with two points."""
    lines = [line for axes in drawing.figure.axes for line in axes.get_lines() if len(line.get_xdata()) == 2]
    return {line.get_label(): (line.get_xdata(), line.get_ydata()) for line in lines}


def test_insertion_alone_has_its_line():
    drawing = drawn("disc:insert-only", "disc-insert-only")
    (x0, x1), (y0, y1) = straight(drawing)["like 1/t"]
    assert x0 * y0 == pytest.approx(x1 * y1)
    assert "dotted line, which falls like 1/t" in drawing.caption


def test_the_levels_have_their_guides():
    drawing = drawn("disc:order-neutral", "disc-order-neutral-levels")
    lines = straight(drawing)
    for label, power in (("like 1/(n−k)", 1), ("like 1/(n−k)²", 2)):
        (x0, x1), (y0, y1) = lines[label]
        assert x0**power * y0 == pytest.approx(x1**power * y1)
        assert label.removeprefix("like ") in drawing.caption


def test_the_smallest_tree_has_both_levels():
    drawing = drawn("lem:majority_gpstar_treesize", "lem-majority-gpstar-treesize")
    levels = {label: y[0] for label, (_, y) in straight(drawing).items()}
    assert levels == pytest.approx({"7n/6, the lemma": 7 / 6, "4n/3": 4 / 3})
    assert "7n/6" in drawing.caption
    assert "4n/3" in drawing.caption


def test_weights_are_left_out_only_where_some_are():
    verdict = verdict_of("disc:no-substitution")
    table = verdict.tables[0]
    for stopped in (0, 3):
        records = [row | {"without_optimum": stopped if row["weight_substitute"] else 0} for row in table.records]
        changed = dataclasses.replace(verdict, tables=(Numbers(table.name, table.caption, records),))
        drawing = drawn("disc:no-substitution", "disc-no-substitution-order", changed)
        assert ("left out" in drawing.caption) == bool(stopped)


def test_fitness_is_not_time():
    drawing = drawn("disc:asymmetry", "disc-asymmetry-size")
    assert drawing.alternative.endswith("mean leaves when k is reached over fitness k")
    assert "time" not in drawing.alternative
