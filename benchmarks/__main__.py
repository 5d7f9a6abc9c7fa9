"""`./run bench [NAME …]`; what a benchmark is to be told stands behind its name: `versions=REVISION`."""

from __future__ import annotations

import importlib
import sys

USUAL = ("engine", "plugins", "field", "populations", "circuits", "study", "cores", "analysis", "memory")
NAMES = (*USUAL, "coverage", "practice", "versions", "gpu")  # takes long; needs the history; needs a device


def main() -> None:
    """Runs the benchmarks named on the command line, or all."""
    asked = [word.partition("=") for word in sys.argv[1:] or USUAL]
    for name, _, _ in asked:
        if name not in NAMES:
            print(f"gpruntime: bench {name}: must be one of {', '.join(NAMES)}", file=sys.stderr)
            sys.exit(2)
    for name, _, told in asked:
        importlib.import_module(f"benchmarks.{name}").main(*([told] if told else []))


main()
