"""What the pages show works as it stands there: every code block is run, or says why not (tests/docs_help.py)."""

import re

import pytest

from tests.docs_help import KNOWN, ROOT, Reader, blocks_of, commands_of, documents

RUN = [page for page in documents() if any(block.is_run for block in blocks_of(page))]
LONG = [page for page in RUN if any(block.mark == "long" for block in blocks_of(page))]
MARK = re.compile(r"not run: .+|long|smaller: .+ → .+|other numbers")
# Phrases that were not understood; plain ones have taken their place.
UNCLEAR = (
    "gone on with",
    "goes at most like",
    "has not what it takes",
    "runs a cell",
    "'s like in the engine",
    "so many runs",
)


@pytest.mark.parametrize("page", documents(), ids=str)
def test_tests_that_a_page_names_are_there(page):
    named = re.findall(r"\btests/[\w/]+\.py", (ROOT / page).read_text("utf-8"))
    assert [path for path in named if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("page", RUN, ids=str)
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Reader(page).follow()


@pytest.mark.long
@pytest.mark.parametrize("page", LONG, ids=str)
def test_the_long_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Reader(page).follow(long=True)


@pytest.mark.parametrize("page", documents(), ids=str)
def test_every_block_is_run_or_says_why_not(page):
    fences = re.findall(r"^[ >]*```", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(blocks_of(page)), "a block that is indented would be missed"
    for block in blocks_of(page):
        assert block.language in KNOWN, f"line {block.line}: {block.language}"
        assert not block.mark or MARK.fullmatch(block.mark), f"line {block.line}: {block.mark}"
        if block.language == "console" and block.is_run:
            assert commands_of(block.text), f"line {block.line}: a console without a command"


@pytest.mark.parametrize("page", documents(), ids=str)
def test_plain_words(page):
    text = " ".join((ROOT / page).read_text("utf-8").split())
    assert [phrase for phrase in UNCLEAR if phrase in text] == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 120


def test_what_does_not_hold_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nassert 1 == 2\n```\n")
    with pytest.raises(AssertionError):
        Reader(page).follow()
    page.write_text(
        "```console\n$ gpruntime run --problem order --algorithm gp-single -n 3 --seed 1\n  evaluations 1234567\n```\n"
    )
    with pytest.raises(AssertionError, match=r"does not print \['1234567'\]"):
        Reader(page).follow()
    page.write_text("<!-- not run: no -->\n```console\n$ rm -rf /\n```\n")
    Reader(page).follow()
    page.write_text("```console\n$ rm -rf /\n```\n")
    with pytest.raises(AssertionError, match="cannot run rm"):
        Reader(page).follow()
