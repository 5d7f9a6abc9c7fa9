"""Parts of a user's own: found by file and name, known by their source, and refused in one line."""

import importlib.metadata
import os
import pickle
import subprocess
import sys
import textwrap

import pytest

from gpruntime import BadInput, BadPart, RunSpec, acceptance, operator, problem, run_many, simulate
from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.model.operations import operations_named
from gpruntime.model.stream import Stream
from tests import parts

BASE = {"algorithm": "gp-single", "n": 4, "budget": 50}
MINE = """
from gpruntime import problem

LEAST = 2

def enough(plain, bar):
    return plain >= bar + LEAST

@problem(sees="counts", best=lambda n: n, parameters={"c": 1})
def mine(i, plain, bar, n, c):
    return enough(plain, bar) and plain >= c

def bare(i, plain, bar, n):
    return 0
"""


@pytest.fixture
def mine(tmp_path):
    """A file of a user's; returns its path, and writes it with some text changed."""
    path = tmp_path / "mine.py"

    def write(old="", new=""):
        path.write_text(MINE.replace(old, new) if old else MINE)
        return f"{path}:mine"

    write()
    return write


def spec(problem, **more):
    return RunSpec(problem=problem, **{**BASE, **more})


def test_an_edit_to_what_it_refers_to_is_another_problem_and_no_other_edit_is(mine):
    first = spec(mine())
    assert spec(mine()).cell == first.cell
    assert spec(mine("LEAST = 2", "LEAST = 3")).cell != first.cell
    assert spec(mine("plain >= bar + LEAST", "plain > bar + LEAST")).cell != first.cell
    assert spec(mine("best=lambda n: n", "best=lambda n: 1 * n")).cell != first.cell
    assert spec(mine("return 0", "return 1")).cell == first.cell
    assert spec(mine() + ":c=3").cell != first.cell
    assert spec(mine() + ":c=1").cell == first.cell


def test_it_travels_with_its_source(mine, tmp_path):
    given = spec(mine())
    (tmp_path / "spec.pickle").write_bytes(pickle.dumps(given))
    (tmp_path / "mine.py").unlink()
    script = "import pickle; from gpruntime import simulate; spec = pickle.load(open('spec.pickle', 'rb'));"
    script += "print(spec.cell_id, simulate(spec, 1).evaluations, simulate(spec, 1).fitness)"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    here = simulate(given, 1)
    assert done.stdout.split() == [given.cell_id, str(here.evaluations), str(here.fitness)]


