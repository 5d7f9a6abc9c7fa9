"""`gpruntime paper` from end to end, on a tiny scale: the same page for any number of workers, interrupted or not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpruntime.paper.evidence import gather, made_here
from gpruntime.paper.frame import plan_for
from gpruntime.paper.papers import CLAIMS as EVERY
from gpruntime.paper.papers import FOUNDING, PAPERS
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.report import anchor_of, verdicts_text
from gpruntime.paper.run import execute
from gpruntime.paper.scale import SCALES
from gpruntime.study import Study
from gpruntime.study.execute import Listener

pytestmark = pytest.mark.processes

TINY = SCALES["tiny"]
SOME = [CLAIMS[i] for i in ("fig-bad-init", "fig-failure", "thm:majority_gpstar_multi_wc", "sdp", "disc:asymmetry")]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    return execute(SOME, TINY, 1, folder, workers=0), folder


def timeless(folder: Path) -> str:
    """The page without its block of dates, host and versions."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    return re.sub(r'<dl class="claim" id="circumstances">.*?</dl>', "", page, flags=re.DOTALL)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "figures").iterdir())}


def test_everything_is_written(done):
    executed, folder = done
    assert [one.id for one in executed.results] == [claim.id for claim in SOME]
    assert not executed.interrupted
    page = timeless(folder)
    for claim, one in zip(SOME, executed.results, strict=True):
        assert f'id="{anchor_of(claim.id)}"' in page
        assert one.verdict.status in page
        for plate in one.plates:
            assert {f"{plate.name}.{kind}" for kind in ("svg", "pdf", "png", "csv")} <= set(files(folder))
        for table in one.verdict.tables:
            assert f"{table.name}.csv" in files(folder)
    text = verdicts_text(executed.results)
    assert text.splitlines()[-1].startswith("5 claims: ")
    assert all(len(line) <= 100 or "  supported" in line or "  open" in line for line in text.splitlines())


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers_gives_the_same_page(done, tmp_path, workers):
    execute(SOME, TINY, 1, tmp_path, workers=workers)
    assert timeless(tmp_path) == timeless(done[1])
    assert files(tmp_path) == files(done[1])


def test_another_seed_gives_another_page(done, tmp_path):
    execute(SOME[:1], TINY, 2, tmp_path, workers=0)
    assert files(tmp_path)["fig-bad-init-paper.csv"] != files(done[1])["fig-bad-init-paper.csv"]


def test_interrupted_and_gone_on_with(done, tmp_path):
    def stop(situation):
        situation.stopping = situation.computed > 0

    first = execute(SOME, TINY, 1, tmp_path, workers=0, listener=Listener(progress=stop))
    assert first.interrupted
    assert 0 < first.stored < len(Study.load(done[1] / "data"))
    assert not (tmp_path / "report.html").exists()
    again = execute(SOME, TINY, 1, tmp_path, workers=0)
    assert not again.interrupted
    assert timeless(tmp_path) == timeless(done[1])


def test_a_claim_says_the_same_alone_and_with_others_that_ask_for_more(done, tmp_path):
    failure = CLAIMS["fig-failure"]
    execute([failure], TINY, 1, tmp_path, workers=0)
    alone = (tmp_path / "figures" / "fig-failure-numbers.csv").read_bytes()
    assert alone == files(done[1])["fig-failure-numbers.csv"]
    more = [(spec, 2 * runs) for spec, runs in failure.cells(TINY)]
    plan = plan_for(more, 1, tmp_path / "data")
    assert {cell.rule.runs for cell in plan.cells} >= {2 * TINY.failure_runs}
    execute(SOME[:1], TINY, 1, tmp_path, workers=0)  # another claim is added to the folder
    execute([failure], TINY, 1, tmp_path, workers=0)
    assert (tmp_path / "figures" / "fig-failure-numbers.csv").read_bytes() == alone


def test_evidence_from_a_study_is_what_the_engine_gives(done):
    asked = [(spec, runs - 3) for spec, runs in CLAIMS["disc:asymmetry"].cells(TINY)]
    stored = gather(asked, [Study.load(done[1] / "data")], TINY, 1)
    made = made_here(asked, TINY, 1)
    assert stored.runs.keys() == made.runs.keys()
    for spec, runs in made.runs.items():
        for name in ("outcome", "evaluations", "max_leaves"):
            assert (getattr(stored.runs[spec], name) == getattr(runs, name)).all()
        assert stored.runs[spec].operations == runs.operations


