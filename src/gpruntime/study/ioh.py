"""A study as an IOHprofiler folder, for IOHanalyzer and iohinspector.

    ROOT/<algorithm>/IOHprofiler_f<id>_<NAME>.json
    ROOT/<algorithm>/data_f<id>_<NAME>/IOHprofiler_f<id>_DIM<n>.dat

The problem is the function (ORDER is f1, MAJORITY f2), n its dimension, a run an instance; an algorithm with another
initial tree, other weights and so on is another algorithm. Whether a function is maximised is the problem's to say:
if the study alone has its source, that is run, on the user's word. A run's rows are its improvements, the initial
tree's at evaluation 1 first, and a last one at its last evaluation. The format's integers for dimensions and
instances have 16 bits: larger n are refused, larger run numbers begin again at 1. It knows no outcome `stuck`: to
others such a run looks like one that was stopped by a budget; a run's attribute says it, and `ioh_read` reads that.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpruntime._version import __version__
from gpruntime.files import whole_folder
from gpruntime.model.errors import BadInput
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.spec_text import short
from gpruntime.study.cell import Cell
from gpruntime.study.plan import Plan
from gpruntime.study.study import Study
from gpruntime.study.trust import runnable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_DIMENSION = 2**15 - 1
MAX_INSTANCE = 2**15 - 1
SUITE = "gpruntime"
STUCK = "stuck"
_HEADER = "evaluations raw_y leaves"
Events = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]"]


def export_ioh(
    study: Study,
    folder: Path,
    progress: Callable[[int, int], None] | None = None,
    *,
    trust: bool = False,
) -> None:
    """Writes the folder, which must not exist yet. Improvements that were not kept are found by repeating the runs.

    `progress` is called with the number of runs that are written, and of all. Raises `NotTrusted` if code that the
    study brings would be run for that, and there is no `trust`.
    """
    study.check_rows()
    plan = runnable(study.plan, trust, study.folder)
    missing = [part for cell in plan.cells for part in cell.spec.parts if not part.is_loaded]
    if missing:
        raise BadInput(missing[0].field, missing[0].id, "the study has no source of it")
    too_large = [cell.spec.n for cell in plan.cells if cell.spec.n > MAX_DIMENSION]
    if too_large:
        raise BadInput("format", "ioh", f"holds n up to {MAX_DIMENSION}, and the study has n = {min(too_large)}")
    with whole_folder(folder) as half:
        _write(study, plan, half, progress)


def _write(study: Study, plan: Plan, root: Path, progress: Callable[[int, int], None] | None) -> None:
    numbers, total = itertools.count(1), len(study)

    def note() -> None:
        """A run has been written."""
        if progress is not None:
            progress(next(numbers), total)

    curves: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in plan.cells:
        curves[algorithm_words(cell), cell.spec.problem.id].append(cell)
    own = sorted({problem for _, problem in curves if problem not in PROBLEMS})
    for (algorithm, problem), cells in curves.items():
        number = cells[0].spec.problem.number or len(PROBLEMS) + 1 + own.index(problem)
        name = _file_name(f"f{number}_{cells[0].spec.problem.name.upper()}")
        folder = root / _file_name(algorithm)
        (folder / f"data_{name}").mkdir(parents=True, exist_ok=True)
        scenarios = []
        for cell in cells:
            path = f"data_{name}/IOHprofiler_f{number}_DIM{cell.spec.n}.dat"
            runs = _write_runs(study, cell, folder / path, note)
            if runs:
                scenarios.append({"dimension": cell.spec.n, "path": path, "runs": runs})
            else:
                (folder / path).unlink()
        described = {
            "version": "0.3.5",
            "suite": SUITE,
            "function_id": number,
            "function_name": problem.upper(),
            "maximization": cells[0].spec.problem.direction == 1,
            "algorithm": {"name": algorithm, "info": f"gpruntime {__version__}, seed {study.plan.seed}"},
            "experiment_attributes": [],
            "data_attributes": [],
            "run_attributes": [STUCK],
            "attributes": _HEADER.split(),
            "scenarios": scenarios,
        }
        (folder / f"IOHprofiler_{name}.json").write_text(
            json.dumps(described, indent=1), encoding="utf-8", newline="\n"
        )


def _file_name(words: str) -> str:
    """The words as a name that every system takes."""
    return re.sub(r'[<>:"/\\|?*]', "-", words)


def _write_runs(study: Study, cell: Cell, path: Path, note: Callable[[], None]) -> list[dict[str, Any]]:
    described = []
    with path.open("w", encoding="ascii", newline="\n") as file:
        for row, (evaluations, fitness, leaves) in _runs(study, cell):
            lines = [_HEADER]
            lines += [
                f"{t} {y} {size}"
                for t, y, size in zip(evaluations.tolist(), fitness.tolist(), leaves.tolist(), strict=True)
            ]
            if evaluations[-1] < row["evaluations"]:
                lines.append(f"{row['evaluations']} {row['fitness']} {row['leaves']}")
            file.write("\n".join(lines) + "\n")
            place = int((cell.spec.problem.direction * fitness).argmax())  # the last, unless a rule accepts losses
            best = {"evals": int(evaluations[place]), "y": float(fitness[place]), "x": []}
            instance, stuck = row["run"] % MAX_INSTANCE + 1, int(row["outcome"] == STUCK)
            described.append({"instance": instance, "evals": row["evaluations"], "best": best, STUCK: stuck})
            note()
    return described


def _runs(study: Study, cell: Cell) -> Iterator[tuple[dict[str, Any], Events]]:
    """The runs of a cell with their improvements."""
    import numpy as np

    for table in study.tables([cell]):
        rows = table.select(["run", "outcome", "evaluations", "fitness", "leaves", "method"]).to_pylist()
        if study.plan.improvements:
            names = ("improvement_evaluations", "improvement_fitness", "improvement_leaves")
            lists = [table[name].combine_chunks() for name in names]
            offsets = lists[0].offsets.to_numpy()
            values = [part.values.to_numpy() for part in lists]
            for number, row in enumerate(rows):
                part = slice(offsets[number], offsets[number + 1])
                yield row, (values[0][part], values[1][part], values[2][part])
        else:
            from gpruntime.engine import run_many

            numbers = np.array([row["run"] for row in rows], np.int64)
            method = rows[0]["method"]
            again = run_many(cell.spec, seed=study.plan.seed, runs=numbers, method=method, improvements=True)
            assert again.improvements is not None
            if again.evaluations.tolist() != [row["evaluations"] for row in rows]:
                allowed = f"runs of the cell {cell.id} come out otherwise when they are repeated: see `study replay`"
                raise BadInput("folder", str(study.folder), allowed)
            for number, row in enumerate(rows):
                yield row, again.improvements.of(number)


def algorithm_words(cell: Cell) -> str:
    """The algorithm with all that makes it another one for the format: what is not the default, but problem and n.

    Words that are cut short for the eye, as those of a large tree, get a digest of the whole.
    """
    law = {key: value for key, value in cell.spec.law().items() if key not in ("problem", "algorithm", "n")}
    if cell.spec.problem.is_own and law.get("substitute") == cell.spec.usual_substitute:
        del law["substitute"]
    if law == {"init": "unity"}:
        return cell.spec.algorithm.id
    words = short(cell.spec, but=("problem", "algorithm", "n", "budget")).replace(" = ", "=")
    name = f"{cell.spec.algorithm} ({words})"
    if "..." in words or "weights" in law:
        name += " " + hashlib.sha256(json.dumps(law, sort_keys=True).encode()).hexdigest()[:8]
    return name
