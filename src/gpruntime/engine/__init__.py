"""The runs of the model, compiled with Numba: incremental fitness, no copying, no walking the tree.

execute              run_many: spec and run numbers in, columns out
columns              the results
arrow                the same as a table
improvements         when runs improved
watched              one run at a time, step by step, with its tree
alongside            the tree of a run as arrays, following its trace

law                  a RunSpec as numbers
random               the random stream, and the seeding of many runs at once
workspace            the arrays of a run
problem              what a problem tells the kernels
stepping             proposal by proposal: the model's own run
gliding              single operations in a row, until one improves
skipping             strict runs without their hopeless offspring: the same law
hopeful              the mathematics of skipping
glance               proposals of ORDER that are seen to be in vain
majority, order      the problems for stepping
majority_skipping, order_skipping    and for skipping
initial, order_initial               initial trees
ordered, labels      the tree of ORDER, and order labels
binomial, fenwick    binomial numbers; weights that change
prefetch             memory that will soon be needed
kernel               what is compiled, and the cache on disk
compiler, lowering   how Numba compiles it, in a third of its time; how the code for LLVM is written
"""

from gpruntime.engine.columns import Columns
from gpruntime.engine.execute import METHODS, method_for, run_many, unsupported
from gpruntime.engine.improvements import Improvements
from gpruntime.engine.watched import WatchedRun

__all__ = ["METHODS", "Columns", "Improvements", "WatchedRun", "method_for", "run_many", "unsupported"]
