"""In a notebook as it comes: a real kernel, in which ipywidgets is not installed."""

import pytest
from jupyter_client.manager import start_new_kernel

from tests.study.studies import run_here, small_plan

HIDE = "import sys; sys.modules['ipywidgets'] = None"  # so Python knows a module that cannot be imported


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """Runs a cell of a notebook, and returns what it printed or the error it raised."""
    folder = str(tmp_path_factory.mktemp("notebook"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, folder)
        manager, client = start_new_kernel(kernel_name="python3", cwd=folder)

    def run(code):
        told = []

        def hear(message):
            content = message["content"]
            if message["msg_type"] == "stream" and content["name"] == "stdout":
                told.append(content["text"])
            elif message["msg_type"] == "error":
                told.append(f"{content['ename']}: {content['evalue']}")

        client.execute_interactive(code, timeout=120, output_hook=hear, allow_stdin=False)
        return "".join(told)

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
