"""The code blocks of the documentation, and how they are run.

A page's blocks are run from top to bottom in one folder, and its Python in one namespace:

- `python` is executed;
- a block with `title="FILE"` is written to that file, and executed too if it is Python;
- of `console` the lines `$ gpruntime …` and `$ ./run …` are run, in this process; what a block shows below them must
  have no number that was not printed. A first line `gpruntime: …` says that the command fails;
- anything else (`text`, `yaml`, no language) is not code.

What cannot be run so says so in a comment before the block, which readers do not see:

<!-- not run: WHY -->       never
<!-- long -->               only with `-m long`
<!-- smaller: A → B; … -->  with B written for A
<!-- other numbers -->      its numbers are times, or of another machine
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from gpruntime.cli.main import commands

ROOT = Path(__file__).parents[1]
RUN = {"python", "console"}
KNOWN = RUN | {"", "text", "toml", "yaml"}
_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def documents() -> list[Path]:
    """All pages, as their paths below the root."""
    found = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    return [path.relative_to(ROOT) for path in found]


@dataclass(frozen=True)
class Block:
    """A code block: its language, its file, the mark before it, its text and its line on the page."""

    language: str
    title: str
    mark: str
    text: str
    line: int

    @property
    def is_run(self) -> bool:
        """Whether it is ever run."""
        return (self.language in RUN or bool(self.title)) and not self.mark.startswith("not run: ")

    def smaller(self) -> str:
        """The text with what the mark replaces."""
        text = self.text
        if self.mark.startswith("smaller: "):
            for pair in self.mark.removeprefix("smaller: ").split("; "):
                large, small = pair.split(" → ")
                assert large in text, f"{large} is not in the block"
                text = text.replace(large, small)
        return text


def blocks_of(page: Path | str) -> list[Block]:
    """The blocks of a page."""
    text = (ROOT / page).read_text("utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        language, _, rest = match["info"].partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(language, title[1] if title else "", match["mark"] or "", match["text"], line))
    return found


class Reader:
    """Somebody who follows a page in an empty folder, which is the current one."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.names: dict[str, object] = {"__name__": "page"}

    def follow(self, long: bool = False) -> dict[str, object]:
        """Runs the blocks from top to bottom, and returns what the Python defined."""
        for block in blocks_of(self.page):
            if block.is_run and (long or block.mark != "long"):
                if block.title:
                    Path(block.title).write_text(block.smaller(), "utf-8")
                if block.language == "python":
                    self._execute(block)
                elif block.language == "console":
                    self._type(block)
        return self.names

    def _execute(self, block: Block) -> None:
        file = block.title or f"<{self.page}, line {block.line}>"
        text = block.smaller()
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file  # for inspect.getsource
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, file, "exec"), self.names)

    def _type(self, block: Block) -> None:
        for command, shown in commands_of(block.smaller()):
            words = shlex.split(command, comments=True)
            assert words[0] in ("gpruntime", "./run"), f"{self.page}, line {block.line}: cannot run {command}"
            printed = typed(words[1:], fails=shown.startswith("gpruntime: "))
            if not block.mark:
                missing = set(_NUMBER.findall(shown)) - set(_NUMBER.findall(f"{command}\n{printed}"))
                assert not missing, f"{self.page}, line {block.line}: {command} does not print {sorted(missing)}"


def commands_of(text: str) -> list[tuple[str, str]]:
    """The commands of a console, each with what is shown below it."""
    found = []
    for part in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        found.append((command, shown))
    return found


def typed(words: list[str], fails: bool = False) -> str:
    """What `gpruntime WORDS` prints, here without processes of its own."""
    if words[:2] == ["study", "run"]:
        words = [*words, "--workers", "0"]
    done = CliRunner().invoke(commands, words)
    assert (done.exit_code != 0) == fails, f"gpruntime {shlex.join(words)}: {done.exception!r}\n{done.output}"
    return f"{done.output}\n{done.exception or ''}"
