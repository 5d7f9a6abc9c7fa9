"""What a part refers to is in its address: nothing is hidden, and nothing changes afterwards in silence."""

import itertools
import linecache
import sys
import textwrap

import pytest

from gpruntime import BadInput, RunSpec, run_many, simulate
from gpruntime.verification.kinds import named

pytestmark = pytest.mark.attack
_numbers = itertools.count()


class Notebook:
    """Cells that share their names, as in a notebook: each is a file of its own."""

    def __init__(self):
        self.names = {"__name__": f"notebook_{next(_numbers)}"}

    def cell(self, text):
        text = textwrap.dedent(text)
        file = f"<cell {next(_numbers)}>"
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        exec(compile(text, file, "exec"), self.names)
        return self.names


@pytest.fixture
def notebook():
    book = Notebook()
    book.cell("from gpruntime import Operation, Search, acceptance, operator, problem")
    return book


def spec(problem, **more):
    return RunSpec(problem=problem, **{"algorithm": "gp-single", "n": 4, "budget": 60, **more})


def both(spec):
    """Evaluations and fitness of some runs, which model and engine must agree on."""
    model = [(run.evaluations, run.fitness) for run in (simulate(spec, 1, number) for number in range(5))]
    columns = run_many(spec, seed=1, runs=5)
    assert list(zip(columns.evaluations.tolist(), columns.fitness.tolist(), strict=True)) == model
    return model


HIDDEN = {
    "a lambda's argument": "return (lambda LEAST: LEAST)(0) + (plain >= LEAST)",
    "a comprehension's variable": "return sum([LEAST for LEAST in (0, 0)]) + (plain >= LEAST)",
    "a nested function's variable": "def nought(LEAST): return 0\n    return nought(1) + (plain >= LEAST)",
    "a global that is assigned": "global LEAST\n    LEAST = LEAST\n    return plain >= LEAST",
}


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN)
def test_a_name_that_is_bound_somewhere_in_it_hides_no_global(notebook, body):
    found = []
    for least in (1, 2):
        notebook.cell(f"LEAST = {least}")
        notebook.cell(f'@problem(sees="counts", best=lambda n: n)\ndef mine(i, plain, bar, n):\n    {body}\n')
        found.append(notebook.names["mine"])
        assert f"LEAST = {least}" in found[-1].source
    assert found[0].id != found[1].id
    both(spec(found[1]))


def test_an_argument_of_best_hides_no_global(notebook):
    ids = []
    for most in (1, 2):
        notebook.cell(f"most = {most}")
        notebook.cell("""
            @problem(sees="counts", best=lambda n, most: most * n, parameters={"factor": 2})
            def mine(i, plain, bar, n, factor):
                return factor * (plain >= most)
        """)
        ids.append(notebook.names["mine"].id)
    assert ids[0] != ids[1]


CLASS = """
    class Mine(Search):
        {body}

        def start(self):
            best = max([LEAST for LEAST in (1, 1)])
            self.population = [self.evaluate(self.initial()) for _ in range({start})]

        def step(self):
            self.population = [max(self.population[0], self.evaluate(self.mutate(self.population[0].tree)),
                key=lambda one: one.score)]
"""


@pytest.mark.parametrize(
    ("body", "start"), [("pass", "LEAST"), ("LEAST = LEAST", "self.LEAST"), ("size = [LEAST for _ in (1,)][0]", "1")]
)
def test_nor_does_one_in_a_class(notebook, body, start):
    ids = []
    for least in (1, 2):
        notebook.cell(f"LEAST = {least}")
        notebook.cell(CLASS.format(body=body, start=start))
        ids.append(spec("order", search=notebook.names["Mine"]).search.id)
        both(spec("order", search=notebook.names["Mine"]))
    assert ids[0] != ids[1]