# ---- later papers: populations, floats in a study of their own, cells that claims share

LATER = [EVERY[i] for i in ("N3", "X2", "M1", "M2")]
WHOLE = [claim for paper in PAPERS.values() if paper.name != FOUNDING for claim in paper.claims]


@pytest.fixture(scope="module")
def later(tmp_path_factory):
    folder = tmp_path_factory.mktemp("later")
    return execute(LATER, TINY, 1, folder, workers=0), folder


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.long), 2])
def test_later_papers_are_the_same_for_any_number_of_workers(later, tmp_path, workers):
    execute(LATER, TINY, 1, tmp_path, workers=workers)
    assert timeless(tmp_path) == timeless(later[1])
    assert files(tmp_path) == files(later[1])


def test_later_papers_interrupted_and_gone_on_with(later, tmp_path):
    """Stopped in the study of whole numbers, then in that of floats, then let go on."""
    stored = []
    for folder in ("data", "data-floats"):

        def stop(situation, folder=folder):
            situation.stopping = (tmp_path / folder).is_dir() and situation.computed > 0

        part = execute(LATER, TINY, 1, tmp_path, workers=0, listener=Listener(progress=stop))
        assert part.interrupted
        assert part.results == []
        assert not (tmp_path / "report.html").exists()
        stored.append(part.stored)
    whole = execute(LATER, TINY, 1, tmp_path, workers=0)
    assert 0 < stored[0] < stored[1] < whole.stored == later[0].stored
    assert timeless(tmp_path) == timeless(later[1])
    assert files(tmp_path) == files(later[1])


@pytest.mark.long
def test_all_later_claims_are_the_same_for_any_number_of_workers(tmp_path):
    pages = {}
    for workers in (0, 1, 2):
        folder = tmp_path / str(workers)
        done = execute(WHOLE, TINY, 1, folder, workers=workers)
        assert len(done.results) == len(WHOLE)
        pages[workers] = timeless(folder), files(folder)
    assert pages[0] == pages[1] == pages[2]


# ---- the command


def gpruntime(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gpruntime", "paper", *words], capture_output=True, text=True, timeout=120, cwd=cwd
    )


def test_the_command(tmp_path):
    done = gpruntime("--only", "sdp", "--workers", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split()[:2] == ["sdp", "supported"]
    assert "1 claim: 1 supported" in done.stdout
    assert (tmp_path / "paper-results" / "report.html").is_file()


def test_list_names_every_claim(tmp_path):
    done = gpruntime("--list", cwd=tmp_path)
    assert done.returncode == 0
    assert all(f"{identifier} (" in done.stdout for identifier in CLAIMS)
    for paper in PAPERS.values():
        for one in paper.left_out:
            assert f"{one.id} (not executed)" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "fig-failur"], "--only fig-failur: is no claim; did you mean fig-failure?"),
        (["doerr-2017", "--only", "dang-table-2"], "--only dang-table-2: is a claim of dang-2026; name that paper"),
        (["--only", "zzz"], "--only zzz: is no claim; --list shows all claims"),
        (["--only", "M3"], "--only M3: is not executed; --list says why"),
        (["koetzing-2011"], "paper koetzing-2011: has no claim that is executed; --list says why"),
        (["--scale", "huge"], "--scale huge: must be one of quick, full"),
        (["--seed", "-1"], "--seed -1:"),
        (["--workers", "many"], "--workers many:"),
    ],
)
def test_bad_input_is_one_line(tmp_path, words, told):
    done = gpruntime(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_another_seed_in_the_same_folder_is_refused(done):
    refused = gpruntime("--only", "fig-failure", "--seed", "2", "-o", str(done[1]), cwd=done[1])
    assert refused.returncode == 2
    assert "seed: 1 in the folder, 2 in the plan" in refused.stderr


# ---- the page in a browser


def test_the_page_in_a_browser(browser, done, tmp_path):
    executed, folder = done
    errors = []
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("requestfailed", lambda request: errors.append(request.url))
    page.goto((folder / "report.html").as_uri())
    figures = page.locator("figure svg")
    assert figures.count() == sum(len(one.plates) for one in executed.results)
    for number in range(figures.count()):
        box = figures.nth(number).bounding_box()
        assert box["width"] > 300
        assert box["height"] > 150
    for width in (360, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert figures.first.bounding_box()["width"] <= width
    pdf = page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    assert errors == []
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 3
