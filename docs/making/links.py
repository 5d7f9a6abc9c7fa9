"""Whether every link of the built site leads somewhere, and nothing is fetched from another host.

MkDocs looks at links written in Markdown. This looks at the pages themselves: links in HTML, pictures, frames, scripts,
styles, and the reports and scenes that MkDocs only copies.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"src", "srcset", "poster", "data"}


class _Page(HTMLParser):
    """Its links, and the names that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, bool]] = []  # where to, and whether the page fetches it by itself
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.names.add(value or "")
            elif name in FETCHED and value:
                self.links += [(one.split()[0], True) for one in (value.split(",") if name == "srcset" else [value])]
            elif name == "href" and value:
                self.links.append((value, tag == "link"))


def broken_links(site: Path) -> list[str]:
    """A line for each link that leads nowhere, or that makes the browser ask another host."""
    pages = {path: _Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        where = path.relative_to(site)
        for link, fetched in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme in ("data", "mailto", "javascript") or where.name == "404.html":
                continue
            if parts.scheme or parts.netloc:
                found += [f"{where}: fetches {link}"] * fetched
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                found.append(f"{where}: {link} leads nowhere")
            elif target in pages and target.suffix == ".html" and parts.fragment.partition("=")[1] == "":
                names = pages[target].names
                if parts.fragment and unquote(parts.fragment) not in names and parts.fragment != "__top":
                    found.append(f"{where}: {link}: no such place on that page")
    return found
