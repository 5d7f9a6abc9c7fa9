"""The answer to a query as a table for the eye, as CSV or as JSON lines, some rows at a time.

What is no finite number is written nan, inf and -inf, in JSON as text, since JSON has no numbers for them. Numbers of
more digits than a floating-point number holds keep them all, in JSON as text if they are not whole.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import click

from gpruntime.cli.output import echo
from gpruntime.model.printable import printable
from gpruntime.study.sql import values_of

Row = tuple[Any, ...]
_MAX_ROWS = 100


def print_json(names: Sequence[str], rows: Iterable[Row]) -> None:
    """One object per row and line; of columns with the same name the second gets _2, and so on."""
    keys = distinct(names)
    for row in rows:
        click.echo(json.dumps(dict(zip(keys, map(json_value, row), strict=True)), default=str, allow_nan=False))


def print_csv(names: Sequence[str], rows: Iterable[Row]) -> None:
    """With a line of names. Texts go out as they are, but not to a terminal."""
    out = sys.stdout
    writer = csv.writer(out, lineterminator="\n")
    to_terminal = out.isatty()
    for row in itertools.chain([tuple(names)], rows):
        writer.writerow(printable(value) if to_terminal and isinstance(value, str) else plain(value) for value in row)


def print_table(names: Sequence[str], rows: Iterable[Row]) -> None:
    """The first rows, aligned, and how many more there are."""
    shown: list[Row] = []
    more = 0
    for row in rows:
        if len(shown) < _MAX_ROWS:
            shown.append(tuple(plain(value) for value in row))
        else:
            more += 1
    text = [[printable(name) for name in names], *([_shown(value) for value in row] for row in shown)]
    widths = [max(map(len, column)) for column in zip(*text, strict=True)]
    right = [all(value is None or _is_number(value) for value in column) for column in zip(*shown, strict=True)]
    for line in text:
        cells = zip(line, widths, right or [False] * len(names), strict=True)
        echo("  ".join(word.rjust(width) if number else word.ljust(width) for word, width, number in cells).rstrip())
    if more:
        echo(f"… and {more:,} more rows (--csv prints them all)")


def rows_of(batches: Iterable[Any]) -> Iterator[Row]:
    """The rows of Arrow's batches as Python's values."""
    for batch in batches:
        yield from zip(*map(values_of, batch.columns), strict=True)


def distinct(names: Sequence[str]) -> list[str]:
    """The names, each once."""
    taken, keys = set(names), []
    for place, name in enumerate(names):
        number, key = names[: place + 1].count(name), name
        while number > 1 and (key := f"{name}_{number}") in taken:
            number += 1
        taken.add(key)
        keys.append(key)
    return keys


def plain(value: Any) -> Any:
    """Whole numbers beyond 64 bits come as decimals."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value
    return value


def json_value(value: Any) -> Any:
    """The value, and what is in it, as JSON has it."""
    value = plain(value)
    if isinstance(value, dict):
        return {str(key): json_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(part) for part in value]
    if isinstance(value, Decimal):
        number = float(value)
        return number if Decimal(repr(number)) == value else str(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 or not math.isfinite(value) else f"{value:,.1f}"
    return "" if value is None else f"{value:,}" if _is_number(value) else printable(value)
