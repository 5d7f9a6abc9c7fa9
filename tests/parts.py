"""Parts of a user's own, one of each kind, for tests: also what a user's file looks like."""

import numpy as np

from gpruntime import acceptance, problem


@problem(sees="counts", best=lambda n: n)
def two_thirds(i, plain, bar, n):
    return plain >= 1 and 3 * plain >= 2 * (plain + bar)


@problem(sees="counts", best=lambda n: n, parameters={"c": 2})
def plus_c(i, plain, bar, n, c):
    return plain >= bar + c


@problem(sees="counts", best=lambda n: n)
def majority(i, plain, bar, n):
    return plain >= bar and plain >= 1


def _stuck(tree, spec):
    """With deletions alone, if no x_i is there that may yet count."""
    leaves = [(leaf.variable, leaf.negated) for leaf in tree.terminals()]
    counts = [(leaves.count((i, False)), leaves.count((i, True))) for i in range(1, spec.n + 1)]
    return spec.weights[:2] == (0, 0) and all(plain == 0 or plain >= bar for plain, bar in counts)


@problem(sees="counts", best=lambda n: n, stuck=_stuck)
def majority_with_proof(i, plain, bar, n):
    return plain >= bar and plain >= 1


@problem(sees="counts", terminals="plain", best=lambda n: 0, better="smaller")
def missing(i, plain, bar, n):
    return plain == 0


@problem(sees="first", best=lambda n: n)
def order(i, sign, n):
    return sign == 1


@problem(sees="first", best=lambda n: n * (n + 1) // 2)
def weighted_order(i, sign, n):
    return i if sign == 1 else 0


@problem(sees="leaves", best=lambda n: n)
def order_by_leaves(leaves, n):
    seen = np.zeros(n, np.bool_)
    found = 0
    for leaf in leaves:
        if not seen[leaf // 2]:
            seen[leaf // 2] = True
            found += leaf % 2 == 0
    return found


@problem(sees="leaves", terminals="plain", best=lambda n: n * (n - 1) // 2)
def inversions(leaves, n):
    seen = np.zeros(n, np.bool_)
    kept = np.empty(n, np.int64)
    size = 0
    for leaf in leaves:
        if not seen[leaf]:
            seen[leaf] = True
            kept[size] = leaf
            size += 1
    pairs = 0
    for i in range(size):
        for j in range(i + 1, size):
            pairs += kept[i] < kept[j]
    return pairs


@problem(sees="leaves", best=lambda n: 0.0, better="smaller")
def far_from_pi(leaves, n):
    total = 0.0
    for leaf in leaves:
        total += (0.5 - leaf % 2) * (leaf // 2 + 1)
    return max(0.0, abs(total - 3.14159) - 0.2)


@problem(sees="program", functions={"and": 2, "or": 2}, best=lambda n: 0, better="smaller")
def wrong_rows(program, n):
    """Rows of the truth table on which the program is not the conjunction of all variables."""
    stack = np.empty(len(program) + 1, np.int64)
    wrong = 0
    for row in range(2**n):
        top = 0
        stack[0] = 0
        for token in program:
            if token >= 0:
                stack[top] = ((row >> (token // 2)) & 1) ^ (token & 1)
                top += 1
            else:
                top -= 1
                left, right = stack[top - 1], stack[top]
                stack[top - 1] = left & right if token == -1 else left | right
        wrong += stack[0] != (row == 2**n - 1)
    return wrong


@problem(
    sees="program",
    functions={"and": 2, "not": 1, "if": 3},
    terminals=lambda n: [*(f"a{i}" for i in range(n)), "true"],
    best=lambda n: 0,
    better="smaller",
)
def not_parity(program, n):
    """Rows of the truth table on which the program is not the parity of a0 … a(n−1)."""
    stack = np.zeros(len(program) + 1, np.int64)
    wrong = 0
    for row in range(2**n):
        top, odd = 0, 0
        for i in range(n):
            odd ^= (row >> i) & 1
        for token in program:
            if token >= 0:
                stack[top] = 1 if token == n else (row >> token) & 1
                top += 1
            elif token == -1:
                top -= 1
                stack[top - 1] &= stack[top]
            elif token == -2:
                stack[top - 1] ^= 1
            else:
                top -= 2
                stack[top - 1] = stack[top] if stack[top - 1] else stack[top + 1]
        wrong += stack[0] != odd
    return wrong


@problem(sees="counts", functions={"mix": 3}, terminals=("red", "green", "blue"), best=lambda n: 6)
def colours(i, plain, bar, n):
    """Some of each colour, more of the later ones."""
    return min(plain, i)


@acceptance
def not_much_larger(gain, growth):
    return gain > 0 or (gain == 0 and growth <= 1)


@acceptance
def small_losses(gain, growth):
    return gain >= 0 or (gain == -1 and growth < 0)


PROBLEMS = [two_thirds, missing, weighted_order, inversions, far_from_pi, wrong_rows, not_parity, colours]


@acceptance
def not_larger(gain, growth):
    """Rejects improvements, the optimum among them, that come with a larger tree."""
    return gain >= 0 and growth <= 0


@acceptance
def by_two_or_smaller(gain, growth):
    """Rejects improvements by one, the last one too, unless the tree shrinks."""
    return gain >= 2 or (gain >= 0 and growth < 0)


RULES = [not_much_larger, small_losses, not_larger, by_two_or_smaller]
LAWS = ["one", "poisson:mean=1", "exactly:k=3", "power:beta=1.5", "table:p=0.5/0/0.5"]
