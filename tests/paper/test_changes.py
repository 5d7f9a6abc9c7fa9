"""What was changed after the first run is told with the claim, and the documentation has the same list."""

import html
import re
from collections import defaultdict
from pathlib import Path

from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.report import Evaluated, anchor_of, report_html
from gpruntime.paper.scale import SCALES
from gpruntime.paper.verdict import MEANINGS, Verdict
from gpruntime.show.markup import rich

ROOT = Path(__file__).parents[2]
CHANGED = {identifier for identifier, claim in CLAIMS.items() if claim.changes}


def plain(text: str) -> str:
    """Markdown without line breaks and escapes."""
    return " ".join(text.replace("\\", "").split())


def bullets(heading: str) -> list[str]:
    """The list below a heading of docs/paper.md."""
    text = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {heading}\n(.*?)(?=^## )", text, flags=re.DOTALL | re.MULTILINE)[1]
    return [plain(item) for item in re.findall(r"^- (.*?)(?=^- |^$)", section, flags=re.DOTALL | re.MULTILINE)]


def test_changes_are_complete_sentences_in_order():
    for claim in CLAIMS.values():
        assert [change.when for change in claim.changes] == sorted(change.when for change in claim.changes)
        for change in claim.changes:
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", change.when)
            assert change.text.endswith(".")
            assert "  " not in change.text


def test_the_documentation_lists_all_changes():
    of = defaultdict(list)
    for identifier, claim in CLAIMS.items():
        for change in claim.changes:
            of[change].append(f"`{identifier}`")
    listed = bullets("Changed after the first run")
    assert sorted(listed) == sorted(f"{change} ({', '.join(claims)})" for change, claims in of.items())


def test_the_documentation_says_how_many_were_changed():
    text = plain((ROOT / "docs" / "paper.md").read_text(encoding="utf-8"))
    assert "before the data were seen" not in text
    assert f"{len(CHANGED)} of the {len(CLAIMS)} claims" in text


def test_the_documentation_explains_every_verdict():
    listed = bullets("Verdicts")
    for status, meaning in MEANINGS.items():
        assert f"**{status}**: {meaning}." in listed


def bare(page: str) -> str:
    """The words of a page alone."""
    return html.unescape(re.sub("<[^>]+>", "", page))


def test_the_report_tells_changes_and_every_verdict_has_a_colour_of_its_own():
    claims = [CLAIMS[i] for i in ("fig-failure", "table-1", "sdp", "disc:asymmetry", "disc:no-substitution")]
    settled = [Evaluated(claim.id, Verdict(status, "So."), ()) for claim, status in zip(claims, MEANINGS, strict=True)]
    page = report_html(claims, settled, {claim.id: [] for claim in claims}, SCALES["tiny"], 1, {})
    for claim in claims:
        told = page.partition(f'<h2 id="{anchor_of(claim.id)}"')[2].partition("</section>")[0]
        for change in claim.changes:
            assert bare(rich(str(change))) in bare(told)
        assert ("Nothing since its first run." in told) == (not claim.changes)
    assert "(3 of 5)" in page
    rules = dict(re.findall(r"\.([\w-]+) \{ color: (var\(--\w+\)); \}", page))
    colours = [rules[status.replace(" ", "-")] for status in MEANINGS]
    assert len(set(colours)) == len(MEANINGS)
    for status in MEANINGS:
        assert f'class="status {status.replace(" ", "-")}"' in page
