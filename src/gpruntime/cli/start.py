"""The entry of the command: Ctrl-C is one line also while the rest is still being imported."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Imports the commands and runs them."""
    _open_streams()
    try:
        from gpruntime.cli.main import main as run_commands

        run_commands()
    except KeyboardInterrupt:
        print("gpruntime: interrupted", file=sys.stderr)
        sys.exit(130)


def _open_streams() -> None:
    """A stream that is closed (2>&-) leads nowhere: else the next file opened would take its place."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
