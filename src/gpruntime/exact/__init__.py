"""Expected times and success probabilities from the Markov chain, no sampling.

law        the probabilities of one operation, and of how many there are
states     what a chain asks of the states of a tree
kinds      which of the following a spec has
counts     for what sees the counts: pairs of counts
trees      for all else: whole trees
circuits   genotypes of circuits
truth_tables truth tables
proposed   whole trees, for other operators and functions of any number of arguments
drawn      the law of an initial tree, from the procedure that draws it
shapes     shapes of trees, and how many there are
problems   states of problems that bring their own
population processes of several trees; each algorithm of ours is a file of `populations`
chain      the states that can be reached, with their transition probabilities; processes of one tree
kernel     which steps are accepted, for one operation and for many
levels     the equations, fitness level by fitness level, in floating point
rational   the same in fractions
times      the distribution of the evaluations
sizes      how many states there will be, and what is refused
solve      solve: RunSpec in, ExactResult out
each       solve_each: the mean time from every initial tree of a size
"""

from gpruntime.exact.each import FromTree, solve_each
from gpruntime.exact.solve import ExactResult, Level, solve
from gpruntime.exact.times import EvaluationTimes

__all__ = ["EvaluationTimes", "ExactResult", "FromTree", "Level", "solve", "solve_each"]
