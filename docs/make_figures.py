"""Puts the figures that the docs show into docs/images, from a folder of `gpruntime paper --scale quick`.

./run paper && .venv/bin/python docs/make_figures.py paper-results
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
FIGURES = {
    "paper-bad-init": "fig-bad-init-ours",
    "paper-failure": "fig-failure-ours",
    "paper-order-levels": "disc-order-neutral-levels",
    "paper-order-neutral": "disc-order-neutral-factor",
    "paper-order-size": "disc-order-neutral-size",
    "paper-order-times": "disc-order-neutral-times",
    "paper-weights": "disc-no-substitution-order",
}


def main() -> None:
    """Copies them."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "paper-results") / "figures"
    for image, figure in FIGURES.items():
        shutil.copyfile(folder / f"{figure}.png", IMAGES / f"{image}.png")


if __name__ == "__main__":
    main()
