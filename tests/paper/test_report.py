"""The page: findings first, figures with numbers and labels, tables that fit every screen and the printed page."""

import re

import pytest

from gpruntime.analysis.estimates import Estimate
from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.report import Evaluated, anchor_of, groups_of, report_html
from gpruntime.paper.verdict import CONTRADICTED, CORRECTED, IN_PART, OPEN, SUPPORTED, Verdict
from gpruntime.show.page import plate_of
from tests.page_help import opened, what_is_cut
from tests.paper.small import SEED, SMALL, evidence_of, verdict_of

DRAWN = ("fig-failure", "disc:insert-only", "disc:asymmetry")  # so that not all figures are drawn twice in the suite


def settled_of(identifier):
    claim, verdict = CLAIMS[identifier], verdict_of(identifier)
    drawings = claim.figures(evidence_of(identifier), verdict) if identifier in DRAWN else []
    news = tuple(claim.news(evidence_of(identifier), verdict))
    return Evaluated(identifier, verdict, tuple(plate_of(drawing) for drawing in drawings), news)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    settled = [settled_of(identifier) for identifier in CLAIMS]
    asked = {identifier: list(claim.cells(SMALL)) for identifier, claim in CLAIMS.items()}
    page = report_html(list(CLAIMS.values()), settled, asked, SMALL, SEED, {"written": "now"})
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


def test_the_page_in_a_browser(browser, report):
    assert what_is_cut(browser, report) == {}
    page = opened(browser, report, 1280)
    assert page.locator("details[open]").count() == 0
    assert page.locator("details table").count() == sum(len(verdict_of(i).tables) for i in CLAIMS)

    titles = page.locator("section > h2[id]").all_inner_texts()
    assert len(titles) == len(CLAIMS) + 1  # the findings'
    assert not any(title.startswith(identifier) for title in titles for identifier in CLAIMS)

    matrix = page.locator("table.matrix")  # Table 1, filled, opens the page
    assert matrix.locator("thead th").all_inner_texts() == ["ORDER", "MAJORITY"]
    chips = matrix.locator("a.chip").all_inner_texts()
    (numbers,) = (table for table in verdict_of("table-1").tables if table.opens)
    assert sorted(chips) == sorted(record["verdict"] for record in numbers.records)
    assert page.locator("h2").first.inner_text() == "Table 1, filled with measurements"
    contents = page.locator("nav.contents")
    page.evaluate("scrollTo(0, 3000)")
    assert contents.evaluate("(one) => one.getBoundingClientRect().bottom") < 0  # no room for it beside the text
    page.set_viewport_size({"width": 1440, "height": 900})
    assert 0 <= contents.evaluate("(one) => one.getBoundingClientRect().top") < 100

    labels = page.locator("figure [role=img]").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert labels == [f"Figure {number}. {label.partition('. ')[2]}" for number, label in enumerate(labels, 1)]
    assert len(labels) == 5
    heard = page.locator("figure [role=img]").evaluate_all(
        "all => all.map((one) => document.getElementById(one.getAttribute('aria-describedby')).textContent)"
    )
    assert all(text.endswith(".") for text in heard)
    assert page.locator("figure svg > title").count() == 5

    read = page.evaluate("""() => { document.querySelectorAll("code, pre, small").forEach((one) => one.remove());
      document.querySelectorAll("details").forEach((one) => { one.open = true; });
      return document.body.innerText; }""")
    assert re.findall(r".{20}(?:\w\^|T_|x_|x̄_|p_k|A_k|[²³⁻₁]).{20}", read) == []
    page.context.close()


def test_a_dark_page_has_dark_figures_and_prints_white(browser, report):
    grounds = """() => [getComputedStyle(document.querySelector(".paper")).backgroundColor,
      getComputedStyle(document.querySelector(".paper svg path")).fill,
      getComputedStyle(document.querySelector(".paper svg")).fill]"""
    page = opened(browser, report, 1280, color_scheme="dark")
    assert page.evaluate(grounds) == ["rgb(22, 23, 24)", "rgb(22, 23, 24)", "rgb(255, 255, 255)"]
    page.emulate_media(media="print")
    assert page.evaluate(grounds) == ["rgb(255, 255, 255)", "rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    page.context.close()


def test_findings_come_from_the_verdicts():
    claims = [CLAIMS[i] for i in ("sdp", "fig-failure", "disc:asymmetry", "disc:order-neutral", "table-1")]
    statuses = (SUPPORTED, IN_PART, CONTRADICTED, OPEN, CORRECTED)
    settled = [
        Evaluated(claim.id, Verdict(status, f"{status} it is.", "q", Estimate(1.0)), (), (f"New: {claim.id}.",))
        for claim, status in zip(claims, statuses, strict=True)
    ]
    groups = groups_of(claims, settled)
    assert [group.heading for group in groups] == [
        "Holds wherever we looked", "Holds as corrected", "Holds in part", "Does not hold", "Left open",
        "New: measured or proved here",
    ]  # fmt: skip
    assert [finding.claim.id for group in groups for finding in group.findings] == [
        "sdp", "table-1", "fig-failure", "disc:asymmetry", "disc:order-neutral", *(claim.id for claim in claims),
    ]  # fmt: skip
    assert [finding.text for finding in groups[3].findings] == ["contradicted it is."]
    page = report_html(claims, settled, {claim.id: [] for claim in claims}, SMALL, SEED, {})
    assert page.index("Does not hold (1)") < page.index("contradicted it is.") < page.index('id="verdicts"')
    assert 'class="status in-part"' in page


def test_every_claim_has_a_title_of_its_own():
    titles = [claim.title for claim in CLAIMS.values()]
    assert len(set(titles)) == len(titles)
    assert all(10 <= len(title) <= 70 and not title.endswith(".") for title in titles)
    assert len({anchor_of(identifier) for identifier in CLAIMS}) == len(CLAIMS)


def test_news_have_numbers_and_no_bare_law():
    for identifier, claim in CLAIMS.items():
        for text in claim.news(evidence_of(identifier), verdict_of(identifier)):
            assert text.endswith(".")
            assert re.search(r"\d", text)
            assert "No law" not in text