MINE = """
    @problem(sees="counts", best=lambda n: n)
    def mine(i, plain, bar, n):
        return plain >= LEAST
"""
CHANGES = {
    "another number": ("LEAST = 1", MINE, "LEAST = 3", "LEAST"),
    "a list that was changed": ("LEASTS = [1, 2]", MINE.replace("LEAST", "LEASTS[0]"), "LEASTS[0] = 3", "LEASTS"),
    "an array that was changed": (
        "import numpy as np\nLEASTS = np.array([1, 2])", MINE.replace("LEAST", "LEASTS[0]"), "LEASTS[0] = 3", "LEASTS"
    ),
    "a function": (
        "def least(): return 1", MINE.replace("LEAST", "least()"), "def least(): return 3", "least"
    ),
    "what a function refers to": (
        "LEAST = 1\ndef least(): return LEAST", MINE.replace("LEAST", "least()"), "LEAST = 3", "LEAST"
    ),
    "a function's default": (
        "def least(value=1): return value", MINE.replace("LEAST", "least()"), "least.__defaults__ = (3,)", "least"
    ),
    "a function's attribute": (
        "def least(): return 1", MINE.replace("LEAST", "least()"), "least.value = 3", "least"
    ),
    "a function in place": (
        "def least(): return 1", MINE.replace("LEAST", "least()"),
        "def other(): return 3\nleast.__code__ = other.__code__", "least"
    ),
    "a name of Python's": ("LEAST = 1", MINE.replace("LEAST", "max(1, LEAST)"), "def max(*_): return 3", "max"),
    "what best refers to": (
        "BEST = 1", MINE.replace("n: n", "n: n * BEST").replace("LEAST", "1"), "BEST = 2", "BEST"
    ),
    "a class": (
        "class Least:\n    value = 1\n    def of(self): return self.value", MINE.replace("LEAST", "Least().of()"),
        "Least.value = 3", "Least"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "definition", "after", "name"), CHANGES.values(), ids=CHANGES)
def test_what_changes_after_the_definition_is_noticed(notebook, before, definition, after, name):
    """An old value must not stay in silence, nor a new one come into runs of the old address."""
    notebook.cell(before)
    notebook.cell(definition)
    old = spec(notebook.names["mine"])
    first = simulate(old)
    notebook.cell(after)
    again = f"{name} has changed since mine was defined: define mine again"
    for ask in (lambda: spec(notebook.names["mine"]), lambda: simulate(old), lambda: run_many(old)):
        with pytest.raises(BadInput, match=again) as refused:
            ask()
        assert "\n" not in str(refused.value)
    if "value = 1" not in before and "least" not in name:
        notebook.cell(definition)
        new = spec(notebook.names["mine"])
        assert new.problem.id != old.problem.id
        assert simulate(new).fitness <= first.fitness
        with pytest.raises(BadInput, match=again):
            simulate(old)
    if name == "LEAST":  # back to what it was
        notebook.cell("LEAST = 1")
        assert simulate(old) == first


def test_the_new_value_is_that_of_engine_and_model(notebook):
    notebook.cell("LEAST = 1")
    notebook.cell(MINE)
    before = both(spec(notebook.names["mine"]))
    notebook.cell("LEAST = 3")
    notebook.cell(MINE)
    assert both(spec(notebook.names["mine"])) != before


def test_a_cell_that_is_run_again_as_it_was_changes_nothing(notebook):
    for _ in range(2):
        notebook.cell("import numpy as np\nLEASTS = np.array([1.0, np.nan])\nNOTHING = float('nan')\nPAIR = (1, [2])")
        notebook.cell("def least(value=1): return LEASTS[0] * value if NOTHING != NOTHING else PAIR[1][0]")
        if "mine" not in notebook.names:
            notebook.cell(MINE.replace("LEAST", "least()"))
            first = simulate(spec(notebook.names["mine"]))
    assert simulate(spec(notebook.names["mine"])) == first


