"""Tables for LaTeX, by booktabs: the numbers of the report, in as few columns as a paper's column holds.

A table that is wider than its column is made smaller (`\\gprfit`, in the preamble). An interval stands behind its
number in a smaller font.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import proportion
from gpruntime.analysis.summary import Summary
from gpruntime.model.spec_text import common_parts, short_labels
from gpruntime.show.figures import law_in_tex
from gpruntime.show.latex import latex, math
from gpruntime.show.tables import Table, cells_table, comparison_table, with_interval

if TYPE_CHECKING:
    from gpruntime.exact.solve import ExactResult

_INTERVAL = re.compile(r"(.+?) (\[[^\[\]]+\])")
_LEFT_OUT = ("deviation", "median", "mean", "optimum", "stuck", "stopped", "T_max", "P_max")
_SHORTER = {"evaluations per success": "ERT"}
_MOST = 60  # letters of a word column
_RAW = "\0"  # before a cell that is LaTeX already, made here


def booktabs(table: Table, caption: str, label: str, *, wide: bool = False, wrap: float = 0) -> str:
    """A floating table; with `wide` over both columns of a page, with `wrap` the words of its first column in lines."""
    kind = "table*" if wide else "table"
    columns = "".join("l" if place == 0 or table.is_text(place) else "r" for place in range(len(table.headings)))
    columns = rf">{{\raggedright}}p{{{wrap:g}\linewidth}}{columns[1:]}" if wrap else columns
    rows = [" & ".join(map(_cell, row)) + r" \\" for row in table.rows]
    return "\n".join(
        [
            rf"\begin{{{kind}}}[htbp]",
            r"\centering",
            rf"\caption{{{latex(caption)}}}",
            rf"\label{{{label}}}",
            rf"\gprfit{{\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(map(latex, table.headings)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}}",
            rf"\end{{{kind}}}",
            "",
        ]
    )


def _cell(text: str) -> str:
    if text.startswith(_RAW):
        return text.removeprefix(_RAW)
    match = _INTERVAL.fullmatch(text)
    return rf"{latex(match[1])} {{\scriptsize {latex(match[2])}}}" if match else latex(text)


def raw(source: str) -> str:
    """A cell that is LaTeX already; only for what was made here."""
    return _RAW + source


# ---- a study


def curve_table(curve: Curve) -> Table:
    """The sizes of a curve: the share that is stuck, means and evaluations per success, as the report has them."""
    full = cells_table(curve)
    whole, stopped = all(cell.complete for cell in curve.cells), any(cell.budget for cell in curve.cells)
    left_out = {"deviation", "T_max", "P_max"} if whole else {*_LEFT_OUT, *(() if stopped else ("P(optimum)",))}
    left_out |= {"runs"} if len({cell.runs for cell in curve.cells}) == 1 else set()
    kept = [place for place, name in enumerate(full.headings) if name not in left_out]
    headings = [_SHORTER.get(full.headings[place], full.headings[place]) for place in kept]
    rows = [[row[place] for place in kept] for row in full.rows]
    if any(cell.stuck for cell in curve.cells):
        headings.insert(1, "P(stuck)")
        for row, cell in zip(rows, curve.cells, strict=True):
            row.insert(1, with_interval(proportion(cell.stuck, cell.runs, cell.chance.level)))
    return Table(tuple(headings), tuple(map(tuple, rows)))


def laws_table(summary: Summary) -> Table:
    """A row for each curve: its law, the interval of the constant, and what did not end at the largest size."""
    labels = short_labels([curve.name for curve in summary.curves])
    rows = []
    for curve in summary.curves:
        last, best = curve.cells[-1], None if curve.fit is None else curve.fit.best
        law = "–" if best is None else raw(math(law_in_tex(best).strip("$")))
        stuck = with_interval(proportion(last.stuck, last.runs, last.chance.level)) if last.stuck else "0"
        interval = "–" if best is None else best.constant.bracket()
        rows.append((labels[curve.name], law, interval, stuck))
    if all(not curve.cells[-1].stuck for curve in summary.curves):
        return Table(("setting", "law", "interval of c"), tuple(row[:-1] for row in rows))
    return Table(("setting", "law", "interval of c", "P(stuck)"), tuple(rows))


def tables_of(summary: Summary) -> dict[str, str]:
    """All tables of a study as LaTeX, by name."""
    names = [curve.name for curve in summary.curves]
    common = f" All: {', '.join(common_parts(names))}." if len(names) > 1 and common_parts(names) else ""
    level = f"{100 * summary.level:g} % intervals"
    caption = "Mean evaluations to the optimum: the law that fits best, and its leading constant c."
    if any(curve.cells[-1].stuck for curve in summary.curves):
        caption += (
            " P(stuck): the share of runs that are stuck for ever, at the largest n; their law is over the others."
        )
    found = {"laws": booktabs(laws_table(summary), f"{caption}{common} With {level}.", "tab:laws", wrap=0.34)}
    for number, curve in enumerate(summary.curves, 1):
        runs = sorted({cell.runs for cell in curve.cells})
        head = f"{curve.name}: evaluations, with {level}" + (f"; {runs[0]:,} runs each." if len(runs) == 1 else ".")
        if curve.given_optimum:
            head += " Stuck runs never end: the mean of all runs is infinite."
        if not all(cell.complete for cell in curve.cells):
            head += " ERT: all evaluations ÷ successes."
        found[f"curve-{number}"] = booktabs(curve_table(curve), head, f"tab:curve-{number}")
    for number, comparison in enumerate(summary.comparisons, 1):
        head = f"A = {comparison.a}, B = {comparison.b}; {comparison.where}. {comparison.answer()}"
        found[f"comparison-{number}"] = booktabs(comparison_table(comparison), head, f"tab:comparison-{number}")
    if summary.bounds:
        rows = [
            (short_labels(names)[check.curve.name], _formula(check), check.bound.source, check.verdict())
            for check in summary.bounds
        ]
        bounds = Table(("setting", "bound", "source", "measured"), tuple(rows))
        found["bounds"] = _paragraphs(bounds, "Bounds of the theory held against the measured means.", "tab:bounds")
    return found


def _formula(check: object) -> str:
    return str(check.bound.formula)  # type: ignore[attr-defined]


def _paragraphs(table: Table, caption: str, label: str) -> str:
    """A table of words, over both columns: its last columns are as wide as there is room."""
    made = booktabs(table, caption, label, wide=True)
    share = 0.86 / len(table.headings)
    columns = "".join(rf"p{{{share:.2f}\linewidth}}" for _ in table.headings)
    return re.sub(r"(?<=\\begin\{tabular\})\{[lr]+\}", lambda _: f"{{{columns}}}", made)


def summary_latex(summary: Summary) -> str:
    """What `Summary.to_latex()` gives: all tables, one below the other."""
    return "\n".join(tables_of(summary).values())


# ---- exact answers, and rows of words


def exact_latex(result: ExactResult) -> str:
    """What `ExactResult.to_latex()` gives: the answer and its levels."""
    from gpruntime.exact.solve import between

    spec = result.spec
    name = f"{spec.algorithm.name} on {spec.problem.name}, n = {spec.n:,}"
    mean = (
        "infinite"
        if result.expected == float("inf")
        else "unknown"
        if result.expected is None
        else _exact(result.expected)
    )
    rows = [
        ("answer", f"{result.kind}, {result.states:,} states"),
        ("P(optimum)", between(result.optimum_bounds)),
        ("P(stuck)", between(result.stuck_bounds)),
        ("E[evaluations]", mean),
    ]
    if result.mean is not None:
        rows.append(("E[evaluations | optimum]", _exact(result.mean)))
    if result.deviation is not None:
        rows.append(("deviation, given the optimum", f"{result.deviation:,.8g}"))
    found = [booktabs(Table(("quantity", "value"), tuple(rows)), f"{name}, solved as a Markov chain.", "tab:exact")]
    if result.levels:
        levels = tuple(
            (str(level.fitness), f"{level.entered:.10f}", f"{level.optimum:.10f}",
             "never" if level.evaluations is None else f"{level.evaluations:,.6f}")
            for level in result.levels
        )  # fmt: skip
        table = Table((result.measure, "P(reached)", "P(optimum | reached)", "further evaluations"), levels)
        found.append(booktabs(table, f"{name}, level by level.", "tab:levels"))
    return "\n".join(found)


def _exact(number: object) -> str:
    shown = f"{float(number):,.8g}"  # type: ignore[arg-type]
    text = str(number)
    return f"{shown} = {text}" if "/" in text and len(text) <= _MOST else shown


def rows_latex(headings: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str) -> str:
    """Rows of words, as claims and entries of the atlas are, as a table that goes on over pages."""
    width = rf"\dimexpr\linewidth/{len(headings)}-2\tabcolsep\relax"
    columns = rf">{{\raggedright\arraybackslash}}p{{{width}}}" * len(headings)
    head = " & ".join(map(latex, headings)) + r" \\"
    lines = [" & ".join(map(_cell, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            r"% \usepackage{array,booktabs,longtable}; in a paper of two columns, \onecolumn before it",
            r"{\footnotesize",
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{latex(caption)}}}\label{{{label}}}\\",
            r"\toprule", head, r"\midrule", r"\endfirsthead",
            r"\toprule", head, r"\midrule", r"\endhead",
            r"\bottomrule", r"\endfoot",
            *lines,
            r"\end{longtable}}",
            "",
        ]
    )  # fmt: skip
