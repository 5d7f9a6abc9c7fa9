"""Problems and rules as a user would write them."""

import numpy as np

from gpruntime import acceptance, problem


@problem(sees="counts", best=lambda n: n)
def majority_by_counts(i, plain, bar, n):
    return plain >= 1 and plain >= bar


@problem(sees="leaves", best=lambda n: n)
def majority_by_leaves(leaves, n):
    counts = np.bincount(leaves, minlength=2 * n).reshape(n, 2)
    return np.sum((counts[:, 0] >= 1) & (counts[:, 0] >= counts[:, 1]))


@problem(sees="leaves", best=lambda n: 0.5 * n)
def half_majority(leaves, n):
    counts = np.bincount(leaves, minlength=2 * n).reshape(n, 2)
    return 0.5 * np.sum((counts[:, 0] >= 1) & (counts[:, 0] >= counts[:, 1]))


@problem(sees="first", best=lambda n: n)
def order_by_first(i, sign, n):
    return sign == 1


@problem(sees="leaves", best=lambda n: n)
def order_by_leaves(leaves, n):
    return sum(1 for i in range(n) if 2 * i in leaves and 2 * i + 1 not in leaves[: list(leaves).index(2 * i)])


@problem(sees="first", best=lambda n: 0, better="smaller")
def order_that_is_missing(i, sign, n):
    return 0 if sign == 1 else 1


@problem(sees="first", best=lambda n: n * (n + 1) // 2)
def weighted_order(i, sign, n):
    return i if sign == 1 else 0


@problem(sees="counts", best=lambda n: n)
def two_thirds(i, plain, bar, n):
    return plain >= 1 and 3 * plain >= 2 * (plain + bar)


@problem(sees="counts", best=lambda n: n, parameters={"c": 2})
def plus_c(i, plain, bar, n, c):
    return plain >= bar + c


@problem(sees="counts", best=lambda n: 2 * n, variables=lambda n: 2 * n)
def twice_as_many(i, plain, bar, n):
    return plain > bar


@problem(sees="counts", best=lambda n: n)
def differs_late(i, plain, bar, n):
    """x_1 alone may not have more than four copies."""
    return 1 <= plain <= 4 or (i > 1 and plain >= 1)


@problem(sees="leaves", terminals="plain", best=lambda n: n)
def distinct(leaves, n):
    return len(set(leaves))


@problem(sees="program", functions={"and": 2, "or": 2}, best=lambda n: 0, better="smaller")
def wrong_rows(program, n):
    if len(program) == 0:
        return 2**n
    stack = np.empty(len(program), np.int64)
    wrong = 0
    for row in range(2**n):
        top = 0
        for token in program:
            if token >= 0:
                stack[top] = ((row >> (token // 2)) & 1) ^ (token & 1)
                top += 1
            else:
                top -= 1
                a, b = stack[top - 1], stack[top]
                stack[top - 1] = a & b if token == -1 else a | b
        wrong += stack[0] != (row == 2**n - 1)
    return wrong


@problem(sees="counts", best=lambda n: 1)
def beyond_its_best(i, plain, bar, n):
    return plain >= 1


@problem(sees="leaves", terminals="plain", best=lambda n: 10**9)
def endless_improvement(leaves, n):
    return len(leaves)


@acceptance
def slightly_worse(gain, growth):
    return gain >= -1


@acceptance
def worse_if_smaller(gain, growth):
    return gain > 0 or growth < 0
