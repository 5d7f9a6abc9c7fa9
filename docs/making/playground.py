"""The playground: a page that needs no server and no network, with the runs of `run_many(…, method="stepping")`.

ORDER and MAJORITY with the paper's four algorithms, from random trees of 2n leaves, are the kernels of gpu/source as
WebAssembly, in the page itself. What a program knows of its spec comes from the engine: thresholds, tables and the
law's JSON, from which the page works out the address of a run. All else is made by the model in Pyodide, with what it
asks of NumPy in plain Python (web/playground/python): a file beside the page, loaded when it is needed.
tests/site/test_playground.py holds both to `run_many` and `simulate`.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from docs.making.places import ROOT
from gpruntime import PROBLEMS as ALL_PROBLEMS
from gpruntime import RunSpec
from gpruntime.gpu.layout import common_macros, source_of
from gpruntime.gpu.structures import law_numbers, tables

PROBLEMS = ("majority", "order")
ALGORITHMS = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")
MORE_ALGORITHMS = ("mu-plus-one-single", "one-plus-lambda-single", "smo-single", "cgp", "gsgp")  # by the model
OWN = "own"
MAX_N = 10_000
_LEAVES_FOR_N = 2
_HOLE = 987654321  # stands for n in the law's JSON
_WEB = ROOT / "web"
_SOURCE = _WEB / "playground"
_MODEL = ROOT / "src" / "gpruntime"
_EXAMPLE = '''from gpruntime import problem


@problem(sees="counts", best=lambda n: n)
def two_thirds(i, plain, bar, n):
    """1 if two thirds of the leaves of x_i and its complement are x_i."""
    return plain >= 1 and 3 * plain >= 2 * (plain + bar)
'''
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
# A page that was opened as a file can have no worker that is a module, and Pyodide refuses any other where it can tell.
_BUNDLED = [
    "--format=iife",
    "--banner:js=self.importScripts = undefined;",
    "--define:import.meta.url=self.location.href",
    "--external:node:*",
    "--external:ws",
    "--legal-comments=none",
    "--log-level=error",
]
_EXPORTS = ("begin", "slice", "under_way")

# Of the memory of a lane: all of it lies together, with numbers wide enough for every n.
_MACROS: dict[str, dict[str, int | str]] = {
    "majority": {"TERMINAL_BITS": 16, "COUNT_BITS": 16, "COUNTS_SHARED": 0, "REGISTER_SHARED": 0},
    "order": {"LINK_BITS": 32, "LABEL_BITS": 62, "SCRATCH_BITS": 32},
}


def make_playground(folder: Path) -> None:
    """Writes the page, and Python beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(page(), "utf-8")
    (folder / "python.js").write_text(python(), "utf-8")


def page() -> str:
    """Everything in one text but Python."""
    style = (_WEB / "src" / "style" / "theme.css").read_text("utf-8") + _read("style.css")
    problems = {problem.id: {"name": problem.name, "line": problem.line} for problem in ALL_PROBLEMS.values()}
    own = {OWN: {"name": "your own …", "line": ""}}
    data = {
        "programs": programs(),
        "problems": problems | own,
        "algorithms": {name: _algorithm(name) for name in (*ALGORITHMS, *MORE_ALGORITHMS)},
        "own": OWN,
        "example": _EXAMPLE,
        "maxN": MAX_N,
        "leavesForN": _LEAVES_FOR_N,
    }
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


def _algorithm(name: str) -> str:
    return RunSpec(problem="and", algorithm=name, n=3, budget=1).algorithm.name.removeprefix("(1+1) ")


def python() -> str:
    """Pyodide and the model as one script: its worker, and what the worker would fetch."""
    modules = _WEB / "node_modules"
    if not (modules / "pyodide").is_dir():
        _called(["npm", "ci", "--ignore-scripts", "--silent"], cwd=_WEB)
    pyodide = modules / "pyodide"
    about = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8")) | {"packages": {}}
    version = json.loads((pyodide / "package.json").read_text("utf-8"))["version"]
    words = [str(modules / ".bin" / "esbuild"), "worker.js", "--bundle", "--minify", *_BUNDLED]
    packed = {
        "wasm": (pyodide / "pyodide.asm.wasm").read_bytes(),
        "library": (pyodide / "python_stdlib.zip").read_bytes(),
        "sources": _sources(),
    }
    parts = {
        "about": json.dumps(about),
        "worker": _called(words, cwd=_SOURCE / "python"),
        "packed": {
            name: base64.b64encode(gzip.compress(part, mtime=0)).decode("ascii") for name, part in packed.items()
        },
    }
    return (
        f"/*! With Pyodide {version} (MPL-2.0), and the Python in it (PSF-2.0). */\nvar PYTHON = {json.dumps(parts)};\n"
    )


def _sources() -> bytes:
    """The model, and what stands beside it in the page."""
    beside = _SOURCE / "python"
    files = {path.relative_to(beside): path for path in sorted(beside.rglob("*.py"))}
    model = [_MODEL / "__init__.py", _MODEL / "_version.py", *sorted((_MODEL / "model").rglob("*.py"))]
    files |= {path.relative_to(_MODEL.parent): path for path in model}
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, path in files.items():
            archive.writestr(zipfile.ZipInfo(name.as_posix()), path.read_bytes())
    return held.getvalue()


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
        _called(words, **dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), folder))
        return target.read_bytes()


def _called(words: list[str], cwd: Path = ROOT, **environment: str) -> str:
    """What a command prints."""
    done = subprocess.run(  # noqa: S603
        words, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise OSError(f"{Path(words[0]).name} failed: {done.stderr}")
    return done.stdout


def _read(name: str) -> str:
    return (_SOURCE / name).read_text("utf-8")
