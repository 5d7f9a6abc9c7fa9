"""A folder from somebody else, or after a bad day: nothing outside it is touched, and nothing in it is a traceback."""

import contextlib
import hashlib
import itertools
import json
import os
import random
import shutil
import stat

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput
from gpruntime.analysis import trajectories
from gpruntime.cli.main import commands
from gpruntime.files import LOCK
from gpruntime.model import part
from gpruntime.study import BadPlan, Locked, Plan, Study, StudyWarning, lock, run_study, shard, store
from gpruntime.study import plan as plan_module
from gpruntime.study.ledger import Ledger, sealed
from tests.parts import missing
from tests.study.studies import rows, run_here


def plan_of(**keys):
    """Two cells, and a report of them that is drawn soon."""
    return Plan.of(**{"seed": 3, "problem": "order", "algorithm": "gp-single", "n": [4, 8], "runs": 40, **keys})


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign") / "study"
    run_here(plan_of(), folder)
    return folder


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "study")


@pytest.fixture
def outside(tmp_path):
    """Somebody's own files, with a name that a shard could have among them."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("victim", "00000000-0-0123456789abcdef.parquet", ".x.half"):
        (outside / name).write_text("mine", encoding="utf-8")
    return outside


def state(folder):
    """Everything that can be seen of a folder from outside."""
    return {
        path: (path.lstat().st_mtime_ns, path.lstat().st_mode, path.is_file() and _digest(path))
        for path in (folder, *folder.rglob("*"))
    }


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def gpruntime(*words):
    return commands.main([str(word) for word in words], standalone_mode=False)


def reading(folder, out, run=None):
    """The commands that read a study."""
    return [
        ["study", "status", folder],
        ["study", "show", folder],
        ["study", "show", folder, "--verbose"],
        ["study", "show", folder, "--json"],
        ["study", "sql", folder, "select count(*) from runs"],
        ["study", "export", folder, "--format", "csv", "-o", out / "runs.csv"],
        ["study", "export", folder, "--format", "parquet", "-o", out / "runs.parquet"],
        ["study", "export", folder, "--format", "ioh", "-o", out / "ioh"],
        ["study", "report", folder, "-o", out / "report.html"],
        ["study", "replay", folder, "--run", run or f"{plan_of().cells[0].id}:3"],
    ]


def test_commands_that_read_write_nothing(folder, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(folder)
    before = state(folder)
    for words in reading(folder, tmp_path / "out"):
        gpruntime(*words)
        assert state(folder) == before, words


# ---- names that lead out of the folder


@pytest.mark.parametrize(
    "name", ["{outside}/victim", "../../outside/victim", "..", "", "a/b.parquet", "victim\n", None]
)
def test_a_ledger_cannot_name_a_file_elsewhere(folder, finished, outside, name):
    entry = next(iter(Ledger.read(folder).entries.values()))
    name = name and name.format(outside=outside)
    with (folder / "ledger").open("ab") as file:
        file.write(sealed({**entry.record(), "shard": name, "sha256": "0" * 64}))
        file.write(sealed({"void": name, "why": "because"}))
    before = state(outside)
    with pytest.warns(StudyWarning, match=r"ledger: damaged in line \d+, \d+ \(2 in all\)"):
        Study.load(folder)
    run_here(None, folder)
    assert state(outside) == before
    assert not (folder / "set-aside").exists()
    assert rows(folder).equals(rows(finished))


@pytest.mark.parametrize("name", [LOCK, "ledger", "plan.toml", "provenance.jsonl", "shards", "set-aside"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe"])
def test_links_and_pipes_under_our_names_are_refused(folder, outside, tmp_path, name, kind):
    path = folder / name
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(outside if name in ("shards", "set-aside") else outside / "victim")
    else:
        path.symlink_to(outside / "not there")
    before = state(outside), state(folder)
    for words in (["study", "run", folder], ["study", "status", folder], ["study", "sql", folder, "select 1"]):
        with pytest.raises(BadInput, match=rf"{name} is a {kind.split()[-1]}, not an? "):
            gpruntime(*words)
    assert (state(outside), state(folder)) == before
    (tmp_path / "plan").write_text(plan_of().text, encoding="utf-8")
    (folder / "ledger").unlink(missing_ok=True)
    with pytest.raises(BadInput):
        gpruntime("study", "run", tmp_path / "plan", "-o", folder)
    assert state(outside) == before[0]


@pytest.mark.parametrize("name", [LOCK, "ledger", "provenance.jsonl"])
def test_a_file_with_a_second_name_elsewhere_is_not_written_to(folder, outside, name):
    shutil.copy(folder / name, outside / "second")
    (folder / name).unlink()
    os.link(outside / "second", folder / name)
    before = state(outside)
    (folder / "plan.toml").write_text(plan_of(runs=41).text, encoding="utf-8")
    with pytest.raises(BadInput, match=f"{name} has a second name"):
        run_here(None, folder)
    assert state(outside) == before


def test_a_half_that_is_a_link_is_not_written_through(tmp_path, outside):
    """Even where it is put in place after we have looked."""
    folder = tmp_path / "new"
    (folder / "shards").mkdir(parents=True)
    run_here(plan_of(n=4, runs=2), tmp_path / "other")
    for name in Ledger.read(tmp_path / "other").entries:
        (folder / "shards" / f".{name}.half").symlink_to(outside / "victim")
        (folder / "shards" / name).symlink_to(outside / "victim")
    before = state(outside)
    run_here(plan_of(n=4, runs=2), folder)
    assert state(outside) == before
    assert rows(folder).equals(rows(tmp_path / "other"))


# ---- shards that cannot be read


@pytest.mark.parametrize("kind", ["folder", "link", "loop", "pipe", "device", "garbage"])
def test_a_shard_that_cannot_be_read_is_damaged_like_any_other(folder, finished, outside, kind, capsys):
    victim = max((folder / "shards").iterdir(), key=lambda path: path.stat().st_size)
    content = victim.read_bytes()
    victim.unlink()
    if kind == "folder":
        victim.mkdir()
    elif kind == "link":
        (outside / "victim").write_bytes(content)
        victim.symlink_to(outside / "victim")
    elif kind == "loop":
        victim.symlink_to(victim.name)
    elif kind == "pipe":
        os.mkfifo(victim)
    elif kind == "device":
        if os.geteuid() != 0:
            pytest.skip("only root can make a device")
        os.mknod(victim, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    else:
        seal_anew(folder, victim, b"no Parquet at all")
    before = state(outside)
    for words in (["status", folder], ["show", folder], ["sql", folder, "select count(*) as c from runs"]):
        gpruntime("study", *words)
        assert f"shards/{victim.name}: is" in capsys.readouterr().err
    report = run_here(None, folder)
    assert report.computed > 0
    assert any(victim.name in line for line in report.found)
    assert rows(folder).equals(rows(finished))
    assert os.path.lexists(folder / "set-aside" / victim.name)
    assert state(outside) == before


def seal_anew(folder, path, content):
    """As if the shard had been entered with this content."""
    path.write_bytes(content)
    entry = Ledger.read(folder).entries[path.name]
    said = {**entry.record(), "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    with (folder / "ledger").open("ab") as file:
        file.write(sealed(said))


def test_a_shard_of_other_columns_or_of_fewer_rows_is_none(folder, finished):
    victims = sorted((folder / "shards").iterdir())[:2]
    tables = [pq.read_table(path) for path in victims]
    for path, table in zip(victims, (tables[0].drop_columns(["fitness"]), tables[1].slice(1)), strict=True):
        pq.write_table(table, path)
        seal_anew(folder, path, path.read_bytes())
    with pytest.warns(StudyWarning, match="is no table of the runs"):
        Study.load(folder)
    assert run_here(None, folder).computed > 0
    assert rows(folder).equals(rows(finished))


IMPOSSIBLE = [
    ("evaluations", None),
    ("evaluations", -(2**63)),
    ("evaluations", 0),
    ("outcome", None),
    ("run", None),
    ("n", -1),
    ("proposed_insert", -(2**63)),
    ("fitness", None),
    ("improvement_fitness", None),
    ("improvement_leaves", [None]),
    ("improvement_evaluations", [-(2**63)]),
]


def _with_value(path, column, value):
    """The table of a shard with another value in its second row."""
    table = pq.read_table(path)
    place, field = table.schema.get_field_index(column), table.schema.field(column)
    values = table[column].to_pylist()
    kind = pa.string() if pa.types.is_dictionary(field.type) else field.type
    changed = pa.array([*values[:1], value, *values[2:]], kind).cast(field.type)
    return table.set_column(place, field, changed)


def _largest(folder):
    return max((folder / "shards").iterdir(), key=lambda path: path.stat().st_size)


@pytest.mark.attack
@pytest.mark.parametrize(("column", "value"), IMPOSSIBLE)
def test_a_shard_with_values_that_no_run_has_is_damaged(improved, tmp_path, column, value, capsys):
    folder = shutil.copytree(improved, tmp_path / "study")
    victim = _largest(folder)
    pq.write_table(_with_value(victim, column, value), victim)
    seal_anew(folder, victim, victim.read_bytes())
    for words in (["status", folder], ["show", folder], ["export", folder, "--format", "csv", "-o", tmp_path / "a"]):
        gpruntime("study", *words)
        assert f"shards/{victim.name}: is no table of the runs" in capsys.readouterr().err
    run_here(None, folder)
    assert rows(folder).equals(rows(improved))


@pytest.mark.attack
@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(pair for pair in IMPOSSIBLE if pair[0] not in ("run", "n")),  # those are held to the plan
        ("improvement_leaves", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ],
)
def test_what_a_shard_says_of_its_values_is_not_believed(improved, tmp_path, monkeypatch, column, value, capsys):
    """The numbers of nulls and the least values that a file gives may be lies: who reads the values looks again."""
    monkeypatch.setattr(shard, "_is_possible", lambda _: True)
    folder = shutil.copytree(improved, tmp_path / "study")
    victim = _largest(folder)
    pq.write_table(_with_value(victim, column, value), victim)
    seal_anew(folder, victim, victim.read_bytes())
    for form in ("csv", "parquet", "ioh"):
        with pytest.raises(
            BadInput, match=rf"shards/{victim.name} has .*{'lengths' if value == [*range(1, 10)] else column}"
        ):
            gpruntime("study", "export", folder, "--format", form, "-o", tmp_path / form)
        assert not (tmp_path / form).exists()
    for command in ("status", "show"):
        with contextlib.suppress(BadInput):  # those that do not look at the column
            gpruntime("study", command, folder)
    piece = Ledger.read(folder).entries[victim.name].pieces[0]
    with pytest.raises(BadInput):
        gpruntime("study", "replay", folder, "--run", f"{piece.cell}:{piece.first}")
    if column.startswith("improvement"):
        with pytest.raises(BadInput, match="improvement"):
            trajectories(_load_quietly(folder))


@pytest.fixture(scope="module")
def improved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("improved") / "study"
    run_here(plan_of(improvements=True), folder)
    return folder


@pytest.mark.attack
@pytest.mark.parametrize("pieces", [[(0, 2 * 10**8)], [(40, 1)], [(0, 40)] * 3])
def test_a_shard_of_more_runs_than_the_plan_asks_for_is_not_read(folder, finished, monkeypatch, pieces, capsys):
    """A file of some megabytes can hold 2·10⁸ equal rows, and they take gigabytes to look at."""
    victim = _largest(folder)
    entry = Ledger.read(folder).entries[victim.name]
    cell = entry.pieces[0].cell
    with (folder / "ledger").open("ab") as file:
        file.write(sealed({**entry.record(), "pieces": [[cell, *piece] for piece in pieces]}))
    opened = []
    looked, read = store.trouble_of, shard.read
    monkeypatch.setattr(store, "trouble_of", lambda file, *more: opened.append(file.name) or looked(file, *more))
    monkeypatch.setattr(shard, "read", lambda path, *more: opened.append(str(path)) or read(path, *more))
    for words in (["status", folder], ["show", folder]):
        gpruntime("study", *words)
        assert f"shards/{victim.name}: is said to hold more runs than the plan asks for" in capsys.readouterr().err
    assert opened
    assert not [name for name in opened if str(name).endswith(victim.name)]
    run_here(None, folder)
    assert rows(folder).equals(rows(finished))


def test_a_plan_that_was_lost_from_the_ledger_takes_no_runs_with_it(folder, finished):
    """An older plan in it asks for fewer: then the one that is there for reading holds."""
    lines = (folder / "ledger").read_bytes().splitlines(keepends=True)
    older = sealed({"plan": plan_of(runs=7).text})
    damaged = lines[1].replace(b"order", b"ordex")
    (folder / "ledger").write_bytes(b"".join([lines[0], older, damaged, *lines[2:]]))
    with pytest.warns(StudyWarning, match="ledger: damaged in line 3"):
        study = Study.load(folder)
    assert len(study) == 80
    assert study.table().equals(Study.load(finished).table())


@pytest.mark.attack
def test_shards_of_whole_numbers_and_floats_in_one_study(tmp_path, monkeypatch, capsys):
    """Of a problem of one's own nothing but the shards says which of them a fitness is."""
    plan = Plan.of(problem=missing, algorithm="gp-single", n=[4, 8], runs=40, budget=300, improvements=True)
    run_here(plan, tmp_path / "study")
    path = _largest(tmp_path / "study")
    table = pq.read_table(path)
    for name, kind in (("fitness", pa.float64()), ("improvement_fitness", pa.list_(pa.float64()))):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table[name].cast(kind))
    pq.write_table(table, path)
    seal_anew(tmp_path / "study", path, path.read_bytes())
    monkeypatch.setattr(part.Part, "_live", {})
    plan_module.Plan.from_toml.cache_clear()
    assert _load_quietly(tmp_path / "study").plan.is_real is None
    for form in ("csv", "parquet"):
        gpruntime("study", "export", tmp_path / "study", "--format", form, "-o", tmp_path / form)
        assert "is no table of the runs that it should hold; its runs are left out" in capsys.readouterr().err
    _load_quietly(tmp_path / "study").table()


