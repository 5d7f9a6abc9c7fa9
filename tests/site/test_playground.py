"""The playground makes the runs of `run_many`, and says of them what `analysis` says.

It is part of the site: `./run site`, then `./run test -m site`.
"""

import contextlib
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from scipy import special, stats

from docs.making.places import SITE
from docs.making.playground import ALGORITHMS, PROBLEMS
from gpruntime import RunSpec, run_many, simulate
from gpruntime.analysis.estimates import mean

pytestmark = pytest.mark.site

PAGE = SITE / "playground" / "index.html"
COLUMNS = ("evaluations", "fitness", "leaves", "max_leaves")
SETTINGS = [(n, seed, runs) for n, seed, runs in ((1, 0, 200), (2, 7, 100), (9, 2**40 + 5, 100), (60, 3, 20))]
MAKE = """
const wanted = %s;
const text = DATA_TEXT + WORKER_TEXT.replace("onmessage =", "let handler =");
const kit = new Function("postMessage", `${text}; return { loaded, madeRuns, DATA };`)(() => {});
const made = [];
for (const [name, n, seed, runs] of wanted) {
  const program = await kit.loaded(kit.DATA.programs[name]);
  const rows = await kit.madeRuns(program, kit.DATA.leavesForN, { n, seed, runs }, async () => true);
  made.push(rows.map(({ row }) => [...row].map(Number)));
}
console.log(JSON.stringify(made));
"""


def parts():
    text = PAGE.read_text("utf-8")
    data = re.search(r'<script id="data">(.*?)</script>', text, re.DOTALL)[1]
    worker = re.search(r'id="worker">(.*?)</script>', text, re.DOTALL)[1]
    script = text.rsplit("<script>", 1)[1].split("</script>")[0]
    return data, worker, script


