"""Single operations in a row, until one improves: where a run of (1+1) GP-single spends its time.

The processor cannot guess which kind comes next, and a wrong guess throws away what it has begun. So all three words
that an operation may take are drawn ahead and the kind selects, without a branch, how many of them count: a deletion
takes two, the others three. The rare proposal for which that is not so, because a draw has to be repeated, is left to
`stepping`. Counts are kept in one word, 21 bits for each kind.

Since the words are known ahead, so is what the next operation will look at, up to whether this one is accepted: the
site depends on how many leaves there will be. Under strict acceptance most operations are rejected, otherwise most are
accepted; so expected, `foresee` asks for the memory of the next operation while this one is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpruntime.engine.columns import ACCEPTED, EVALUATIONS, FITNESS, LEAVES, MAX_LEAVES, PROPOSED
from gpruntime.engine.kernel import ZERO, helper, inlined
from gpruntime.engine.law import DELETE, INSERT
from gpruntime.engine.own import Call
from gpruntime.engine.problem import Stepping

_ONE, _U3, _U11, _U24, _U32, _U40 = (np.uint64(number) for number in (1, 3, 11, 24, 32, 40))
_LOW = np.uint64(0xFFFFFFFF)
_BITS = 21
_MOST = 2**_BITS - 1


@inlined
def _three_words(a, b, c, counter):
    """The next three words of SFC64, see `random.word`, and its state after two of them and after all."""
    word1 = a + b + counter
    b1, c1 = c + (c << _U3), ((c << _U24) | (c >> _U40)) + word1
    word2 = (b ^ (b >> _U11)) + b1 + counter + _ONE
    a2, b2, c2 = b1 ^ (b1 >> _U11), c1 + (c1 << _U3), ((c1 << _U24) | (c1 >> _U40)) + word2
    word3 = a2 + b2 + counter + _ONE + _ONE
    a3, b3, c3 = b2 ^ (b2 >> _U11), c2 + (c2 << _U3), ((c2 << _U24) | (c2 >> _U40)) + word3
    return word1, word2, word3, a2, b2, c2, a3, b3, c3


def make_glide(problem: Stepping) -> Any:
    """`glide` for a problem."""
    attempt, foresee = problem.attempt, problem.foresee

    @helper
    def glide(law, at, cells, wide, rng, most, result):
        """Makes at most `most` proposals, until one improves or must be left, or the tree has one leaf only.

        Returns (proposals, gain of the last one), and writes to `result` what has become of the tree.
        """
        leaves, max_leaves = result[LEAVES], result[MAX_LEAVES]
        a, b, c, counter = rng[0], rng[1], rng[2], rng[3]
        first, second = law.first, law.second
        codes, double = np.uint64(law.codes), law.double
        same, grow, shrink = law.same, law.grow, law.shrink
        strict, call = law.strict, Call(law.size, law.function, law.desk)  # nothing in memory is read again and again
        proposed, accepted, gain = np.int64(0), np.int64(0), np.int64(0)
        most = most if most < _MOST else _MOST
        left = most
        while left > 0 and leaves > 1 and gain <= 0:
            word1, word2, word3, a2, b2, c2, a3, b3, c3 = _three_words(a, b, c, counter)
            bits = word1 >> _U11
            kind = np.int64(bits >= first) + np.int64(bits >= second)
            places = np.uint64(4 * leaves - 2 if kind == INSERT else leaves)
            place, code = (word2 >> _U32) * places, (word3 >> _U32) * codes
            if (place & _LOW) < places or (code & _LOW) < codes:
                break
            two = kind == DELETE
            a, b, c = a2 if two else a3, b2 if two else b3, c2 if two else c3
            counter += _ONE + _ONE + np.uint64(not two)

            word1, word2, word3, _, _, _, _, _, _ = _three_words(a, b, c, counter)
            bits = word1 >> _U11
            expected = leaves + (np.int64(0) if strict else np.int64(kind == INSERT) - np.int64(two))
            nodes = np.uint64(2 * expected - 1 if bits >= first and bits < second else expected)
            next_site, next_code = ((word2 >> _U32) * nodes) >> _U32, ((word3 >> _U32) * codes) >> _U32
            foresee(at, cells, expected, np.int64(next_site), np.int64(next_code) << double)

            site = np.int64(place >> _U32)
            side = site & 1
            site = site >> 1 if kind == INSERT else site
            least = grow if kind == INSERT else shrink if two else same
            comes = np.int64(code >> _U32) << double
            gain = attempt(call, at, cells, wide, leaves, kind, site, side, comes, least)
            left -= 1
            proposed += np.int64(1) << (_BITS * kind)
            if gain >= least:
                accepted += np.int64(1) << (_BITS * kind)
                leaves += np.int64(kind == INSERT) - np.int64(two)
                max_leaves = leaves if leaves > max_leaves else max_leaves
        rng[0], rng[1], rng[2], rng[3] = a, b, c, counter
        for kind in range(3):
            result[PROPOSED + kind] += (proposed >> (_BITS * kind)) & _MOST
            result[ACCEPTED + kind] += (accepted >> (_BITS * kind)) & _MOST
        result[LEAVES], result[MAX_LEAVES] = leaves, max_leaves
        result[EVALUATIONS] += most - left
        result[FITNESS] += gain if gain > 0 else ZERO
        return most - left, gain

    return glide
