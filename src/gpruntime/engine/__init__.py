"""The runs of the model, compiled with Numba: incremental fitness, no copying, no walking the tree.

From `run_many` to the inner loop and back, each step one file (docs/architecture.md walks it):

execute         run_many: spec and run numbers in, columns out; slices of a kernel until all runs have ended
cores           several at a time: threads over kernels, processes for the model
params          a RunSpec as the numbers that kernels need, the acceptance rule, scores
dispatch        which kernel makes the runs of a spec, and on what memory
main_loop       the loop of all kernels: runs one after the other, each from verdict to verdict
run_state       what a run knows besides its trees: Run, Operation, cursor, log, trace
columns         the results, and when runs improved; the same as a table
summary         the results of very many runs, added up

What happens between two verdicts, a method:
stepping        proposal by proposal: the model's own run; single operations in a row
rejection_free  strict runs that skip the offspring that cannot improve (the n-fold way): the same law
rewriting       an offspring is written from pieces of its parent: for leaves, programs, other operators
populations     all algorithms with populations: selection, and the loop
offspring       how they make offspring: in place, or written anew
stuck           when a run is stuck, where that is proved

Other programs than trees:
programs        what they share: numbers, memory, tables of rows
circuits        Cartesian GP
truth_tables    geometric semantic GP

Trees, and what is done to them:
tree_memory     one array for each field of a tree; slots of a population
counts          only the counts matter: any problem that sees them
linked_tree     shape, order and first occurrences; operations made and undone
first           any problem that sees the first occurrences
initial         initial trees of these
postfix_tree    trees in postfix order: whatever is done takes O(T)
postfix_operators    HVL, other deletions, and HVL-Prime for functions of any number of arguments, on these
postfix_initial      initial trees of these
problems/       the faster forms that some problems bring along

watched         one run step by step, with its tree; the tree read from memory, or kept beside a run
user_function   a user's function, compiled, and called
random          the random stream, binomial numbers, and the seeding of many runs at once
jit             what is compiled, and how
memory          arrays as kernels see them
cache           compiled code on disk: whole or thrown away; in a folder of the user's alone
fingerprint     what compiled code is known by: all that it is compiled from
"""

from gpruntime.engine.columns import Columns, Improvements
from gpruntime.engine.execute import METHODS, method_for, run_many, unsupported
from gpruntime.engine.watched import WatchedRun

__all__ = ["METHODS", "Columns", "Improvements", "WatchedRun", "method_for", "run_many", "unsupported"]
