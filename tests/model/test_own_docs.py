"""What docs/own-problem.md says about operators and algorithms of one's own runs as it stands there."""

import linecache
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "own-problem.md"


@pytest.mark.parametrize("title", ["An operator of your own", "An algorithm of your own"])
def test_the_code_of_the_page_runs(title):
    (section,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert blocks
    for number, block in enumerate(blocks):
        file = f"<{PAGE.name}, {title}, {number}>"
        linecache.cache[file] = len(block), None, block.splitlines(keepends=True), file
        exec(compile(block, file, "exec"), {"__name__": "own_problem"})
