"""Tables as a reader wants them: constants in the caption, a row for each n, a column for each curve.

The CSV beside a table has all columns, under the names that code uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate
from gpruntime.model.spec_text import common_parts, short_labels
from gpruntime.paper.verdict import Layout, Numbers, Record
from gpruntime.show.tables import Table, with_interval

MAX_ROWS = 40

# What a column of several claims is called in the page; a claim has its own beside its table.
HEADINGS = {
    "algorithm": "algorithm",
    "bound": "bound",
    "certainty": "how certain",
    "curve": "curve",
    "exact": "exact",
    "formula": "bound",
    "lost_runs": "P(lost)",
    "mean": "mean evaluations",
    "mean_max_leaves_per_variable": "E[T_max] ÷ n",
    "measured_over_bound": "measured ÷ bound",
    "n": "n",
    "p_optimum": "P(optimum)",
    "p_stuck": "P(stuck)",
    "problem": "problem",
    "ratio": "ratio of means",
    "runs": "runs",
    "setting": "setting",
    "source": "source",
    "trees": "trees",
    "verdict": "verdict",
}
_KEYS: dict[str, Callable[[Any], str]] = {
    "n": lambda n: f"n = {n:,}",
    "deficit": lambda deficit: f"d = {deficit}",
    "problem": str.upper,
    "weight_substitute": lambda weight: "a third substitutions" if weight else "no substitution",
}
_NOT_SAID = (  # the claim says it
    "bound", "certainty", "source", "changed_at_last_by", "lost_runs", "solved_up_to_leaves",
)  # fmt: skip
_OF_RUNS = ("runs", "stuck")  # nothing to say where nothing was run
_CURVES = Layout("n", ("curve",), ("measured_over_bound",))


@dataclass(frozen=True)
class Shown:
    """A table for the page.

    Attributes:
        caption: what all its rows have in common.
        table: its cells in words.
        left_out: how many rows are only in the CSV.
    """

    caption: str
    table: Table
    left_out: int


def laid_out(numbers: Numbers) -> Shown:
    """The table of a claim, as its layout says, or one row a record."""
    names = {**HEADINGS, **numbers.headings}
    texts, with_ends = _texts(numbers.records)
    constants = _constants(texts)
    layout, caption, left_out = _layout_of(numbers, texts), [], 0
    if layout is None:
        kept = [name for name in (texts[0] if texts else ()) if name not in constants]
        rows = tuple(tuple(text[name] for name in kept) for text in texts[:MAX_ROWS])
        table, left_out = Table(tuple(names.get(name, name) for name in kept), rows), len(texts) - len(rows)
    else:
        table, common = _crossed(numbers.records, texts, layout, names)
        if len(layout.values) == 1:
            value = layout.values[0]
            caption.append(names.get(value, value) + (", with its 95 % interval" if value in with_ends else ""))
        caption += common
        for name in (layout.rows, *layout.columns, *layout.values):
            constants.pop(name, None)
    caption += [
        f"{names.get(name, name)}{' =' if name == 'n' else ':'} {text}"
        for name, text in constants.items()
        if name not in _NOT_SAID
    ]
    return Shown("; ".join(caption), _without_empty(table), left_out)


def _layout_of(numbers: Numbers, texts: Sequence[Mapping[str, str]]) -> Layout | None:
    layout = numbers.layout or _CURVES
    fits = texts and {layout.rows, *layout.columns, *layout.values} <= set(texts[0])
    return layout if fits else None


def _constants(texts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What is the same in all rows, where there are several."""
    if len(texts) < 2:
        return {}
    return {name: text for name, text in texts[0].items() if text and len({other[name] for other in texts}) == 1}


def _texts(records: Sequence[Record]) -> tuple[list[dict[str, str]], set[str]]:
    """The records in words, each interval in the column of its number; and which columns have intervals."""
    texts: list[dict[str, str]] = []
    with_ends: set[str] = set()
    for record in records:
        names, text = list(record), {}
        for place, name in enumerate(names):
            if name.endswith(("low", "high")):
                continue
            if [end.rpartition("_")[2] for end in names[place + 1 : place + 3]] == ["low", "high"]:
                low, high = (record[end] for end in names[place + 1 : place + 3])
                text[name] = "" if record[name] is None else with_interval(Estimate(record[name], low, high))
                with_ends |= {name}
            elif record.get("runs") == 0 and name in _OF_RUNS:
                text[name] = ""
            else:
                text[name] = record[name].upper() if name == "problem" else _shown(record[name])
        texts.append(text)
    return texts, with_ends


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return formatting.number(value) if isinstance(value, float) else str(value)


def _crossed(
    records: Sequence[Record], texts: Sequence[Mapping[str, str]], layout: Layout, names: Mapping[str, str]
) -> tuple[Table, list[str]]:
    """One row for each value of the row's column; and what all columns have in common."""
    keys = [", ".join(_key(name, record[name]) for name in layout.columns) for record in records]
    in_order = sorted(zip(records, texts, strict=True), key=lambda pair: _rank(pair[0][layout.rows]))
    curves, rows = list(dict.fromkeys(keys)), list(dict.fromkeys(text[layout.rows] for _, text in in_order))
    labels, common = short_labels(curves), common_parts(curves) if len(curves) > 1 else []
    by_place = {(text[layout.rows], key): text for text, key in zip(texts, keys, strict=True)}
    beside = [name for name in texts[0] if _follows(name, layout, texts)]
    first = {row: next(text for text in texts if text[layout.rows] == row) for row in rows}
    headings = [names.get(layout.rows, layout.rows)]
    for value in layout.values:
        single = len(layout.values) == 1
        headings += [labels[curve] if single else f"{names.get(value, value)}, {labels[curve]}" for curve in curves]
    headings += [names.get(name, name) for name in beside]
    cells = tuple(
        (
            row,
            *(by_place.get((row, curve), {}).get(value, "") for value in layout.values for curve in curves),
            *(first[row][name] for name in beside),
        )
        for row in rows
    )
    return Table(tuple(headings), cells), common


def _rank(value: Any) -> float:
    return 0.0 if isinstance(value, str) else float(value)


def _key(name: str, value: Any) -> str:
    return _KEYS[name](value) if name in _KEYS else str(value).removeprefix("(1+1) ")


def _follows(name: str, layout: Layout, texts: Sequence[Mapping[str, str]]) -> bool:
    """Whether a column depends on the row alone, and on that."""
    if name in (layout.rows, *layout.columns, *layout.values):
        return False
    by_row: dict[str, set[str]] = {}
    for text in texts:
        by_row.setdefault(text[layout.rows], set()).add(text[name])
    return all(len(values) == 1 for values in by_row.values()) and len({text[name] for text in texts}) > 1


def _without_empty(table: Table) -> Table:
    kept = [place for place in range(len(table.headings)) if not table.rows or any(row[place] for row in table.rows)]
    return Table(
        tuple(table.headings[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in table.rows)
    )
