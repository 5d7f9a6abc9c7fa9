"""`gpruntime paper`: plan → study → evidence → verdicts → figures → report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from gpruntime.files import write_whole
from gpruntime.model.errors import BadInput
from gpruntime.paper.claim import Claim
from gpruntime.paper.evidence import Evidence, gather
from gpruntime.paper.frame import Executed, execute_over
from gpruntime.paper.kept import KnownVerdicts
from gpruntime.paper.papers import CLAIMS
from gpruntime.paper.report import Evaluated, write_report
from gpruntime.paper.scale import Scale
from gpruntime.processes import number_of_workers, starting
from gpruntime.show.drawing import csv_text
from gpruntime.show.page import plate_of
from gpruntime.study import Study
from gpruntime.study.execute import Listener
from gpruntime.systems import MAX_PROCESSES, end_with

FIGURES, REPORT = "figures", "report.html"


def execute(
    claims: Sequence[Claim],
    scale: Scale,
    seed: int,
    folder: Path,
    *,
    workers: int | None = None,
    listener: Listener | None = None,
    counted: Callable[[int, int], None] | None = None,
    keep: bool = False,
) -> Executed[Evaluated]:
    """Runs what the claims need, checks them, and writes the report.

    `workers` is as for `run_study`; `counted` is called with the number of claims that are checked, and of all. With
    `keep` verdicts are kept, and found again (`gpruntime.paper.kept`).

    Raises:
        BadInput: the folder holds a study with another seed.
    """
    requests = {claim.id: list(claim.cells(scale)) for claim in claims}
    known = KnownVerdicts(folder / FIGURES) if keep else None  # before the runs: it notes what the sources are now

    def look(studies: list[Study]) -> Iterator[Evaluated]:
        figures = folder / FIGURES
        if figures.is_symlink():
            raise BadInput("output", str(figures), "is a link; the figures go into a folder of their own")
        evidence = {id_: gather(cells, studies, scale, seed) for id_, cells in requests.items()}
        return _evaluate_all(evidence, figures, workers, known)

    return execute_over(
        (request for cells in requests.values() for request in cells),
        seed,
        folder,
        look,
        lambda results: write_report(folder / REPORT, claims, results, requests, scale, seed),
        len(claims),
        workers=workers,
        listener=listener,
        counted=counted,
    )


def evaluate(identifier: str, evidence: Evidence, figures: Path, known: KnownVerdicts | None = None) -> Evaluated:
    """Checks a claim, draws its figures, and writes both with their numbers into the folder `figures`."""
    claim = CLAIMS[identifier]
    verdict = claim.check(evidence)
    plates, files = [], {f"{table.name}.csv": csv_text(table.records).encode("utf-8") for table in verdict.tables}
    for drawing in claim.figures(evidence, verdict):
        files |= drawing.files()
        plates.append(plate_of(drawing))
    figures.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_whole(figures / name, content)
    evaluated = Evaluated(identifier, verdict, tuple(plates), tuple(claim.news(evidence, verdict)))
    if known is not None:
        known.keep(evidence, evaluated, files)
    return evaluated


def _evaluate_all(
    evidence: dict[str, Evidence], figures: Path, workers: int | None, known: KnownVerdicts | None
) -> Iterator[Evaluated]:
    """In the order of the claims; what is not known is computed by several processes."""
    found = {} if known is None else {id_: known.find(seen, id_) for id_, seen in evidence.items()}
    missing = {id_: (id_, seen, figures, known) for id_, seen in evidence.items() if found.get(id_) is None}
    number = min(number_of_workers(workers, 0), len(missing), MAX_PROCESSES)
    if number <= 1:
        for id_ in evidence:
            yield found.get(id_) or evaluate(*missing[id_])
        return
    with ProcessPoolExecutor(number, get_context("spawn"), initializer=end_with, initargs=(os.getpid(),)) as pool:
        with starting():
            futures = {id_: pool.submit(evaluate, *what) for id_, what in missing.items()}
        try:
            for id_ in evidence:
                yield found.get(id_) or futures[id_].result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
