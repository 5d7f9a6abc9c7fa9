"""The source of a part: all that it refers to, wherever it was loaded from."""

import pytest

from gpruntime import RunSpec, simulate
from gpruntime.model.part import restored
from gpruntime.model.problem import Problem
from gpruntime.model.problems import problem_named

FILE = """
from gpruntime import problem

LEAST = 1

class Rule:
    def holds(self, plain):
        return plain >= LEAST

def enough(plain):
    return Rule().holds(plain)

@problem(sees="counts", best=lambda n: n)
def mine(i, plain, bar, n):
    return enough(plain)
"""


@pytest.mark.parametrize("edit", [("LEAST = 1", "LEAST = 2"), ("Rule().", "not Rule()."), (">=", ">")])
def test_what_a_part_in_a_file_refers_to_goes_with_it(tmp_path, edit):
    (tmp_path / "mine.py").write_text(FILE)
    part = problem_named(f"{tmp_path}/mine.py:mine")
    assert all(words in part.source for words in ("LEAST = 1", "class Rule", "def enough"))
    (tmp_path / "mine.py").write_text(FILE.replace(*edit))
    assert problem_named(f"{tmp_path}/mine.py:mine").id != part.id
    (tmp_path / "mine.py").write_text(FILE + "\nOTHER = 3\n")
    assert problem_named(f"{tmp_path}/mine.py:mine").id == part.id


def test_a_source_is_its_own_source(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    part = problem_named(f"{tmp_path}/mine.py:mine")
    (tmp_path / "again.py").write_text(part.source)
    assert problem_named(f"{tmp_path}/again.py:mine").source == part.source
    again = restored(Problem, part.id, part.source)
    spec = {"algorithm": "gp-single", "n": 3, "budget": 50}
    assert simulate(RunSpec(problem=again, **spec)) == simulate(RunSpec(problem=part, **spec))


BOUNDED = FILE.replace("import problem", "import bound, problem").replace(
    "best=lambda n: n)", "best=lambda n: n, bounds=[bound('O(nε)', lambda n: n, source='§', certainty='proved')])"
)


def test_bounds_are_no_part_of_the_address(tmp_path):
    """Nothing that a run depends on; what else a decorator says is."""
    (tmp_path / "mine.py").write_text(FILE)
    plain = problem_named(f"{tmp_path}/mine.py:mine")
    (tmp_path / "mine.py").write_text(BOUNDED)
    bounded = problem_named(f"{tmp_path}/mine.py:mine")
    assert len(bounded.bounds) == 1
    assert bounded.id == plain.id
    assert bounded.source == plain.source