# ---- a ledger that was cut off, emptied, or says what no study says


@pytest.mark.parametrize("kept", [0, 0.5, 0.9])
def test_a_ledger_that_was_cut_off_is_told_by_all_who_read(folder, finished, kept, capsys):
    content = (folder / "ledger").read_bytes()
    (folder / "ledger").write_bytes(content[: int(kept * len(content))])
    for words in (["status", folder], ["show", folder], ["sql", folder, "select count(*) as c from runs"]):
        gpruntime("study", *words)
        assert "ledger: was cut off or emptied: " in capsys.readouterr().err
    run_here(None, folder)
    assert rows(folder).equals(rows(finished))


def test_a_ledger_that_is_gone_is_told(folder, finished, capsys):
    shards = len(list((folder / "shards").iterdir()))
    (folder / "ledger").unlink()
    for words in (["status", folder], ["run", folder]):
        with pytest.raises(BadInput, match=f"its ledger is missing: {shards} shards lie there"):
            gpruntime("study", *words)
    (folder / "provenance.jsonl").unlink()
    run_here(plan_of(), folder)
    assert len(list((folder / "set-aside").iterdir())) == shards
    assert rows(folder).equals(rows(finished))


WRONG = [
    None,
    True,
    -1,
    0,
    1.5,
    2**70,
    float("nan"),
    "",
    "x",
    "../x",
    "\ud800",
    [],
    {},
    [[]],
    [None],
    {"a": []},
    [[1, 2, 3]],
]


