"""`./run bench [NAME …]`."""

from __future__ import annotations

import importlib
import sys

USUAL = ("engine", "plugins", "study", "analysis", "memory")
NAMES = (*USUAL, "gpu")  # which not every machine has


def main() -> None:
    """Runs the benchmarks named on the command line, or all."""
    names = sys.argv[1:] or list(USUAL)
    for name in names:
        if name not in NAMES:
            print(f"gpruntime: bench {name}: must be one of {', '.join(NAMES)}", file=sys.stderr)
            sys.exit(2)
    for name in names:
        importlib.import_module(f"benchmarks.{name}").main()


main()
