"""A tree as a figure, marked as its picture in a notebook is (`gpruntime.model.picture`)."""

from __future__ import annotations

from gpruntime.model.drawing import expressed_leaves
from gpruntime.model.picture import layout_of
from gpruntime.model.problem import Problem
from gpruntime.model.problems import problem_named
from gpruntime.model.tree import Tree
from gpruntime.show.axes import new_figure
from gpruntime.show.drawing import Drawing
from gpruntime.show.style import FAINT, INK, look, styled


def tree_figure(tree: Tree, problem: Problem | str | None = None, n: int | None = None) -> Drawing:
    """Circles are variables, squares complements; filled is what counts, where a problem is given."""
    problem = None if problem is None else problem_named(problem)
    if problem is not None and n is None:
        n = max((terminal.variable for terminal in tree.terminals()), default=1)
    marked, records = expressed_leaves(tree, problem, n), []
    with styled():
        figure, (axes,) = new_figure(3.6)
        axes.set_axis_off()
        if tree.root is None:
            axes.text(0.5, 0.5, "(the empty tree)", transform=axes.transAxes, ha="center")
        else:
            shown, x, depth, folded = layout_of(tree.root)
            for node in shown:
                here = x[id(node)], -depth[id(node)]
                if node.parent is not None:
                    axes.plot([x[id(node.parent)], here[0]], [here[1] + 1, here[1]], color=FAINT, linewidth=1, zorder=1)
                text = f"{folded[id(node)]:,}" if id(node) in folded else str(node.terminal or node.function)
                counts = node.is_leaf and node.index in marked
                shape = "^" if id(node) in folded else "s" if node.terminal and node.terminal.negated else "o"
                fill = look(0).colour if counts else "white"
                size = 9 if node.is_leaf or node.function or id(node) in folded else 3
                axes.plot(
                    *here, marker=shape, markersize=size + 2 * len(text), color=INK, markerfacecolor=fill, zorder=2
                )
                axes.annotate(text, here, ha="center", va="center", fontsize=7, color="white" if counts else INK)
                records.append({"x": here[0], "depth": depth[id(node)], "text": text, "expressed": counts})
            axes.margins(0.05)
        axes.set_xlabel("leaves, from left to right")  # for those who do not see it: the axes are off
        axes.set_ylabel("depth")
    leaves = f"{tree.size:,} {'leaf' if tree.size == 1 else 'leaves'}"
    marks = "" if problem is None else f" Filled: what counts on {problem.name}."
    return Drawing(f"tree-{tree.size}", figure, f"A tree with {leaves}.{marks}", records)