def variants(lines, count):
    """Ledgers whose every line is sealed well, and of which one says something of a wrong kind."""
    chance = random.Random(17)
    for _ in range(count):
        said = [json.loads(line.partition(b" ")[2]) for line in lines]
        place = chance.randrange(len(said))
        keys = list(said[place])
        kind, key = chance.randrange(6), chance.choice(keys)
        if kind < 3:
            said[place][key] = chance.choice(WRONG)
        elif kind == 3:
            del said[place][key]
        elif kind == 4:
            said[place] = chance.choice(WRONG)
        else:
            pieces = said[place].get("pieces")
            if pieces:
                pieces[0][chance.randrange(3)] = chance.choice([*WRONG, "0" * 32])
            else:
                said[place]["plan"] = chance.choice(['problem = "order"', "n = ", "\x00", "seed = -1"])
        yield b"".join(map(sealed, said))


def test_well_sealed_ledgers_of_wrong_kinds_are_one_line(folder, finished):
    lines = (finished / "ledger").read_bytes().splitlines()
    refused = 0
    for content in variants(lines, 40):
        (folder / "ledger").write_bytes(content)
        try:
            study = _load_quietly(folder)
            study.progress()
            study.sql("select count(*) from runs")
        except (BadInput, BadPlan):
            refused += 1
    assert refused < 20  # most are damage that is named and left out


