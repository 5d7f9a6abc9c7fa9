"""Words of somebody else load no code and open no file, whatever field of a spec they stand in, whoever reads them.

What every field is tried with names a file that leaves a mark when it is run, and a pipe, which would be waited for.
"""

import contextlib
import hashlib
import json
import os
import pickle
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput, Run, RunSpec, simulate
from gpruntime.model.row import SPEC_COLUMNS
from gpruntime.model.spec import DEFAULTS
from gpruntime.model.trace import steps_from_lines, trace_lines
from gpruntime.study import Plan
from gpruntime.study.ledger import HEADER, Ledger, sealed
from gpruntime.study.plan_text import toml_of
from gpruntime.theory import certify, verify
from tests.attack.readers import read_studies, show_study
from tests.command_help import called_apart
from tests.study.studies import run_here

pytestmark = pytest.mark.attack

FIELDS = list(DEFAULTS)
KEYS = {"problem": "order", "algorithm": "gp-single", "n": 4, "runs": 3, "seed": 3, "improvements": True}
EVIL = """
from gpruntime import Search, acceptance, operator, problem
from gpruntime.model.mutation import HvlPrime

open({mark!r}, "w").close()

@problem(sees="leaves", best=lambda n: n)
def problem_(leaves, n):
    return n

@acceptance
def accept(gain, growth):
    return gain > 0

@operator
class operator_(HvlPrime):
    pass

class search(Search):
    def step(self):
        pass
"""


class Trap:
    """A file that leaves a mark when it is run, and a pipe."""

    def __init__(self, folder):
        self.mark, self.file, self.pipe = folder / "mark", folder / "evil.py", folder / "pipe.py"
        self.file.write_text(EVIL.format(mark=str(self.mark)), encoding="utf-8")
        os.mkfifo(self.pipe)

    def words(self, field):
        """Ways to name them."""
        name = {"problem": "problem_", "operator": "operator_"}.get(field, field)
        yield from (f"{self.file}:{name}", f"@{self.file}", f"{self.pipe}:{name}")
        if field == "algorithm":
            yield from (f"gp-single {part}={self.file}:{part}" for part in ("accept", "search"))

    def check(self, done):
        assert done.returncode == 0, done.stderr
        assert not self.mark.exists()


