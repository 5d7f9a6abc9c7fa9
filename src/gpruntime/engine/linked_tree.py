"""A linked tree: its shape, the order of its leaves, the occurrences of each variable; constant work per operation.

- **Shape.** Leaves and joins live in slots from 1 on: node 2s is the leaf in slot s, node 2s + 1 the join there.
  `register` has the leaves at its even places, in the order of the model's register, and the joins at its odd ones;
  behind the last one in use come the free nodes, the next one to use first. So an insertion takes the next entry and
  a deletion swaps its entry with the last: both undo exactly. The root is the left child of TOP.
- **Order.** Leaves are linked from left to right (`before`, `after`) and carry order labels.
- **Occurrences.** The leaves of a variable are linked in order (`earlier`, `later`) from `first[variable]`. A
  variable is *expressed* if its first leaf is x_i.

NOBODY ends every list: a leaf x̄ behind all others. Its links mean nothing; they are written to, so that an end of a
list needs no case of its own.

An insertion beside a join needs the first or last leaf below it: a walk down. HVL insertion is Rémy's algorithm, under
which all shapes are equally likely. In such a tree a child is a join with chance near 1/2, so the walk from a uniform
node, half of which are leaves, has expected length 1 (measured after 300,000 steps at n = 10,000: 1.00 to 1.01 from
`unity`, `insertion` and `bad`). A tree given by the user can be a path; then the walk is long until insertions have
mixed the shape. A new leaf finds its place among the occurrences of its variable by a walk from the first: T/n steps on
average.

**Order labels** are numbers that grow along the leaves from left to right, so "is it before that one?" is one
comparison. A new leaf gets the middle of its neighbours' labels, or a fixed distance beyond the end. When a gap is used
up, labels are spread out again around it, in the smallest aligned range of 2ⁱ labels that holds at most (2/1.4)ⁱ
leaves:
the order maintenance of Dietz and Sleator in the form of Bender et al. (2002), O(log T) amortised per insertion,
wherever the insertions fall. (Relabelling everything instead costs Θ(T) every fifty insertions at the front, which is
where a new leaf matters most.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.jit import ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.memory import prefetch, tail
from gpruntime.engine.params import Params, can_delete
from gpruntime.engine.run_state import DELETE, INSERT, SUBSTITUTE
from gpruntime.engine.tree_memory import Field, TreeKind

# A node, half a cache line. A join has children, a leaf the links; both have a parent and their place among the leaves,
# or the joins, of the register. The label of a leaf stands in the record of the join behind it, in the same slot, so
# that a leaf and its label come from memory together: see `label_of`.
NODE = np.dtype(
    {
        "names": [
            "children", "function",  # of a join: left and right; the number of its function, where there are several
            "terminal", "neighbours", "earlier", "later",  # of a leaf; its neighbours are those before and after it
            "label_in_slot", "parent", "place",
        ],
        "formats": [(np.uint32, 2), np.uint32, np.uint32, (np.uint32, 2), np.uint32, np.uint32, np.int64, np.uint32,
        np.uint32], "offsets": [0, 8, 0, 4, 12, 16, 16, 24, 28],
        "itemsize": 32,
    }
)  # fmt: skip
LEFT, RIGHT = range(2)
BEFORE, AFTER = range(2)

# The node that stands for no leaf, and the join whose left child is the root.
NOBODY, TOP = range(2)

# The first label; the room for those of an initial tree; the distance beyond the end; a label behind all.
MIDDLE, SPAN, STEP, NOWHERE = 2**61, 2**60, 2**32, 2**63 - 1
_MAX_LABEL_BITS = 62
_LABELS_PER_LEAF = 1.4


class LinkedTree(NamedTuple):
    """A linked tree."""

    nodes: Any  # a record for each node
    register: Any  # the nodes in use, and the free ones
    first: Any  # the first leaf of each variable, or NOBODY


def linked_sizes(params: Params, room: int) -> dict[str, Field]:
    """The fields of a linked tree."""
    return {
        "nodes": (NODE, 2 * (room + 1)),
        "register": (np.uint32, 2 * room),
        "first": (np.uint32, params.n),
    }


def free_nodes(register: Any, first: int) -> None:
    """Makes the entries of registers from a place on free nodes."""
    register[:, first:] = np.arange(first, register.shape[1]) + 2


LINKED_TREE = TreeKind(LinkedTree, linked_sizes, free=free_nodes)


@inlined
def leaf_at(tree, place):
    """The leaf with this place in the register."""
    return int64(tree.register[2 * place])


@inlined
def join_at(tree, place):
    """The join with this place among the joins of the register."""
    return int64(tree.register[2 * place + 1])


@inlined
def child_of(tree, join, side):
    """The left or right child of a join."""
    return int64(tree.nodes[join].children[side])


@inlined
def label_of(tree, leaf):
    """The order label of a leaf."""
    return tree.nodes[leaf + 1].label_in_slot


@inlined
def edge_of(tree, node, side):
    """The first or the last leaf below a node."""
    while node & 1 == 1:
        node = child_of(tree, node, side)
    return node


@inlined
def place_of(tree, leaves, site, side):
    """Where an insertion goes: the node with this number, leaves first, and the leaf that the new one comes next to.

    On the empty tree both are NOBODY.
    """
    is_join = site >= leaves
    place = site - leaves if is_join else site
    node = int64(tree.register[2 * place + is_join]) if leaves > 0 else int64(NOBODY)
    return node, edge_of(tree, node, side)


@inlined
def hang_in_place_of(tree, old, new, above):
    """Puts `new` where `old` hangs below the join `above`."""
    nodes = tree.nodes
    nodes[above].children[int64(nodes[above].children[LEFT] != old)] = new
    nodes[new].parent = above


# ---- order labels


@inlined
def give_label(tree, new):
    """Gives a label to a leaf that has just been linked between its neighbours."""
    nodes = tree.nodes
    before, after = int64(nodes[new].neighbours[BEFORE]), int64(nodes[new].neighbours[AFTER])
    low, high = label_of(tree, before), label_of(tree, after)
    if after == NOBODY:
        nodes[new + 1].label_in_slot = MIDDLE if before == NOBODY else low + STEP
    elif before == NOBODY:
        nodes[new + 1].label_in_slot = high - STEP
    elif high - low >= 2:
        nodes[new + 1].label_in_slot = low + (high - low >> 1)
    else:
        _spread_labels(tree, new)


@helper
def _spread_labels(tree, new):
    """Makes room around a leaf between two neighbours without a gap, and labels it."""
    nodes, first, last, leaves = tree.nodes, new, new, 1
    before, after = int64(nodes[new].neighbours[BEFORE]), int64(nodes[new].neighbours[AFTER])
    anchor = label_of(tree, before)
    allowed = 1.0
    for bits in range(1, _MAX_LABEL_BITS):
        allowed *= 2 / _LABELS_PER_LEAF
        size = int64(1) << bits
        base = anchor & ~(size - 1)
        while before != NOBODY and label_of(tree, before) >= base:
            first, before = before, int64(nodes[before].neighbours[BEFORE])
            leaves += 1
        while label_of(tree, after) < base + size:
            last, after = after, int64(nodes[after].neighbours[AFTER])
            leaves += 1
        if leaves <= allowed and 2 * leaves < size:
            distance = size // (leaves + 1)
            value = base
            while True:
                value += distance
                nodes[first + 1].label_in_slot = value
                if first == last:
                    return
                first = int64(nodes[first].neighbours[AFTER])


# ---- occurrences


@inlined
def is_positive(tree, leaf):
    """1 for a leaf x_i, 0 for a leaf x̄_i or nobody."""
    return ~int64(tree.nodes[leaf].terminal) & 1


@inlined
def variable_of(tree, leaf):
    """The variable of a leaf, from 0 on."""
    return int64(tree.nodes[leaf].terminal) >> 1


@inlined
def link_occurrence(tree, new):
    """Puts a labelled leaf among the occurrences of its variable; returns the change in expressed variables."""
    nodes, variable, label = tree.nodes, variable_of(tree, new), label_of(tree, new)
    here, following = int64(NOBODY), int64(tree.first[variable])
    if label < label_of(tree, following):
        tree.first[variable] = new
        gain = is_positive(tree, new) - is_positive(tree, following)
    else:
        gain = int64(0)
        while label_of(tree, following) < label:
            here, following = following, int64(nodes[following].later)
        nodes[here].later = new
    nodes[new].earlier = here
    nodes[new].later = following
    nodes[following].earlier = new
    return gain


@inlined
def unlink_occurrence(tree, old):
    """Takes a leaf out of the occurrences of its variable; returns the change in expressed variables."""
    nodes = tree.nodes
    earlier, later = int64(nodes[old].earlier), int64(nodes[old].later)
    nodes[later].earlier = earlier
    if earlier != NOBODY:
        nodes[earlier].later = later
        return int64(0)
    tree.first[variable_of(tree, old)] = later
    return is_positive(tree, later) - is_positive(tree, old)


# ---- the three changes; each returns the change in the number of expressed variables


@inlined
def insert_leaf(tree, leaves, node, beside, side, code):
    """Puts a new leaf next to a node, and next to the leaf `beside` at its edge; `leaves` is the number before."""
    nodes, new = tree.nodes, leaf_at(tree, leaves)
    join = int64(TOP)
    if leaves > 0:
        join = join_at(tree, leaves - 1)
        hang_in_place_of(tree, node, join, int64(nodes[node].parent))
        nodes[join].place = leaves - 1
        nodes[join].children[1 - side] = node
        nodes[node].parent = join
        nodes[join].children[side] = new
    else:
        nodes[TOP].children[LEFT] = new
        nodes[NOBODY].neighbours[BEFORE] = NOBODY
        nodes[NOBODY].neighbours[AFTER] = NOBODY
    nodes[new].terminal = code
    nodes[new].place = leaves
    nodes[new].parent = join
    beyond = int64(nodes[beside].neighbours[int64(side == 1)])
    before = beside if side == 1 else beyond
    after = beyond if side == 1 else beside
    nodes[new].neighbours[BEFORE] = before
    nodes[new].neighbours[AFTER] = after
    nodes[before].neighbours[AFTER] = new
    nodes[after].neighbours[BEFORE] = new
    give_label(tree, new)
    return link_occurrence(tree, new)


@inlined
def delete_leaf(tree, leaves, place):
    """Removes the leaf with this place in the register, and its parent; `leaves` is the number before."""
    nodes, old = tree.nodes, leaf_at(tree, place)
    join = int64(nodes[old].parent)
    if leaves == 1:
        nodes[TOP].children[LEFT] = NOBODY
    else:
        sibling = child_of(tree, join, int64(nodes[join].children[LEFT] == old))
        hang_in_place_of(tree, join, sibling, int64(nodes[join].parent))
        swap(tree, int64(nodes[join].place), leaves - 2, ONE)
    before, after = int64(nodes[old].neighbours[BEFORE]), int64(nodes[old].neighbours[AFTER])
    nodes[before].neighbours[AFTER] = after
    nodes[after].neighbours[BEFORE] = before
    swap(tree, place, leaves - 1, ZERO)
    return unlink_occurrence(tree, old)


@inlined
def swap(tree, i, j, is_join):
    """Swaps two leaves, or two joins, in the register."""
    register = tree.register
    a, b = int64(register[2 * i + is_join]), int64(register[2 * j + is_join])
    register[2 * i + is_join], register[2 * j + is_join] = b, a
    tree.nodes[a].place = j
    tree.nodes[b].place = i


@inlined
def substitute_leaf(tree, place, code):
    """Gives the leaf with this place in the register another terminal."""
    nodes, leaf = tree.nodes, leaf_at(tree, place)
    if variable_of(tree, leaf) == code >> 1:
        before = is_positive(tree, leaf)
        nodes[leaf].terminal = code
        return is_positive(tree, leaf) - before if nodes[leaf].earlier == NOBODY else int64(0)
    gain = unlink_occurrence(tree, leaf)
    nodes[leaf].terminal = code
    return gain + link_occurrence(tree, leaf)


# ---- the operations of HVL-Prime, made, noted and taken back: see `stepping.Stepping`


@inlined
def foresee_nodes(tree, leaves, site, code):
    """Asks for the memory of the node with this number and of the first leaf of the terminal's variable."""
    is_join = site >= leaves
    prefetch(tree.nodes, int64(tree.register[2 * (site - leaves if is_join else site) + is_join]))
    prefetch(tree.nodes, int64(tree.first[code >> 1]))


