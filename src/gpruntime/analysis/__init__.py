"""Runs in, estimates out: intervals, survival, growth laws, comparisons, bounds of the theory. No drawing.

from gpruntime.analysis import summarise
summarise("results").sentences()

summary     summarise: a table of runs in, everything it says out
sources     what may hold runs
table       the table of runs, cell by cell
runs        the runs of one cell, as rows or added up
estimates   a number with its interval: all methods for one sample
survival    times of which some are only known to be longer
times       the time of a cell's runs, infinite or unknown where it is
cells       all estimates of one cell
settings    what makes a curve, and which curves differ in one thing
curves      one setting over n
growth      the laws g(n)
fitting     fits of one law
laws        which law, and its constant
power       power analysis: the sizes or runs that would tell two laws apart
planning    how many runs a width, two laws or a difference take, from a pilot
compare     two settings, at one size and over n
bounds      the bounds of the theory
trajectories fixed targets and tree sizes, from the columns of improvements
profiles    fixed targets and budgets, attainment, targets over time, with intervals
formatting  numbers and settings in words
plotting    plot() and tables in notebooks
"""

from gpruntime.analysis.bounds import BOUNDS, BoundCheck, check_bound
from gpruntime.analysis.cells import CellEstimate
from gpruntime.analysis.compare import Comparison, compare
from gpruntime.analysis.curves import Curve
from gpruntime.analysis.estimates import Estimate
from gpruntime.analysis.growth import LAWS, MORE_LAWS, Law
from gpruntime.analysis.laws import LawFit
from gpruntime.analysis.planning import RunsNeeded, plan_runs
from gpruntime.analysis.profiles import Profile, profiles
from gpruntime.analysis.runs import CellRuns
from gpruntime.analysis.summary import Summary, summarise
from gpruntime.analysis.table import RunTable
from gpruntime.analysis.trajectories import Trajectories, trajectories
from gpruntime.model.bound import Bound

__all__ = [
    "BOUNDS",
    "LAWS",
    "MORE_LAWS",
    "Bound",
    "BoundCheck",
    "CellEstimate",
    "CellRuns",
    "Comparison",
    "Curve",
    "Estimate",
    "Law",
    "LawFit",
    "Profile",
    "RunTable",
    "RunsNeeded",
    "Summary",
    "Trajectories",
    "check_bound",
    "compare",
    "plan_runs",
    "profiles",
    "summarise",
    "trajectories",
]