@pytest.mark.parametrize(
    ("below", "words"),
    [
        ("LEAST = 2\n", "LEAST has changed since mine was defined: define mine again"),
        ("def least():\n    return 1\n", "least was defined after mine, which refers to it: define it before mine"),
    ],
)
def test_so_it_is_in_a_file(tmp_path, below, words):
    text = textwrap.dedent(MINE).replace("LEAST", "LEAST" if "LEAST" in below else "least()")
    (tmp_path / "mine.py").write_text(f"from gpruntime import problem\nLEAST = 1\n{text}\n{below}")
    with pytest.raises(BadInput, match=words):
        spec(f"{tmp_path}/mine.py:mine")


def test_an_answer_that_would_be_kept_is_not_asked_for(notebook):
    notebook.cell("BEST = 1")
    notebook.cell(MINE.replace("n: n", "n: n * BEST").replace("LEAST", "1"))
    mine = notebook.names["mine"]
    notebook.cell("BEST = 2")
    with pytest.raises(BadInput, match="BEST has changed since"):
        mine.best(9)
    notebook.cell("BEST = 1")
    assert mine.best(9) == 9


def test_a_table_that_names_it_can_be_read(notebook):
    """To read rows is not to run it."""
    notebook.cell("LEAST = 1")
    notebook.cell(MINE)
    old = spec(notebook.names["mine"])
    notebook.cell("LEAST = 3")
    again = RunSpec(**old.law(), budget=60)
    assert again.cell == old.cell
    with pytest.raises(BadInput, match="LEAST has changed since mine was defined: define mine again"):
        simulate(again)


def test_a_rule_an_operator_and_an_algorithm_are_held_to_it_too(notebook):
    notebook.cell("LEAST = 0")
    notebook.cell("""
        @acceptance
        def rule(gain, growth):
            return gain >= LEAST

        @operator
        class Relabel:
            def __init__(self, primitives, proportions):
                pass
            def draw(self, tree, stream):
                return Operation("substitute", LEAST, terminal=tree.leaves[0].terminal.complement)
            def apply(self, tree, operation):
                tree.substitute(operation.site, operation.terminal)
            def proposals(self, tree):
                yield self.draw(tree, None), 1.0
    """)
    notebook.cell(CLASS.format(body="pass", start="LEAST + 1"))
    specs = [
        spec("order", **{field: notebook.names[name]})
        for field, name in (("accept", "rule"), ("operator", "Relabel"), ("search", "Mine"))
    ]
    notebook.cell("LEAST = 1")
    for one in specs:
        for run in (simulate, run_many):
            with pytest.raises(BadInput, match="LEAST has changed since"):
                run(one)
    assert spec("order", search=notebook.names["Mine"]).search.id != specs[2].search.id  # it is read when it is given


def test_what_is_defined_below_it_is_asked_for_above(notebook):
    """Its source would not be kept: an edit would go unnoticed."""
    notebook.cell(MINE.replace("LEAST", "least()") + "\n    def least():\n        return 1\n")
    with pytest.raises(BadInput, match="least was defined after mine, which refers to it: define it before mine"):
        spec(notebook.names["mine"])


FACTORY = """
    def made(c):
        @problem({said})
        def mine(i, plain, bar, n):
            return {body}
        return mine
"""


def test_what_only_its_best_refers_to_is_kept(notebook):
    notebook.cell(FACTORY.format(said='sees="counts", best=lambda n: n * c', body="plain >= 1"))
    one, two = (notebook.names["made"](c) for c in (1, 2))
    assert one.id != two.id
    assert (one.best(3), two.best(3)) == (3, 6)
    both(spec(two))


def test_what_only_the_function_around_it_knows_is_refused(notebook):
    notebook.cell(FACTORY.format(said='sees="counts", best=(lambda n: n), better=c', body="plain >= 1"))
    with pytest.raises(BadInput, match="it refers to c, which is no global: make it one"):
        notebook.names["made"]("larger")


