"""The kinds of check: code that claims share. What a claim says of itself is data in papers/.

line_bound   E[time] is O, Ω or Θ of a bound in n and T_init, along lines
curve_bound  E[time] is O of a bound in n and T_max, over n
levels       shares, ratios or other estimates are above or below a level
laws         which growth law a time follows
means        means are those that are printed, or that a formula gives
errors       how well last programs generalise
"""

from gpruntime.paper.kinds.curve_bound import CurveBound
from gpruntime.paper.kinds.laws import law_question
from gpruntime.paper.kinds.levels import Ask, Levels
from gpruntime.paper.kinds.line_bound import line_claim
from gpruntime.paper.kinds.means import ExactMeans, PrintedMeans

__all__ = ["Ask", "CurveBound", "ExactMeans", "Levels", "PrintedMeans", "law_question", "line_claim"]
