"""Instruments that look inside a setting.

drift      what one offspring does to the fitness, or to a potential one gives, by fitness level
worst      the initial trees with the longest mean time
"""

from gpruntime.instruments.drift import Drift, drift
from gpruntime.instruments.worst import Worst, worst

__all__ = ["Drift", "Worst", "drift", "worst"]