def test_a_default_that_means_something_else_by_now_is_refused(notebook):
    notebook.cell("LEAST = 1\ndef least(value=LEAST): return value\nLEAST = 2")
    with pytest.raises(BadInput, match="the default of value in least is no longer LEAST"):
        notebook.cell(MINE.replace("LEAST", "least()"))


# ---- helpers of the user's own


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("helpers"):
            del sys.modules[name]


def test_a_module_of_ones_own_is_refused(folder):
    (folder / "helpers.py").write_text("LEAST = 1\n")
    (folder / "mine.py").write_text(
        "import helpers\nfrom gpruntime import problem\n" + textwrap.dedent(MINE).replace("LEAST", "helpers.LEAST")
    )
    words = "it refers to helpers, a module of your own, .* write from helpers import"
    with pytest.raises(BadInput, match=words) as refused:
        named(f"{folder}/mine.py:mine")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("how", ["import helpers; LEAST = helpers.LEAST", "from helpers import LEAST"])
def test_so_is_one_that_is_imported_where_it_is_called(folder, notebook, how):
    (folder / "helpers.py").write_text("LEAST = 1\n")
    with pytest.raises(BadInput, match="it imports helpers where it is called, a module of your own"):
        notebook.cell(MINE.replace("return", f"{how}; return"))
    assert "helpers" not in sys.modules  # nor is it run to see what it is
    notebook.cell(f"class Mine(Search):\n    def step(self):\n        {how}")
    with pytest.raises(BadInput, match="it imports helpers where it is called"):
        spec("order", search=notebook.names["Mine"])
    notebook.cell(MINE.replace("return", "import math; return").replace("LEAST", "math.floor(1.5)"))
    assert notebook.names["mine"].source


@pytest.mark.parametrize(
    ("before", "value", "words"),
    [
        ("LEAST = 1", "globals()['LEAST']", "it calls globals, by which it may refer to"),
        ("LEAST = 1", "eval('LEAST')", "it calls eval"),
        (
            "import types\nmade = types.ModuleType('made')\nmade.LEAST = 1",
            "made.LEAST",
            "a module that no import finds",
        ),
        ("def least(): return least.value\nleast.value = 1", "least()", "least.value is set from outside its text"),
    ],
)
def test_what_no_text_names_is_refused(notebook, before, value, words):
    notebook.cell(before)
    with pytest.raises(BadInput, match=words):
        notebook.cell(MINE.replace("LEAST", value))


def test_what_is_imported_from_one_is_kept(folder):
    (folder / "helpers_kept.py").write_text("FAR = 1\ndef least():\n    return FAR\n")
    (folder / "mine.py").write_text(
        "from helpers_kept import least\nfrom gpruntime import problem\n"
        + textwrap.dedent(MINE).replace("LEAST", "least()")
    )
    part = named(f"{folder}/mine.py:mine")
    assert "FAR = 1" in part.source
    both(spec(part))


def test_a_helper_that_was_edited_and_not_imported_again_is_refused(folder, notebook):
    """The file says one thing, what runs is another."""
    (folder / "helpers_edited.py").write_text("def least():\n    return 1\n")
    notebook.cell("from helpers_edited import least")
    (folder / "helpers_edited.py").write_text("def least():\n    return 22\n")
    with pytest.raises(BadInput, match="the source of least is not what runs: it was edited since"):
        notebook.cell(MINE.replace("LEAST", "least()"))


def test_so_is_an_algorithm(folder, notebook):
    text = textwrap.dedent(CLASS.format(body="pass", start="1"))
    (folder / "helpers_search.py").write_text("from gpruntime import Search\n" + text)
    notebook.cell("from helpers_search import Mine")
    (folder / "helpers_search.py").write_text("from gpruntime import Search\n" + text.replace("range(1)", "range(2)"))
    linecache.checkcache()
    with pytest.raises(BadInput, match="the source of Mine is not what runs: it was edited since"):
        spec("order", search=notebook.names["Mine"])
