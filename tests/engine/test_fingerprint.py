"""The fingerprint of compiled code: another for whatever makes other code, the same for all else."""

from __future__ import annotations

import importlib
import itertools
import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba import types

from gpruntime.engine import dispatch
from gpruntime.engine.cache import NoFingerprint, description, fingerprint
from gpruntime.engine.watched import follow

pytestmark = pytest.mark.attack

TEXT = """
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gpruntime.engine.jit import helper, kernel
from gpruntime.engine.watched import follow

NUMBER, TABLE, NAMES = 5, np.array([1, 2, 3]), ("a", 0.5)


class Pair(NamedTuple):
    first: int
    second: int = 4


def bits():
    return 64


@intrinsic
def plus_three(typing, value):
    def generate(context, builder, signature, arguments):
        return builder.add(arguments[0], ir.IntType(bits())(3))

    return types.int64(types.int64), generate


def around(cell):
    @helper
    def inner(x):
        return x + cell

    return inner


within = around(7)


@helper
def one(x, more=6):
    if x in {1, 2}:
        return x
    return plus_three(x) + NUMBER + TABLE[0] + Pair(x, 1).first + within(x)


@helper
def unused(x):
    return 99


@kernel
def whole(x):
    if x > 1000:
        raise ValueError("too large")
    return one(x) * 2
"""
ARGUMENTS = (types.int64,)


def _loaded(text: str, path: Any = "sources.py") -> Any:
    names: dict[str, Any] = {"__name__": "tests.engine.test_fingerprint"}
    exec(compile(text, path, "exec"), names)
    return names["whole"]


def _print(text: str, path: Any = "sources.py") -> str:
    return fingerprint(_loaded(text, path), ARGUMENTS)


def test_it_compiles():
    assert _loaded(TEXT)(10) == 2 * (13 + 5 + 1 + 10 + 17)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("\n@kernel", "\n\n# a remark\n@kernel"),
        ("return 99", "return 98"),
        ("return x + cell", "return (x + cell)  # in brackets"),
    ],
)
def test_what_makes_the_same_code_has_the_same(old, new):
    assert _print(TEXT) == _print(TEXT.replace(old, new, 1), "elsewhere/sources.py")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("one(x) * 2", "one(x) * 3"),  # the kernel
        ("one(x) * 2", "one(x) - 2"),
        ("too large", "much too large"),
        ("x in {1, 2}", "x in {1, 3}"),  # a function that it calls
        ("more=6", "more=8"),
        ("NUMBER, TABLE, NAMES = 5", "NUMBER, TABLE, NAMES = 6"),  # what that names
        ("NUMBER, TABLE, NAMES = 5", "NUMBER, TABLE, NAMES = 5.0"),
        ("NUMBER, TABLE, NAMES = 5", "NUMBER, TABLE, NAMES = np.int64(5)"),
        ("np.array([1, 2, 3])", "np.array([1, 2, 4])"),
        ("np.array([1, 2, 3])", "np.array([[1, 2, 3]])"),
        ("np.array([1, 2, 3])", "np.array([1, 2, 3], np.uint64)"),
        ("first: int\n    second: int = 4", "second: int\n    first: int = 4"),
        ("second: int = 4", "second: int = 3"),
        ("@helper\ndef one", "@kernel\ndef one"),  # how it is compiled
        ("around(7)", "around(8)"),  # what stands around it
        ("bits())(3)", "bits())(4)"),  # what is run to compile it
        ("return 64", "return 32"),
    ],
)
def test_what_makes_other_code_has_another(old, new):
    assert old in TEXT
    assert _print(TEXT) != _print(TEXT.replace(old, new, 1))


class Fields(NamedTuple):
    first: int
    second: int


class SameName(NamedTuple):
    second: int
    first: int


class Around(NamedTuple):
    inner: Any
    number: int


def test_types_of_arguments_are_told_apart_by_the_names_of_fields():
    SameName.__name__ = SameName.__qualname__ = "Fields"
    whole = _loaded(TEXT)
    values = [1, 1.0, Fields(1, 2), SameName(1, 2), Around(Fields(1, 2), 3), Around(SameName(1, 2), 3)]
    values += [np.zeros(1, [(name, np.int64) for name in names])[0] for names in ("ab", "ba")]
    assert len({fingerprint(whole, (numba.typeof(value),)) for value in values}) == len(values)


@pytest.mark.parametrize("setting", ["OPT", "DEBUGINFO_DEFAULT"])
def test_settings_of_numba_count_when_it_compiles(setting, monkeypatch):
    whole = _loaded(TEXT)
    before = fingerprint(whole, ARGUMENTS)
    monkeypatch.setattr(numba.config, setting, 1)
    assert fingerprint(whole, ARGUMENTS) != before


def test_what_counts_is_what_was_loaded_not_what_lies_there(tmp_path, monkeypatch):
    path = tmp_path / "sources_loaded.py"
    path.write_text(TEXT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("sources_loaded")
    before = fingerprint(module.whole, ARGUMENTS)
    path.write_text(TEXT.replace("one(x) * 2", "one(x) * 3"), encoding="utf-8")
    assert fingerprint(module.whole, ARGUMENTS) == before
    old = module.whole
    importlib.reload(module)  # what the old functions name are now the new ones, and Numba may have compiled the old
    with pytest.raises(NoFingerprint, match="one has changed since"):
        fingerprint(old, ARGUMENTS)
    del sys.modules["sources_loaded"]


def test_code_that_checks_its_indices_is_not_kept(monkeypatch):
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    with pytest.raises(NoFingerprint, match="what checks an index"):
        _print(TEXT)


def test_what_cannot_be_told_apart_is_not_kept():
    with pytest.raises(NoFingerprint, match="refers to <object"):
        _print(TEXT.replace("NAMES = 5", "NAMES = object()"))


def test_each_kernel_of_the_engine_has_one():
    seen = ("counts", "first", "leaves", "program")
    loops = [
        dispatch.faster(problem, method) for problem in ("order", "majority") for method in ("stepping", "skipping")
    ]
    loops += [make(sees) for make in (dispatch._stepping, dispatch._in_place) for sees in seen[:2]]
    loops += [dispatch._by_copy(sees) for sees in seen]
    loops += [dispatch._rewriting(*of) for of in itertools.product(seen, ("hvl", "hvl-prime"), (True, False))]
    kernels = [*(loop.kernel for loop in loops), follow]
    assert len({"".join(description(kernel)) for kernel in kernels}) == len(kernels) == 29
