"""What is known about a problem stands in the problem's own file: no other file of these rooms names one."""

import builtins
import keyword
import operator
import re
from pathlib import Path

import pytest

from gpruntime import PROBLEMS

SOURCES = Path(__file__).parents[1] / "src" / "gpruntime"
ROOMS = ("model", "engine", "verification", "exact", "theory", "watch")


def named(text: str) -> set[str]:
    """The problems that a text names: by name, by id in quotation marks, or in the name of something.

    Ids that are words of Python too are not looked for.
    """
    patterns = {
        problem.id: rf"(?<!\w){re.escape(problem.name)}\b"
        rf"|[\"'`]{problem.id}[\"'`:]|={problem.id}\b|\b{problem.id.title()}[A-Z]"
        for problem in PROBLEMS.values()
        if not keyword.iskeyword(problem.id) and not any(hasattr(words, problem.id) for words in (builtins, operator))
    }
    return {id_ for id_, pattern in patterns.items() if re.search(pattern, text)}


@pytest.mark.parametrize("room", ROOMS)
def test_a_problem_is_named_in_its_own_files_only(room):
    files = list((SOURCES / room).rglob("*.py"))
    assert len(files) > 8
    for path in files:
        inside = path.relative_to(SOURCES / room).parts
        if inside[0] == "problems" or (inside[0] == "lessons" and path.name != "__init__.py"):
            continue  # problems may build on each other, and a lesson is about some
        found = named(path.read_text("utf-8"))
        assert not found, f"{room}/{'/'.join(inside)} names {', '.join(sorted(found))}"


def test_a_name_would_be_found():
    assert named('if spec.problem.id == "order":') == {"order"}
    assert named("# for MAJORITY the counts") == {"majority"}
    assert named("class MajorityState(State):") == {"majority"}
    assert named("the leaves in order, an OrderedState, labels in order") == set()
