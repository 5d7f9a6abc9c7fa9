"""What goes into a paper: words that cannot run TeX, numbers that are the report's, files that compile."""

import re
import shutil
import subprocess

import matplotlib.pyplot as plt
import pytest

from gpruntime import RunSpec
from gpruntime.analysis import summarise
from gpruntime.exact import solve
from gpruntime.model.errors import BadInput
from gpruntime.model.terminals import Named
from gpruntime.model.tree import Tree
from gpruntime.paper.references import cited_by
from gpruntime.show.bibliography import bibtex, software
from gpruntime.show.figures import overview_figure
from gpruntime.show.latex import latex, math, mixed
from gpruntime.show.latex_report import methods, write_latex
from gpruntime.show.latex_tables import tables_of
from gpruntime.show.pgf import PREAMBLE, pgf
from gpruntime.show.report import drawings
from gpruntime.show.tables import cells_table
from gpruntime.study import Plan, Study
from gpruntime.study.ioh_read import read_ioh
from tests.command_help import gpruntime
from tests.study.studies import command, run_here
from tests.study.test_ioh_read import write

HOSTILE = (
    r"\write18{touch pwned}", r"\input{/etc/passwd}", r"^^5cinput{x}", r"}\end{document}", r"$\input x$", "a%b",
    "a&b\\\\",
    r"\catcode`\@=0 @input", "[x]*", "\x1b[31m\u202e", "--``?`'' #1 ~", r"$n^^5cwrite18$", r"{\relax", "\\", "\r\nx\n",
)  # fmt: skip
COMMANDS = "text(?:backslash|asciicircum|asciitilde|less|greater|bar|asciigrave|superscript|subscript)"
OURS = rf"\\(?:{COMMANDS}|[{{}}$&#%_]|mbox|ensuremath|ldots)"  # all that may stand in what is made of a name


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("latex") / "a_b"
    run_here(
        Plan.of(seed=3, problem="majority", algorithm=["gp-single", "gpstar-single"], n=[4, 6, 8, 12], runs=30), folder
    )
    return Study.load(folder)


@pytest.fixture(scope="module")
def parts(summary):
    """Its figures, drawn once, and not all of them."""
    return {name: part[:2] for name, part in drawings(summary).items() if name != "bounds"}


@pytest.fixture(scope="module")
def summary(study):
    return summarise(study)


def text_of(source):
    """The text that a reader sees of our LaTeX, roughly."""
    for sign, plain in ((r"\ensuremath{-}", "−"), (r"\ensuremath{\cdot}", "·"), (r"\ensuremath{\infty}", "∞")):
        source = source.replace(sign, plain)
    source = source.replace(r"\textendash{}", "–").replace(r"{\scriptsize ", "").replace(r"\%", "%")
    source = re.sub(r"\\text(?:super|sub)script\{([^{}]*)\}", r"\1", source)
    return source.replace("{[}", "[").replace("{]}", "]").replace("}", "")


@pytest.mark.attack
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_words_are_words(name):
    for made in (latex(name), mixed(name), math(name)):
        assert made.isascii()
        assert made.isprintable()
        assert "^^" not in made
        rest = re.sub(OURS, "", made)
        assert "\\" not in rest
        assert not set("%#&~") & set(rest)
        bare = made.replace(r"\{", "").replace(r"\}", "")
        assert bare.count("{") == bare.count("}")


def test_words_are_read_as_they_are_meant():
    assert latex("two_thirds & 50 %") == r"two\_thirds \& 50 \%"
    assert latex("T_max, n^1.5, 10⁻³") == (
        r"T\textsubscript{max}, n\textsuperscript{1.5}, 10\textsuperscript{\ensuremath{-}3}"
    )
    assert latex("Kötzing, x̄₁, λ") == r"K\"{o}tzing, \={x}\textsubscript{1}, \ensuremath{\lambda}"
    assert latex("中") == "U+4E2D"
    assert math(r"2.61\,n\,\ln n") == r"$2.61\,n\,\ln n$"
    assert mixed("a_b: $n^{2}$") == r"a\textsubscript{b}: $n^{2}$"


