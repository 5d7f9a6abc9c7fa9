"""What the tests of the page in a browser share: settings, and reading what the page shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpruntime import Run
from gpruntime.watch.choice import address_of
from tests.browser_help import CHROMIUM

STEPS = 50

needs_chromium = pytest.mark.skipif(
    not Path(CHROMIUM).exists() and "CI" not in os.environ, reason=f"needs Debian's chromium at {CHROMIUM}"
)

# Everything the page shows of one step, read from the document.
READ = """
() => [...document.querySelectorAll(".panel")].map((panel) => ({
  at: Number(panel.dataset.at),
  verdict: panel.querySelector(".verdict").textContent,
  isAccepted: !panel.querySelector(".verdict").classList.contains("rejected"),
  numbers: [...panel.querySelectorAll(".numbers dd")].map((cell) => cell.textContent),
  text: panel.querySelector(".tree-text").textContent,
  nodes: [...panel.querySelectorAll("svg.tree g.node")].map((node) => ({
    ...node.dataset,
    kind: node.getAttribute("class"),
  })),
  cells: [...panel.querySelectorAll(".cell")].map((cell) => cell.className),
}))
"""
# The same for each of many steps, the first one before any key.
READ_STEPS = f"""
(steps) => {{
  const read = {READ.strip()};
  const shown = [read()];
  for (let i = 0; i < steps; i++) {{
    document.dispatchEvent(new KeyboardEvent("keydown", {{ key: "ArrowRight", bubbles: true }}));
    shown.push(read());
  }}
  return shown;
}}
"""


def setting(spec, seed=0, **more):
    return {**dict(address_of(spec, seed, 0)), **more}


def long_run(spec):
    """A seed whose run has more steps than we look at."""
    short = spec.replace(budget=STEPS + 2)
    return next(seed for seed in range(1000) if Run(short, seed).result().evaluations == STEPS + 2)
