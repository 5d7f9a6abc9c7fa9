"""Constants that a part refers to: written so that Python reads them as the same, or refused for what they are."""

import collections
import enum
import math
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec, run_many, simulate
from gpruntime.model.part import standing_alone
from gpruntime.model.references import fixed
from gpruntime.model.written import written
from gpruntime.verification.kinds import named

pytestmark = pytest.mark.attack
Point = collections.namedtuple("Point", "x y", defaults=(2,))


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2
    AZURE = 2


FILE = """
import enum
import math
from collections import namedtuple
from math import inf
from typing import NamedTuple

import numpy as np

from gpruntime import problem


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    x: int
    y: int = 1


Point = namedtuple("Point", "x y")
{constant}


@problem(sees="counts", best=lambda n: n)
def mine(i, plain, bar, n):
    return {body}
"""
KEPT = {
    "math.inf": ("MOST = math.inf", "0 < plain < MOST"),
    "inf": ("", "plain >= 1 and plain < inf"),
    "minus infinity": ("LEAST = -math.inf", "plain >= 1 and plain > LEAST"),
    "nan": ("NONE = float('nan')", "plain >= 1 and not plain > NONE"),
    "an array with inf": ("LIMITS = np.array([1.0, np.inf])", "LIMITS[0] <= plain < LIMITS[1]"),
    "a tuple with inf": ("LIMITS = (1.0, (inf, -inf))", "LIMITS[1][1] < LIMITS[0] <= plain < LIMITS[1][0]"),
    "a member of an IntEnum": ("KIND = Colour.BLUE", "plain >= KIND"),
    "an IntEnum": ("", "plain >= Colour.BLUE"),
    "a named tuple": ("P = Point(1, 2)", "plain >= P.x and plain < 50 * P.y"),
    "one with defaults": ("P = Pair(1)", "plain >= P.x * P.y"),
    "named tuples in a tuple": ("PS = (Point(1, 2), Pair(3, 4))", "plain >= PS[0].x and PS[1].y == 4"),
    "a small number of NumPy's": ("K = np.int8(1)", "plain >= K"),
}


@pytest.mark.parametrize(("constant", "body"), KEPT.values(), ids=KEPT)
def test_such_a_constant_is_kept(tmp_path, constant, body):
    """In the text that stands by itself it is what it was, and engine and model agree on the part."""
    (tmp_path / "mine.py").write_text(FILE.format(constant=constant, body=body))
    part = named(f"{tmp_path}/mine.py:mine")
    alone = standing_alone(part)
    arguments = [(1, plain, bar, 3) for plain in range(4) for bar in range(3)]
    assert [alone(*one) for one in arguments] == [part(*one) for one in arguments]
    (tmp_path / "again.py").write_text(part.source)
    assert named(f"{tmp_path}/again.py:mine").id == part.id
    spec = RunSpec(problem=part, algorithm="gp-single", n=3, budget=50)
    assert [run.evaluations for run in run_many(spec, seed=1, runs=3).results()] == [
        simulate(spec, 1, run).evaluations for run in range(3)
    ]


def test_an_edited_one_is_another_address(tmp_path):
    ids = set()
    for constant in ("KIND = Colour.RED", "KIND = Colour.BLUE"):
        for members in ("RED = 1", "RED = 3"):
            text = FILE.format(constant=constant, body="plain >= KIND").replace("RED = 1", members)
            (tmp_path / "mine.py").write_text(text)
            ids.add(named(f"{tmp_path}/mine.py:mine").id)
    assert len(ids) == 4


REFUSED = {
    "a dict": ("TABLE = {1: 2}", "plain >= TABLE[1]", "it refers to TABLE, a dict: only a number, text, tuple, named"),
    "a set": ("TABLE = {1, 2}", "plain in TABLE", "it refers to TABLE, a set: only a number"),
    "a class without methods": (
        "class Bare:\n    value = 1",
        "plain >= Bare.value",
        "the source of Bare cannot be found: write it, with a method",
    ),
    "an object": ("class Own:\n    def of(self): return 1\nONE = Own()", "plain >= ONE.of()", "ONE, a Own: only"),
    "a number of a kind of one's own": ("class Own(int): pass\nONE = Own(1)", "plain >= ONE", "ONE, a Own: only"),
    "texts in an array": ("WORDS = np.array(['a'])", "len(WORDS)", "WORDS, a ndarray: only"),
}


@pytest.mark.parametrize(("constant", "body", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_kept_is_named(tmp_path, constant, body, words):
    (tmp_path / "mine.py").write_text(FILE.format(constant=constant, body=body))
    with pytest.raises(BadInput, match=words) as refused:
        named(f"{tmp_path}/mine.py:mine")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "value",
    [
        *(True, 3, -2.5, 1j, "x", b"y", None, (), (1,), [1, (2.0, [])], math.inf, -math.inf, math.nan, -0.0),
        *(complex(math.inf, -1), complex(0, math.nan), Point(1), (Point(1, math.inf),), Colour.RED, Colour.AZURE),
        *(np.int8(5), np.uint64(7), np.float32(0.1), np.bool_(True), np.float64(math.inf), np.complex64(2)),
        *(np.array([1, 2], np.int8), np.array([[1.0, math.nan], [-math.inf, 2]]), np.array([True]), np.array(3.0)),
    ],
    ids=str,
)
def test_a_constant_is_read_as_what_it_was(value):
    names = {"numpy": np, "Point": Point, "Colour": Colour}
    again = eval(written(value), names)
    assert fixed(again) == fixed(value) or fixed(again) == fixed(value.item())


def test_what_is_finite_is_written_as_ever():
    for value in (1, 2.5, "a", (1, 2.0), [(1, 2)], (3,), np.array([1.0, 2.5])):
        assert written(value) in (repr(value), "numpy.array([1.0, 2.5], numpy.float64)")


def test_a_class_of_a_notebook_is_kept():
    """There Python knows its module, and no file: an import would not find it elsewhere."""
    script = textwrap.dedent("""
        import linecache, sys
        from gpruntime import problem
        TEXT = '''
        import typing
        class Rule:
            def holds(self, plain):
                return plain >= 1

        class Pair(typing.NamedTuple):
            x: int

        ONE = Pair(1)

        @problem(sees="counts", best=lambda n: n)
        def mine(i, plain, bar, n):
            return Rule().holds(plain) and ONE.x == 1
        '''
        linecache.cache["<cell>"] = len(TEXT), None, TEXT.splitlines(keepends=True), "<cell>"
        exec(compile(TEXT, "<cell>", "exec"), vars(sys.modules["__main__"]))
        print(mine.source)
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "class Rule" in done.stdout, done.stderr
    assert "__main__" not in done.stdout
