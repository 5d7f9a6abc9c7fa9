"""The atlas, on a tiny scale: every entry opens, sorting and filtering work, and the page shows what the files have."""

import csv
import dataclasses
import re

import pytest

from gpruntime.atlas.entry import BEYOND, LOGARITHM, MARKS, NOTHING, POWER, TIGHT, UNKNOWN, entry_of
from gpruntime.atlas.grid import scale_named, settings_of
from gpruntime.atlas.run import execute
from gpruntime.model.errors import BadInput
from gpruntime.model.problems import PROBLEMS
from tests.paper.test_literature import planted, quick_estimates

TINY = dataclasses.replace(scale_named("tiny"), runs=6, fast=(3, 4, 6, 8))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("atlas")
    return execute(TINY, 1, folder, only=["majority"], workers=0), folder


def records(folder):
    return list(csv.DictReader((folder / "atlas.csv").read_text(encoding="utf-8").splitlines()))


def timeless(folder):
    page = (folder / "atlas.html").read_text(encoding="utf-8")
    return re.sub(r'<dl class="claim" id="circumstances">.*?</dl>', "", page, flags=re.DOTALL)


def test_every_problem_of_the_registry_is_there():
    found = {setting.specs[0].problem.id.partition(":")[0] for setting in settings_of(TINY)}
    assert found == set(PROBLEMS)
    assert all(spec.budget for setting in settings_of(TINY) for spec in setting.specs)
    with pytest.raises(BadInput, match="none of ours"):
        settings_of(TINY, ["zzz"])


def test_populations_are_there_where_they_are_compiled():
    by = {}
    for setting in settings_of(TINY):
        spec = setting.specs[0]
        if spec.has_population and spec.representation.is_tree:
            by.setdefault(spec.problem.id.partition(":")[0], {}).setdefault(spec.family.id, set()).add(spec.goal)
    assert set(by) == {id_ for id_ in PROBLEMS if PROBLEMS[id_].primitives(3).is_binary}
    assert by["worder"] == by["order"] == {"smo": {"front"}, "one-plus-lambda": {"optimum"}, "mu-plus-one": {"optimum"}}
    assert by["and"]["smo"] == {"front"}
    assert by["xor"]["smo"] == {"optimum"}


def test_circuits_and_truth_tables_are_there_on_boolean_problems():
    specs = [
        setting.specs[-1] for setting in settings_of(TINY, ["and", "xor", "and-or", "multiplexer", "parity", "max"])
    ]
    programs = [(spec.problem.id, spec.family.id) for spec in specs if not spec.representation.is_tree]
    boolean = ("and", "xor", "and-or", "multiplexer", "parity")
    assert programs == [(problem, family) for problem in boolean for family in ("cgp", "cgpstar", "gsgp")]
    bounds = {
        spec.family.id: {bound.formula for bound in spec.problem.bounds if bound.applies(spec)}
        for spec in specs
        if spec.problem.id == "and" and not spec.representation.is_tree
    }
    assert bounds == {"cgp": {"O(n·D^5)", "O(n·D^4)"}, "cgpstar": {"O(n·D^5)"}, "gsgp": {"O(n·2^n)"}}


def test_the_largest_population_is_a_column(done):
    executed, folder = done
    for entry, record in zip(executed.results, records(folder), strict=True):
        spec = entry.curve.spec
        if not spec.has_population:
            assert record["mean_max_population"] == ""
        elif spec.family.id == "smo":
            assert float(record["mean_max_population"]) >= entry.last.n  # the front has a tree of each size
        else:
            assert float(record["mean_max_population"]) == spec.algorithm.values.get("mu", 1)


def test_files_and_page_again(done):
    executed, folder = done
    rows = records(folder)
    assert [row["id"] for row in rows] == [entry.id for entry in executed.results]
    assert len({row["id"] for row in rows}) == len(rows) > 10
    assert {row["mark"] for row in rows} <= set(MARKS)
    page = timeless(folder)
    again = execute(TINY, 1, folder, only=["majority"], workers=0)
    assert again.stored == executed.stored
    assert timeless(folder) == page


@pytest.mark.long
def test_any_number_of_workers_gives_the_same_page(done, tmp_path):
    execute(TINY, 1, tmp_path, only=["majority"], workers=2)
    assert timeless(tmp_path) == timeless(done[1])


