"""Runs out of IOHprofiler folders, by whatever tool they were written, as a table of runs.

The format says what a run saw, and not whether that was the optimum. So a target is needed: the best value of a problem
of ours, of a function whose optimum is known (`_OPTIMA`), or what the user says. A run's time is the first evaluation
that is as good as the target. Runs that never were have been stopped; the runs of one cell share a budget, which is the
least number of evaluations at which one of them was stopped. What came later is not looked at.

An algorithm that is none of ours is a foreign part (`gpruntime.model.part`): it has a name, and cannot be run. Its
individuals need not be trees: leaves and operations are 0 where nothing is said of them.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.errors import BadInput
from gpruntime.model.part import foreign_id
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.row import IMPROVEMENT_COLUMNS, OPERATION_COLUMNS, schema
from gpruntime.model.spec import MAX_BUDGET, RunSpec
from gpruntime.model.spec_text import columns_of
from gpruntime.study.files import read_plain
from gpruntime.study.ioh import STUCK, SUITE

if TYPE_CHECKING:
    import pyarrow as pa

_META = "IOHprofiler_*.json"
_OPTIMA = {"onemax": lambda n: n, "leadingones": lambda n: n}
_TARGET = re.compile(r"best|(?P<factor>\d+(?:\.\d+)?)?n|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_MAX_NAME = 200
Event = tuple[int, float, int]  # evaluations, value, leaves


class _Run(NamedTuple):
    """What a run saw: its improvements, when it ended, and whether it is said to be stuck."""

    events: list[Event]
    evaluations: int
    stuck: bool


def metadata_files(folder: Path) -> list[Path]:
    """The files that make it an IOHprofiler folder; none if it is none."""
    return sorted(path for depth in ("", "*/", "*/*/") for path in folder.glob(depth + _META))


def read_ioh(folder: str | Path, target: str | float | None = None) -> pa.Table:
    """The runs of an IOHprofiler folder, with all columns of a table of runs, improvements included.

    Args:
        folder: with an `IOHprofiler_….json` in it, or in a folder inside.
        target: the value that ends a run: a number, "n", a multiple such as "0.9n", or "best" for the best value that
            a run at this function and dimension has seen.

    Raises:
        BadInput: it cannot be read, or nothing says what the target is.
    """
    import pyarrow as pa

    folder = Path(folder)
    text = str(target)
    if target is not None and not (_TARGET.fullmatch(text) and (text[-1] in "nt" or math.isfinite(float(text)))):
        raise BadInput("target", target, "must be a number, n, a multiple of n such as 0.9n, or best")
    files = metadata_files(folder) if folder.is_dir() else []
    if not files:
        raise BadInput("folder", str(folder), f"is no IOHprofiler folder: there is no {_META} in it")
    maximised: dict[tuple[str, str, str, int], bool] = {}
    cells: dict[tuple[str, str, str, int], list[_Run]] = defaultdict(list)
    for file in files:
        described = _described(file)
        suite, function = _word(file, described, "suite"), _word(file, described, "function_name")
        algorithm = _word(file, described.get("algorithm"), "name")
        for scenario in _list(file, described, "scenarios"):
            n = _whole(file, scenario, "dimension")
            key = suite, function, algorithm, n
            is_maximised = described.get("maximization", described.get("maximisation"))
            if not isinstance(is_maximised, bool) or maximised.setdefault(key, is_maximised) != is_maximised:
                raise BadInput("folder", str(file), "does not say once whether its function is maximised")
            cells[key] += _runs(file, scenario, 1 if is_maximised else -1)
    rows: list[dict[str, Any]] = []
    for (suite, function, algorithm, n), runs in cells.items():
        is_maximised = maximised[suite, function, algorithm, n]
        rows += _rows(_fields(suite, function, algorithm, n), function, runs, 1 if is_maximised else -1, target)
    real = any(isinstance(value, float) for row in rows for value in row["improvement_fitness"])
    return pa.Table.from_pylist(rows, schema=schema(improvements=True, real=real))


def _fields(suite: str, function: str, algorithm: str, n: int) -> dict[str, Any]:
    """What is known of a cell: a problem and an algorithm of ours, or names."""
    problem = function.lower()
    ours = suite == SUITE and problem.partition(":")[0] in PROBLEMS
    chosen = algorithm if algorithm in ALGORITHMS and ours else f"gp-single search={foreign_id(algorithm)}"
    return {"problem": problem if ours else foreign_id(function), "algorithm": chosen, "n": n}


def _spec(fields: dict[str, Any], budget: int | None, longest: int) -> RunSpec:
    """With a budget where runs were stopped, or where nothing proves that they end."""
    try:
        return RunSpec.from_data(**fields, budget=budget)
    except BadInput:
        return RunSpec.from_data(**fields, budget=budget or longest)


def _target(spec: RunSpec, function: str, runs: list[_Run], direction: int, asked: str | float | None) -> float:
    if asked is None and spec.problem.is_loaded:
        return float(spec.best)
    if asked is None:
        if function.lower() not in _OPTIMA:
            why = "nothing says what its best value is: give a target, a number or n or best (study import --target)"
            raise BadInput("function", function, why)
        return float(_OPTIMA[function.lower()](spec.n))
    text = str(asked)
    if text == "best":
        return direction * max((direction * y for run in runs for _, y, _ in run.events), default=0.0)
    return float(text[:-1] or 1) * spec.n if text.endswith("n") else float(text)


def _rows(
    fields: dict[str, Any], function: str, runs: list[_Run], direction: int, asked: str | float | None
) -> Iterator[dict[str, Any]]:
    """The runs of a cell as rows: stuck ones for ever, others that never reach the target up to their least budget."""
    longest = max((run.evaluations for run in runs), default=1)
    target = direction * _target(_spec(fields, None, longest), function, runs, direction, asked)
    ends = [next((at for at, y, _ in run.events if direction * y >= target), None) for run in runs]
    given_up = [run.evaluations for run, end in zip(runs, ends, strict=True) if end is None and not run.stuck]
    budget = min(given_up, default=None)
    spec = _spec(fields, budget, longest)
    fixed = {**columns_of(spec), "seed": 0, "cell": spec.cell_id, "method": "stepping", "seconds": None}
    for number, (run, end) in enumerate(zip(runs, ends, strict=True)):
        outcome, last = ("optimum", end) if end is not None else ("stuck" if run.stuck else "budget", run.evaluations)
        if budget is not None and (last is None or last > budget):
            outcome, last = "budget", budget
        assert last is not None
        seen = [event for event in run.events if event[0] <= last]
        if not seen:
            raise BadInput(
                "folder", function, f"run {number} at n = {spec.n} says nothing of its first {last} evaluations"
            )
        times, values, leaves = (list(column) for column in zip(*seen, strict=True))
        yield {
            **fixed,
            **dict.fromkeys(OPERATION_COLUMNS, 0),
            "run": number,
            "outcome": outcome,
            "evaluations": last,
            "fitness": values[-1],
            "leaves": leaves[-1],
            "max_leaves": 0,
            **dict(zip(IMPROVEMENT_COLUMNS, (times, values, leaves), strict=True)),
        }


# ---- the files, which may hold anything


def _described(file: Path) -> Mapping[str, Any]:
    try:
        described = json.loads(read_plain(file))
    except (ValueError, RecursionError):
        raise BadInput("folder", str(file), "is not JSON") from None
    if not isinstance(described, dict):
        raise BadInput("folder", str(file), "is not what IOHprofiler writes")
    return described


def _runs(file: Path, scenario: Mapping[str, Any], direction: int) -> Iterator[_Run]:
    """The runs of a scenario: from the rows of its data file, or where there is none from what is said of them."""
    said = _list(file, scenario, "runs")
    data = file.parent / _word(file, scenario, "path")
    if not data.resolve().is_relative_to(file.parent.resolve()):
        raise BadInput("folder", str(file), "names a data file that is outside of the folder")
    courses = list(_courses(data, direction)) if data.is_file() else []
    if courses and len(courses) != len(said):
        raise BadInput("folder", str(data), f"has {len(courses)} runs, and {file.name} tells of {len(said)}")
    for number, run in enumerate(said):
        evaluations = _whole(file, run, "evals")
        if courses:
            events = courses[number]
        else:
            best = run.get("best")
            value = best.get("y") if isinstance(best, dict) else None
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise BadInput("folder", str(file), "says of a run neither its course nor its best value")
            events = [(_whole(file, best, "evals"), _number(value), 0)]
        yield _Run(events, max(evaluations, events[-1][0]), run.get(STUCK) == 1)


def _courses(data: Path, direction: int) -> Iterator[list[Event]]:
    """The improvements of each run of a data file."""
    events: list[Event] = []
    places: list[int] = []
    for line in read_plain(data).decode("utf-8", "replace").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "evaluations":
            if places:
                yield _checked(data, events)
            names = [name for name in ("raw_y", "leaves") if name in words]
            if names[:1] != ["raw_y"]:
                raise BadInput("folder", str(data), "has no column raw_y")
            events, places = [], [words.index(name) for name in names]
            continue
        try:
            at, value, *leaves = int(words[0]), *(float(words[place]) for place in places)
            size = int(leaves[0]) if leaves else 0
        except (ValueError, IndexError, OverflowError):
            at, value, size = 0, math.nan, 0
        after = events[-1][0] if events else 0
        if not places or not max(after, 1) <= at <= MAX_BUDGET or not math.isfinite(value) or size < 0:
            raise BadInput("folder", str(data), f"cannot be read: {line[:40]!r}")
        if not events or direction * value > direction * events[-1][1]:
            events.append((at, _number(value), size))
    if places:
        yield _checked(data, events)


def _checked(data: Path, events: list[Event]) -> list[Event]:
    if not events:
        raise BadInput("folder", str(data), "has a run without rows")
    return events


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else float(value)


def _word(file: Path, where: Any, name: str) -> str:
    text = where.get(name) if isinstance(where, dict) else None
    if not isinstance(text, str) or not 0 < len(text) <= _MAX_NAME:
        raise BadInput("folder", str(file), f"must say {name} in up to {_MAX_NAME} letters")
    return text


def _whole(file: Path, where: Any, name: str) -> int:
    value = where.get(name) if isinstance(where, dict) else None
    if type(value) is not int or not 1 <= value <= MAX_BUDGET:
        raise BadInput("folder", str(file), f"must say {name} as a whole number, 1 or more")
    return value


def _list(file: Path, where: Any, name: str) -> list[Any]:
    value = where.get(name) if isinstance(where, dict) else None
    if not isinstance(value, list):
        raise BadInput("folder", str(file), f"must have a list {name}")
    return value
