"""The entry of the command: Ctrl-C is one line also while the rest is still being imported."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Imports the commands and runs them."""
    try:
        from gpruntime.cli.main import main as run_commands

        run_commands()
    except KeyboardInterrupt:
        print("gpruntime: interrupted", file=sys.stderr)
        sys.exit(130)
