"""Attacks: trials that are counted. `./run test -m attack` runs them all and tells the counts."""

import contextlib
import traceback

import pytest

from gpruntime.study import Plan
from tests.study.studies import BIG, rows, run_here


class Attack:
    """Counts the trials of a test; one that fails does not keep the others from being made."""

    def __init__(self):
        self.tried, self.broke = 0, []

    @contextlib.contextmanager
    def trial(self, *what):
        """One trial: it held unless something is raised."""
        self.tried += 1
        try:
            yield
        except (Exception, pytest.fail.Exception):
            self.broke.append(f"{' '.join(map(str, what))}:\n{traceback.format_exc()}")


@pytest.fixture
def attack(record_property):
    attack = Attack()
    yield attack
    record_property("attack", (attack.tried, attack.tried - len(attack.broke)))
    assert attack.tried > 0
    if attack.broke:
        pytest.fail(f"{len(attack.broke)} of {attack.tried} trials broke it; the first:\n{attack.broke[0]}", False)


@pytest.fixture(scope="session")
def truth(tmp_path_factory):
    """The table that a study has whatever happens to it."""
    folder = tmp_path_factory.mktemp("truth") / "study"
    run_here(Plan.of(**BIG), folder)
    return rows(folder)
