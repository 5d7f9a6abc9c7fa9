"""Figures in a page: small, dark where the page is dark, and heard where they cannot be seen."""

import colorsys
import re
from itertools import pairwise

import pytest

from gpruntime import RunSpec
from gpruntime.analysis import summarise
from gpruntime.show.drawing import colours, letters_once
from gpruntime.show.figures import curve_figure
from gpruntime.show.page import numbered, plate_of
from gpruntime.show.style import dark_of, look, shades
from gpruntime.show.times import operations_figure, times_figure
from tests.runs_help import study_table


@pytest.fixture(scope="module")
def drawn():
    specs = [RunSpec(problem="majority", algorithm="gp-single", n=n) for n in (4, 6, 9, 14)]
    (curve,) = summarise(study_table(specs, 40)).curves
    return [draw(curve) for draw in (curve_figure, times_figure, operations_figure)]


def test_colours_are_the_pages(drawn):
    svg = drawn[0].inline("f1")
    style = colours([svg])
    assert not re.search(r"(fill|stroke): #", svg)
    used = set(re.findall(r"var\((--c\w+)\)", svg))
    light, dark = style.split("@media screen and (prefers-color-scheme: dark)")
    for part in (light, dark):
        assert used <= set(re.findall(r"(--c\w+):", part))
    assert "--cffffff:#ffffff" in light
    assert "--cffffff:#161718" in dark


def test_a_letter_is_given_once(drawn):
    plates = numbered([plate_of(drawing) for drawing in drawn])
    page = "".join(plate.svg for plate in plates)
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(set(ids)) == len(ids)
    assert {one or other for one, other in re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', page)} <= set(ids)
    assert len(page) < 0.7 * sum(len(drawing.svg()) for drawing in drawn)
    assert letters_once(["<svg/>"]) == ["<svg/>"]
    assert [plate.number for plate in plates] == [1, 2, 3]


def test_the_same_figure_is_the_same_text(drawn):
    assert plate_of(drawn[0]) == plate_of(drawn[0])


def test_a_figure_says_what_it_draws(drawn):
    alternatives = [drawing.alternative for drawing in drawn]
    name = "(1+1) GP-single on MAJORITY, initial tree unity"
    assert alternatives[1] == f"{name}: P(optimum reached by then) over evaluations"
    assert (
        alternatives[2]
        == f"{name}: accepted ÷ proposed over n, number of variables; E[T_max] ÷ n over n, number of variables"
    )
    assert f"<title>{alternatives[1]}</title>" in drawn[1].svg()
    assert b"P(optimum reached by then)" in drawn[1].to_bytes("png")


def _luminance(colour):
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(colour):
    return (_luminance(colour) + 0.05) / (_luminance(dark_of("#ffffff")) + 0.05)


def test_series_can_be_seen_on_a_dark_page():
    assert all(_contrast(dark_of(look(place).colour.lower())) >= 3 for place in range(7))
    assert len({dark_of(look(place).colour.lower()) for place in range(7)}) == 7
    assert _contrast(dark_of("#222222")) >= 7


def test_shades_keep_their_order_on_a_dark_page():
    from matplotlib.colors import to_hex

    hexes = [to_hex(shade) for shade in shades(7)]
    light = [colorsys.rgb_to_hls(*(int(c[p : p + 2], 16) / 255 for p in (1, 3, 5)))[1] for c in map(dark_of, hexes)]
    assert all(a >= b for a, b in pairwise(light))
    assert all(_contrast(dark_of(colour)) >= 2.5 for colour in hexes)
