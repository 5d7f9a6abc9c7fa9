"""Features and potentials of a user's own."""

from fractions import Fraction

from gpruntime import acceptance, problem


def missing(tree, n):
    return n - len({leaf.variable for leaf in tree.terminals()})


def harmonic(tree, n):
    """AND: 3n·H_k for k missing variables."""
    return 3 * n * sum(Fraction(1, k) for k in range(1, missing(tree, n) + 1))


def too_low(tree, n):
    """The same with drift 0.99 where two variables are missing."""
    k = missing(tree, n)
    return harmonic(tree, n) - (Fraction(3 * n, 200) if k == 2 else 0)


def in_floats(tree, n):
    return float(harmonic(tree, n)) * 0.9999999999999999


def first_variable(tree, n):
    """Differs between trees that are renamed."""
    return tree.terminals()[0].variable


def raises(tree, n):
    return 1 // 0


def no_number(tree, n):
    return "many"


def lemma_chance(n, fitness, leaves):
    """The founding paper's lemma on ORDER: an insertion improves with at least this probability."""
    lacking, nodes = n - fitness, 2 * leaves - 1
    if leaves >= lacking:
        return Fraction(lacking * (lacking + 1), 24 * n * nodes)
    return Fraction(leaves * (leaves + 1), 24 * n * nodes) + Fraction(lacking - leaves, 6 * n)


def order_fitness(tree):
    first = {}
    for variable, negated in tree.terminals():
        first.setdefault(variable, negated)
    return sum(not negated for negated in first.values())


def lemma(tree, n):
    """Σ over levels k of 1/p_k, where each improvement brings at most one leaf."""
    fitness, leaves = order_fitness(tree), len(tree.leaves)
    return sum(1 / lemma_chance(n, k, leaves + k - fitness) for k in range(fitness, n))


def one_more(tree, n):
    """MAJORITY: variables that one leaf more would express."""
    counts = {}
    for variable, negated in tree.terminals():
        pair = counts.setdefault(variable, [0, 0])
        pair[negated] += 1
    return n - len(counts) + sum(bars == plain + 1 for plain, bars in counts.values())


@problem(sees="counts", best=lambda n: 2 * n, terminals="plain")
def twice(i, plain, bar, n):
    return min(plain, 2)


@problem(sees="leaves", best=lambda n: 0, better="smaller")
def far(leaves, n):
    """How many leaves are not x_1."""
    return sum(leaf != 0 for leaf in leaves)


@acceptance
def not_larger(gain, growth):
    return gain > 0 or (gain == 0 and growth < 1)


def by_rows(table, n):
    """AND, a truth table: 2N·H_k for k wrong rows."""
    wanted = [row == 2**n - 1 for row in range(2**n)]
    wrong = sum(a != b for a, b in zip(table.rows.tolist(), wanted, strict=True))
    return 2 * 2**n * sum(Fraction(1, k) for k in range(1, wrong + 1))


def first_row(table, n):
    """Differs between tables that err equally often."""
    return int(table.rows[0])
