"""A claim's numbers as a reader wants them: constants in the caption, a row for each n, a column for each curve.

The CSV beside the table has all columns, under the names that code uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import Estimate
from gpruntime.paper.verdict import Numbers
from gpruntime.show.tables import Table, common_parts, short_labels, with_interval

Record = Mapping[str, Any]
MOST_ROWS = 40

# What a column is called in the page.
NAMES = {
    "above_7n_over_6": "above 7n/6",
    "advice": "advice",
    "algorithm": "algorithm",
    "bound": "bound",
    "cell": "cell",
    "certainty": "how certain",
    "changed_at_last_by": "change at the last raise of the limit",
    "closed_form": "closed form",
    "curve": "curve",
    "deficit": "deficit d",
    "difference": "setting compared",
    "divided_by_time_of": "divided by the time of",
    "deletions_accepted": "deletions accepted ÷ proposed",
    "equal_laws": "with equal laws",
    "evaluations_per_success": "evaluations ÷ successes",
    "exact": "exact",
    "exact_p_stuck": "P(stuck), exact",
    "fewest_leaves": "fewest leaves",
    "fewest_over_n": "fewest leaves ÷ n",
    "formula": "bound",
    "frequency": "drawn",
    "how": "how",
    "improvements": "improvements",
    "insertions_accepted": "insertions accepted ÷ proposed",
    "k": "k",
    "least_constant": "least constant of (n−k)²/(n·max{T, n})",
    "least_p_over_proved": "least p_k ÷ proved bound",
    "leaves": "leaves",
    "leaves_added_per_variable": "leaves added by the end ÷ n",
    "leaves_in_the_end_per_variable": "leaves in the end ÷ n",
    "limit": "limit e⁻²/k!",
    "lost_runs": "P(lost)",
    "mean": "mean evaluations",
    "mean_given_optimum": "mean evaluations if optimum",
    "mean_max_leaves": "E[T_max]",
    "mean_max_leaves_per_variable": "E[T_max] ÷ n",
    "mean_operations": "mean operations",
    "measured": "measured",
    "measured_over_bound": "measured ÷ bound",
    "multisets": "multisets",
    "n": "n",
    "n_over_2e_to_the_n_half": "(n/2e)^(n/2)",
    "number": "trees looked at",
    "p_a_faster": "P(GP*-single is faster)",
    "p_beyond": "P(P_max > n + 1)",
    "p_holm": "after Holm's correction",
    "p_mann_whitney": "p of Mann and Whitney's test",
    "p_not_ended": "P(time > t)",
    "p_optimum": "P(optimum)",
    "p_stuck": "P(stuck)",
    "printed": "printed bound",
    "problem": "problem",
    "proved": "1 ÷ P(enough operations), proved",
    "ratio": "ratio of means",
    "runs": "runs",
    "setting": "setting",
    "share": "share",
    "share_of_insertions": "share of insertions",
    "since": "known since",
    "solved_up_to_leaves": "most leaves in the chain solved",
    "source": "source",
    "standard_errors_off": "standard errors off the exact mean",
    "start": "start",
    "stopped_by_budget": "runs stopped by the budget",
    "stuck": "runs stuck",
    "t": "t",
    "time_of": "time of",
    "trees": "trees",
    "verdict": "verdict",
    "weight_substitute": "weight of substitution",
    "worst_tree": "tree with the least",
}
# The same column means something else in these tables.
_OWN_NAMES = {"lem-majority-rw-numbers": {"ratio": "operations ÷ (d·E[T_max])"}}
_KEYS: dict[str, Callable[[Any], str]] = {
    "n": lambda n: f"n = {n:,}",
    "deficit": lambda deficit: f"d = {deficit}",
    "problem": str.upper,
    "weight_substitute": lambda weight: "a third substitutions" if weight else "no substitution",
}
_NOT_SAID = (  # the claim says it
    "bound",
    "certainty",
    "source",
    "changed_at_last_by",
    "lost_runs",
    "solved_up_to_leaves",
)
_OF_RUNS = ("runs", "stuck")  # nothing to say where nothing was run


@dataclass(frozen=True)
class Layout:
    """Which column a row is for, which ones together a column is for, and what stands where they meet."""

    rows: str
    columns: tuple[str, ...]
    values: tuple[str, ...]


LAYOUTS = {
    "disc-insert-only-numbers": Layout("t", ("n",), ("p_not_ended", "exact")),
    "disc-majority-neutral-numbers": Layout(
        "n", ("algorithm",), ("p_optimum", "mean_given_optimum", "evaluations_per_success")
    ),
    "disc-no-substitution-numbers": Layout("share_of_insertions", ("problem", "weight_substitute"), ("mean",)),
    "disc-order-neutral-ways": Layout("how", ("algorithm",), ("share",)),
    "lem-majority-gpstar-init-numbers": Layout("k", ("n",), ("frequency", "closed_form")),
    "lem-majority-gpstar-treesize-numbers": Layout("n", ("algorithm", "start"), ("fewest_over_n",)),
    "lem-majority-rw-numbers": Layout("n", ("deficit",), ("ratio",)),
    "q4-numbers": Layout("n", ("curve",), ("p_beyond",)),
}
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
    names = NAMES | _OWN_NAMES.get(numbers.name, {})
    texts, with_ends = _texts(numbers.records)
    constants = _constants(texts)
    layout, caption, left_out = _layout_of(numbers, texts), [], 0
    if layout is None:
        kept = [name for name in (texts[0] if texts else ()) if name not in constants]
        rows = tuple(tuple(text[name] for name in kept) for text in texts[:MOST_ROWS])
        table, left_out = Table(tuple(names.get(name, name) for name in kept), rows), len(texts) - len(rows)
    else:
        table, common = _crossed(numbers.records, texts, layout, names)
        if len(layout.values) == 1:
            value = layout.values[0]
            caption.append(names.get(value, value) + (", with its 95 % interval" if value in with_ends else ""))
        caption += common
        for name in (layout.rows, *layout.columns, *layout.values):
            constants.pop(name, None)
    said = {name: text for name, text in constants.items() if name not in _NOT_SAID}
    caption += [f"{names.get(name, name)}{' =' if name == 'n' else ':'} {text}" for name, text in said.items()]
    return Shown("; ".join(caption), _without_empty(table), left_out)


def _layout_of(numbers: Numbers, texts: Sequence[Mapping[str, str]]) -> Layout | None:
    layout = LAYOUTS.get(numbers.name, _CURVES)
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
    found = {(text[layout.rows], key): text for text, key in zip(texts, keys, strict=True)}
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
            *(found.get((row, curve), {}).get(value, "") for value in layout.values for curve in curves),
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
    return all(len(found) == 1 for found in by_row.values()) and len({text[name] for text in texts}) > 1


def _without_empty(table: Table) -> Table:
    kept = [place for place in range(len(table.headings)) if not table.rows or any(row[place] for row in table.rows)]
    return Table(
        tuple(table.headings[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in table.rows),
    )
