r"""A study as a folder for a paper: tables, figures with their data, a paragraph on methods, references, two samples.

preamble.tex          \input before \begin{document}; \gprdir says where the folder is
results.tex           all of it, in order; or \input single files of tables/ and figures/
methods.tex           what was done, in words
tables/ figures/ data/
gpruntime.bib         the software, and the papers of the bounds
sample-acmart.tex, sample-llncs.tex   papers that compile with one pdflatex
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpruntime._version import __version__
from gpruntime.analysis import formatting
from gpruntime.analysis.growth import LAWS
from gpruntime.analysis.summary import Summary
from gpruntime.files import write_whole
from gpruntime.show.bibliography import SOFTWARE, Reference, bibtex, software
from gpruntime.show.drawing import Drawing
from gpruntime.show.latex import latex
from gpruntime.show.latex_tables import tables_of
from gpruntime.show.pgf import PREAMBLE, pgf
from gpruntime.show.report import drawings

if TYPE_CHECKING:
    from gpruntime.analysis.table import RunsLike

# Nothing is wider than a column: the labels at an axis's ends stand out by what only TeX knows.
_FIT = r"""\newsavebox\gprbox
\newcommand\gprbounded[1]{\sbox\gprbox{#1}%
  \ifdim\wd\gprbox>\linewidth\resizebox{\linewidth}{!}{\usebox\gprbox}\else\usebox\gprbox\fi}
\newcommand\gprfit[1]{\gprbounded{\footnotesize\setlength\tabcolsep{3.5pt}#1}}
\providecommand\gprcite[1]{\cite{#1}}
\providecommand\Description[1]{}
"""
_HEAD = (
    "% Made by gpruntime. Everything here is data: numbers and names from runs, with every special letter escaped.\n"
)
_FLOATS = 10  # tables and figures between two \clearpage: TeX gives up where too many wait for their place
_SAMPLE = 4  # curves that a sample paper tells of
_CLASSES = {
    "acmart": "\\documentclass[sigconf,nonacm,balance=false]{acmart}\n\\settopmatter{printfolios=true}\n",
    "llncs": "\\documentclass[runningheads]{llncs}\n",
}
_TITLES = {
    "acmart": "\\title{%s}\n\\author{Your name}\\affiliation{\\institution{Your place}\\city{}\\country{}}\n"
    "\\begin{abstract}\n%s\n\\end{abstract}\n\\maketitle\n",
    "llncs": "\\title{%s}\n\\author{Your name}\\institute{Your place}\n\\maketitle\n"
    "\\begin{abstract}\n%s\n\\end{abstract}\n",
}


def write_latex(
    summary: Summary,
    runs: RunsLike | None,
    provenance: Mapping[str, Any],
    folder: str | Path,
    references: Sequence[Reference] = (),
    parts: Mapping[str, list[Drawing]] | None = None,
    note: Callable[[], None] = lambda: None,
) -> list[Path]:
    """Writes the folder, the same bytes for the same runs and provenance; files of these names are replaced.

    Args:
        summary: what `gpruntime.analysis.summarise` found.
        runs: the table, for the course inside the runs; None leaves that part out.
        provenance: what is known of how the runs were made, as `Study.account` says it.
        folder: where to.
        references: papers to be cited besides the software.
        parts: figures that are drawn already.
        note: called for each figure.
    """
    folder = Path(folder)
    parts = drawings(summary, runs) if parts is None else parts
    cited = [software(), *references]
    files = {"preamble.tex": _HEAD + PREAMBLE + _FIT, "gpruntime.bib": bibtex(cited)}
    files["methods.tex"] = _HEAD + methods(summary, provenance, references) + "\n"
    tables = tables_of(summary)
    files |= {f"tables/{name}.tex": _HEAD + text for name, text in tables.items()}
    figures: dict[str, str] = {}
    for part, drawings_of_part in parts.items():
        for number, drawing in enumerate(drawings_of_part, 1):
            name = part.replace(" ", "-") + (f"-{number}" if len(drawings_of_part) > 1 else "")
            picture, data = pgf(drawing.figure, name)
            figures[name] = _figure(picture, drawing, name)
            files |= {f"data/{file}": text for file, text in data.items()} | {f"data/{name}.csv": drawing.csv()}
            note()
    files |= {f"figures/{name}.tex": _HEAD + text for name, text in figures.items()}
    files["results.tex"] = _HEAD + _results(summary, tables, figures)
    title = latex(str(provenance.get("name") or "A study"))
    for name in _CLASSES:
        files[f"sample-{name}.tex"] = _HEAD + _sample(name, title, summary, cited)
    for sub in ("tables", "figures", "data"):
        (folder / sub).mkdir(parents=True, exist_ok=True)
    return [write_whole(folder / name, text.encode("utf-8")) for name, text in files.items()]


def _figure(picture: str, drawing: Drawing, name: str) -> str:
    return (
        f"\\begin{{figure}}[htbp]\n\\centering\n\\gprbounded{{%\n{picture.rstrip()}}}\n"
        f"\\caption{{{latex(drawing.caption)}}}\n\\label{{fig:{name}}}\n"
        f"\\Description{{{latex(drawing.alternative)}}}\n\\end{{figure}}\n"
    )


def methods(summary: Summary, provenance: Mapping[str, Any], references: Sequence[Reference] = ()) -> str:
    """What was done, in a paragraph: only what was really done."""
    made = _made(summary, provenance)
    counts = Counter(
        {name: sum(getattr(cell, name) for cell in summary.cells) for name in ("optimum", "stuck", "budget")}
    )
    level = f"{100 * summary.level:g} %"
    methods_of_shares = " and ".join(sorted({cell.chance.method for cell in summary.cells}))
    sentences = [
        made,
        "Times are fitness evaluations, the initial tree's included.",
        f"Intervals have a level of {level}.",
        (
            "Those of means are Student's t on logarithms, widened where the sample is skewed; "
            f"of shares {methods_of_shares or '–'}; of quantiles order statistics."
        ),
    ]
    if counts["stuck"]:
        sentences.append(
            f"{counts['stuck']:,} runs are stuck for ever, which is proved for each: there the mean is infinite, "
            "and we give the mean of the runs that reached the optimum and the evaluations per success (ERT), "
            "all evaluations spent ÷ successes."
        )
    if counts["budget"]:
        sentences.append(
            f"{counts['budget']:,} runs were stopped by the budget: they are censored, not left out; of their mean "
            "the restricted one is known, E[min(time, budget)]."
        )
    if any(curve.fit is not None for curve in summary.curves):
        tried = {law.law.name for curve in summary.curves if curve.fit is not None for law in curve.fit.ranking}
        names = [law.name for law in LAWS.values() if law.name in tried]
        sentences.append(
            f"The growth laws {formatting.listing([*names, *sorted(tried - set(names))])} competed, each alone and "
            "with a lower-order term, fitted by weighted least squares to the logarithms of the means and ranked by "
            "AICc; the interval of a constant averages over the forms of its law."
        )
    if summary.comparisons:
        sentences.append(
            "Ratios of means have intervals by the delta method; Mann–Whitney tests are corrected by Holm's method "
            "over all of them."
        )
    text = latex(" ".join(sentences))
    software_words = latex(f"gpruntime {__version__}")
    text = text.replace(software_words, rf"{software_words}~\gprcite{{{SOFTWARE}}}", 1)
    if summary.bounds and references:
        cited = "".join(rf"~\gprcite{{{reference.key}}}" for reference in references)
        text += f" {latex('Bounds of the theory are held against the measured means')}{cited}."
    return text


def _made(summary: Summary, provenance: Mapping[str, Any]) -> str:
    runs, cells = formatting.plural(summary.runs, "run"), formatting.plural(len(summary.cells), "setting")
    sizes = sorted({cell.n for cell in summary.cells})
    each = sorted({cell.runs for cell in summary.cells})
    per = f"{each[0]:,} each" if len(each) == 1 else f"{each[0]:,} to {each[-1]:,} each" if each else "none"
    begins = [record for record in provenance.get("sittings", []) if isinstance(record, dict)]
    known = {
        name: sorted({str(record[key]) for record in begins if key in record})
        for name, key in (("gpruntime", "gpruntime"), ("Python", "python"), ("NumPy", "numpy"), ("Numba", "numba"))
    }
    others = [f"{name} {' and '.join(values)}" for name, values in known.items() if values and name != "gpruntime"]
    if any(part.is_foreign for cell in summary.cells for part in cell.spec.parts):
        how = f"were made by another tool and analysed with gpruntime {__version__}"
    else:
        version = known["gpruntime"]
        how = f"were made with gpruntime {__version__}" if version in ([], [__version__]) else (
            f"were made with gpruntime versions {' and '.join(version)} and analysed with gpruntime {__version__}"
        )  # fmt: skip
        how += f" ({', '.join(others)})" if others else ""
        seeds = sorted({address.seed for cell in summary.cells for address in cell.addresses})
        how += f", seed {', '.join(map(str, seeds))}" if seeds else ""
        how += "; a run is addressed by its setting, seed and number, and comes out the same on every machine"
    return f"{runs} of {cells}, {per}, n = {formatting.sizes(sizes) if sizes else '–'}, {how}."


def _results(summary: Summary, tables: Mapping[str, str], figures: Mapping[str, str]) -> str:
    """Everything in order: laws and overview, curve by curve, comparisons, bounds."""
    order = ["tables/laws", *(["figures/overview"] if "overview" in figures else [])]
    for number in range(1, len(summary.curves) + 1):
        order.append(f"tables/curve-{number}")
        order += [
            f"figures/{name}" for name in figures if name == f"curve-{number}" or name.startswith(f"curve-{number}-")
        ]
    placed = {name.partition("/")[2] for name in order if name.startswith("figures")}
    order += [f"tables/{name}" for name in tables if name not in ("laws",) and not name.startswith("curve-")]
    order += [f"figures/{name}" for name in figures if name not in placed]
    lines = [rf"\input{{\gprdir/{name}}}" for name in order]
    pages = ["\n".join(lines[at : at + _FLOATS]) for at in range(0, len(lines), _FLOATS)]
    return "\n\\clearpage\n".join(pages) + "\n"


def _input(name: str) -> str:
    return rf"\IfFileExists{{\gprdir/{name}.tex}}{{\input{{\gprdir/{name}}}}}{{}}"


def _sample(name: str, title: str, summary: Summary, cited: Sequence[Reference]) -> str:
    """A paper of about three pages; references are numbered here, so that one pdflatex is enough."""
    numbers = "".join(rf"\expandafter\def\csname gpr@{r.key}\endcsname{{{k}}}" + "\n" for k, r in enumerate(cited, 1))
    newline = "\n\n"
    few = len(summary.curves) <= _SAMPLE
    inputs = [_input("tables/laws"), *([_input("figures/overview")] if len(summary.curves) > 1 else [])]
    for k, curve in enumerate(summary.curves[:_SAMPLE], 1):
        inputs.append(rf"\subsection{{{latex(curve.name)}}}")
        inputs.append(latex(curve.headline()))
        inputs += [_input(f"tables/curve-{k}"), *([_input(f"figures/curve-{k}-1")] if k == 1 else [])]
    inputs += [] if few else [latex(f"{len(summary.curves) - _SAMPLE:,} more settings are in results.tex.")]
    inputs += [_input(f"figures/{figure}") for figure in ("profiles-1", "profiles")]
    items = "\n".join(rf"\item {reference.text()}" for reference in cited)
    return (
        f"{_CLASSES[name]}\\input{{preamble}}\n\\renewcommand\\gprcite[1]{{[\\csname gpr@#1\\endcsname]}}\n{numbers}"
        f"\\begin{{document}}\n{_TITLES[name] % (title, latex(summary.headline()))}"
        f"\\section{{Methods}}\n\\input{{\\gprdir/methods}}\n\\section{{Results}}\n{newline.join(inputs)}\n"
        f"\\section*{{References}}\n\\begin{{enumerate}}\n{items}\n\\end{{enumerate}}\n\\end{{document}}\n"
    )
