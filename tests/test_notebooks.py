"""The example notebooks run in a real kernel, and are kept without outputs."""

import nbformat
import pytest

from docs.making.notebooks import executed
from docs.making.places import DOCS

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
FIRST, *OTHERS = NOTEBOOKS


# The others run in CI whenever the site is built.
@pytest.mark.processes
@pytest.mark.parametrize(
    "path", [FIRST, *(pytest.param(path, marks=pytest.mark.long) for path in OTHERS)], ids=lambda path: path.stem
)
def test_a_notebook_runs(path):
    outputs = [output for cell in executed(path).cells for output in cell.get("outputs", [])]
    assert outputs
    assert all(output.output_type != "error" for output in outputs)
    assert any("image" in kind for output in outputs for kind in output.get("data", {}))


def test_they_are_kept_without_outputs():
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, as_version=4).cells:
            assert not cell.get("outputs")
            assert cell.get("execution_count") is None
