"""Whose code is run: a study keeps the sources of user-defined components, so a folder from others brings code.

What a user has named, as FILE.py:NAME, or defined is in this process, and known by the digest of its source: runs of a
folder that has the same digest use that. Source that is in a folder or a plan alone is run only on the user's word.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from gpruntime.files import LEDGER, PLAN
from gpruntime.model.errors import BadInput
from gpruntime.model.part import Part
from gpruntime.study.cell import Cell
from gpruntime.study.errors import NotTrusted
from gpruntime.study.files import read_plain
from gpruntime.study.plan import Plan

_MAX_NAMED = 3


def runnable(plan: Plan, trust: bool, folder: Path | None = None, cells: Iterable[Cell] | None = None) -> Plan:
    """The plan with its parts, or those of some of its cells, ready to run. It came with the folder, if there is one.

    Raises `NotTrusted` if source that came with it would be run for that, and there is no `trust`.
    """
    parts = plan.kept_parts(cells)
    if parts and not trust:
        names = ", ".join(f"{part.field} {part.id}" for part in parts[:_MAX_NAMED])
        names += f" and {len(parts) - _MAX_NAMED:,} more" if len(parts) > _MAX_NAMED else ""
        name, value = ("plan", "[parts]") if folder is None else ("folder", str(folder))
        read = "" if folder is None else f" in {_where(plan, parts, folder)}"
        how = f"read it{read}, and say --trust (in Python trust=True) to have it run"
        raise NotTrusted(name, value, f"brings code of its own, {names}: {how}")
    return plan.loaded(cells)


def _where(plan: Plan, parts: list[Part], folder: Path) -> str:
    """The file in which a reader finds the very sources that would be run."""
    try:
        kept = tomllib.loads(read_plain(folder / PLAN).decode())["parts"]
        same = all(kept[part.base] == plan.parts[part.base] for part in parts)
    except (OSError, BadInput, ValueError, KeyError, TypeError, RecursionError):
        same = False
    return PLAN if same else LEDGER