def marked(power):
    """The mark of GP*-single on ORDER, from times like n^power; O(n²) is proved."""
    setting = next(
        one for one in settings_of(scale_named("quick"), ["order"]) if one.specs[0].algorithm.id == "gpstar-single"
    )
    cells = [quick_estimates(planted(spec, 50.0 * spec.n**power)) for spec in setting.specs]
    return entry_of(cells, []).mark()


def test_marks():
    assert marked(2.0) == TIGHT
    assert marked(1.2) == POWER
    assert marked(1.8) == LOGARITHM
    assert marked(3.0) == BEYOND
    assert {NOTHING, UNKNOWN} <= set(MARKS)


def test_the_page_in_a_browser(browser, done):
    executed, folder = done
    errors = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((folder / "atlas.html").as_uri())
    rows = page.locator("#atlas > tbody > tr")
    squares = page.locator("#map button")
    opened = page.locator("dialog[open]")
    count = len(executed.results)
    assert rows.count() == squares.count() == count
    for number, entry in enumerate(executed.results):  # every entry opens from the map, and closes again
        squares.locator(f"nth={number}").evaluate("(one) => one.click()")
        assert page.url.endswith(f"open={page.evaluate('dialog.dataset.entry')}")
        entry = next(one for one in executed.results if page.url.endswith(one.id))
        assert opened.locator("svg").count() == (2 if entry.nearest is not None and entry.nearest.ratios else 1)
        assert "gpruntime run --problem" in opened.locator("details").text_content()
        assert "[[grid]]" in opened.locator("details").text_content()
        assert opened.locator("table.numbers tbody tr").count() == len(entry.curve.cells)
        page.keyboard.press("Escape")
        page.wait_for_function("!location.hash")
        assert opened.count() == 0
    written = records(folder)
    shown = page.evaluate("entries.map((e) => [e.id, e.mean, e.p_optimum, e.constant, e.mean_max_leaves, e.mark])")
    for record, (id_, *numbers, mark) in zip(written, shown, strict=True):
        assert (record["id"], record["mark"]) == (id_, mark)
        for name, number in zip(("mean", "p_optimum", "constant", "mean_max_leaves"), numbers, strict=True):
            unknown = record[name] in ("", "inf") or record[name].startswith(">")
            assert number is None if unknown else float(record[name]) == number or record[name].startswith("> ")
    page.locator("#atlas thead button", has_text="Algorithm").click()
    names = [rows.nth(number).locator("td").first.inner_text() for number in range(count)]
    assert names == page.evaluate("(names) => [...names].sort((a, b) => a.localeCompare(b, 'en'))", names)
    assert len(set(names)) > 3
    page.locator("#atlas thead button", has_text="Algorithm").click()
    assert [rows.nth(number).locator("td").first.inner_text() for number in (0, -1)] == [names[-1], names[0]]
    page.locator("#algorithm").select_option("GP*-single")
    left = rows.count()
    assert 0 < left < count
    assert page.locator("#count").inner_text() == f"{left} of {count} entries"
    assert page.locator("#map button:not(.out)").count() == left
    mark = page.locator("#legend button").filter(has_text=page.evaluate("sorted(entries.filter(wanted))[0].mark"))
    mark.click()  # the legend takes its entries out
    assert rows.count() < left
    assert mark.get_attribute("aria-pressed") == "false"
    again = browser.new_page()  # the address keeps what is shown
    again.goto(page.url)
    assert again.locator("#count").inner_text() == page.locator("#count").inner_text()
    assert again.locator("#atlas thead th[aria-sort=descending]").inner_text().startswith("Algorithm")
    again.close()
    page.locator("#search").fill("no such thing")
    assert rows.count() == 0
    page.locator("#clear").click()
    assert rows.count() == count
    squares.first.focus()  # by keyboard
    assert page.locator("#tip").inner_text().startswith(squares.first.get_attribute("aria-label").partition(":")[0])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert opened.locator("h2").inner_text().startswith("MAJORITY, GP-multi")
    page.keyboard.press("Escape")
    for width in (390, 720, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#atlas").scroll_into_view_if_needed()
    page.mouse.wheel(0, 3000)
    page.wait_for_function("scrollY > document.querySelector('#atlas').offsetTop + 100")
    page.wait_for_function("document.querySelector('#atlas thead th').getBoundingClientRect().top === 0")
    page.set_viewport_size({"width": 390, "height": 800})
    rows.first.locator("th button").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert errors == []
