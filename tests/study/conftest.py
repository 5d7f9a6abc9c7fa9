"""Studies that several files of tests look at; none of them may change one."""

import pytest

from gpruntime.study import Plan, Study
from tests.study.studies import BIG, rows, run_here, small_plan


@pytest.fixture(scope="session")
def truth(tmp_path_factory):
    folder = tmp_path_factory.mktemp("truth") / "study"
    run_here(Plan.of(**BIG), folder)
    return rows(folder)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "study"
    run_here(small_plan(), folder)
    return folder


@pytest.fixture(scope="session")
def study(folder):
    return Study.load(folder)
