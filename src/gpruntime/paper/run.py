"""`gpruntime paper`: plan → study → evidence → verdicts → figures → report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from gpruntime.model.errors import BadInput
from gpruntime.paper.claim import Claim
from gpruntime.paper.evidence import Evidence, gather
from gpruntime.paper.report import write_report
from gpruntime.paper.scale import Scale
from gpruntime.paper.settle import Settled, settle
from gpruntime.paper.studies import Executed, execute_over
from gpruntime.study import Study
from gpruntime.study.execute import Listener
from gpruntime.study.worker import end_with, starting

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
) -> Executed[Settled]:
    """Runs what the claims need, checks them, and writes the report.

    `workers` is as for `run_study`; `counted` is called with the number of claims that are checked, and of all.

    Raises:
        BadInput: the folder holds a study with another seed.
    """
    asked = {claim.id: list(claim.cells(scale)) for claim in claims}

    def look(studies: list[Study]) -> Iterator[Settled]:
        figures = folder / FIGURES
        if figures.is_symlink():
            raise BadInput("output", str(figures), "is a link; the figures go into a folder of their own")
        figures.mkdir(parents=True, exist_ok=True)
        evidence = {id_: gather(some, studies, scale, seed) for id_, some in asked.items()}
        return _settle_all(evidence, figures, workers)

    return execute_over(
        (one for some in asked.values() for one in some),
        seed,
        folder,
        look,
        lambda settled: write_report(folder / REPORT, claims, settled, asked, scale, seed),
        len(claims),
        workers=workers,
        listener=listener,
        counted=counted,
    )


def _settle_all(evidence: dict[str, Evidence], figures: Path, workers: int | None) -> Iterator[Settled]:
    """In the order of the claims, computed by several processes."""
    number = os.cpu_count() or 1 if workers is None else workers
    if min(number, len(evidence)) <= 1:
        for id_, known in evidence.items():
            yield settle(id_, known, figures)
        return
    workers = min(number, len(evidence))
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=end_with, initargs=(os.getpid(),)) as pool:
        with starting():
            futures = [pool.submit(settle, id_, known, figures) for id_, known in evidence.items()]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
