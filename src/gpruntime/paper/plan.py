"""One study for all claims: the union of their cells, each with the largest number of runs asked for.

What a folder holds already stays in its plan, so that claims and scales can be added to it one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gpruntime.files import LEDGER
from gpruntime.model.spec import DEFAULTS, RunSpec
from gpruntime.paper.claim import Asked
from gpruntime.study import Plan
from gpruntime.study.cell import cell_id
from gpruntime.study.goal import Fixed
from gpruntime.study.store import Store


def plan_for(asked: Iterable[Asked], seed: int, folder: Path) -> Plan | None:
    """The plan that has these runs and all that the folder's has; None if there is nothing to run."""
    wanted: dict[str, Asked] = {}
    for spec, runs in [*_held(folder), *asked]:
        id_ = cell_id(spec)
        before = wanted.get(id_)
        wanted[id_] = Asked(spec, runs if before is None else max(runs, before.runs))
    if not wanted:
        return None
    return Plan.of(seed=seed, grid=grids(wanted.values()))


def _held(folder: Path) -> list[Asked]:
    if not (folder / LEDGER).is_file():
        return []
    return [Asked(cell.spec, cell.rule.runs) for cell in Store(folder).plan.cells if isinstance(cell.rule, Fixed)]


def grids(wanted: Iterable[Asked]) -> list[dict[str, Any]]:
    """Tables of a plan: those that differ in n alone share one."""
    grids: dict[tuple[Any, ...], dict[str, Any]] = {}
    for spec, runs in wanted:
        keys = _keys(spec)
        where = (*((name, str(value)) for name, value in keys.items()), runs)
        grid = grids.setdefault(where, {**keys, "n": [], "runs": runs})
        grid["n"].append(spec.n)
    return list(grids.values())


def _keys(spec: RunSpec) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for name, value in spec.settings.items():
        if name in ("problem", "algorithm", "init") or (name != "n" and value != DEFAULTS[name]):
            keys[name] = [list(value)] if name == "weights" else value
    return keys
