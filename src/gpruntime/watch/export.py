"""A run, two side by side, several to choose from, or a lesson, as a single HTML file: the page with its data inside.

A file holds all steps of a short run. Of a long one it holds the whole course, the first steps, the steps around
improvements, and the last; the page says so.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gpruntime.files import check_target, write_whole
from gpruntime.model.errors import BadInput
from gpruntime.watch.choice import Choice, choice_of
from gpruntime.watch.lessons import Lesson, Words, tried
from gpruntime.watch.offer import OURS, Offer
from gpruntime.watch.population import population_course
from gpruntime.watch.recording import Recording, Stop
from gpruntime.watch.window import course, name_of, window
from gpruntime.watch.words import counted

Choices = Mapping[str, tuple[str, ...]]

MAX_SCENES = 200
BLOCK = 250  # the page's: web/src/source.js
_MAX_BLOCKS = 80
_FIRST_BLOCKS = 20
_MAX_CHARACTERS = 12_000_000  # of steps in a file


def write_page(name: str, words: Words, offer: Offer = OURS, choices: Choices = MappingProxyType({})) -> None:
    """Writes the file; it has its name only once it is whole. `words` are an address's, `versus` among them.

    `choices` has what a reader can change, and to what: the file holds a run for each way to choose.
    """
    check_target(name)
    write_whole(Path(name), page_of(words, offer, choices).encode("utf-8"))


def write_lesson(name: str, lesson: Lesson) -> None:
    """Writes a lesson as a file."""
    check_target(name)
    write_whole(Path(name), page_of_lesson(lesson).encode("utf-8"))


def page_of(words: Words, offer: Offer = OURS, choices: Choices = MappingProxyType({})) -> str:
    """The file's text."""
    ways = [{**dict(words), **chosen} for chosen in tried(choices)]
    if len(ways) > MAX_SCENES:
        raise BadInput("choose", f"{len(ways):,} runs", f"must be at most {MAX_SCENES} in a file")
    scenes = _scenes([list(state.items()) for state in ways], offer)
    offered = {name: list(values) for name, values in choices.items()}
    return _assembled({"texts": offer.texts, "scenes": scenes, "choices": offered}, offer)


def page_of_lesson(lesson: Lesson) -> str:
    """The text of a lesson's file: all runs that a reader can come to are in it."""
    scenes = _scenes(lesson.addresses(), OURS)
    return _assembled({"texts": {}, "scenes": scenes, "choices": {}, "lesson": lesson.to_json()})


def _scene(words: Words, offer: Offer) -> dict[str, Any]:
    """One setting: its run, and the one beside it."""
    state = dict(words)
    choices = [choice_of([(name, value) for name, value in words if name != "versus"], offer)]
    lent = [("start_" + name, state[name]) for name in ("accept", "operations") if name in state]
    if state.get("versus") and (state["versus"] != state["algorithm"] or lent):
        own = ("versus", "algorithm", "accept", "operations")
        beside = [(name, value) for name, value in words if name not in own]
        beside += [("algorithm", state["versus"]), ("start", state["algorithm"]), *lent]
        choices.append(choice_of(beside, offer))
    runs = [_run(choice) for choice in choices]
    words_of_file = " ".join(_contents(choice, run) for choice, run in zip(choices, runs, strict=True))
    return {"state": state, "runs": runs, "words": words_of_file}


def _scenes(ways: list[Words], offer: Offer) -> list[dict[str, Any]]:
    """The scenes of all these addresses; no more than a browser can be expected to open."""
    scenes, size = [], 0
    for words in ways:
        scenes.append(_scene(words, offer))
        size += len(json.dumps(scenes[-1], ensure_ascii=False, separators=(",", ":")))
        if len(ways) > 1 and size > _MAX_CHARACTERS:
            allowed = f"would make a file of more than {_MAX_CHARACTERS / 1e6:.0f} MB; take fewer, or a smaller n"
            raise BadInput("choose", f"{len(ways)} runs", allowed)
    return scenes


def _run(choice: Choice) -> dict[str, Any]:
    """Course and blocks of steps; a block has the steps of 250 evaluations."""
    if choice.is_population:
        return _whole(population_course(choice.spec, choice.seed, choice.run, Stop()))
    recording = Recording(choice.watched, choice.seed, choice.run)
    run = _whole(course(recording, Stop()))
    run["blocks"] = {}
    left = _MAX_CHARACTERS
    for number in _blocks(recording):
        block = window(recording, 1 + number * BLOCK, BLOCK, Stop())
        left -= len(json.dumps(block, ensure_ascii=False, separators=(",", ":")))
        if left < 0 and run["blocks"]:
            break
        run["blocks"][number] = block
    return run


def _whole(pieces: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Pieces of a course as one."""
    whole: dict[str, Any] = {}
    for piece in pieces:
        for name, value in piece.items():
            if isinstance(value, list):
                whole.setdefault(name, []).extend(value)
            else:
                whole[name] = value
    del whole["upto"]
    return whole


def _blocks(recording: Recording) -> list[int]:
    """The blocks to keep, the dearest first: beginning and end, then those with improvements, evenly among them."""
    last = max(0, (recording.evaluations - 2) // BLOCK)
    if last < _MAX_BLOCKS:
        return [0, *([last] if last else []), *range(1, last)]
    improved = {max(0, (point.evaluations - 2) // BLOCK) for point in recording.course if point.improved}
    rest = sorted(improved - set(range(_FIRST_BLOCKS)) - {last})
    room = _MAX_BLOCKS - _FIRST_BLOCKS - 1
    chosen = rest if len(rest) <= room else [rest[i * (len(rest) - 1) // (room - 1)] for i in range(room)]
    return list(dict.fromkeys([0, last, *range(1, _FIRST_BLOCKS), *chosen]))


def _contents(choice: Choice, run: dict[str, Any]) -> str:
    spec, evaluations = choice.spec, run["end"]["evaluations"]
    name = f"{name_of(spec)}, seed {choice.seed}"
    if choice.is_population:
        return f"{name}: {counted(len(run['changes']), 'change')} of the population are in this file."
    kept = sum(len(block["steps"]) for block in run["blocks"].values())
    if kept == evaluations - 1:
        return f"{name}: all {counted(kept, 'step')} are in this file."
    return (
        f"{name}: the whole course is in this file, and {kept:,} of {counted(evaluations - 1, 'step')}: "
        "the first, those around improvements, the last."
    )


def _assembled(data: dict[str, Any], offer: Offer = OURS) -> str:
    """The page with script, style and data inside, and allowed to use nothing else."""
    folder = files("gpruntime.watch") / "static"
    page, script, style = ((folder / f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "js", "css"))
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    policy = policy_of(script, style, "img-src data:; ")
    parts = {
        '<meta charset="utf-8">': '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">',
        '<link rel="stylesheet" href="/page.css">': f"<style>{style}</style>",
        '<script src="/page.js" defer></script>': "",
        "</body>": f'<script type="application/json" id="data">{text}</script>\n<script>{script}</script>\n</body>',
    }
    page = dataclasses.replace(offer, command=OURS.command).form(page)  # whoever opens it has no launcher
    for place, content in parts.items():
        before, between, after = page.partition(place)
        assert between, place
        page = before + content + after
    return page


def policy_of(script: str, style: str, more: str = "") -> str:
    """What a page may use: this script and this style, and nothing else."""
    return f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; {more}base-uri 'none'"


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