def test_a_spec_from_a_table_need_not_have_it_loaded():
    unknown = spec("nobody@0123456789abcdef", budget=None)
    assert unknown.law()["problem"] == "nobody@0123456789abcdef"
    assert not unknown.problem.is_loaded
    for run in (simulate, run_many):
        with pytest.raises(BadPart, match="its source is not loaded: name the file it is in"):
            run(unknown, seed=1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{folder}/none.py:mine", "cannot be read: No such file or directory"),
        ("{folder}/long.py:mine", "has more than 1,000,000 bytes"),
        ("{folder}/mine.py:yours", "there is no yours in that file; of this kind it has mine"),
        ("{folder}/mine.py:bare", "bare is not made by @problem"),
        ("{folder}/mine.py:mine:d=3", "d is not known; it takes c=1"),
        ("{folder}/mine.py:mine:c=x", "must be a whole number, as in c=1"),
        ("{folder}/mine.py:mine:c", "parameters follow a colon"),
        ("{folder}/broken.py:mine", "cannot be loaded: line 2: SyntaxError"),
        ("{folder}/fails.py:mine", "cannot be loaded: line 1: ZeroDivisionError"),
        ("{folder}/leaves.py:mine", "cannot be loaded: line 1: SystemExit"),
        ("mine", "must be one of order, majority, worder"),
    ],
)
def test_what_cannot_be_had_is_one_line(mine, tmp_path, text, words):
    mine()
    (tmp_path / "broken.py").write_text("\ndef (:\n")
    (tmp_path / "long.py").write_text("# " + "x" * 10**6)
    (tmp_path / "fails.py").write_text("1 / 0\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    with pytest.raises(BadInput, match=words) as refused:
        spec(text.format(folder=tmp_path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"sees": "everything", "best": lambda n: n}, "says sees='everything': must be one of counts, first"),
        ({"sees": "counts"}, "needs best"),
        ({"sees": "counts", "best": lambda n: n, "better": "bigger"}, "must be one of larger, smaller"),
        ({"sees": "first", "best": lambda n: n}, r"takes \(i, plain, bar, n\): 3 arguments are wanted"),
        ({"sees": "counts", "best": lambda n: n, "functions": {"if": 0}}, "each with the number of its arguments"),
        ({"sees": "counts", "best": lambda n: n, "functions": {"if": 17}}, "from 1 to 16"),
        ({"sees": "counts", "best": lambda n: n, "functions": {"x1": 2}}, "each with the number of its arguments"),
        ({"sees": "counts", "best": lambda n: n, "functions": ["and"]}, "each with the number of its arguments"),
        ({"sees": "counts", "best": lambda n: n, "terminals": "some"}, "must be one of signed, plain"),
        ({"sees": "counts", "best": lambda n: n, "terminals": ()}, r"as its terminals: must be names"),
        ({"sees": "counts", "best": lambda n: n, "terminals": ("a", "a")}, "names a terminal twice"),
        ({"sees": "counts", "best": lambda n: n, "terminals": ("a b",)}, "names a terminal 'a b': must be letters"),
        ({"sees": "counts", "best": lambda n: n, "terminals": ("unity",)}, "initial tree's name"),
        ({"sees": "counts", "best": lambda n: n, "terminals": ("f",), "functions": {"f": 2}}, "no function's"),
        ({"sees": "counts", "best": lambda n: n, "terminals": ("a",), "variables": lambda n: 3}, "variables too"),
        ({"sees": "counts", "best": lambda n: n, "functions": {"f": 2, "g": 2}}, "only what sees the program"),
    ],
)
def test_a_definition_that_contradicts_itself_is_refused(said, words):
    def f(i, plain, bar, n):
        return 0

    with pytest.raises(BadPart, match=words):
        problem(**said)(f)


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        (lambda f: problem(f), "problem = @problem: write @problem(sees=…, best=…)"),
        (lambda f: problem(), "problem = @problem: needs sees=… and best=…"),
        (lambda f: problem(sees="counts", best=len, beter="smaller"), "takes no beter; did you mean better?"),
        (lambda f: problem(sees="counts", best=len, zzz=1), "takes no zzz: it takes sees, best, better"),
        (lambda f: acceptance()(f), "accept = @acceptance: write @acceptance without arguments"),
        (lambda f: operator(f), "operator = f: must be a class"),
        (lambda f: operator(f, f), "operator = @operator: write @operator without arguments"),
    ],
)
def test_a_decorator_that_is_misused_says_so_in_one_line(misuse, words):
    def f(i, plain, bar, n):
        return 0

    with pytest.raises(BadPart) as refused:
        misuse(f)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_part_of_another_kind_is_refused():
    with pytest.raises(BadInput, match="is no problem but for accept"):
        spec(parts.small_losses)
    with pytest.raises(BadInput, match="is no acceptance but for problem"):
        spec("order", accept=parts.two_thirds)
    with pytest.raises(BadInput, match="is a bare function: put @problem above it"):
        spec(lambda i, plain, bar, n: 0)


def test_a_run_that_nothing_proves_to_end_needs_a_budget():
    for more in ({}, {"accept": "parsimony"}, {"algorithm": "gpstar-multi"}, {"operations": "exactly:k=2"}):
        with pytest.raises(BadInput, match=r"nothing proves that .* ends: give a budget"):
            spec(parts.two_thirds, budget=None, **more)
    assert spec(parts.two_thirds, budget=None, algorithm="gpstar-single").budget is None
    assert spec("majority", budget=None, accept="parsimony").budget is None
    with pytest.raises(BadInput, match="give a budget"):
        spec("majority", budget=None, operations="exactly:k=2")


def test_a_package_offers_parts(monkeypatch):
    entry = importlib.metadata.EntryPoint("theirs", "tests.parts:plus_c", "gpruntime.parts")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry] if group == entry.group else [])
    assert spec("theirs:c=3").problem.id == f"{parts.plus_c.id}:c=3"


@pytest.mark.attack
@pytest.mark.parametrize("field", ["problem", "accept", "operator", "search"])
def test_data_load_no_file_and_no_package(mine, monkeypatch, field):
    entry = importlib.metadata.EntryPoint("theirs", "tests.no_such_module:part", "gpruntime.parts")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry] if group == entry.group else [])
    monkeypatch.setattr("gpruntime.model.part._execute", None)
    base = {"problem": "order", **BASE}
    for text in (mine(), "theirs:c=3" if field == "search" else "theirs"):
        with pytest.raises(BadInput, match="a folder, a table, a link or a request cannot have it loaded"):
            RunSpec.from_data(**{**base, field: text})
    with pytest.raises(BadInput, match="cannot have it loaded"):
        RunSpec.from_data(**{**base, "algorithm": f"gp-single accept={mine()}"})


