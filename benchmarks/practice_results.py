"""The results of `./run bench practice`, and where they are kept."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from gpruntime.files import write_whole

KEPT = Path(__file__).parents[1] / "docs" / "data" / "practice.json"
BUDGET = 25_000
THEIRS = "DEAP"


class Ended(NamedTuple):
    """A run: evaluations, and the fitness and leaves of the best tree; a fitness of 0 is optimal."""

    evaluations: int
    fitness: float
    leaves: int


@dataclass
class Arm:
    """The runs of one side on one problem, a number each; `seconds` of all of them together."""

    evaluations: list[int] = field(default_factory=list)
    fitness: list[float] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, runs: Iterable[Ended], seconds: float) -> None:
        """More runs."""
        for run in runs:
            self.evaluations.append(run.evaluations)
            self.fitness.append(round(run.fitness, 4))  # an error below 0.01 counts as none, so 0 stays apart
            self.leaves.append(run.leaves)
        self.seconds = round(self.seconds + seconds, 4)


Results = dict[str, dict[str, Arm]]  # by problem and side


def kept(path: Path = KEPT) -> Results:
    """Those of the last measurement."""
    read = json.loads(path.read_text(encoding="utf-8"))
    return {problem: {name: Arm(**arm) for name, arm in arms.items()} for problem, arms in read["results"].items()}


def keep(results: Results, path: Path = KEPT) -> None:
    """Writes them, with where they come from."""
    versions = {name: version(name) for name in ("gpruntime", "deap", "numpy", "numba")}
    written = {
        "command": "./run bench practice",
        "budget": BUDGET,
        "versions": {"python": platform.python_version()} | versions,
        "results": {problem: {name: asdict(arm) for name, arm in arms.items()} for problem, arms in results.items()},
    }
    write_whole(path, (json.dumps(written, separators=(",", ":")) + "\n").encode("utf-8"))
