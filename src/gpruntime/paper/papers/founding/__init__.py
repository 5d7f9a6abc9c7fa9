"""The founding paper. Its claims are in its order: figures and table first, then section by section."""

from __future__ import annotations

from gpruntime.paper.claim import Claim
from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.founding import (
    conj_star_multi,
    cor_star_order,
    disc_asymmetry,
    disc_insert_only,
    disc_majority_neutral,
    disc_no_substitution,
    disc_order_neutral,
    fig_bad_init,
    fig_failure,
    lem_majority_gpstar_init,
    lem_majority_gpstar_treesize,
    lem_majority_rw,
    lem_order_oneonegp,
    sdp,
    table_1,
    thm_majority_gp_overall,
    thm_majority_gpstar_single,
    thm_oneonegp,
    thm_tlopt,
)

CLAIMS: dict[str, Claim] = {
    claim.id: claim
    for claim in (
        fig_bad_init.CLAIM,
        fig_failure.CLAIM,
        table_1.CLAIM,
        lem_order_oneonegp.CLAIM,
        thm_oneonegp.CLAIM,
        cor_star_order.CLAIM,
        conj_star_multi.CLAIM,
        sdp.CLAIM,
        lem_majority_rw.CLAIM,
        thm_majority_gp_overall.OVERALL,
        thm_majority_gp_overall.WORST,
        thm_tlopt.SINGLE,
        thm_tlopt.MULTI,
        thm_majority_gp_overall.AVERAGE,
        lem_majority_gpstar_init.CLAIM,
        lem_majority_gpstar_treesize.CLAIM,
        thm_majority_gpstar_single.CLAIM,
        disc_order_neutral.CLAIM,
        disc_majority_neutral.CLAIM,
        disc_insert_only.CLAIM,
        disc_no_substitution.CLAIM,
        disc_asymmetry.CLAIM,
    )
}

PAPER = Paper(
    name="founding",
    authors="Durrett, Neumann, O'Reilly",
    title="Computational Complexity Analysis of Simple Genetic Programming On Two Problems Modeling Isolated Program "
    "Semantics",
    venue="FOGA 2011",
    year=2011,
    seen="read whole",
    claims=tuple(CLAIMS.values()),
)