def test_numbers_are_those_of_the_report(summary):
    tables = tables_of(summary)
    for number, curve in enumerate(summary.curves, 1):
        made = text_of(tables[f"curve-{number}"])
        table = cells_table(curve)
        wanted = {"mean if optimum", "evaluations per success"} if curve.given_optimum else {"mean", "median"}
        assert wanted <= set(table.headings)
        for place, heading in enumerate(table.headings):
            if heading in wanted:
                assert all(row[place] in made for row in table.rows)
    assert all(curve.fit.best.constant.bracket() in text_of(tables["laws"]) for curve in summary.curves if curve.fit)
    assert summary.to_latex() == "\n".join(tables.values())


def test_an_exact_answer_is_a_table():
    text = solve(RunSpec(problem="order", algorithm="gpstar-single", n=2), rational=True).to_latex()
    assert r"\toprule" in text
    assert "E{[}evaluations{]}" in text
    assert solve(RunSpec(problem="majority", algorithm="gpstar-single", n=2)).to_latex().count("infinite") == 1


def test_the_folder_says_what_was_done(study, summary, parts, tmp_path):
    references = cited_by(check.bound.source for check in summary.bounds)
    assert [reference.key for reference in references][:1] == ["durrett-2011"]
    files = write_latex(summary, None, study.account(), tmp_path / "a", references, parts)
    names = {path.relative_to(tmp_path / "a").as_posix() for path in files}
    assert {"preamble.tex", "results.tex", "methods.tex", "gpruntime.bib", "sample-acmart.tex"} <= names
    said = (tmp_path / "a/methods.tex").read_text()
    stuck = sum(cell.stuck for cell in summary.cells)
    assert "240 runs of 8 settings, 30 each, n = 4, 6, 8 and 12" in said
    assert f"{stuck} runs are stuck for ever" in said
    assert r"\gprcite{durrett-2011}" in said
    named = set(re.findall(r"\{\\gprdir/((?:tables|figures|data)/[^}]+)\}", "".join(p.read_text() for p in files)))
    assert all(
        (tmp_path / "a" / name).exists() or (tmp_path / "a" / f"{name}.tex").exists()
        for name in named
        if "profiles" not in name
    )
    again = write_latex(summary, None, study.account(), tmp_path / "b", references, parts)
    assert [path.read_bytes() for path in files] == [path.read_bytes() for path in again]
    assert methods(summary, {}).startswith("240 runs")


def test_a_bibliography_has_the_software_and_the_papers():
    text = bibtex([software(), *cited_by(["Doerr, Kötzing, Lagodzinski, Lengler, GECCO 2017 and TCS 816"])])
    assert r"author = {{Doerr} and {K\"{o}tzing} and {Lagodzinski} and {Lengler}}" in text
    assert text.startswith("@misc{gpruntime,")


def test_curves_and_panels_have_their_names(summary):
    """What stands beside a panel in the report is in its legend in a paper, and a caption says no panel's title."""
    picture, data = pgf(overview_figure(summary).figure, "overview")
    assert "GP-single" in picture.partition(r"\addlegendentry")[2]
    assert "GP{*}-single" in picture.partition(r"\addlegendentry")[2]
    assert picture.count(r"\addlegendimage") == picture.count(r"\addlegendentry") == len(summary.curves)
    assert all(float(row.split(",")[0]) >= 4 for text in data.values() for row in text.split()[1:]), "names' marks"
    drawn, _ = plt.subplots(2, 1)
    for axes, title in zip(drawn.axes, ("A_1", "B & C"), strict=True):
        axes.set_title(title)
    plt.close(drawn)
    assert re.findall(r"\btitle=\{(.*?)\}, title style", pgf(drawn, "two")[0]) == [r"A\textsubscript{1}", r"B \& C"]


def test_figures_are_as_wide_as_a_column(summary, tmp_path):
    drawing = summary.curves[0].plot()
    before = drawing.alternative, drawing.figure.get_size_inches().tolist()
    drawing.save(tmp_path, ["svg"], width="column", medium="lncs", title=False, font="serif")
    text = (tmp_path / f"{drawing.name}.svg").read_text()
    assert 'width="345.6pt"' in text
    assert (drawing.alternative, drawing.figure.get_size_inches().tolist()) == before
    with pytest.raises(BadInput, match="must be one of acm, lncs, ieee"):
        drawing.save(tmp_path, ["svg"], width="column", medium="nature")
    sizes = []
    with drawing.sized("column", medium="acm", title=False):
        from matplotlib.text import Text

        sizes = [text.get_fontsize() for text in drawing.figure.findobj(Text) if text.get_text()]
    assert min(sizes) >= 7


