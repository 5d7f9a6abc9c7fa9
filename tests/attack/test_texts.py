"""Plans and trees with letters changed, left out and put in: read as they are, or refused by our own errors."""

import random

import pytest

from gpruntime import BadInput, Tree
from gpruntime.study import BadPlan, Plan
from gpruntime.study.plan_text import EXAMPLE

pytestmark = [pytest.mark.attack, pytest.mark.long]

SIGNS = ["(", ")", "!", "¬", "x", "\u0304", "x1", "x0", "9" * 30, " ", "\n", "\t", "\0", "\udcff", "=", "[", "]", "{",
         "}", "nan", "inf", '"', "'", "#", "-1", "1e400", "n", "leaves", ":", ",", "@", "é"]  # fmt: skip


def _changed(text, chance):
    signs = list(text)
    for _ in range(chance.randint(1, 8)):
        place = chance.randrange(len(signs) + 1)
        signs[place : place + chance.randint(0, 2)] = [chance.choice(SIGNS)] * chance.randint(0, 2)
    return "".join(signs)


def test_changed_trees(attack):
    chance = random.Random(5)
    for trial in range(20_000):
        text = _changed("((x1 !x4) (x2 (x3 x̄₁)))", chance)
        with attack.trial(trial, ascii(text)):
            try:
                tree = Tree.parse(text)
            except BadInput:
                continue
            assert str(Tree.parse(str(tree))) == str(tree)


def test_changed_plans(attack):
    chance = random.Random(6)
    for trial in range(5_000):
        text = _changed(EXAMPLE, chance)
        with attack.trial(trial, ascii(text)):
            try:
                plan = Plan.from_toml(text)
            except (BadPlan, BadInput):
                continue
            assert plan.most_runs() >= 0
