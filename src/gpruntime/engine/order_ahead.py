"""ORDER for skipping, large trees: hopeful offspring of one operation, several at a time, until one improves.

Most of them improve nothing, and each looks at a few places all over the tree. In a large tree none of those is in the
cache, and to wait for one place after the other is most of the work. So several offspring are drawn ahead, their places
are asked for, and then they are judged in turn. Judging draws nothing: the generator goes back to where it stood after
the last offspring that was tried, so the random numbers are those of one offspring after the other.
"""

from __future__ import annotations

import numpy as np

from gpruntime.engine.columns import PROPOSED
from gpruntime.engine.hopeful import kind_given_flag, skipped_offspring
from gpruntime.engine.kernel import ZERO, inlined
from gpruntime.engine.labels import ROW
from gpruntime.engine.order_skipping import OrderSkip
from gpruntime.engine.prefetch import prefetch
from gpruntime.engine.problem import draw_hopeful, foresee, is_vain, judge, of, try_ahead, trying_ahead_pays
from gpruntime.engine.stepping import accepts, growth

_LARGE = 100_000  # leaves: a smaller tree is in the cache
# the columns of `ahead`: offspring skipped before this one, its operation, and the generator before both
_SKIPPED, _KIND, _SITE, _SIDE, _CODE, _VAIN, _RNG = range(7)


@of(trying_ahead_pays, OrderSkip)
def _trying_ahead_pays(state, leaves):
    return leaves > _LARGE


@inlined
def _foresee_child(tree, leaves, site, side):
    """An insertion beside a join goes on to its child."""
    if site >= leaves:
        join = np.int64(tree.register[2 * (site - leaves) + 1])
        child = np.int64(tree.node[ROW * join + side])
        prefetch(tree.node, ROW * child)
        prefetch(tree.label, child >> 1)


@of(try_ahead, OrderSkip)
def _try_ahead(law, state, rng, plan, leaves, left, number, ahead, out, row):
    for i in range(number):
        for j in range(4):
            ahead[i, _RNG + j] = rng[j]
        ahead[i, _SKIPPED] = skipped_offspring(rng, plan)
        kind = kind_given_flag(law, rng, plan, ZERO, number > 0)  # a constant would be compiled anew
        site, side, code, _ = draw_hopeful(law, state, rng, leaves, kind)
        ahead[i, _KIND], ahead[i, _SITE], ahead[i, _SIDE], ahead[i, _CODE] = kind, site, side, code
        if site < leaves:
            prefetch(state.where, site)
            prefetch(state.tree.register, 2 * site)
        else:
            prefetch(state.below, site - leaves)
            prefetch(state.tree.register, 2 * (site - leaves))
        prefetch(state.wanted_before, code >> 1)
        prefetch(state.tree.first, code >> 1)
    for j in range(4):
        ahead[number, _RNG + j] = rng[j]
    for i in range(number):
        kind, site, code = np.int64(ahead[i, _KIND]), np.int64(ahead[i, _SITE]), np.int64(ahead[i, _CODE])
        ahead[i, _VAIN] = is_vain(law, state, leaves, kind, site, code)
        if not ahead[i, _VAIN]:
            foresee(state.tree, leaves, site, code)
    for i in range(number):
        if not ahead[i, _VAIN]:
            _foresee_child(state.tree, leaves, np.int64(ahead[i, _SITE]), np.int64(ahead[i, _SIDE]))

    tried, skipped, gain = ZERO, ZERO, ZERO
    kind, site, side, code = ZERO, ZERO, ZERO, ZERO
    passed = False  # whether the budget is used up by what is skipped
    while tried < number and skipped + tried < left and gain == 0:
        more = np.int64(ahead[tried, _SKIPPED])
        passed = more >= left - skipped - tried
        if passed:
            skipped = left - tried
            break
        skipped += more
        kind, site = np.int64(ahead[tried, _KIND]), np.int64(ahead[tried, _SITE])
        side, code = np.int64(ahead[tried, _SIDE]), np.int64(ahead[tried, _CODE])
        out[row, PROPOSED + kind] += 1
        if not ahead[tried, _VAIN]:
            gain = judge(law, state, leaves, kind, site, side, code)
            if not accepts(law, gain, leaves + growth(law, leaves, kind)):
                gain = ZERO
        tried += 1
    for j in range(4):
        rng[j] = ahead[tried, _RNG + j]
    if passed:
        skipped_offspring(rng, plan)  # the last number drawn
    return tried, skipped, gain, kind, site, side, code