def test_the_command_writes_it(study, tmp_path):
    done = command("report", study.folder, "--latex", tmp_path / "paper")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "paper/sample-llncs.tex").is_file()
    assert command("report", study.folder).returncode == 2
    assert command("report", study.folder, "-o", tmp_path / "r.html", "--for", "acm").returncode == 2


# ---- compiled


CLASSES = ("acmart", "llncs")
TEX = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="needs pdflatex: Debian's texlive-publishers and others"
)


def compiled(folder, name):
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", name]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


@TEX
@pytest.mark.processes
@pytest.mark.parametrize("name", CLASSES)
def test_the_samples_compile(study, summary, parts, tmp_path, name):
    write_latex(summary, None, study.account(), tmp_path, (), parts)
    said = compiled(tmp_path, f"sample-{name}")
    assert re.search(r"Output written on .*\((\d+) pages", said)
    assert not re.search(r"Overfull \\[hv]box \((?!0\.|1\.0)", said), "more than a point"


@TEX
@pytest.mark.processes
@pytest.mark.attack
def test_hostile_names_compile_and_run_nothing(tmp_path):
    folders = []
    for number, name in enumerate(HOSTILE):
        runs = [[(1, 2), (3 + number + k, 4)] for k in range(5)]
        folders.append(write(tmp_path / f"f{number}", runs, algorithm=name + "x"))
    found = summarise([read_ioh(folder) for folder in folders], comparisons=2)
    drawn = {"overview": [overview_figure(found)], "comparisons": [one.plot() for one in found.comparisons]}
    write_latex(found, None, {"name": HOSTILE[0]}, tmp_path / "tex", (), drawn)
    (tmp_path / "tex/all.tex").write_text(
        "\\documentclass{article}\\input{preamble}\\begin{document}\\input{\\gprdir/results}\\end{document}\n"
    )
    compiled(tmp_path / "tex", "all")
    compiled(tmp_path / "tex", "sample-llncs")
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.attack
def test_a_tree_as_tikz_has_the_marks_of_its_picture_and_words_that_are_words():
    tree = Tree.parse("((x1 !x2) x1)")
    source = tree.to_tikz("order", 2)
    assert source.count("controls") == 4
    marks = re.findall(r"node\[([^]]*)\] at", source)
    assert sorted(marks) == ["complement, expressed", "dot", "dot", "leaf, counts", "leaf, silent"]
    assert tree.to_svg("order", 2).startswith("<svg")
    tree.leaves[0].terminal = Named(1, HOSTILE[0])
    assert r"\write" not in tree.to_tikz()
    large = Tree.parse("(" * 99 + "x1" + " x1)" * 99)
    assert large.to_tikz().count("cycle") >= 1
    assert "(the empty tree)" in Tree().to_tikz()


@pytest.mark.parametrize("end", ["svg", "tex"])
def test_run_draws_into_a_file(tmp_path, end):
    words = ["run", "--problem", "order", "--algorithm", "gp-single", "-n", "6", "--draw", "-o"]
    done = gpruntime(*words, tmp_path / f"tree.{end}")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / f"tree.{end}").read_text(encoding="utf-8")
    assert text.startswith("<svg" if end == "svg" else r"\begin{tikzpicture}")
    for wrong in ([tmp_path / "tree.png"], [tmp_path / "other.svg", "--runs", "2"]):
        assert gpruntime(*words, *wrong).returncode == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"tree.{end}"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claims", ["paper", "--only", "thm:majority_gpstar_single_wc"]),
        pytest.param("atlas", ["atlas", "--scale", "tiny", "--problem", "and"], marks=pytest.mark.long),
    ],
)
def test_claims_and_the_atlas_are_tables_of_a_paper(tmp_path, name, words):
    done = gpruntime(*words, "-q", "--workers", "0", "-o", tmp_path / "out", "--latex", tmp_path / "latex")
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "latex" / f"{name}.tex").read_text(encoding="ascii")
    assert table.count(r"\begin{longtable}") == table.count(r"\end{longtable}") == 1
    assert "@" in (tmp_path / "latex" / f"{name}.bib").read_text(encoding="utf-8")
    for package in re.findall(r"% .usepackage{([a-z,]+)}", table)[0].split(","):
        assert re.search(rf"usepackage{{[a-z,]*{package}\b", PREAMBLE)
