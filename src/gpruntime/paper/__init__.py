"""Papers, executed claim by claim: the founding one, Durrett, Neumann, O'Reilly (FOGA 2011), and what came after.

run        execute: plan → study → evidence → verdicts → figures → report
kept       verdicts that are known already
frame      runs made and stored, looked at, and a page of it: for the paper and the atlas
claim      what a claim, its check and a paper are
papers     the papers, each with its claims: a file, or a folder
kinds      the kinds of check that claims share
rules      the rules by which estimates become verdicts
scale      how far the checks go
lines      cells along which n or T_init grows
evidence   what a check gets to see
known      small sizes that are solved exactly, and held to it
trees      trees to check single steps on
verdict    what came out, and the tables behind it
phrases    how sentences put estimates, laws and ratios
pictures   figures
tables     tables as the page shows them
references papers for a .bib, claims as a table of LaTeX
report     report.html, and what the terminal shows
"""

from gpruntime.paper.claim import Check, Claim, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.papers import CLAIMS, PAPERS
from gpruntime.paper.run import execute
from gpruntime.paper.verdict import Verdict

__all__ = ["CLAIMS", "PAPERS", "Check", "Claim", "Evidence", "Paper", "Verdict", "execute"]
