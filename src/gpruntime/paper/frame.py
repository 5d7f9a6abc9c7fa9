"""The frame of a report over many runs, for the paper and the atlas: plan → study → what is looked at → page.

There is one study for all runs, and one more for problems with floats as fitness: a study has one type of fitness, so
what has floats is a folder of its own beside the other. Each cell has the largest number of runs asked for. What a
folder holds already stays in its plan, so that claims and scales can be added to it one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from gpruntime.files import LEDGER
from gpruntime.model.spec_text import plan_keys
from gpruntime.paper.claim import Request
from gpruntime.study import Plan, Study, run_study
from gpruntime.study.cell import Fixed
from gpruntime.study.execute import Interrupted, Listener
from gpruntime.study.store import Store

DATA, FLOATS = "data", "data-floats"
Result = TypeVar("Result")


def plan_for(requests: Iterable[Request], seed: int, folder: Path) -> Plan | None:
    """The plan that has these runs and all that the folder's has; None if there is nothing to run."""
    wanted: dict[str, Request] = {}
    for spec, runs in [*_held(folder), *requests]:
        id_ = spec.cell_id
        wanted[id_] = Request(spec, max(runs, wanted[id_].runs if id_ in wanted else 0))
    return Plan.of(seed=seed, grid=grids(wanted.values())) if wanted else None


def _held(folder: Path) -> list[Request]:
    if not (folder / LEDGER).is_file():
        return []
    return [Request(cell.spec, cell.rule.runs) for cell in Store(folder).plan.cells if isinstance(cell.rule, Fixed)]


def grids(requests: Iterable[Request]) -> list[dict[str, Any]]:
    """Tables of a plan: those that differ in n alone share one."""
    grids: dict[tuple[Any, ...], dict[str, Any]] = {}
    for spec, runs in requests:
        keys = plan_keys(spec)
        where = (*((name, str(value)) for name, value in keys.items()), runs)
        grids.setdefault(where, {**keys, "n": [], "runs": runs})["n"].append(spec.n)
    return list(grids.values())


@dataclass(frozen=True)
class Executed(Generic[Result]):
    """How it ended.

    Attributes:
        results: what came out, claim by claim or entry by entry; nothing if it was interrupted.
        interrupted: whether Ctrl-C ended the runs.
        stored: runs that are stored.
        failures: cells that were given up, in words.
        page: its file.
    """

    results: list[Result] = field(default_factory=list)
    interrupted: bool = False
    stored: int = 0
    failures: tuple[str, ...] = ()
    page: Path | None = None


def execute_over(
    requests: Iterable[Request],
    seed: int,
    folder: Path,
    look: Callable[[list[Study]], Iterable[Result]],
    write: Callable[[list[Result]], Path],
    total: int,
    *,
    workers: int | None = None,
    listener: Listener | None = None,
    counted: Callable[[int, int], None] | None = None,
) -> Executed[Result]:
    """Makes the runs that are missing in the folder, looks at all, and writes a page of what came out.

    `workers` is as for `run_study`; `counted` is called with how much is looked at so far, and the `total`.

    Raises:
        BadInput: the folder holds a study with another seed.
    """
    parts: dict[str, list[Request]] = {DATA: [], FLOATS: []}
    for request in requests:
        parts[FLOATS if request.spec.problem.is_real(request.spec.n) else DATA].append(request)
    studies, stored, computed = [], 0, 0
    for name, part in parts.items():
        plan = plan_for(part, seed, folder / name) if part else None
        if plan is None:
            continue
        try:
            report = run_study(plan, folder / name, workers=workers, listener=listener)
        except Interrupted as interrupted:
            report = interrupted.report
        stored, computed = stored + report.stored, computed + report.computed
        if report.interrupted or report.failures:
            return Executed(interrupted=report.interrupted, stored=stored, failures=tuple(report.failures))
        studies.append(Study.load(folder / name))
    if listener is not None and studies and not computed:
        listener.notice(
            f"all {stored:,} runs are stored; what they say is worked out, where it is not known from before"
        )
    results: list[Result] = []
    for result in look(studies):
        results.append(result)
        if counted is not None:
            counted(len(results), total)
    return Executed(results, stored=stored, page=write(results))
