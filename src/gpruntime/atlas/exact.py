"""Small sizes, solved exactly: kept in the folder, so that they are solved once."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.atlas.grid import Scale, Setting
from gpruntime.exact import solve
from gpruntime.exact.sizes import estimate, grows
from gpruntime.files import write_whole
from gpruntime.model.errors import BadInput
from gpruntime.model.representations.truth_tables import TRUTH_TABLES
from gpruntime.model.spec import RunSpec

FILE = "exact.json"
_MAX_ESTIMATED = 1_500  # states, by an estimate
_MAX_STATES = {"program": 250}  # where a state's neighbours are judged program by program, which is slow
_MAX_STATES_ELSE = 10_000


def solved(setting: Setting, scale: Scale) -> list[dict[str, Any]]:
    """The sizes of a setting that are solved in a moment: one operation, and trees that do not grow without end."""
    sizes = []
    for n in range(1, scale.exact + 1):
        spec = _small(setting.specs[0], n)
        if spec is None:
            continue
        try:
            result = solve(spec, most_states=_MAX_STATES.get(spec.problem.sees, _MAX_STATES_ELSE))
        except BadInput:
            continue
        if result.is_truncated:
            continue
        mean = None if result.mean is None else float(result.mean)
        missed = float(result.stuck_at_least) + float(result.endless_at_least)
        text = "no optimum" if mean is None else formatting.number(mean, digits=6)
        if missed > 1e-12:
            text = f"infinite; P(never) = {formatting.number(missed, digits=4)}"
        sizes.append({"n": n, "mean": mean, "p_never": missed, "words": text})
    return sizes


def _small(spec: RunSpec, n: int) -> RunSpec | None:
    """The setting at a small size, where it is quickly solved: of one tree, or of truth tables."""
    is_tree = spec.representation.is_tree
    if spec.has_population and spec.representation is not TRUTH_TABLES:
        return None
    try:
        init = str(spec.init) if "leaves" in str(spec.init) else spec.init.name
        small = spec.replace(n=n, init=init, budget=10**6)
        if is_tree and (spec.operations.most > 1 or grows(small) or estimate(small, n) > _MAX_ESTIMATED):
            return None
    except BadInput:
        return None
    return small


def kept(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What was solved before."""
    try:
        known = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def solve_all(settings: Sequence[Setting], scale: Scale, folder: Path) -> Iterator[list[dict[str, Any]]]:
    """All settings, one after the other; those that were solved before are read. Ctrl-C keeps what was solved."""
    known = kept(folder)
    try:
        for setting in settings:
            key = f"{setting.specs[0].cell_id}/{scale.exact}"
            if key not in known:
                known[key] = solved(setting, scale)
            yield known[key]
    finally:
        text = json.dumps(known, indent=1, sort_keys=True, default=_plain)
        write_whole(folder / FILE, text.encode("utf-8"))


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else str(value)
