"""What the theory defines, in plain readable Python: slow, obvious, and the truth everything else is held to.

terminals    x_i and x̄_i
tree         program trees and the three changes HVL-Prime makes to them
text         the text form of a tree, both ways
drawing      a tree as a picture, in text or SVG
problems/    ORDER and MAJORITY
stream       the random words of a run and the draws made from them
mutation     HVL-Prime
hvl          the original HVL, for comparison
initial      initial trees
tree_file    one from a file
algorithms   the four algorithms: acceptance × number of operations
spec         RunSpec: what a run is asked to be
stuck        when nothing can be accepted again, by proof
run          Run, Step, RunResult: the (1+1) GP itself
trace        a run as JSON lines, and back
row          a run as a row: the columns of tables of runs
errors       BadInput and its kin
printable    words from outside, made fit for a terminal
"""

from gpruntime.model.algorithms import ALGORITHMS, Algorithm
from gpruntime.model.errors import BadInput, BadTree, NotInstalled
from gpruntime.model.initial import Initial
from gpruntime.model.mutation import HvlPrime, Operation
from gpruntime.model.problems import MAJORITY, ORDER, PROBLEMS
from gpruntime.model.run import Outcome, Run, RunResult, Step, rebuild, simulate
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.stuck import stuck
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

__all__ = [
    "ALGORITHMS",
    "MAJORITY",
    "ORDER",
    "PROBLEMS",
    "Algorithm",
    "BadInput",
    "BadTree",
    "HvlPrime",
    "Initial",
    "NotInstalled",
    "Operation",
    "Outcome",
    "Run",
    "RunResult",
    "RunSpec",
    "Step",
    "Stream",
    "Terminal",
    "Tree",
    "rebuild",
    "simulate",
    "stuck",
]
