"""Any run of a study again: what its plan asks for, beside what its folder says came out.

Seed, cell, setting and number are the plan's: a row that is of another run differs. The method is the row's where the
plan leaves it open. Of summaries the longest and the shortest runs are there, each with its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.model.row import NOT_REPEATABLE
from gpruntime.study.cell import Cell
from gpruntime.study.shard import Piece
from gpruntime.study.study import Study
from gpruntime.study.trust import runnable


@dataclass(frozen=True)
class Replay:
    """A run and its repetition.

    Attributes:
        id: the run's.
        row: what the study says.
        differences: column -> (in the study, repeated), for those that differ.
    """

    id: str
    row: dict[str, Any]
    differences: dict[str, tuple[Any, Any]]

    @property
    def equal(self) -> bool:
        """Whether the run came out the same."""
        return not self.differences


def replay(study: Study, id_: str, *, trust: bool = False) -> Replay:
    """Repeats the run CELL:RUN; of CELL as many digits are enough as make it one of the study's cells.

    Raises `NotTrusted` if code that the folder brings would be run for that, and there is no `trust`.
    """
    from gpruntime.engine import run_many

    cell, number = _address(study, id_)
    plan = study.plan
    if not plan.summarised:
        row = _find(study, cell, number)
    cell = runnable(plan, trust, study.folder, [cell]).by_id[cell.id]
    _check_data(study, cell, id_)
    if plan.summarised:
        return _extreme(study, cell, number)
    method = row["method"] if plan.method == "auto" else plan.method
    again = (
        run_many(cell.spec, seed=plan.seed, runs=[number], method=method, improvements=plan.improvements)
        .to_arrow()
        .to_pylist()[0]
    )
    names = [name for name in row if name not in NOT_REPEATABLE]
    differences = {name: (row[name], again.get(name)) for name in names if row[name] != again.get(name)}
    return Replay(f"{cell.id}:{number}", row, differences)


def _check_data(study: Study, cell: Cell, id_: str) -> None:
    """Raises `BadInput` if the problem has other data now than when the runs of the cell were made."""
    problem, n = cell.spec.problem, cell.spec.n
    digests = {digest for entry in study.entries for other, digest in entry.data if other == cell.id}
    if digests - {problem.data_digest(n)}:
        raise BadInput("run", id_, f"was made with other data for n = {n} than {problem.id} has now")


def _extreme(study: Study, cell: Cell, number: int) -> Replay:
    """One of the runs that a summary keeps by number."""
    from gpruntime.engine import run_many
    from gpruntime.study.chunk import study_method

    plan, id_ = study.plan, f"{cell.id}:{number}"
    summary = study.summary(cell)
    times = {run: time for time, run in (*summary.largest, *summary.smallest)}
    if number not in times:
        kept = f"only the {plan.extremes:,} longest and shortest runs of a cell"
        raise BadInput("run", id_, f"the study stores summaries, in which {kept} have a record")
    method = study_method(cell.spec, plan.method, plan.device)
    again = run_many(cell.spec, seed=plan.seed, runs=[number], method=method).to_arrow().to_pylist()[0]
    differs = {} if again["evaluations"] == times[number] else {"evaluations": (times[number], again["evaluations"])}
    return Replay(id_, again, differs)


def _address(study: Study, id_: str) -> tuple[Cell, int]:
    prefix, _, number = id_.partition(":")
    if not number.isascii() or not number.isdigit() or len(number) > 10:
        raise BadInput("run", id_, "must be CELL:RUN, as in the columns cell and run of the table")
    try:
        return study.plan.find(prefix), int(number)
    except BadInput as error:
        raise BadInput("run", id_, error.allowed) from None


def _find(study: Study, cell: Cell, number: int) -> dict[str, Any]:
    """The row of this run, by its place: what stands there is compared with the run itself."""
    run = Piece(cell.id, number, 1)
    for entry in study.entries:
        if any(map(run.is_within, entry.pieces)):
            return dict(study.rows(entry, [run]).to_pylist()[0])
    raise BadInput("run", f"{cell.id}:{number}", "the study has no such run (yet)")
