"""The claims, one file each, in the paper's order."""

from __future__ import annotations

from gpruntime.paper.claim import Claim
from gpruntime.paper.claims import fig_bad_init, fig_failure, thm_oneonegp

CLAIMS: dict[str, Claim] = {
    module.CLAIM.id: module.CLAIM for module in (fig_bad_init, fig_failure, thm_oneonegp)
}
