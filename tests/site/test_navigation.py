"""Pages find their place in the navigation by themselves."""

from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.site  # it needs MkDocs


def test_a_star_takes_what_no_other_entry_names():
    from docs.making.hooks import _expanded, _named

    nav = [{"Home": "index.md"}, {"Theory": ["laws.md", "find*.md"]}, {"More": ["*.md"]}]
    pages = ["index.md", "findings.md", "laws.md", "other.md"]
    left = [page for page in pages if page not in _named(nav)]
    assert _expanded(nav, left) == [
        {"Home": "index.md"},
        {"Theory": ["laws.md", "findings.md"]},
        {"More": ["other.md"]},
    ]
    assert left == []
    assert _expanded(nav, []) == [{"Home": "index.md"}, {"Theory": ["laws.md"]}]  # nothing more: no such section


def test_links_to_files_at_the_root_lead_to_their_pages():
    from docs.making.hooks import _moved

    readme = "[a](docs/model.md#order) ![b](docs/images/x.png) [c](CONTRIBUTING.md) [d](CITATION.cff) [e](LICENSE)"
    moved = "[a](model.md#order) ![b](images/x.png) [c](contributing.md) [d](how-to/cite.md) [e](LICENSE.txt)"
    assert _moved(readme, "docs/", "") == moved
    assert _moved("[a](../../CHANGELOG.md) [b](../laws.md)", "../../", "../") == "[a](../changelog.md) [b](../laws.md)"


def test_formulas_have_indices_and_powers_but_not_in_code():
    from docs.making.hooks import on_page_content

    html = "<p>T_max &lt; n^1.5 &amp; <code>T_max n^2</code> <pre><span>x_1</span></pre> 2^(i−1)</p>"
    made = html.replace("T_max &lt; n^1.5", "T<sub>max</sub> &lt; n<sup>1.5</sup>").replace(
        "2^(i−1)", "2<sup>i−1</sup>"
    )
    assert on_page_content(html) == made


def test_tables_verdicts_and_galleries():
    from docs.making.hooks import on_page_content, on_page_markdown

    page = SimpleNamespace(parent=1, file=SimpleNamespace(src_uri="a.md"))
    assert on_page_markdown("| `a\\|b` | c \\| d |\n`a\\|b`", page) == "| `a|b` | c \\| d |\n`a\\|b`"
    assert "| 2011 | Durrett" in on_page_markdown("<!-- papers -->", page)
    chip = '<td><span class="chip supported">supported, loose</span></td>'
    assert on_page_content("<td>supported, loose</td>") == chip
    assert '"chip contradicted"' in on_page_content("<td><strong>contradicted</strong></td>")
    assert on_page_content('<th style="x"></th><th>n</th>') == "<td></td><th>n</th>"
    picture = '<img alt="" src="images/a.png">'
    opens = f'<div class="gallery"><a href="images/a.png">{picture}</a></div>{picture}'
    assert on_page_content(f'<div class="gallery">{picture}</div>{picture}') == opens
