"""What MkDocs is told besides mkdocs.yml: pages that lie elsewhere, and stars in the navigation."""

from __future__ import annotations

import re
import shutil
import sys
from fnmatch import fnmatch
from html import unescape
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parents[2]))  # MkDocs runs this file by itself
from docs.making.places import DOCS, PARTS, ROOT
from gpruntime.paper.papers import PAPERS
from gpruntime.show.markup import rich
from gpruntime.watch.lessons import LESSONS

# Files at the root that are pages of the site, too, and where links to them lead there.
PAGES = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
REPORTS = ("paper/report.html", "literature/report.html")
_BACK = '<p><a href="../index.html">gpruntime</a></p>'
_VERBATIM = "code|pre|script|style|svg"
_VERDICT = r"<td>(?:<strong>)?(supported|contradicted|open|in part)(, [a-z]+)?(?:</strong>)?</td>"
_OPENS = re.compile(r'<img [^>]*src="(images/[^"]*)"[^>]*>')
OTHERS = {"CITATION.cff": "how-to/cite.md", "LICENSE": "LICENSE.txt"}


def on_config(config: Any) -> Any:
    """Puts pages where the navigation has a star."""
    pages = sorted(path.relative_to(root).as_posix() for root in (DOCS, PARTS) for path in root.rglob("*.md"))
    named = _named(config.nav)
    left = [page for page in [*pages, *PAGES.values()] if page not in named and not config.not_in_nav.match_file(page)]
    config.nav = _expanded(config.nav, left)
    return config


def _named(nav: Any) -> set[str]:
    if isinstance(nav, str):
        return {nav}
    return set().union(*(_named(part) for part in (nav.values() if isinstance(nav, dict) else nav)))


def _expanded(nav: Any, left: list[str]) -> Any:
    """The navigation with pages of `left` for stars; what is used is taken out of `left`, and empty sections go."""
    if isinstance(nav, dict):
        return {title: _expanded(part, left) if isinstance(part, list) else part for title, part in nav.items()}
    found: list[Any] = []
    for part in nav:
        if isinstance(part, str) and "*" in part:
            taken = [page for page in left if fnmatch(page, part)]
            left[:] = [page for page in left if page not in taken]
            found += taken
        else:
            found.append(_expanded(part, left) if isinstance(part, dict) else part)
    return [part for part in found if not (isinstance(part, dict) and [] in part.values())]


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages from the root, and everything that was computed."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=_moved((ROOT / name).read_text("utf-8"), "docs/", "")))
    files.append(File.generated(config, "LICENSE.txt", content=(ROOT / "LICENSE").read_text("utf-8")))
    for path in sorted(PARTS.rglob("*")):
        if path.is_file() and "data" not in path.relative_to(PARTS).parts:
            files.append(File.generated(config, path.relative_to(PARTS).as_posix(), abs_src_path=str(path)))
    return files


def on_post_build(config: Any) -> None:
    """An icon where browsers look for one, for pages that name none: scenes, reports; and a way back from reports."""
    site = Path(config.site_dir)
    shutil.copyfile(site / "assets" / "images" / "favicon.png", site / "favicon.ico")
    for report in REPORTS:
        page = (site / report).read_text("utf-8")
        (site / report).write_text(page.replace("<h1>", f"{_BACK}\n<h1>", 1), "utf-8")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links from pages in docs/ to files at the root; and no list of neighbours beside a page that has none."""
    if page.parent is None:
        page.meta.setdefault("hide", []).append("navigation")
    up = "../" * page.file.src_uri.count("/")
    markdown = (
        _moved(markdown, f"{up}../", up).replace("<!-- lessons -->", _cards()).replace("<!-- papers -->", _papers())
    )
    return re.sub(
        r"^\|.*", lambda row: re.sub(r"`[^`]+`", lambda code: code[0].replace("\\|", "|"), row[0]), markdown, flags=re.M
    )


def on_post_page(output: str, **_: Any) -> str:
    """The parts of the search have names of their own, for those who hear the page."""
    output = output.replace('"search" role="dialog"', '"search" role="dialog" aria-label="Search this site"')
    return output.replace(
        '"md-search__options" aria-label="Search"', '"md-search__options" aria-label="Share a search"'
    )


def on_page_content(html: str, page: Any = None, **_: Any) -> str:
    """Formulas as the reports have them, also in the contents; verdicts as chips; pictures of a gallery that open."""
    headings = [*page.toc.items] if page else []
    for heading in headings:
        heading.title = _set(heading.title)
        headings += heading.children
    html = re.sub(r"<th(?: [^>]*)?></th>", "<td></td>", html)  # nothing to announce as a heading
    html = re.sub(_VERDICT, r'<td><span class="chip \1">\1\2</span></td>', html)
    return _set(
        re.sub(
            r'<div class="gallery">.*?</div>',
            lambda all_: _OPENS.sub(r'<a href="\1">\g<0></a>', all_[0]),
            html,
            flags=re.S,
        )
    )


def _set(html: str) -> str:
    """With real indices and powers, but not in code and pictures."""
    pieces, inside = re.split(r"(<[^>]*>)", html), 0
    for place, piece in enumerate(pieces):
        if match := re.match(rf"<(/?)(?:{_VERBATIM})\b", piece):
            inside += -1 if match[1] else 1
        elif place % 2 == 0 and not inside:
            pieces[place] = str(rich(unescape(piece)))
    return "".join(pieces)


def _cards() -> str:
    """Every lesson as a card that opens it."""
    cards = (
        f'<a href="scenes/lesson-{name}.html"><b>{rich(lesson.title)}</b><span>{rich(lesson.line)}</span></a>'
        for name, lesson in LESSONS.items()
    )
    return f'<div class="doors cards">{"".join(cards)}</div>'


def _papers() -> str:
    """The papers, a row each."""
    rows = (
        f"| {paper.year} | {paper.authors} | *{paper.title}* | {paper.venue} | {len(paper.claims)} |"
        for paper in PAPERS.values()
        if paper.claims
    )
    return "\n".join(["| year | authors | title | where | claims |", "|---|---|---|---|---|", *rows])


def _moved(text: str, before: str, after: str) -> str:
    """Links to `before` lead to `after`, and those to files of the root to their pages."""
    for name, page in (PAGES | OTHERS).items():
        root = "" if before == "docs/" else before
        text = re.sub(rf"(\]\(){re.escape(root + name)}(?=[)#])", rf"\g<1>{after}{page}", text)
    return text.replace(f"]({before}", f"]({after}") if before == "docs/" else text
