"""Command lines full of words that a terminal would obey: one line that can be seen, and no traceback."""

import random
import sys

import pytest

from gpruntime.cli.main import main
from tests.cli.test_hostile_words import harmless

pytestmark = [pytest.mark.attack, pytest.mark.long]

SIGNS = ["\x1b[2J", "\x1b]0;t\x07", "\x9b1m", "\u202e", "\u2066", "\u2028", "\n", "\r", "\x85", "\udcff", "\ud800",
         "[bold]", "x1", "(", ")", "!", "\u0304", "-", "=", ",", "9" * 40, "\ufeff", "\U000e0001", "é"]  # fmt: skip
LINES = [
    ["run", "--problem", "order", "--algorithm", "gp-single", "-n", "2"],
    ["run", "--problem", "majority", "--algorithm", "gpstar-single", "-n", "3", "--init", "(x1 x2)", "--draw"],
    ["exact", "--problem", "majority", "--algorithm", "gpstar-single", "-n", "1", "--at", "5"],
    ["study", "run", "plan.toml", "-o", "folder"],
    ["study", "status", "folder"],
    ["study", "sql", "folder", "select 1"],
    ["study", "merge", "a", "b", "-o", "c"],
    ["watch", "--no-open", "-n", "0"],
    ["paper", "--only", "table-1", "--list"],
]


def test_hostile_command_lines(attack, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    chance = random.Random(17)
    for trial in range(1500):
        words = list(chance.choice(LINES))
        place = chance.randrange(len(words))
        words[place] = "".join(chance.choices(SIGNS, k=chance.randint(1, 6)))
        with attack.trial(trial, ascii(words)):
            monkeypatch.setattr(sys, "argv", ["gpruntime", *words])
            with pytest.raises(SystemExit) as end:
                main()
            told = capsys.readouterr()
            assert end.value.code in (0, 2)
            assert harmless(told.out + told.err)
            assert "Traceback" not in told.err
