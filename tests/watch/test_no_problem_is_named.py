"""No file of the page names a problem, but the problem's own and the lessons, which are about some."""

import builtins
import keyword
import re
from pathlib import Path

from gpruntime import PROBLEMS

ROOT = Path(__file__).parents[2]
FOLDERS = ("src/gpruntime/watch", "web/src")


def named(text):
    """The problems that a text names: by their names as a word, or by their ids in quotation marks."""
    return {
        problem.id
        for problem in PROBLEMS.values()
        if not keyword.iskeyword(problem.id) and not hasattr(builtins, problem.id)  # these are words of Python too
        if re.search(rf"\b{re.escape(problem.name)}\b|[\"'`]{re.escape(problem.id)}[\"'`:]|={problem.id}\b", text)
    }


def test_a_problem_is_named_in_its_own_file_only():
    for folder in FOLDERS:
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert len(files) > 20
        for path in files:
            found = named(path.read_text("utf-8"))
            is_a_problems = path.parent.name == "problems" and path.stem.rstrip("_").replace("_", "-") in PROBLEMS
            is_a_lesson = path.parent.name == "lessons" and path.name != "__init__.py"
            allowed = set(PROBLEMS) if is_a_problems or is_a_lesson else set()  # some problems are made of others
            assert found <= allowed, f"{path.relative_to(ROOT)} names {', '.join(sorted(found))}"


def test_a_name_would_be_found():
    assert named('problem === "order"') == {"order"}
    assert named("# for MAJORITY the counts") == {"majority"}
    assert named("the leaves in order, paint-order: stroke") == set()
