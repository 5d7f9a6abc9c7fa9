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
rewriting       an offspring is written from pieces of its parent: for leaves, programs, HVL, other deletions, any arity
populations     all algorithms with populations: selection, the loop, and how offspring are made, in place or by copy
stuck           when a run is stuck, where that is proved, and when it is looked for

Other programs than trees:
circuits        Cartesian GP
truth_tables    geometric semantic GP

Trees, and what is done to them:
tree_memory     one array for each field of a tree; slots of a population
counts          only the counts matter: any problem that sees them
linked_tree     shape, order and first occurrences; operations made and undone
first           any problem that sees the first occurrences
postfix_tree    trees in postfix order: whatever is done takes O(T)
postfix_operators    HVL, other deletions, and HVL-Prime for functions of any number of arguments, on these
initial         initial trees of all of these
problems/       the faster forms that some problems bring along

watched         one run step by step, with its tree; the tree read from memory, or kept beside a run
user_function   a user's function, compiled, and called
random          the random stream, binomial numbers, and the seeding of many runs at once
jit             what is compiled, and how
memory          arrays as kernels see them
cache           compiled code on disk: what it is known by; whole or thrown away; in a folder of the user's alone

Arguments of kernels and helpers have the same names everywhere:

params          the numbers of the spec (`params.Params`)
tree            the arrays of a tree; `trees` with room for others (`postfix_tree`); `pool` a population's; `pop` those
                of a circuit or a truth table
run, result     what a run knows besides (`run_state.Run`), and its row of the results (`columns.RESULT`)
rng             the four words of its random stream
leaves, fitness of the tree as it is now, the fitness as a score; joins are one fewer if functions take two arguments
operation       kind, site, side and code (`run_state.Operation`); `entry` its record in the log
site, place     a node by its number, leaves first, then joins; one among the leaves, or the joins, of the register
code            a terminal, 2·variable + (1 for a complement); variables count from 0
leaf, join      in a linked tree the number of a node (`linked_tree`); in a postfix tree its position among the tokens
slot            where a population has a tree; mother and father are slots
"""

from gpruntime.engine.columns import Columns, Improvements
from gpruntime.engine.execute import METHODS, method_for, run_many, unsupported
from gpruntime.engine.watched import WatchedRun

__all__ = ["METHODS", "Columns", "Improvements", "WatchedRun", "method_for", "run_many", "unsupported"]
