"""Whatever the runs were, there are words for them: no crash, no NaN."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import RunSpec
from gpruntime.analysis import summarise
from gpruntime.show.terminal import summary_text
from tests.runs_help import planted_table, together

BUDGET = 1000
OUTCOMES = ("optimum", "stuck", "budget")
runs = st.lists(st.tuples(st.sampled_from(OUTCOMES), st.integers(1, BUDGET)), min_size=1, max_size=6)
cells = st.dictionaries(
    st.tuples(st.sampled_from(("gp-single", "gpstar-single")), st.sampled_from((1, 2, 3, 4, 7, 12, 30, 500, 10**6))),
    runs,
    min_size=1,
    max_size=10,
)


def table_of_cell(algorithm, n, cell):
    spec = RunSpec(problem="majority", algorithm=algorithm, n=n, budget=BUDGET)
    times = [BUDGET if outcome == "budget" else time for outcome, time in cell]
    return planted_table(spec, np.array(times), [outcome for outcome, _ in cell])


@settings(max_examples=30, deadline=None)
@given(cells)
def test_any_study_has_words(study):
    summary = summarise(together(table_of_cell(algorithm, n, cell) for (algorithm, n), cell in study.items()))
    text = summary_text(summary) + summary._repr_html_()
    assert not re.search(r"\b(nan|None|inf)\b", text)
    assert summary.runs == sum(len(cell) for cell in study.values())
    for cell in summary.cells:
        assert cell.optimum + cell.stuck + cell.budget == cell.runs
        if cell.stuck or cell.budget:
            assert f"n = {cell.n:,}: " in text