@inlined
def make_operation(params, tree, leaves, operation):
    """Makes an operation; returns the change in the number of expressed variables."""
    kind, site, side, code = operation
    if kind == INSERT:
        node, beside = place_of(tree, leaves, site, side)
        return insert_leaf(tree, leaves, node, beside, side, code)
    if kind == DELETE:
        if can_delete(params, leaves):
            return delete_leaf(tree, leaves, site)
        return int64(0)
    if code < 0:
        return int64(0)
    return substitute_leaf(tree, site, code)


@inlined
def note_operation(params, tree, leaves, operation, entry):
    """A deletion needs most."""
    kind, site, _, code = operation
    entry.kind, entry.site, entry.old, entry.new = kind, site, -1, code
    if kind == DELETE:
        if can_delete(params, leaves):
            _note_deletion(tree, leaf_at(tree, site), entry)
    elif kind == SUBSTITUTE and code >= 0:
        entry.old = tree.nodes[leaf_at(tree, site)].terminal


@inlined_once
def _note_deletion(tree, leaf, entry):
    """All that a deleted leaf and its join knew: their slots may be used again before the deletion is taken back."""
    gone, join = tree.nodes[leaf], tree.nodes[int64(tree.nodes[leaf].parent)]
    entry.old, entry.label = gone.terminal, label_of(tree, leaf)
    entry.before, entry.after = gone.neighbours[BEFORE], gone.neighbours[AFTER]
    entry.earlier, entry.later = gone.earlier, gone.later
    entry.left, entry.right = join.children[LEFT], join.children[RIGHT]
    entry.above, entry.place = join.parent, join.place