@pytest.fixture
def trap(tmp_path):
    return Trap(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loading") / "study"
    run_here(Plan.of(**KEYS), folder)
    return folder


CELL = Plan.of(**KEYS).cells[0].id


@pytest.mark.parametrize("field", FIELDS)
def test_a_ledger_or_a_plan_in_a_folder_loads_nothing(finished, tmp_path, trap, field):
    folder = shutil.copytree(finished, tmp_path / "study")
    grids = [{field: word} for word in trap.words(field)]  # all that is wrong with a plan is looked at
    grids += [{"algorithm": f"gp-single {field}={word}"} for word in trap.words(field)]
    text = toml_of({**KEYS, "grid": grids})
    (folder / "ledger").write_bytes(sealed(HEADER) + sealed({"plan": text}))
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    trap.check(called_apart(read_studies, CELL, folder))


def columns_with(field, word):
    """Columns of a table of runs in which this field says this word."""
    if field in SPEC_COLUMNS:
        return {field: word}
    if field == "weights":
        return {name: word for name in SPEC_COLUMNS if name.startswith("weight_")}
    return {"algorithm": f"gp-single {field}={word}"}


@pytest.mark.parametrize("field", FIELDS)
def test_a_row_loads_nothing(finished, tmp_path, trap, field):
    folders, words = [], list(trap.words(field))
    for word in words if SPEC_COLUMNS.get(field, str) is str and field != "weights" else words[:1]:
        folder = shutil.copytree(finished, tmp_path / f"study{len(folders)}")
        folders.append(folder)
        for shard in (folder / "shards").iterdir():
            table = pq.read_table(shard)
            for name, text in columns_with(field, word).items():
                column = pa.array([text] * len(table)).dictionary_encode()
                table = table.set_column(table.column_names.index(name), name, column)
            pq.write_table(table, shard)
            enter_anew(folder, shard)
    trap.check(called_apart(read_studies, CELL, *folders))


def enter_anew(folder, shard):
    """As if the shard had always been like this."""
    content, entry = shard.read_bytes(), Ledger.read(folder).entries[shard.name]
    said = {**entry.record(), "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    with (folder / "ledger").open("ab") as file:
        file.write(sealed(said))


@pytest.mark.parametrize("field", FIELDS)
def test_lines_of_run_and_of_a_trace_load_nothing(trap, field):
    """What `gpruntime run` prints with --json, and a trace with its header, made into specs and steps again."""
    trap.check(called_apart(read_lines, field, *trap.words(field)))


def read_lines(field, *words):
    spec = RunSpec(problem="order", algorithm="gp-single", n=4)
    header = json.loads(next(trace_lines(Run(spec, seed=1))))["header"]
    for line in (header, simulate(spec, seed=1).record()):
        fields = {name: value for name, value in line.items() if name in FIELDS}
        assert RunSpec.from_data(**fields) == spec
        for word in words:
            with contextlib.suppress(BadInput):
                RunSpec.from_data(**{**fields, field: word})
    for word in words:
        operation = {"kind": word, "site": 1, "side": word, "terminal": word, "function": word}
        with contextlib.suppress(BadInput):
            list(steps_from_lines([json.dumps({"operations": [operation]})]))


def words_everywhere(trap):
    """In each field of a certificate's spec, and in a feature's place, also where a path looks like an id."""
    deep = trap.file.parent / "a@b"
    deep.mkdir()
    paths = [(shutil.copy(trap.file, deep), ""), (trap.file, ":x=@"), (trap.pipe, ":x=@")]
    yield from ((field, word) for field in FIELDS for word in trap.words(field))
    yield from (("features", f"{path}:problem_{rest}") for path, rest in paths)


def test_a_certificate_loads_nothing(trap):
    trap.check(called_apart(read_certificates, *(word for pair in words_everywhere(trap) for word in pair)))


def read_certificates(*words):
    record = certify(RunSpec(problem="and", algorithm="gpstar-single", n=2, init="x1")).to_record()
    assert verify(record).holds
    for field, word in zip(words[::2], words[1::2], strict=True):
        changed = {"coefficients": {word: "1"}} if field == "features" else {"spec": {**record["spec"], field: word}}
        with pytest.raises(BadInput):
            verify({**record, **changed})


def test_a_pickle_in_a_folder_is_not_read(finished, tmp_path, trap):
    """Arrow's tables can hold pickles, as types of Python's."""

    class Bomb:
        def __reduce__(self):
            return exec, (f"open({str(trap.mark)!r}, 'w').close()",)

    said = {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": pickle.dumps(Bomb())}
    folder = shutil.copytree(finished, tmp_path / "study")
    for shard in (folder / "shards").iterdir():
        table = pq.read_table(shard)
        schema = pa.schema([field.with_metadata(said) for field in table.schema])
        pq.write_table(table.cast(schema), shard)
        enter_anew(folder, shard)
    trap.check(called_apart(read_studies, CELL, folder))


OWN = """
from gpruntime import acceptance, problem

@problem(sees="counts", best=lambda n: n)
def two_thirds(i, plain, bar, n):
    return plain >= 1 and 3 * plain >= 2 * (plain + bar)

@acceptance
def not_larger(gain, growth):
    return gain > 0 or (gain == 0 and growth <= 0)
"""


def test_what_a_user_named_in_a_plan_is_kept_and_shown_without_its_file(tmp_path):
    """Also behind the name of an algorithm: the folder needs no other file."""
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    keys = {**KEYS, "problem": "mine.py:two_thirds", "algorithm": "gp-single accept=mine.py:not_larger", "budget": 500}
    (tmp_path / "plan.toml").write_text(toml_of(keys), encoding="utf-8")
    plan = Plan.from_file(tmp_path / "plan.toml")
    run_here(plan, tmp_path / "study")
    (tmp_path / "mine.py").unlink()
    done = called_apart(show_study, tmp_path / "study", plan.cells[0].id)
    assert done.returncode == 0, done.stderr
