"""What gpruntime.model asks of NumPy, in plain Python: for a Python in the browser, which has none.

The random words are NumPy's own, bit for bit. What comes out of an array is Python's own number. A problem of one's own
finds the usual names here, and one line for any other. tests/site/test_python.py holds all of it to NumPy.
"""

import math

from numpy import random, typing
from numpy.arrays import *
from numpy.arrays import array

__version__ = "2"
pi, e, inf, nan = math.pi, math.e, math.inf, math.nan
abs = absolute


def _method(name):
    return lambda one, *more, **named: getattr(array(one), name)(*more, **named)


for _name in ("sum", "max", "min", "all", "any", "mean", "argmax", "argmin"):
    globals()[_name] = _method(_name)


for _value in [*globals().values()]:
    if getattr(_value, "__module__", "").startswith("numpy."):
        _value.__module__ = "numpy"  # where a source imports it from


def __getattr__(name):
    raise AttributeError(f"the Python of this page has no numpy.{name}")
