"""How to repeat the runs of a cell: a command, or where the code is that it would need.

A user-defined part is named by the file it was loaded from. Where that is not known, a study still keeps its
source, and `study replay` runs it. Otherwise only whoever has the source can repeat the runs.
"""

from __future__ import annotations

import itertools
import shlex

from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.runs import Address
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import options_of


def commands(cell: CellEstimate, study: str | None = None) -> list[str]:
    """One line for each seed and method; run r of a seed is always the same run.

    `study` is the folder that holds them, if they are a study's.
    """
    return [_line(cell.spec, address, study) for address in cell.addresses]


def _line(spec: RunSpec, address: Address, study: str | None) -> str:
    if any(part.is_foreign for part in spec.parts):
        return "# no command: these runs were made by another tool"
    nameless = [part for part in spec.parts if part.is_own and part.file is None]
    if not nameless:
        return _command(spec, address)
    if study is not None:
        run = f"{spec.cell_id}:{address.first}"
        return shlex.join(["gpruntime", "study", "replay", study, "--run", run, "--trust"])
    names = " and ".join(f"{part.field} {part.id}" for part in nameless)
    call = f"run_many(…, seed={address.seed}, runs={address.last + 1}, method={address.method!r})"
    return f"# no command: {names} is in no file that is known here. Where it is defined: {call}"


def _command(spec: RunSpec, address: Address) -> str:
    options = list(options_of(spec).items())
    options[4:4] = [("--seed", str(address.seed)), ("--runs", str(address.last + 1))]
    if spec.algorithm.strict and address.method == "stepping" and spec.operator.id == "hvl-prime":
        options.append(("--method", "stepping"))
    return shlex.join(["gpruntime", "run", *itertools.chain(*options), "--json"])


def numbers(address: Address) -> str:
    """Which runs those are, in words."""
    text = f"seed {address.seed}, runs {address.first:,} to {address.last:,}"
    whole = address.runs == address.last - address.first + 1
    return text if whole else f"{text} ({address.runs:,} of them)"