def _load_quietly(folder):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)
        return Study.load(folder)


def test_a_sealed_line_that_is_no_json_is_damage(folder):
    with (folder / "ledger").open("ab") as file:
        for text in (b"{", b"\xff", b"[" * 100_000, b'{"bytes":' + b"9" * 5000 + b"}"):
            file.write(hashlib.sha256(text).hexdigest()[:16].encode() + b" " + text + b"\n")
    with pytest.warns(StudyWarning, match="4 in all"):
        Study.load(folder)


# ---- words


def test_provenance_that_is_no_object_is_left_out(folder, capsys):
    odd = [b"3", b"null", b'"x"', b"[1]", b"{", b"\xff", b"[" * 100_000, b'{"event": []}', b'{"failures": 3}',
           b'{"event": "begin", "part": 7}', b'{"event": "begin", "part": [1, 1], "cluster": {}}',
           b'{"x": "\\ud800"}']  # fmt: skip
    before = len(Study.load(folder).provenance)
    with (folder / "provenance.jsonl").open("ab") as file:
        file.write(b"\n".join(odd) + b"\n")
    assert len(Study.load(folder).provenance) == before + 1  # the last one is an object, and only strange
    (folder / "plan.toml").write_text(plan_of(runs=41).text, encoding="utf-8")
    gpruntime("study", "status", folder)
    run_here(None, folder)


