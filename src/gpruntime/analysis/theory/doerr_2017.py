"""Bounding bloat: MAJORITY and ORDER, with and without bloat control."""

from __future__ import annotations

import math

from gpruntime.analysis.bound import LOWER, UPPER, Bound, log_n

LATER = "Doerr, Kötzing, Lagodzinski, Lengler, GECCO 2017 and TCS 816, 2020 (abstract)"

BOUNDS: tuple[Bound, ...] = (
    Bound(
        "later:majority_upper", "O(T_init·log T_init + n·log³ n)",
        r"T_{\mathrm{init}}\log T_{\mathrm{init}} + n\,\log^3 n", UPPER, LATER,
        "MAJORITY, (1+1) GP without bloat control", "proved, known to us from the abstract", "majority",
        ("gp-single", "gp-multi"), (),
        lambda n, _, t_init: math.log(t_init * log_n(t_init) + n * log_n(n) ** 3),
    ),
    Bound(
        "later:majority_lower", "Ω(T_init + n·log n)", r"T_{\mathrm{init}} + n\,\log n", LOWER, LATER,
        "MAJORITY, (1+1) GP without bloat control", "proved, known to us from the abstract", "majority",
        ("gp-single", "gp-multi"), (), lambda n, _, t_init: math.log(t_init + n * log_n(n)),
    ),
    *(
        Bound(
            f"{name}:{problem}_{kind}", f"{sign}(T_init + n·log n)", r"T_{\mathrm{init}} + n\,\log n", kind, LATER,
            f"{problem.upper()}, (1+1) GP with bloat control", "proved, known to us from the abstract", problem,
            ("gp-single", "gp-multi"), (), lambda n, _, t_init: math.log(t_init + n * log_n(n)), "parsimony",
        )
        for name, problem in (("B1", "order"), ("B2", "majority"))
        for kind, sign in ((UPPER, "O"), (LOWER, "Ω"))
    ),
)  # fmt: skip
