"""What is known and what is measured, for every problem, algorithm and initial tree.

grid       the standard study: which settings, sizes and runs
entry      one setting: bounds, measured law, exact values, marks
exact      small sizes, solved
run        execute: grid → study → entries → files → page
page       atlas.html
"""

from gpruntime.atlas.entry import Entry
from gpruntime.atlas.grid import Setting, settings_of
from gpruntime.atlas.run import execute

__all__ = ["Entry", "Setting", "execute", "settings_of"]
