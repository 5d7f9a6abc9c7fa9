"""Pages find their place in the navigation by themselves."""

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
