"""Cartesian GP that accepts improvements only, CGP*: all else as in `cgp`."""

from __future__ import annotations

import dataclasses

from gpruntime.model.populations.cgp import FAMILY as CGP
from gpruntime.model.populations.cgp import title_of

FAMILY = dataclasses.replace(
    CGP,
    id="cgpstar",
    title=title_of("CGP*"),
    line="circuits of D gates: an offspring takes its parent's place if it is better",
    number=5,
    rules=("strict",),
)
