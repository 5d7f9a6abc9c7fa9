"""Ten million runs through the commands: seconds and largest memory of each, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gpruntime.study import Plan, run_study

RUNS_PER_CELL = 1_000_000


def main() -> None:
    """Computes the study, then measures."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch:
        study = Path(scratch) / "study"
        algorithms = ["gp-single", "gpstar-single"]
        run_study(
            Plan.of(seed=1, problem="majority", algorithm=algorithms, n=[1, 2, 3, 4, 5], runs=RUNS_PER_CELL), study
        )
        table = Table(title="ten million runs of ten cells")
        for name in ("gpruntime study", "seconds", "GB"):
            table.add_column(name, justify="left" if name == "gpruntime study" else "right")
        for words in (
            ["show", "STUDY"],
            ["report", "STUDY", "-o", f"{scratch}/report.html"],
            ["export", "STUDY", "--format", "csv", "-o", f"{scratch}/runs.csv"],
            ["export", "STUDY", "--format", "parquet", "-o", f"{scratch}/runs.parquet"],
            ["sql", "STUDY", "select * from runs limit 3000000", "--csv"],
        ):
            told = " ".join(Path(word).name if word.startswith(scratch) else word for word in words)
            table.add_row(told, *measured([str(study) if word == "STUDY" else word for word in words]))
        Console(width=110).print(table)


def measured(words: list[str]) -> tuple[str, str]:
    """Seconds and gigabytes of a command, as the kernel counts them."""
    begun = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "gpruntime", "study", *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        return f"exit status {child.returncode}", ""
    return f"{time.perf_counter() - begun:.1f}", f"{usage.ru_maxrss / 1e6:.2f}"
