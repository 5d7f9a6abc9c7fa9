"""The founding paper, executed: Durrett, Neumann, O'Reilly (FOGA 2011), claim by claim.

run        execute: plan → study → evidence → verdicts → figures → report
claim      what a claim is
claims     the claims, one file each
changes    what was changed after the first run, where several claims share it
scale      how far the checks go
settings   settings that claims share
evidence   what a check gets to see
rules      rules that claims share
known      small sizes that are solved exactly, and held to it
verdict    what came out
pictures   figures that claims share
plan       one study for all claims
settle     one claim: from its evidence to its verdict and figures
findings   what holds, what does not, what is new
layout     tables as the page shows them
report     report.html
terminal   the table of verdicts
"""

from gpruntime.paper.claim import Claim
from gpruntime.paper.claims import CLAIMS
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.run import execute
from gpruntime.paper.verdict import Verdict

__all__ = ["CLAIMS", "Claim", "Evidence", "Verdict", "execute"]
