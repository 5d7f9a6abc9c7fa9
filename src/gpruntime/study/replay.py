"""Any row of a study again, from its own record: the same run, or the study is not what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.model.row import NOT_REPEATABLE, spec_of
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

    row = _find(study, id_)
    study.plan.loaded()
    columns = run_many(
        spec_of(row), row["seed"], [row["run"]], row["method"], improvements="improvement_fitness" in row
    )
    again = columns.to_arrow().to_pylist()[0]
    names = [name for name in row if name not in NOT_REPEATABLE]
    differences = {name: (row[name], again.get(name)) for name in names if row[name] != again.get(name)}
    return Replay(f"{row['cell']}:{row['run']}", row, differences)


def _find(study: Study, id_: str) -> dict[str, Any]:
    prefix, _, number = id_.partition(":")
    cells = [cell for cell in study.plan.cells if prefix and cell.id.startswith(prefix)]
    if not number.isascii() or not number.isdigit() or len(number) > 10:
        raise BadInput("run", id_, "must be CELL:RUN, as in the columns cell and run of the table")
    if len(cells) != 1:
        raise BadInput("run", id_, f"{len(cells) or 'no'} cells of the study begin with {prefix!r}")
    for table in study.tables(cells, containing=int(number)):
        for row in table.to_pylist():
            if row["run"] == int(number):
                return dict(row)
    raise BadInput("run", id_, "the study has no such run (yet)")
