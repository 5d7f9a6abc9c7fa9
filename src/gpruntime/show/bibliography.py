"""Entries of a `.bib` file: the papers that results refer to, and the software itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gpruntime._version import __version__
from gpruntime.show.latex import latex

SOFTWARE = "gpruntime"


class Reference(NamedTuple):
    """A paper: its key, authors with commas between them, title, where and when it appeared."""

    key: str
    authors: str
    title: str
    venue: str
    year: int

    def text(self) -> str:
        """As a list of references has it."""
        return f"{latex(self.authors)}. {latex(self.title)}. {latex(self.venue)}."


def software() -> Reference:
    """This version of the laboratory."""
    title = f"gpruntime {__version__}: a laboratory for the runtime analysis of genetic programming"
    return Reference(SOFTWARE, "The gpruntime authors", title, "Software", 2026)


def bibtex(references: Iterable[Reference]) -> str:
    """The entries; titles keep their capitals."""
    return "\n".join(map(_entry, references))


def _entry(reference: Reference) -> str:
    is_software = reference.key == SOFTWARE
    names = [reference.authors] if is_software else reference.authors.replace(";", ",").split(", ")
    fields = {
        "author": " and ".join(f"{{{latex(name)}}}" for name in names),
        "title": f"{{{latex(reference.title)}}}",
        "howpublished" if is_software else "booktitle": latex(reference.venue),
        "year": str(reference.year),
    }
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{'misc' if is_software else 'inproceedings'}{{{reference.key},\n{body}}}\n"