@helper
def undo_operation(params, tree, leaves, entry):
    """The opposite operation, but for a deletion; returns the number of leaves before it was made."""
    if entry.kind == INSERT:  # the newest leaf is the last of the register, and its join too
        delete_leaf(tree, leaves, leaves - 1)
        return leaves - 1
    if entry.old < 0:
        return leaves
    if entry.kind == SUBSTITUTE:
        substitute_leaf(tree, entry.site, entry.old)
        return leaves
    _undo_deletion(tree, leaves, entry)
    return leaves + 1


@inlined_once
def _undo_deletion(tree, leaves, entry):
    """Puts a leaf and its join back where they were; `leaves` is the number without it."""
    nodes, leaf = tree.nodes, leaf_at(tree, leaves)
    swap(tree, entry.site, leaves, ZERO)
    if leaves == 0:
        nodes[TOP].children[LEFT] = leaf
        nodes[leaf].parent = TOP
    else:
        join, left, right = join_at(tree, leaves - 1), entry.left, entry.right
        swap(tree, entry.place, leaves - 1, ONE)
        hang_in_place_of(tree, right if left == leaf else left, join, entry.above)
        nodes[join].children[LEFT] = left
        nodes[join].children[RIGHT] = right
        nodes[left].parent = join
        nodes[right].parent = join
    before, after = entry.before, entry.after
    nodes[leaf].terminal = entry.old
    nodes[leaf].neighbours[BEFORE] = before
    nodes[leaf].neighbours[AFTER] = after
    nodes[before].neighbours[AFTER] = leaf
    nodes[after].neighbours[BEFORE] = leaf
    nodes[leaf + 1].label_in_slot = entry.label
    too_low = before != NOBODY and label_of(tree, before) >= entry.label
    if too_low or label_of(tree, after) <= entry.label:
        give_label(tree, leaf)  # its neighbours were labelled anew in the meantime
    earlier, later = entry.earlier, entry.later
    nodes[leaf].earlier = earlier
    nodes[leaf].later = later
    nodes[later].earlier = leaf
    if earlier != NOBODY:
        nodes[earlier].later = leaf
        return
    tree.first[entry.old >> 1] = leaf


