"""The command that repeats the runs of a cell."""

from __future__ import annotations

import shlex

from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.runs import Address
from gpruntime.model.spec import SETTINGS, RunSpec


def commands(cell: CellEstimate) -> list[str]:
    """One command for each seed and method; run r of a seed is always the same run."""
    return [_command(cell.spec, address) for address in cell.addresses]


def _command(spec: RunSpec, address: Address) -> str:
    words = ["gpruntime", "run", "--problem", spec.problem, "--algorithm", spec.algorithm, "-n", str(spec.n)]
    words += ["--init", spec.init, "--seed", str(address.seed), "--runs", str(address.last + 1)]
    for name in list(SETTINGS)[list(SETTINGS).index("weights") :]:
        value = getattr(spec, name)
        told = name in spec.law() or (name == "budget" and value is not None)
        if told:
            text = ",".join(repr(float(weight)) for weight in value) if name == "weights" else str(value)
            words += [SETTINGS[name].metadata["option"], text]
    if spec.algorithm_.strict and address.method == "stepping" and spec.operator == "hvl-prime":
        words += ["--method", "stepping"]
    return shlex.join([*words, "--json"])


def numbers(address: Address) -> str:
    """Which runs those are, in words."""
    text = f"seed {address.seed}, runs {address.first:,} to {address.last:,}"
    whole = address.runs == address.last - address.first + 1
    return text if whole else f"{text} ({address.runs:,} of them)"
