"""The kernels' source as one text: compilers, and what they keep on disk, see every change."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_INCLUDE = re.compile(r'^#include "([a-z_]+\.cuh)"$', re.MULTILINE)


def source(macros: dict[str, int | str]) -> str:
    """The whole program, with these macros set."""
    defined = "".join(f"#define {name} {value}\n" for name, value in macros.items() if name != "PROBLEM")
    text = _text("kernels.cuh").replace("#include PROBLEM", f"#include {macros['PROBLEM']}")
    return defined + _expanded(text)


def _expanded(text: str) -> str:
    return _INCLUDE.sub(lambda found: _expanded(_text(found[1])), text)


@cache
def _text(name: str) -> str:
    return (files("gpruntime.gpu") / "source" / name).read_text(encoding="utf-8")
