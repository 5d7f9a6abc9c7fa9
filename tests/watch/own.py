"""Problems and a rule of a user's own, one for each thing that a problem can see, for the tests of the page."""

import numpy as np

from gpruntime import acceptance, problem
from gpruntime.watch.annotations import OfCounts, OfTree, Row


@problem(sees="counts", best=lambda n: n)
def two_thirds(i, plain, bar, n):
    """A source of its own: what a page of the docs sets below the same function would be set here too."""
    return plain >= 1 and 3 * plain >= 2 * (plain + bar)


@problem(sees="counts", terminals="plain", best=lambda n: 3 * n)
def up_to_three(i, plain, bar, n):
    return min(plain, 3)


@problem(sees="first", best=lambda n, c: c * n * (n + 1) // 2, parameters={"c": 1})
def weighted(i, sign, n, c):
    return c * i if sign == 1 else 0


@problem(sees="leaves", terminals="plain", best=lambda n: 1.0)
def kinds(leaves, n):
    """How many different leaves there are; a loop compiles faster than `np.unique`."""
    different = 0
    for i in range(len(leaves)):
        is_new = 1
        for j in range(i):
            if leaves[j] == leaves[i]:
                is_new = 0
        different += is_new
    return different / n


@problem(sees="program", functions={"and": 2, "or": 2}, best=lambda n: 0, better="smaller")
def wrong_rows(program, n):
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
                a, b = stack[top - 1], stack[top]
                stack[top - 1] = a & b if token == -1 else a | b
        wrong += stack[0] != (row == 2**n - 1)
    return wrong


@problem(sees="counts", best=lambda n: n)
def told_otherwise(i, plain, bar, n):
    return plain > bar


class Shares(OfCounts):
    title = "Share of each variable"

    def row(self, variable):
        share = variable.plain / max(1, variable.plain + variable.bar)
        return Row(self.standing_of(variable), 0, share, f"{share:.0%}", f"x{variable.number}: {share:.0%}")


told_otherwise.page = Shares


@problem(sees="leaves", best=lambda n: 2 * n)
def ends_alike(leaves, n):
    return 2 * n if len(leaves) > 1 and leaves[0] == leaves[-1] else min(len(leaves), n)


@problem(
    sees="program",
    functions={"and": 2, "not": 1, "if": 3},
    terminals=lambda n: [*(f"a{i}" for i in range(n)), "true"],
    best=lambda n: n + 3,
)
def variety(program, n):
    """How many different terminals and functions there are."""
    seen = np.zeros(n + 4, np.int64)
    for token in program:
        seen[token + 3] = 1
    return min(seen.sum(), n + 3)


@problem(sees="first", functions={"mix": 3}, terminals=("red", "green", "blue"), best=lambda n: 3)
def colours(i, sign, n):
    return sign == 1


class Ends(OfTree):
    title = "The ends"
    legend = {"expressed": "an end"}  # noqa: RUF012

    def leaves(self, tree):
        words = [""] * len(tree.leaves)
        words[:1], words[-1:] = ["expressed"], ["expressed"]
        return words

    def rows(self, tree):
        terminals = tree.terminals()
        return [Row("expressed", 0, 1, str(end), f"end {end}") for end in (terminals[0], terminals[-1])]


ends_alike.page = Ends


@acceptance
def not_much_larger(gain, growth):
    return gain >= 0 and growth < 2


@acceptance
def smaller(gain, growth):
    return gain > 0 or growth < 0
