"""The founding paper: Table 1, and what stands behind it."""

from __future__ import annotations

import math

from gpruntime.analysis.bound import INFINITE, LOWER, UPPER, Bound, log_log_n, log_n

PAPER = "Durrett, Neumann, O'Reilly, FOGA 2011"

_ALL = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")
_LINEAR = ("unity", "bad", "tlopt", "insertion", "grow")  # at most 2n leaves

BOUNDS: tuple[Bound, ...] = (
    Bound(
        "thm:oneonegp", "O(n·T_max)", r"n\,T_{\max}", UPPER, f"{PAPER}, theorem on ORDER", "ORDER, any start",
        "proved; better ones conjectured, except for GP*-single", "order", _ALL, (),
        lambda n, t_max, _: math.log(n) + math.log(t_max),
    ),
    Bound(
        "cor:star-order", "O(n²)", "n^2", UPPER, f"{PAPER}, corollary on ORDER",
        "ORDER, GP*-single, O(n) initial leaves", "proved", "order", ("gpstar-single",), _LINEAR,
        lambda n, *_: 2 * math.log(n),
    ),
    Bound(
        "conj:star-multi", "O(n²)", "n^2", UPPER, f"{PAPER}, after the corollary on ORDER",
        "ORDER, GP*-multi, O(n) initial leaves", "conjectured", "order", ("gpstar-multi",), _LINEAR,
        lambda n, *_: 2 * math.log(n),
    ),
    Bound(
        "cor:majority_gp_wc", "O(n²·T_max·log log n)", r"n^2\,T_{\max}\log\log n", UPPER,
        f"{PAPER}, worst case on MAJORITY", "MAJORITY, GP-single, any start",
        "proved; Table 1 prints log n for log log n, and a better one is conjectured", "majority", ("gp-single",), (),
        lambda n, t_max, _: 2 * math.log(n) + math.log(t_max) + math.log(log_log_n(n)),
    ),
    Bound(
        "thm:majority_gp_overall", "O(n log n + D·T_max·n·log log n), D = 2n",
        r"n\,\log n + 2n^2\,T_{\max}\log\log n", UPPER, f"{PAPER}, theorem on MAJORITY",
        "MAJORITY, GP-single, largest initial deficit D; here D = 2n, all leaves x̄₁",
        "proved", "majority", ("gp-single",), ("bad",),
        lambda n, t_max, _: math.log(n * log_n(n) + 2 * n * n * t_max * log_log_n(n)),
    ),
    Bound(
        "cor:majority_gp_ac", "O(n·T_max·log n)", r"n\,T_{\max}\log n", UPPER, f"{PAPER}, average case on MAJORITY",
        "MAJORITY, GP-single, unity expectation", "proved", "majority", ("gp-single",), ("unity",),
        lambda n, t_max, _: math.log(n) + math.log(t_max) + math.log(log_n(n)),
    ),
    Bound(
        "cor:majority_gpstar_single_bound", "∞", r"\infty", INFINITE, f"{PAPER}, corollary on MAJORITY",
        "MAJORITY, GP*-single, unity expectation", "proved", "majority", ("gpstar-single",), ("unity",), None,
    ),
    Bound(
        "thm:majority_gpstar_single_wc", "∞", r"\infty", INFINITE, f"{PAPER}, worst case on MAJORITY",
        "MAJORITY, GP*-single, from T_lopt: no run ever ends", "proved", "majority", ("gpstar-single",), ("tlopt",),
        None,
    ),
    Bound(
        "thm:majority_gpstar_multi_wc", "Ω((n/2e)^(n/2))", r"(n/2e)^{n/2}", LOWER, f"{PAPER}, worst case on MAJORITY",
        "MAJORITY, GP*-multi, from T_lopt", "proved", "majority", ("gpstar-multi",), ("tlopt",),
        lambda n, *_: n / 2 * math.log(n / (2 * math.e)),
    ),
)  # fmt: skip

OPEN = {
    ("majority", "gp-multi"): "The paper has no bound for this cell of its Table 1 (“?”).",
    ("order", "gp-single"): "Without T_max no bound on the time is known: open.",
    ("order", "gp-multi"): "Without T_max no bound on the time is known: open.",
}
