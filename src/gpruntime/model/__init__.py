"""What the theory defines, in plain readable Python: slow, obvious, and the truth everything else is held to.

terminals    x_i and x̄_i, and the primitive set of a problem
tree         program trees and the three changes HVL-Prime makes to them
text         the text form of a tree, both ways
drawing      a tree as text
picture      a tree as SVG, large ones folded
face         results in a notebook
problem      what a problem says: what it sees of a tree, its best fitness, its terminals and functions
declared     what it declares, checked
problems/    ours, one file each
bound        bounds of the theory, which a problem brings along
part         parts of one's own: a name, a file, or the part itself
source       the source of such a part, with all it refers to
names        which names it takes from around it
references   what they stand for, and whether they still do
running      whether a file still says what runs
loading      whether words may name files
written      constants as text
parameters   name:key=value
stream       the random words of a run and the draws made from them
mutation     HVL-Prime
hvl          the original HVL, for comparison
arity        both, for functions of any number of arguments
unbiased     other deletions: node-unbiased, depth-unbiased
operator     ours by name, and operators of one's own
initial      initial trees
all_trees    every tree with a number of leaves
any_initial  those for functions of any number of arguments
tree_file    one from a file
deap         trees to and from DEAP
acceptance   rules of gain and growth
arrays       NumPy, which most runs of the model do without
operations   how many operations an offspring gets
algorithms   the four algorithms: presets of the two
family       algorithms with populations: what a spec must know of them
populations/ ours, one file each
representations/ what a program is: a tree, a circuit, a truth table
crossover    two trees become one
spec         RunSpec: what a run is asked to be
spec_text    a spec as text and back: options, plans, links, rows, records, words
stuck        when nothing can be accepted again, by proof
run          Run, Step, RunResult: the (1+1) GP itself
search       algorithms with several trees, ours and one's own; search_part names the latter in a spec
trace        a run as JSON lines, and back
row          a run as a row: the columns of tables of runs
errors       BadInput and its kin
printable    words from outside, made fit for a terminal
"""

from gpruntime.model.acceptance import ACCEPTANCES, Acceptance, acceptance
from gpruntime.model.algorithms import ALGORITHMS, Algorithm
from gpruntime.model.bound import Bound, bound
from gpruntime.model.errors import BadInput, BadPart, BadTree, NotInstalled
from gpruntime.model.initial import Initial
from gpruntime.model.mutation import HvlPrime, Operation
from gpruntime.model.operator import OPERATORS, Operator, operator
from gpruntime.model.problem import Problem, problem
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.run import Outcome, Run, RunResult, Step, rebuild, simulate
from gpruntime.model.search import Individual, Search
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.stuck import stuck
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

__all__ = [
    "ACCEPTANCES",
    "ALGORITHMS",
    "OPERATORS",
    "PROBLEMS",
    "Acceptance",
    "Algorithm",
    "BadInput",
    "BadPart",
    "BadTree",
    "Bound",
    "HvlPrime",
    "Individual",
    "Initial",
    "NotInstalled",
    "Operation",
    "Operator",
    "Outcome",
    "Problem",
    "Run",
    "RunResult",
    "RunSpec",
    "Search",
    "Step",
    "Stream",
    "Terminal",
    "Tree",
    "acceptance",
    "bound",
    "operator",
    "problem",
    "rebuild",
    "simulate",
    "stuck",
]
