"""Papers, executed claim by claim: the founding one, Durrett, Neumann, O'Reilly (FOGA 2011), and what came after.

run        execute: plan → study → evidence → verdicts → figures → report
claim      what a claim is
paper      what a paper is
papers     the papers, a folder each, with a file for each claim
changes    what was changed after the first run, where several claims share it
scale      how far the checks go
settings   settings that claims share
evidence   what a check gets to see
rules      rules that claims share
known      small sizes that are solved exactly, and held to it
verdict    what came out
pictures   figures that claims share
lines      designs in n and T_init
line_claim claims that are a bound along lines
shares     claims about how often the optimum is reached
plan       one plan for all claims
studies    the runs, made and stored
settle     one claim: from its evidence to its verdict and figures
findings   what holds, what does not, what is new
layout     tables as the page shows them
report     report.html
terminal   the table of verdicts
"""

from gpruntime.paper.claim import Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.paper import Paper
from gpruntime.paper.papers import CLAIMS, PAPERS
from gpruntime.paper.run import execute
from gpruntime.paper.verdict import Verdict

__all__ = ["CLAIMS", "PAPERS", "Claim", "Evidence", "Paper", "Verdict", "execute"]
