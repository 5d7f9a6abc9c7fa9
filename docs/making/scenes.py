"""Runs to watch on the site, and the lessons: `gpruntime watch -o FILE.html`, one file each that needs no server.

`#at=T` behind a file's name opens it at evaluation T; `?play` before that lets it play.
"""

from __future__ import annotations

from pathlib import Path

from gpruntime.watch.export import write_lesson, write_page
from gpruntime.watch.lessons import LESSONS

# name: the words of the address that `gpruntime watch` shows
SCENES = {
    "order": {"problem": "order", "algorithm": "gp-single", "n": "6", "seed": "1"},
    "majority": {"problem": "majority", "algorithm": "gp-single", "n": "6", "seed": "3"},
    "neutral": {"problem": "order", "algorithm": "gp-single", "versus": "gpstar-single", "n": "10", "seed": "4"},
    "multi": {"problem": "majority", "algorithm": "gp-multi", "versus": "gpstar-multi", "n": "6", "seed": "2"},
    "trap": {"problem": "majority", "algorithm": "gp-single", "versus": "gpstar-single", "n": "4", "init": "tlopt"},
    "bad": {"problem": "majority", "algorithm": "gp-single", "n": "8", "init": "bad", "seed": "1"},
    "stuck": {"problem": "majority", "algorithm": "gpstar-single", "n": "10", "seed": "1"},
    "bloat": {"problem": "order", "algorithm": "gp-single", "n": "30", "seed": "1"},
    "parsimony": {"problem": "order", "algorithm": "gp-single", "n": "30", "seed": "1", "accept": "parsimony"},
}


def make_scenes(folder: Path) -> None:
    """Writes them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in SCENES.items():
        write_page(str(folder / f"{name}.html"), list(words.items()))
    for name, lesson in LESSONS.items():
        write_lesson(str(folder / f"lesson-{name}.html"), lesson)
