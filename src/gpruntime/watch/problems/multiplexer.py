"""MULTIPLEXER on the page."""

from __future__ import annotations

from gpruntime.watch.problems.truth_table import OfTruthTable

STANDING = OfTruthTable