# ---- in a population


@inlined
def in_slot(trees, strides, slot):
    """The tree in a slot."""
    return LinkedTree(
        tail(trees.nodes, slot * strides.nodes),
        tail(trees.register, slot * strides.register),
        tail(trees.first, slot * strides.first),
    )


@inlined
def _copy_node(source, target, node):
    """Writes what a tree says of a node into another tree."""
    mine, theirs = target.nodes[node], source.nodes[node]
    mine.children[LEFT], mine.children[RIGHT] = theirs.children[LEFT], theirs.children[RIGHT]
    mine.function, mine.earlier, mine.label_in_slot = theirs.function, theirs.earlier, theirs.label_in_slot
    mine.parent, mine.place = theirs.parent, theirs.place


@helper
def copy_tree(params, source, target, leaves, room):
    """Makes one tree a copy of another, which has this many leaves; the register has room for `room`."""
    _copy_node(source, target, NOBODY)
    _copy_node(source, target, TOP)
    for place in range(leaves):
        leaf = leaf_at(source, place)
        _copy_node(source, target, leaf)
        target.nodes[leaf + 1].label_in_slot = label_of(source, leaf)
    for place in range(leaves - 1):
        _copy_node(source, target, join_at(source, place))
    for i in range(2 * room):
        target.register[i] = source.register[i]
    for variable in range(params.n):
        target.first[variable] = source.first[variable]


