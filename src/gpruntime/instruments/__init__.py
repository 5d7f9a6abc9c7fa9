"""Instruments that look inside a setting.

drift        what one offspring does to the fitness, or to a potential one gives, by fitness level
improvement  the chance of improvement p_k by fitness level, beside the theory's formulas
size         the size of the tree over time
worst        the initial trees with the longest mean time
formulas     p_k as the theory has it
steps        the offspring of a run as columns
"""

from gpruntime.instruments.drift import Drift, drift
from gpruntime.instruments.formulas import Formula, formulas_for
from gpruntime.instruments.improvement import Improvement, improvement_chances
from gpruntime.instruments.size import Size, size_over_time
from gpruntime.instruments.worst import Worst, WorstTrees, worst

__all__ = [
    "Drift",
    "Formula",
    "Improvement",
    "Size",
    "Worst",
    "WorstTrees",
    "drift",
    "formulas_for",
    "improvement_chances",
    "size_over_time",
    "worst",
]
