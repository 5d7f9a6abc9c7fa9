"""The heavy libraries are imported when they are used: the command line stays quick."""

import subprocess
import sys

HEAVY = ("scipy", "matplotlib", "duckdb", "pyarrow", "numba", "jinja2")


def test_importing_is_light():
    code = (
        "import sys, gpruntime.analysis, gpruntime.show.report, gpruntime.show.terminal\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