def test_data_name_what_is_known_already(mine):
    given = spec(mine() + ":c=3")
    assert RunSpec.from_data(**given.law(), budget=50) == given
    assert spec(mine()).problem.is_loaded  # what the user types is loaded, before and after


@pytest.mark.attack
def test_an_id_is_no_file_whatever_its_parameters_look_like(tmp_path, monkeypatch):
    @problem(sees="counts", best=lambda n: n, parameters={"word": "a", "more": 0})
    def worded(i, plain, bar, n, word, more):
        return plain > 0

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gpruntime.model.part.load_file", None)
    given = RunSpec.from_data(problem=f"{worded.id}:word=trap.py:rule,more=0", **BASE)
    assert given.problem.id == f"{worded.id}:word=trap.py:rule"
    assert given.problem.parameters["word"] == "trap.py:rule"
    assert given.replace(n=5).problem is given.problem
    with pytest.raises(BadInput, match="parameters follow a colon"):
        spec("order:trap.py:rule")


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "mine.py")
    for odd in (tmp_path / "mine.py", tmp_path / "folder.py"):
        (tmp_path / "folder.py").mkdir(exist_ok=True)
        with pytest.raises(BadInput, match="cannot be read: is no ordinary file"):
            spec(f"{odd}:mine")


def test_equal_laws_have_one_spelling():
    base = {"problem": "majority", "n": 6, "budget": 9}
    weak = RunSpec(algorithm="gp-single", **base)
    assert RunSpec(algorithm="gpstar-single", accept="weak", **base) == weak
    assert RunSpec(algorithm="gp-multi", operations="one", **base) == weak
    assert RunSpec(algorithm="gp-single", operations="exactly:k=1", **base) == weak
    multi = RunSpec(algorithm="gp-multi", poisson_mean=2, **base)
    assert RunSpec(algorithm="gp-single", operations="poisson:mean=2", **base) == multi
    variant = RunSpec(algorithm="gpstar-single", accept="parsimony", operations="power:beta=2", **base)
    assert RunSpec(algorithm=variant.algorithm.variant, **base) == variant
    assert variant.algorithm.variant == "gp-single accept=parsimony operations=power:beta=2.0"


@pytest.mark.parametrize("rule", ACCEPTANCES.values(), ids=str)
def test_a_least_gain_is_the_rule(rule):
    for growth in range(-3, 4):
        least = rule.least_gain(growth)
        assert [rule.accepts(gain, growth) for gain in range(-5, 6)] == [gain >= least for gain in range(-5, 6)]


def test_a_threshold_far_from_zero_is_found():
    @acceptance
    def far(gain, growth):
        return gain >= 1_234_567 - growth

    assert far.least_gain(2) == 1_234_565


@pytest.mark.parametrize(
    ("law", "chances"),
    [
        ("exactly:k=3", {3: 1}),
        ("table:p=0.5/0/0.5", {1: 0.5, 3: 0.5}),
        ("power:beta=1,most=3", {1: 6 / 11, 2: 3 / 11, 3: 2 / 11}),
        ("poisson:mean=0", {1: 1}),
    ],
)
def test_numbers_of_operations_have_their_law(law, chances):
    drawn = operations_named(law, 10)
    stream = Stream(5, (1, 2, 3, 4), 0)
    found = [drawn.draw(stream) for _ in range(4000)]
    assert set(found) == set(chances)
    for k, chance in chances.items():  # within five standard errors
        assert abs(found.count(k) / 4000 - chance) <= 5 * (chance * (1 - chance) / 4000) ** 0.5 + 1e-12


@pytest.mark.parametrize(
    "text", ["exactly:k=0", "power:beta=-1", "power:beta=x", "table:p=a", "table:p=0/0", "two", ""]
)
def test_other_laws_are_refused(text):
    with pytest.raises(BadInput, match="operations = "):
        operations_named(text, 5)


def test_what_it_refers_to_must_be_kept_with_it(tmp_path):
    (tmp_path / "odd.py").write_text(
        textwrap.dedent("""
            from gpruntime import problem
            TABLE = {1: 2}

            @problem(sees="counts", best=lambda n: n)
            def odd(i, plain, bar, n):
                return TABLE[1]
        """)
    )
    with pytest.raises(BadInput, match="it refers to TABLE, a dict: only a number, text"):
        spec(f"{tmp_path}/odd.py:odd")
