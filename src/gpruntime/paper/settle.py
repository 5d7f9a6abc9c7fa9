"""One claim: from its evidence to its verdict, its figures and its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpruntime.files import write_whole
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.papers import CLAIMS
from gpruntime.paper.verdict import Verdict
from gpruntime.show.drawing import csv_text
from gpruntime.show.page import Plate, plate_of


@dataclass(frozen=True)
class Settled:
    """A claim that was checked.

    Attributes:
        id: of the claim.
        verdict: what came out.
        plates: its figures; their files are figures/NAME.svg, .pdf, .png and .csv.
        news: what the paper does not have.
    """

    id: str
    verdict: Verdict
    plates: tuple[Plate, ...]
    news: tuple[str, ...] = ()


def settle(identifier: str, evidence: Evidence, figures: Path) -> Settled:
    """Checks a claim, draws its figures, and writes both with their numbers into the folder `figures`."""
    claim = CLAIMS[identifier]
    verdict = claim.check(evidence)
    plates = []
    for drawing in claim.figures(evidence, verdict):
        drawing.save(figures)
        plates.append(plate_of(drawing))
    for table in verdict.tables:
        write_whole(figures / f"{table.name}.csv", csv_text(table.records).encode("utf-8"))
    return Settled(identifier, verdict, tuple(plates), tuple(claim.news(evidence, verdict)))
