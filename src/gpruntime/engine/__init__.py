"""The runs of the model, compiled with Numba: incremental fitness, no copying, no walking the tree.

execute              run_many: spec and run numbers in, columns out
columns              the results
arrow                the same as a table
improvements         when runs improved
watched              one run at a time, step by step, with its tree
alongside            the tree of a run whose state knows no shapes, following its trace

law                  a RunSpec as numbers
random               the random stream, and the seeding of many runs at once
state                the memory of a run
trace                what kernels write down besides results: where they stand, logs, traces
frame                what both methods share: a run begins, goes on and ends
stepping             proposal by proposal: the model's own run
copying, two_trees   an offspring is written from pieces of its parent: for leaves, programs, other operators
operators            the original HVL, and HVL-Prime, for functions of any number of arguments
any_planting         initial trees for such functions
breeding             the loop of all algorithms with populations
survival             who has an offspring, who stays
rearing, grafting    offspring in a pool: judged in their parent's slot; written anew, or by subtree crossover
pool                 its memory
gliding              single operations in a row, until one improves
skipping             strict runs without their hopeless offspring: the same law
hopeful              the mathematics of skipping
problem              what a problem tells the kernels
forms                which form and kernel a spec takes: a problem's own, or one of the next
counts, first        any problem that is a sum over variables, by what it sees of a tree
own, guard           a user's function, compiled, and called
problems/            the faster forms that some problems bring along
score                a fitness as a whole number
initial, planting    initial trees
ordered, changes, nodes, labels      a planted tree, operations on it, how its nodes lie in memory, order labels
binomial, fenwick    binomial numbers; weights that change
memory               arrays as kernels see them; memory that will soon be needed
kernel               what is compiled, and how
cache, private       compiled code on disk: whole or thrown away; in a folder of the user's alone
fingerprint          what compiled code is known by: all that it is compiled from
"""

from gpruntime.engine.columns import Columns
from gpruntime.engine.execute import METHODS, method_for, run_many, unsupported
from gpruntime.engine.improvements import Improvements
from gpruntime.engine.watched import WatchedRun

__all__ = ["METHODS", "Columns", "Improvements", "WatchedRun", "method_for", "run_many", "unsupported"]