def test_words_that_are_not_utf_8(folder, tmp_path, monkeypatch):
    with pytest.raises(BadInput, match="is not UTF-8 text"):
        gpruntime("study", "sql", folder, "select '\udcff'")
    plan = tmp_path / "plan\udcff.toml"
    plan.write_text(plan_of(n=4, runs=2).text, encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["gpruntime", "study", "run", str(plan)])
    gpruntime("study", "run", plan, "-o", tmp_path / "new", "--workers", "0", "-q")
    gpruntime("study", "report", tmp_path / "new", "-o", tmp_path / "report\udcff.html")
    gpruntime("study", "export", tmp_path / "new", "--format", "csv", "-o", tmp_path / "runs\udcff.csv")
    for words in (["run", plan, "-o", tmp_path / "new\udcff"], ["status", tmp_path / "new\udcff"]):
        (tmp_path / "new\udcff").mkdir(exist_ok=True)
        with pytest.raises(BadInput, match="its name is not UTF-8 text"):
            gpruntime("study", *words)
    with pytest.raises(BadPlan, match="init = "):
        Plan.of(problem="order", algorithm="gp-single", n=3, runs=1, init="\ud800")


@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]])
def test_dates_beyond_pythons(folder, form, capsys):
    query = """select 'infinity'::date as a, '-infinity'::timestamp as b, ['infinity'::date] as c,
        {'x': '290000-01-01'::date} as d, '2020-02-03'::date as e"""
    gpruntime("study", "sql", folder, query, *form)
    told = capsys.readouterr().out
    assert "2020-02-03" in told
    assert "infinity" in told


# ---- locks


def test_the_lock_of_another_host_counts_while_it_is_touched_whatever_the_clocks_say(folder, monkeypatch):
    monkeypatch.setattr(lock, "_LOOK_SECONDS", 0.2)
    path = folder / LOCK
    said = {"host": "elsewhere", "pid": 7, "since": "2026-01-02T03:04:05+00:00"}
    path.write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(Locked) as error:
        run_here(None, folder)
    assert error.value.allowed == (
        "is in use by process 7 on elsewhere since 2026-01-02T03:04:05+00:00; "
        f"if that is gone, delete {path} and try again"
    )
    times = itertools.count()
    for date in (2**32, 0):  # in a hundred years; in 1970
        path.write_text(json.dumps(said), encoding="utf-8")
        os.utime(path, (date, date))
        assert run_study(None, folder, workers=0).computed == 0
        path.write_text(json.dumps(said), encoding="utf-8")
        os.utime(path, (date, date))
        with monkeypatch.context() as patched:
            patched.setattr(lock.FolderLock, "_touched", lambda _: next(times))
            with pytest.raises(Locked):
                run_here(None, folder)


@pytest.mark.parametrize("said", ["[]", "{", "3", '{"host": 1, "pid": {}}', '{"host": "h", "pid": 1e999}', "[" * 5000])
def test_a_lock_that_says_nothing_is_nobodys(folder, said):
    (folder / LOCK).write_text(said, encoding="utf-8")
    assert run_here(None, folder).computed == 0