@inlined
def _image(tree, other, leaves, node):
    """The node of the larger tree that a node of the appended one becomes; TOP for TOP."""
    if node == TOP:
        return int64(TOP)
    is_join = node & 1
    return int64(tree.register[2 * (leaves - is_join + int64(other.nodes[node].place)) + is_join])


@helper
def append_tree(params, tree, other, leaves, more):
    """Hangs a new join above a tree, with a copy of another, with `more` leaves, as its right child."""
    nodes, theirs = tree.nodes, other.nodes
    root, appended = child_of(tree, TOP, LEFT), child_of(other, TOP, LEFT)
    last = edge_of(tree, root, int64(RIGHT))
    top = join_at(tree, leaves + more - 2)
    for place in range(more):
        leaf, new = leaf_at(other, place), leaf_at(tree, leaves + place)
        nodes[new].terminal = theirs[leaf].terminal
        nodes[new].place = leaves + place
        nodes[new].parent = _image(tree, other, leaves, int64(theirs[leaf].parent))
    for place in range(more - 1):
        join, new = join_at(other, place), join_at(tree, leaves - 1 + place)
        nodes[new].children[LEFT] = _image(tree, other, leaves, child_of(other, join, LEFT))
        nodes[new].children[RIGHT] = _image(tree, other, leaves, child_of(other, join, RIGHT))
        nodes[new].place = leaves - 1 + place
        nodes[new].parent = _image(tree, other, leaves, int64(theirs[join].parent))
    nodes[top].children[LEFT] = root
    nodes[top].children[RIGHT] = _image(tree, other, leaves, appended)
    nodes[top].place = leaves + more - 2
    nodes[top].parent = TOP
    nodes[root].parent = top
    nodes[child_of(tree, top, RIGHT)].parent = top
    nodes[TOP].children[LEFT] = top
    leaf = edge_of(other, appended, int64(LEFT))
    while leaf != NOBODY:
        new = _image(tree, other, leaves, leaf)
        nodes[new].neighbours[BEFORE] = last
        nodes[last].neighbours[AFTER] = new
        nodes[new].neighbours[AFTER] = NOBODY
        nodes[new + 1].label_in_slot = label_of(tree, last) + STEP
        link_occurrence(tree, new)
        last, leaf = new, int64(theirs[leaf].neighbours[AFTER])
