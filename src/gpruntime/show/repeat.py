"""The command that repeats the runs of a cell."""

from __future__ import annotations

import shlex

from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.runs import Address
from gpruntime.model.spec import RunSpec


def commands(cell: CellEstimate) -> list[str]:
    """One command for each seed and method; run r of a seed is always the same run."""
    return [_command(cell.spec, address) for address in cell.addresses]


def _command(spec: RunSpec, address: Address) -> str:
    words = ["gpruntime", "run", "--problem", spec.problem, "--algorithm", spec.algorithm, "-n", str(spec.n)]
    words += ["--init", spec.init, "--seed", str(address.seed), "--runs", str(address.last + 1)]
    if spec.weights != (1.0, 1.0, 1.0):
        words += ["--weights", ",".join(repr(float(weight)) for weight in spec.weights)]
    if spec.algorithm_.multi and spec.poisson_mean != 1.0:
        words += ["--poisson-mean", repr(spec.poisson_mean)]
    for option, value, default in (
        ("--operator", spec.operator, "hvl-prime"),
        ("--substitute", spec.substitute, "leaves"),
        ("--last-leaf", spec.last_leaf, "keep"),
        ("--max-leaves", spec.max_leaves_allowed, None),
        ("--budget", spec.budget, None),
    ):
        if value != default:
            words += [option, str(value)]
    if spec.algorithm_.strict and address.method == "stepping" and spec.operator == "hvl-prime":
        words += ["--method", "stepping"]
    return shlex.join([*words, "--json"])


def numbers(address: Address) -> str:
    """Which runs those are, in words."""
    text = f"seed {address.seed}, runs {address.first:,} to {address.last:,}"
    whole = address.runs == address.last - address.first + 1
    return text if whole else f"{text} ({address.runs:,} of them)"
