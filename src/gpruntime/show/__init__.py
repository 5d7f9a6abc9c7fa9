"""Figures, tables and the report.

terminal   what `gpruntime study show` prints
report     what `gpruntime study report` writes: one page that needs nothing else
figures    curves and their laws, and `figure_of`, which draws any result
times      distributions of times, P(optimum), acceptance
exact      the law of the time, solved
trees      a tree
versus     two algorithms, time and bound, evaluations and fitness
profiles   fixed targets, fixed budgets, attainment
tables     tables in words
drawing    a figure with its numbers, their files, and how it stands in a page
style      one style for all figures, and its colours on a dark page
axes       parts that figures share
ticks      labels of logarithmic axes
markup     sub- and superscripts in pages and figures
page       what pages share: templates, figures, tables
latex      plain words as LaTeX sets them, whatever they are
pgf        a figure as pgfplots draws it
tikz       a tree as TikZ draws it
latex_tables   tables for LaTeX
latex_report   a study as a folder for a paper
bibliography   entries of a .bib file
repeat     the command that repeats a cell's runs
"""

from gpruntime.show.drawing import Drawing
from gpruntime.show.figures import figure_of

__all__ = ["Drawing", "figure_of"]
