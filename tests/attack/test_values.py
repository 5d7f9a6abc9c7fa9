"""Shards with values that no run has, well sealed: every command that reads leaves them out or says one line."""

import contextlib
import random
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpruntime import BadInput
from gpruntime.cli.main import commands
from gpruntime.study import BadPlan, Plan, run_study, shard
from gpruntime.study.ledger import Ledger
from tests.study.test_foreign import reading, seal_anew

pytestmark = [pytest.mark.attack, pytest.mark.long]

STUDIES = {
    "whole numbers": {"problem": ["order", "and"], "algorithm": "gpstar-single", "n": [4, 6], "budget": 500},
    "floats": {"problem": "regression", "algorithm": "gp-single", "n": 4, "budget": 100},
    "populations": {"problem": "majority", "algorithm": ["smo-single", "gp-single"], "n": 4, "budget": 3000},
}
WHOLE = (None, -(2**63), 2**63 - 1, -1, 0)
FLOATS = (None, float("nan"), float("inf"), -1e308)


def values_of(kind):
    """What is put into a column of this type."""
    if pa.types.is_dictionary(kind):
        return None, "", "x", "x" * 100_000
    if pa.types.is_list(kind):
        return None, [], *([value] * count for value in values_of(kind.value_type) for count in (1, 5))
    return WHOLE if pa.types.is_integer(kind) else FLOATS


def with_value(table, name, value, everywhere):
    """The table with a value in a column, in the second row or in all."""
    place, field = table.schema.get_field_index(name), table.schema.field(name)
    values = table[name].to_pylist()
    values[0 if everywhere else 1 :: 1 if everywhere else len(values)] = [value] * (len(values) if everywhere else 1)
    kind = pa.string() if pa.types.is_dictionary(field.type) else field.type
    return table.set_column(place, field, pa.array(values, kind).cast(field.type))


@pytest.mark.parametrize("believed", [False, True])
@pytest.mark.parametrize("kind", STUDIES)
def test_values_that_no_run_has(attack, tmp_path, monkeypatch, kind, believed):
    """Also where the file lies about them, so that nothing is found damaged before it is read."""
    if believed:
        monkeypatch.setattr(shard, "_is_possible", lambda _: True)
    chance = random.Random(5)
    run_study(Plan.of(**STUDIES[kind], seed=3, runs=20, improvements=True), tmp_path / "study", workers=0)
    entry = max(Ledger.read(tmp_path / "study").entries.values(), key=lambda one: one.bytes)
    table = pq.read_table(tmp_path / "study" / "shards" / entry.name)
    lies = [(field.name, value) for field in table.schema for value in values_of(field.type)]
    for number, (name, value) in enumerate(chance.sample(lies, 25)):
        folder, out = shutil.copytree(tmp_path / "study", tmp_path / str(number)), tmp_path / f"{number}-out"
        out.mkdir()
        path, everywhere = folder / "shards" / entry.name, chance.random() < 0.5
        pq.write_table(with_value(table, name, value, everywhere), path)
        seal_anew(folder, path, path.read_bytes())
        piece = entry.pieces[0]
        for words in reading(folder, out, f"{piece.cell}:{piece.first}"):
            with (
                attack.trial(name, str(value)[:40], everywhere, words[1]),
                contextlib.suppress(BadInput, BadPlan),
            ):
                commands.main([str(word) for word in words], standalone_mode=False)
