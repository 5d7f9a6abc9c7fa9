"""What tests in several rooms ask for; `--share`; and how many attacks were tried and held, told at the end."""

import os

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests.browser_help import chromium, why_none
from tests.shares import share_of

settings.register_profile("untimed", deadline=None)  # no test is a timed one
settings.load_profile("untimed")


def pytest_addoption(parser):
    parser.addoption("--share", metavar="1/N", help="only one in N of the tests, by their names: always the same ones")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks what needs a browser, and leaves out what is not of the share."""
    for item in items:
        if "browser" in item.fixturenames and item.get_closest_marker("site") is None:
            item.add_marker(pytest.mark.browser)
    if (asked := config.getoption("--share")) is not None:
        kept = share_of(asked, [item.nodeid for item in items])
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
        items[:] = [item for item in items if item.nodeid in kept]


class Together(LoadScopeScheduling):
    """The tests of a file stay on one process: they share what they compute. So do those of the founding paper."""

    def _split_scope(self, nodeid):
        file = nodeid.partition("::")[0]
        # these compute nothing that others need
        apart = ("test_kept.py", "test_literature.py", "test_new_claim.py", "test_run.py")
        return "tests/paper" if file.startswith("tests/paper/") and not file.endswith(apart) else file


def pytest_xdist_make_scheduler(config, log):
    return Together(config, log)


@pytest.fixture(scope="module")
def browser():
    """Chromium. Where it cannot start, the test is skipped with the reason; in CI it fails."""
    need_browser()
    with chromium() as started:
        yield started


def need_browser() -> None:
    why = why_none()
    if why is not None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(why)


def pytest_terminal_summary(terminalreporter):
    counts = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", []):
                if name == "attack":
                    counts[report.nodeid.partition("::")[2].partition("@")[0]] = value
    if counts:
        terminalreporter.section("attacks: tried, held")
        for name, (tried, held) in sorted(counts.items()):
            terminalreporter.line(f"{tried:>6} {held:>6}  {name.removeprefix('test_').replace('_', ' ')}")
        tried, held = (sum(values) for values in zip(*counts.values(), strict=True))
        terminalreporter.line(f"{tried:>6} {held:>6}  in all")
