"""In a notebook as it comes: a real kernel, in which ipywidgets is not installed."""

import pytest
from jupyter_client.manager import start_new_kernel

from tests.study.studies import run_here, small_plan

HIDE = "import sys; sys.modules['ipywidgets'] = None"  # so Python knows a module that cannot be imported


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """Runs a cell of a notebook, and returns what it printed or showed, or the error it raised."""
    folder = str(tmp_path_factory.mktemp("notebook"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, folder)
        manager, client = start_new_kernel(kernel_name="python3", cwd=folder)

    def run(code, kind="text/plain"):
        texts = []

        def hear(message):
            content = message["content"]
            if message["msg_type"] == "stream" and content["name"] == "stdout":
                texts.append(content["text"])
            elif message["msg_type"] == "execute_result":
                texts.append(content["data"].get(kind, ""))
            elif message["msg_type"] == "error":
                texts.append(f"{content['ename']}: {content['evalue']}")

        client.execute_interactive(code, timeout=120, output_hook=hear, allow_stdin=False)
        return "".join(texts)

    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_summaries_and_sql_need_no_widgets(cell, tmp_path):
    run_here(small_plan(n=4, runs=5), tmp_path / "study")
    assert cell(HIDE) == ""
    assert cell("import duckdb; duckdb.connect().execute('set enable_progress_bar = false')").endswith(
        "'required package 'ipywidgets' is missing, which is needed to render progress bars in Jupyter'"
    )  # the kernel is one in which it matters
    load = "from gpruntime.analysis import summarise; from gpruntime.study import Study\n"
    load += f"study = Study.load({str(tmp_path / 'study')!r})\n"
    assert cell(load + "print(study.sql('select count(*) as runs from runs').to_pylist())") == "[{'runs': 20}]\n"
    assert cell("print(summarise(study.table()).headline())").startswith("20 runs in 4 cells: ")
    assert cell("print(summarise(study).headline())").startswith("20 runs in 4 cells: ")


def test_results_have_a_face(cell, tmp_path):
    run_here(small_plan(n=4, runs=5), tmp_path / "study")
    cell(
        "import gpruntime\nfrom gpruntime import Run, RunSpec, run_many\nfrom gpruntime.analysis import summarise\n"
        "from gpruntime.exact import solve\nfrom gpruntime.study import Plan, Study\n"
        "spec = RunSpec(problem='order', algorithm='gp-single', n=5)\n"
        f"study = Study.load({str(tmp_path / 'study')!r})\nsummary = summarise(study)"
    )
    made = {
        "Run(spec, 1).result()": ("optimum after", ["evaluations", "<svg", "accepted"]),
        "run_many(spec, seed=1, runs=50)": ("50 runs of (1+1) GP-single on ORDER, n = 5", ["mean time", "50 (100.0%)"]),
        "solve(RunSpec(problem='majority', algorithm='gpstar-single', n=3))": ("P(optimum)", ["P(stuck)", "infinite"]),
        "Plan.of(problem='order', algorithm='gp-single', n=[4, 8], runs=10)": (
            "2 cells, 20 runs",
            ["10 runs", "n = 8"],
        ),
        "study": ("20 runs in 4 cells", ["5 runs", "summarise(study)"]),
        "summary": ("20 runs in 4 cells", ["<table>", "mean"]),
    }
    for code, (plain, html) in made.items():
        text = cell(code)
        assert plain in text
        assert len(text) < 400
        assert text.count("\n") <= 4
        shown = cell(code, "text/html")
        for part in html:
            assert part in shown, (code, part)
    assert cell("summary.plot()", "image/svg+xml").startswith("<svg")
    assert ".save(FOLDER)" in cell("print(repr(summary.plot()))")
    assert cell("Run(spec, 1).tree", "image/svg+xml").startswith("<svg")
