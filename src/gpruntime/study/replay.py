"""Any row of a study again, from its own record: the same run, or the study is not what it says.

Of summaries the longest and the shortest runs are there, each with its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.model.row import NOT_REPEATABLE, spec_of
from gpruntime.study.cell import Cell
from gpruntime.study.study import Study


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


def replay(study: Study, id_: str) -> Replay:
    """Repeats the run CELL:RUN; of CELL as many digits are enough as make it one of the study's cells."""
    from gpruntime.engine import run_many

    cell, number = _address(study, id_)
    plan = study.plan.loaded()
    if plan.summarised:
        return _extreme(study, plan.by_id[cell.id], number)
    row = _find(study, cell, number)
    columns = run_many(
        spec_of(row), row["seed"], [row["run"]], row["method"], improvements="improvement_fitness" in row
    )
    again = columns.to_arrow().to_pylist()[0]
    names = [name for name in row if name not in NOT_REPEATABLE]
    differences = {name: (row[name], again.get(name)) for name in names if row[name] != again.get(name)}
    return Replay(f"{row['cell']}:{row['run']}", row, differences)


def _extreme(study: Study, cell: Cell, number: int) -> Replay:
    """One of the runs that a summary keeps by number."""
    from gpruntime.engine import run_many
    from gpruntime.study.chunk import study_method

    plan, id_ = study.plan, f"{cell.id}:{number}"
    found = study.summary(cell)
    times = {run: time for time, run in (*found.largest, *found.smallest)}
    if number not in times:
        kept = f"only the {plan.extremes:,} longest and shortest runs of a cell"
        raise BadInput("run", id_, f"the study stores summaries, in which {kept} have a record")
    method = study_method(cell.spec, plan.method, plan.device)
    again = run_many(cell.spec, plan.seed, [number], method).to_arrow().to_pylist()[0]
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
    for table in study.tables([cell], containing=number):
        for row in table.to_pylist():
            if row["run"] == number:
                return dict(row)
    raise BadInput("run", f"{cell.id}:{number}", "the study has no such run (yet)")
