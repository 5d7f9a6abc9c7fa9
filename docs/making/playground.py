"""The playground: the kernels of gpu/source as WebAssembly, in one page that needs no server and no network.

ORDER and MAJORITY with the paper's four algorithms, from random trees of 2n leaves. What a program knows of its spec
comes from the engine: thresholds, tables and the law's JSON, from which the page works out the address of a run. So the
page makes the runs of `run_many(…, method="stepping")`, bit for bit (tests/site/test_playground.py).
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from docs.making.places import ROOT
from gpruntime import RunSpec
from gpruntime.gpu.layout import common_macros, source_of
from gpruntime.gpu.structures import law_numbers, tables

PROBLEMS = ("majority", "order")
ALGORITHMS = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")
MAX_N = 10_000
_LEAVES_FOR_N = 2
_HOLE = 987654321  # stands for n in the law's JSON
_SOURCE = ROOT / "web" / "playground"
_FLAGS = [
    "-std=c++17",
    "-target",
    "wasm32-freestanding",
    "-O3",
    "-fno-strict-aliasing",
    "-nostdlib",
    "-s",
    "-Wl,--no-entry",
]
_EXPORTS = ("begin", "slice", "under_way")

# Of the memory of a lane: all of it lies together, with numbers wide enough for every n.
_MACROS: dict[str, dict[str, int | str]] = {
    "majority": {"TERMINAL_BITS": 16, "COUNT_BITS": 16, "COUNTS_SHARED": 0, "REGISTER_SHARED": 0},
    "order": {"LINK_BITS": 32, "LABEL_BITS": 62, "SCRATCH_BITS": 32},
}


def make_playground(folder: Path) -> None:
    """Writes the page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(page(), "utf-8")


def page() -> str:
    """Everything in one text."""
    style = (ROOT / "web" / "src" / "style" / "theme.css").read_text("utf-8") + _read("style.css")
    data = {"programs": programs(), "maxN": MAX_N, "leavesForN": _LEAVES_FOR_N}
    parts = {
        "/*STYLE*/": style,
        "/*DATA*/": f"const DATA = {json.dumps(data)};",
        "/*WORKER*/": _read("address.js") + _read("runs.js") + _read("worker.js"),
        "/*SCRIPT*/": _read("estimates.js") + _read("draw.js") + _read("page.js"),
    }
    text = _read("page.html")
    for hole, part in parts.items():
        text = text.replace(hole, part)
    return text


def programs() -> dict[str, dict[str, str]]:
    """By problem and algorithm: the program, its problem, and the law of a run with a hole for n."""
    return {f"{problem} {algorithm}": _program(problem, algorithm) for problem in PROBLEMS for algorithm in ALGORITHMS}


def _program(problem: str, algorithm: str) -> dict[str, str]:
    law = RunSpec(problem=problem, algorithm=algorithm, n=2).law() | {"n": _HOLE}
    text = json.dumps(law, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    wasm = base64.b64encode(_compiled(program_text(problem, algorithm))).decode("ascii")
    return {"problem": problem, "law": text.replace(str(_HOLE), "{n}"), "wasm": wasm}


def program_text(problem: str, algorithm: str) -> str:
    """The C++ of one program."""
    spec = RunSpec(problem=problem, algorithm=algorithm, n=2)
    macros = common_macros(spec) | _MACROS[problem] | {"LANES": 1, "PLANTERS": 1, "WARP_LANES": 1, "GATHER": 1}
    macros["PROBLEM"] = f'"{problem}.cuh"'
    law, known = law_numbers(spec, 0)[0], tables(spec, planted=False)
    names = {
        "WORD_0": f"{law['first']}ull",
        "WORD_1": f"{law['second']}ull",
        "FEWEST": law["fewest"],
        "MOST_OPERATIONS": law["most"],
        "DRAWN": law["drawn"],
        "CAN_STICK": law["can_stick"],
        "LEAVES_FOR_N": _LEAVES_FOR_N,
    }
    lines = [f"#define {name} {value}" for name, value in names.items()]
    lines += [_table("u64", "SIZES", known["sizes"]), _table("i32", "LEAST", known["least"])]
    return "\n".join([source_of(macros), *lines, _read(f"{problem}.cpp"), _read("lane.cpp")])


def _table(kind: str, name: str, numbers: np.ndarray[Any, Any]) -> str:
    items = ", ".join(f"{number}{'ull' if kind == 'u64' else ''}" for number in numbers.tolist())
    return f"static const {kind} {name}[] = {{{items or '0'}}};"


def _compiled(text: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "lane.cpp", Path(folder) / "lane.wasm"
        source.write_text(text, "utf-8")
        exports = [f"-Wl,--export={name}" for name in _EXPORTS]
        words = [sys.executable, "-m", "ziglang", "c++", *_FLAGS, *exports, str(source), "-o", str(target)]
        kept = dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), folder)
        done = subprocess.run(words, env={**os.environ, **kept}, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise OSError(f"the playground's program was not compiled: {done.stderr}")
        return target.read_bytes()


def _read(name: str) -> str:
    return (_SOURCE / name).read_text("utf-8")
