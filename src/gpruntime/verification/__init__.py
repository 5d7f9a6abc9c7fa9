"""Checks a user-defined part, in seconds and in words: is it what it says it is?

kinds        what kind of part is meant, and who looks at it; acceptance rules
finding      what was found, in words
problem      its best fitness, its proof of stuck, its answers, how it is compiled
compiled     its function as Python runs it and as it is compiled, for large values too
operator     its proposals, what it draws, what it leaves of a tree
search       an algorithm: what it counts, and how it ends
runs         engine and model make the same runs; a run can be made again; trees to try a part on
elsewhere    whether other processes answer alike

It makes no runs of its own: it asks engine and model. `from gpruntime import verify` is the function; a package of that
name would stand in its way.
"""

from gpruntime.verification.finding import Finding, Verification
from gpruntime.verification.kinds import verify

__all__ = ["Finding", "Verification", "verify"]
