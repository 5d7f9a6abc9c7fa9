"""Runs to look at, step by step, in the browser: `gpruntime watch`.

offer        what can be chosen: ours, and what the user named
choice       what is watched: spec, seed, initial tree of another algorithm; and the page's limits
source       a run under way that can fork, in slices that end soon
recording    a run with checkpoints and its course
undo         operations on a tree of the model that can be taken back
annotations  how leaves and variables stand, by what a problem sees
standing     the name that it had, for users' files
problems/    what our problems say otherwise, a file each
annotated    a tree with its annotations kept up to date
words        what a step did and why it was accepted or rejected, in words
narrator     follows a run and describes its steps
definitions  what the words on the page mean, for the run on show; why a run is stuck
lessons/     guided lessons, a file each
window       some steps of a recording, as the page wants them
many         many runs of one setting, as they end
estimates    what they say: estimates of a size, the law over sizes
programs     circuits and truth tables: windows of steps, and words
population   a run with several trees: the changes of its population
export       a run as a single file
server       the page and its data over HTTP
guard        keeps other pages' requests out
jobs         computations that end when nobody waits for them: how many, and how many connections
warm         the engine made ready before anyone asks
serve        the server on this machine's loopback address; it hangs up where nothing happens
static/      the page itself, built from web/
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def watch(spec: Any, file: str | Path, *, seed: int = 0, run: int = 0) -> Path:
    """Writes a run as one HTML file, to be opened in a browser; `gpruntime.watch(spec, "run.html")` is this."""
    from gpruntime.model.spec import a_spec
    from gpruntime.watch.choice import address_of, choice_of
    from gpruntime.watch.export import write_page
    from gpruntime.watch.offer import Offer

    spec = a_spec(spec)
    search = "" if spec.search is None else spec.search.id
    offer = Offer.of(spec, spec.problem.id, spec.accept.id, search)
    words = address_of(spec, seed, run)
    choice_of(words, offer)  # the page's limits
    write_page(str(file), words, offer)
    return Path(file)


class _Callable(ModuleType):
    __call__ = staticmethod(watch)


sys.modules[__name__].__class__ = _Callable
