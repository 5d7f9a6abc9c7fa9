"""A cache that was damaged anywhere: the answer is right, and the next call finds a whole cache."""

import random
import shutil

import pytest

from tests.engine.test_cache import ANSWER, _files, _run, warm  # noqa: F401  # a fixture

pytestmark = [pytest.mark.attack, pytest.mark.long]


def test_flipped_bits_of_compiled_code(attack, warm, tmp_path):  # noqa: F811
    _damage(attack, warm, tmp_path, 60, _flip)


def test_compiled_code_cut_off(attack, warm, tmp_path):  # noqa: F811
    _damage(attack, warm, tmp_path, 30, _cut)


def _damage(attack, warm, tmp_path, trials, damage):  # noqa: F811
    chance = random.Random(23)
    for trial in range(trials):
        folder = tmp_path / str(trial)
        shutil.copytree(warm, folder)
        path = chance.choice(_files(folder))
        with attack.trial(trial, path.name):
            path.write_bytes(damage(path.read_bytes(), chance))
            first, second = (_run({"XDG_CACHE_HOME": str(folder)}) for _ in range(2))
            assert (first.stdout, first.returncode) == (ANSWER, 0)
            assert (second.stdout, second.stderr) == (ANSWER, "")


def _flip(content, chance):
    flipped = bytearray(content)
    flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def _cut(content, chance):
    return content[: chance.randrange(len(content))]
