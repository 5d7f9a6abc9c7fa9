"""The numbers of published runs stay what they were, bit for bit."""

from __future__ import annotations

import pytest

from tests.engine.golden import FILE, line, settings

SETTINGS = list(settings())
LINES = FILE.read_text(encoding="utf-8").splitlines()


def test_there_are_some_hundreds():
    assert len(LINES) == len(SETTINGS) == 480


@pytest.mark.parametrize("problem", ["order", "majority"])
@pytest.mark.parametrize("method", ["stepping", "skipping"])
def test_golden(problem, method):
    for setting, expected in zip(SETTINGS, LINES, strict=True):
        if (setting[0], setting[2].problem.id) == (method, problem):
            assert line(*setting) == expected
