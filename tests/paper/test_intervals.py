"""No estimate without its interval: in sentences, remarks and tables."""

import re

import pytest

from gpruntime.paper.papers.founding import CLAIMS
from gpruntime.paper.scale import SCALES
from tests.paper.test_verdicts import verdict_of

WITH_INTERVAL = r"[−\d.,·⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+( %)? \[[^\]]*\]"
LAW = r"[\d.,]+·(n|2\^)[^;()]*\(leading constant \[[^\]]*\]"
NO_ESTIMATES = [
    r"[Ee]xact[^;]*",
    r"grows by [\d.]+",  # (n/2e)^(n/2)
    r"1/P\(enough operations\) is [\d.]+",
    r"n\^[\d.]+",  # the name of a law, or a power given before
    r"p = [\d.]+",
    r"→ [\d.]+",
    r"at least [\d.]+(·\(n−k\)|/\(3n\))",  # counted
    r"(fewer than |T_init \+ )[\d.]+·n",  # seen
    r"[\d.]+ % insertions",
    r"outlive [\d,]+ evaluations",
]
EXACT_COLUMNS = {
    "changed_at_last_by", "closed_form", "exact", "exact_p_stuck", "fewest_over_n", "least_constant",
    "least_p_over_proved", "limit", "lost_runs", "n_over_2e_to_the_n_half", "proved", "share_of_insertions",
    "weight_substitute",
}  # fmt: skip
STATISTICS = {"p_holm", "p_mann_whitney", "standard_errors_off"}


@pytest.mark.parametrize("identifier", CLAIMS)
def test_estimates_in_words_have_intervals(identifier):
    verdict = verdict_of(identifier)
    remarks = () if identifier == "fig-bad-init" else verdict.remarks  # those are the analysis's sentences
    for text in (verdict.sentence, *remarks):
        rest = text
        for pattern in (LAW, WITH_INTERVAL, *NO_ESTIMATES):
            rest = re.sub(pattern, "", rest)
        assert not re.search(r"\d\.\d|\d %|\d evaluations", rest), text


@pytest.mark.parametrize("identifier", CLAIMS)
def test_estimates_in_tables_have_intervals(identifier):
    for table in verdict_of(identifier).tables:
        columns = {name for row in table.records for name, value in row.items() if isinstance(value, float)}
        numbers = {name for name in columns if not re.search("(^|_)(low|high)$", name)} - EXACT_COLUMNS - STATISTICS
        bare = {name for name in numbers if not {f"{name}_low", f"{name.removesuffix('_accepted')}_low"} & columns}
        assert len(bare) <= ("low" in columns), (table.name, bare)


def test_times_of_successful_runs_come_from_all_the_runs_of_the_cell():
    verdict = verdict_of("disc:majority-neutral")
    row = next(row for row in verdict.tables[0].records if row["algorithm"] == "(1+1) GP*-single" and row["n"] == 10)
    (failure,) = {runs for spec, runs in CLAIMS["fig-failure"].cells(SCALES["quick"]) if runs > 100}
    assert {runs for _, runs in CLAIMS["disc:majority-neutral"].cells(SCALES["quick"])} == {failure}
    (remark,) = verdict.remarks
    low, high = row["mean_given_optimum_low"], row["mean_given_optimum_high"]
    assert low < row["mean_given_optimum"] < high
    assert re.search(rf"take [\d,]+ \[{low:,.0f}, {high:,.0f}\] evaluations on average", remark)
    assert remark.endswith(f"({row['runs']:,} runs of each).")
