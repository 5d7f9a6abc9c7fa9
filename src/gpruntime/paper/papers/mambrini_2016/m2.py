"""M2: polynomially many sampled rows are fitted in O(log n)."""

from __future__ import annotations

import math

from gpruntime.paper.claim import READ, THEOREM
from gpruntime.paper.line_claim import line_claim
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.scale import Scale, by_scale, doubling


def _lines(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=doubling(8, 512), full=doubling(8, 512), tiny=doubling(8, 128))
    runs = by_scale(scale, quick=200, full=1000, tiny=40)
    return [
        over_n(
            "AND on n² rows",
            sizes,
            runs,
            problem=lambda n: f"and:rows={n * n}",
            algorithm="gpstar-single",
            init="unity:leaves=1",
        )
    ]


CLAIM = line_claim(
    "M2",
    "AND on sampled rows in O(log n)",
    THEOREM,
    "Polynomially many rows of the truth table, sampled once, are fitted in an expected time of O(log n).",
    lines=_lines,
    bound=lambda n, _: math.log(n),
    formula="ln n",
    setting="n² rows, drawn once for each n; GP*-single from a single random leaf.",
    wording=READ,
    place="theorem",
    slip="Fitting the sample is not finding the conjunction: a few variables are enough for it.",
)
