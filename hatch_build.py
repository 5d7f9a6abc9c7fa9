"""What a package index shows: links and pictures of the README that work there, and the project's addresses.

The one place to fill in is `repository` in pyproject.toml, under [tool.gpruntime]. While it is empty no address is
claimed: links become their words, and pictures are left out.
"""

import re
import tomllib
from pathlib import Path

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # in tests, where nothing is built
    MetadataHookInterface = object

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?://|#)([^)\s]+)\)")
_NOTE = re.compile(r"^<!-- .*? -->\n", re.MULTILINE)


def long_description(readme: str, repository: str, version: str) -> str:
    """The README for readers elsewhere: relative links go to the files of this version."""

    def absolute(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if not repository:
            return "" if picture else words
        return f"{picture}[{words}]({repository}/{'raw' if picture else 'blob'}/v{version}/{path})"

    return re.sub(r"\n{3,}", "\n\n", _LINK.sub(absolute, _NOTE.sub("", readme)))


def addresses(repository: str) -> dict[str, str]:
    """Where the project is, for [project.urls]."""
    if not repository:
        return {}
    pages = {"Documentation": "docs/index.md", "Changes": "CHANGELOG.md"}
    blob = {name: f"{repository}/blob/main/{path}" for name, path in pages.items()}
    return {"Repository": repository, "Issues": f"{repository}/issues", **blob}


class Metadata(MetadataHookInterface):
    """Called by hatchling for the fields that pyproject.toml calls dynamic."""

    def update(self, metadata: dict) -> None:
        """Fills them in."""
        root = Path(self.root)
        repository = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["gpruntime"]["repository"]
        version = re.search(r'"(.+)"', (root / "src/gpruntime/_version.py").read_text("utf-8"))[1]
        text = long_description((root / "README.md").read_text("utf-8"), repository, version)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = addresses(repository)