def by_node(program, folder):
    """What a program for node prints, as JSON."""
    node = shutil.which("node")
    assert node, "the playground's tests need node"
    (folder / "program.mjs").write_text(program, "utf-8")
    done = subprocess.run([node, folder / "program.mjs"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def kit():
    data, worker, _ = parts()
    return f"const DATA_TEXT = {json.dumps(data)};\nconst WORKER_TEXT = {json.dumps(worker)};\n"


def table_of(name, n, seed, runs):
    problem, algorithm = name.split()
    return run_many(RunSpec(problem=problem, algorithm=algorithm, n=n), seed=seed, runs=runs, method="stepping").table


def test_every_program_makes_the_runs_of_run_many(tmp_path):
    wanted = [
        (f"{problem} {algorithm}", *rest) for problem in PROBLEMS for algorithm in ALGORITHMS for rest in SETTINGS
    ]
    wanted.append(("majority gp-single", 10_000, 1, 2))
    made = by_node(kit() + MAKE % json.dumps(wanted), tmp_path)
    for asked, rows in zip(wanted, made, strict=True):
        assert np.array_equal(np.array(rows), table_of(*asked)), asked


def test_a_run_that_outgrows_its_memory_is_made_again(tmp_path):
    """With room for hardly more than the tree it begins with."""
    little = kit().replace("4 * leaves + 32 * Math.ceil(Math.sqrt(leaves)) + 1000", "leaves + 3")
    assert little != kit()
    wanted = [("order gp-single", 20, 1, 30), ("majority gp-multi", 20, 1, 30)]
    for asked, rows in zip(wanted, by_node(little + MAKE % json.dumps(wanted), tmp_path), strict=True):
        assert np.array_equal(np.array(rows), table_of(*asked)), asked


def test_ten_thousand_runs_in_a_browser(browser):
    """From a file, without a server: in the worker, as a reader sees it."""
    with playground(browser, "problem=majority&algorithm=gp-single&versus=gp-multi&ns=3,20&runs=2500&seed=11") as page:
        assert ended(page).startswith("10,000 runs")
        groups = runs_of(page)
        for group in groups:
            spec = RunSpec(problem="majority", algorithm=group["algorithm"], n=group["n"])
            columns = run_many(spec, seed=11, runs=2500, method="stepping")
            assert [row["outcome"] for row in group["rows"]] == [result.outcome for result in columns.results()]
            for name in COLUMNS:
                assert [row[name] for row in group["rows"]] == getattr(columns, name).tolist(), name
        assert sum(len(group["rows"]) for group in groups) == 10_000
        page.wait_for_function("document.getElementById('one-status').textContent.includes('after')")


OWN = """import numpy as np
from gpruntime import problem

@problem(sees="leaves", terminals="plain", best=lambda n: n - 1)
def steps_up(leaves, n):
    kept = np.zeros(len(leaves) + 1, np.int64)
    size = 0
    for leaf in leaves:
        if leaf not in kept[:size]:
            kept[size] = leaf
            size += 1
    return (kept[1:size] == kept[: size - 1] + 1).sum() if size else 0
"""
ENDLESS = """from gpruntime import problem

@problem(sees="counts", best=lambda n: n)
def endless(i, plain, bar, n):
    while True:
        pass
"""


@contextlib.contextmanager
def playground(browser, words):
    """The page from a file, and what it complained of and asked for."""
    window = browser.new_context()
    page = window.new_page()
    page.set_default_timeout(120_000)
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto(f"{PAGE.as_uri()}#{words}")
    yield page
    assert complaints == []
    window.close()


def ended(page):
    page.wait_for_function("document.getElementById('go').textContent === 'Run'")
    return page.text_content("#status")


def runs_of(page):
    """What the page has: by n and algorithm the results."""
    return page.evaluate("[...results.values()]")


def test_python_in_a_browser_makes_the_runs_of_the_model(browser, tmp_path):
    """SORTING, AND, MULTIPLEXER and a problem that was typed; what never ends is stopped, and then it goes on."""
    with playground(
        browser, "problem=sorting&algorithm=gp-single&versus=mu-plus-one-single&ns=3,5&runs=6&seed=5&budget=300"
    ) as page:
        asked = [("sorting", (3, 5)), ("and", (3, 5)), ("multiplexer", (3,)), ("own", (4,))]
        own = tmp_path / "own.py"
        own.write_text(OWN, "utf-8")
        for problem, sizes in asked:
            if problem != "sorting":
                page.select_option("[name=problem]", problem)
                page.fill("[name=ns]", ",".join(map(str, sizes)))
                page.fill("[name=runs]", "6")
            if problem == "own":
                page.fill("#text", OWN)
            if problem != "sorting":
                page.click("#go")
            assert f"{6 * 2 * len(sizes)} runs" in ended(page)
            for group in runs_of(page):
                name = f"{own}:steps_up" if problem == "own" else problem
                spec = RunSpec(problem=name, algorithm=group["algorithm"], n=group["n"], budget=300)
                for run, row in enumerate(group["rows"]):
                    result = simulate(spec, 5, run)
                    assert row == {name: getattr(result, name) for name in row}, (problem, run)
        page.fill("#text", ENDLESS)
        page.click("#go")
        page.wait_for_timeout(500)
        assert page.text_content("#go") == "Stop"
        page.click("#go")
        assert page.text_content("#status") == "Stopped."
        page.fill("#text", ENDLESS.replace("pass", "return 1 // 0"))
        page.click("#go")
        assert "ZeroDivisionError" in ended(page)
        assert "\n" not in page.text_content("#status")


def test_bad_words_are_one_line(browser):
    with playground(browser, "ns=0&runs=10") as page:
        status = page.locator("#status")
        status.wait_for(state="attached")
        assert status.text_content() == 'n: "0" must be an integer from 1 to 10,000'
        page.fill("[name=ns]", "5, x")
        page.click("#go")
        assert status.text_content() == 'n: "x" must be an integer from 1 to 10,000'


def test_estimates_are_those_of_analysis(tmp_path):
    _, _, script = parts()
    values = np.random.default_rng(5).gamma(2, 100, 40).round().tolist()
    freedoms, shares = [1, 2, 9, 99, 9999], [(0, 30), (1, 30), (17, 30), (30, 30), (3, 5000)]
    program = (
        script.split("// Pictures:")[0]
        + f"""
    console.log(JSON.stringify({{
      mean: meanOf({values}),
      students: {freedoms}.map((freedom) => studentQuantile(freedom, 0.95)),
      shares: {json.dumps(shares)}.map(([hits, count]) => shareOf(hits, count)),
      median: quantileOf({values}, 0.5),
    }}));"""
    )
    found = by_node(program, tmp_path)
    assert found["students"] == pytest.approx([stats.t.ppf(0.975, freedom) for freedom in freedoms], rel=1e-9)
    for (hits, count), share in zip(shares, found["shares"], strict=True):
        low = special.betaincinv(hits, count - hits + 1, 0.025) if hits else 0
        high = special.betaincinv(hits + 1, count - hits, 0.975) if hits < count else 1
        assert [share["low"], share["high"]] == pytest.approx([low, high], rel=1e-8)
    few = values[:12]
    made = by_node(program.replace(f"meanOf({values})", f"meanOf({few})"), tmp_path)["mean"]
    ours = mean(np.array(few))
    assert [made["value"], made["low"], made["high"]] == pytest.approx([ours.value, ours.low, ours.high], rel=1e-9)
    assert found["median"] == sorted(values)[19]
