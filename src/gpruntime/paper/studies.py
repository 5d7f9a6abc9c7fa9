"""The runs that are asked for, made and stored, and a page about them: the frame of a paper and of the atlas.

There is one study for all runs, and one more for problems with floats as fitness: a study has one type of fitness, so
what has floats is a folder of its own beside the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from gpruntime.paper.claim import Asked
from gpruntime.paper.plan import plan_for
from gpruntime.study import Study, run_study
from gpruntime.study.execute import Listener

DATA, FLOATS = "data", "data-floats"
Found = TypeVar("Found")


@dataclass(frozen=True)
class Made:
    """How the runs ended.

    Attributes:
        studies: with all that was asked for; none if they were interrupted or failed.
        interrupted: whether Ctrl-C ended them.
        stored: runs that are stored.
        failures: cells that were given up, in words.
    """

    studies: list[Study] = field(default_factory=list)
    interrupted: bool = False
    stored: int = 0
    failures: tuple[str, ...] = ()


def make_runs(
    asked: Iterable[Asked], seed: int, folder: Path, *, workers: int | None = None, listener: Listener | None = None
) -> Made:
    """Runs what is missing in the folder.

    Raises:
        BadInput: the folder holds a study with another seed.
    """
    parts: dict[str, list[Asked]] = {DATA: [], FLOATS: []}
    for one in asked:
        parts[FLOATS if one.spec.problem.is_real(one.spec.n) else DATA].append(one)
    studies, stored = [], 0
    for name, some in parts.items():
        plan = plan_for(some, seed, folder / name) if some else None
        if plan is None:
            continue
        sitting = run_study(plan, folder / name, workers=workers, listener=listener)
        stored += sitting.stored
        if sitting.interrupted or sitting.failures:
            return Made(interrupted=sitting.interrupted, stored=stored, failures=tuple(sitting.failures))
        studies.append(Study.load(folder / name))
    return Made(studies, stored=stored)


@dataclass(frozen=True)
class Executed(Generic[Found]):
    """How it ended.

    Attributes:
        found: what came out, claim by claim or entry by entry; nothing if it was interrupted.
        interrupted: whether Ctrl-C ended the runs.
        stored: runs that are stored.
        failures: cells that were given up, in words.
        page: its file.
    """

    found: list[Found] = field(default_factory=list)
    interrupted: bool = False
    stored: int = 0
    failures: tuple[str, ...] = ()
    page: Path | None = None


def execute_over(
    asked: Iterable[Asked],
    seed: int,
    folder: Path,
    look: Callable[[list[Study]], Iterable[Found]],
    write: Callable[[list[Found]], Path],
    total: int,
    *,
    workers: int | None = None,
    listener: Listener | None = None,
    counted: Callable[[int, int], None] | None = None,
) -> Executed[Found]:
    """Makes the runs, looks at them, and writes a page of what was found.

    `workers` is as for `run_study`; `counted` is called with how much is found so far, and the `total`.

    Raises:
        BadInput: the folder holds a study with another seed.
    """
    made = make_runs(asked, seed, folder, workers=workers, listener=listener)
    if made.interrupted or made.failures:
        return Executed(interrupted=made.interrupted, stored=made.stored, failures=made.failures)
    found: list[Found] = []
    for one in look(made.studies):
        found.append(one)
        if counted is not None:
            counted(len(found), total)
    return Executed(found, stored=made.stored, page=write(found))
