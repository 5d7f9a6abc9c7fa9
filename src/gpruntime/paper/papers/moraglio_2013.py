"""Geometric semantic genetic programming on Boolean functions: exact means, by collecting coupons."""

from __future__ import annotations

from fractions import Fraction

from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import ABSTRACT, FOURTH, PROPERTY, THEOREM, Change, Claim, Paper
from gpruntime.paper.kinds import ExactMeans
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.scale import Scale, by_scale

_UNWANTED = 2


def harmonic(k: int) -> Fraction:
    """H_k."""
    return sum((Fraction(1, i) for i in range(1, k + 1)), Fraction(0))


def _wrong(spec: RunSpec, blocks: int) -> int:
    """Of the blocks, how many are wrong at first: AND is true in one of them."""
    return blocks - 1 if spec.init.name == "true" else 1


def points_mean(spec: RunSpec) -> Fraction:
    """The first evaluation, and 2N·H_k offspring."""
    rows = 1 << spec.n
    return 1 + 2 * rows * harmonic(_wrong(spec, rows))


def blocks_mean(spec: RunSpec) -> Fraction:
    """The first evaluation, and 2·2^v·H_k offspring; v = n."""
    blocks = 1 << spec.n
    return 1 + 2 * blocks * harmonic(_wrong(spec, blocks))


def _points(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(2, 3, 4, 6, 8), full=(2, 3, 4, 6, 8, 10), tiny=(2, 3, 4))
    runs = by_scale(scale, quick=1000, full=10_000, tiny=100)
    setting = {"problem": "and", "algorithm": "gsgp:mutation=forcing-point"}
    return [over_n(f"from {init}", sizes, runs, init=init, **setting) for init in ("true", "false")]


def _blocks(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(1, 2, 3, 4, 6), full=(1, 2, 3, 4, 6, 8), tiny=(1, 2, 3))
    runs = by_scale(scale, quick=1000, full=10_000, tiny=100)
    setting = {"problem": f"and:unwanted={_UNWANTED}", "algorithm": lambda n: f"gsgp:mutation=fixed-block:v={n}"}
    return [over_n(f"from {init}", sizes, runs, init=init, budget=10**7, **setting) for init in ("true", "false")]


def _few_rows(spec: RunSpec) -> bool:
    return spec.primitives.variables <= 4


_RULE = (
    "The mean of the runs, and of the Markov chain where it has at most 16 rows. Contradicted by one chain whose mean, "
    "as a fraction, is not that of the formula, by one simulated mean more than five of its standard errors off it, or "
    "by a run that fails; supported otherwise."
)

PAPER = Paper(
    name="moraglio-2013",
    authors="Moraglio, Mambrini, Manzoni",
    title="Runtime Analysis of Mutation-Based Geometric Semantic Genetic Programming on Boolean Functions",
    venue="FOGA 2013",
    year=2013,
    seen="abstract read; means derived here",
    claims=(
        Claim(
            id="G1",
            title="Forcing points collect coupons",
            kind=THEOREM,
            place="abstract; the mean derived here",
            statement="With forcing point mutation, a hill climber finds every Boolean function of n variables; from k "
            "wrong rows of N = 2^n that takes 2N·H_k offspring in the mean.",
            rule=f"AND, from the table that is true everywhere (k = N − 1) and false everywhere (k = 1). {_RULE}",
            check=ExactMeans(
                name="g1",
                lines=_points,
                formula=points_mean,
                words="1 + 2N·H_k",
                solved=_few_rows,
                figure={
                    "title": "AND by forcing points, from all true and all false",
                    "caption": "Means with 95 % intervals; rings are 1 + 2N·H_k.",
                },
            ),
            wording=ABSTRACT,
        ),
        Claim(
            id="G2",
            title="Fixed blocks collect coupons",
            kind=PROPERTY,
            place="derived here",
            statement="With fixed block mutation over v variables, from k wrong blocks of 2^v, a hill climber takes "
            "2·2^v·H_k offspring in the mean if the rows of each block agree.",
            rule=f"AND of v variables, with {_UNWANTED} unwanted ones behind them, from all true (k = 2^v − 1) and all "
            f"false (k = 1). {_RULE}",
            check=ExactMeans(
                name="g2",
                lines=_blocks,
                formula=blocks_mean,
                words="1 + 2·2^v·H_k",
                solved=_few_rows,
                figure={
                    "title": f"AND of v variables by fixed blocks, {_UNWANTED} unwanted ones",
                    "xlabel": "v, variables of a block",
                    "caption": "Means with 95 % intervals; rings are 1 + 2·2^v·H_k.",
                },
            ),
            changes=(
                Change(FOURTH, "setting", "v = 1 to 6 and two unwanted variables; it was v = 3 with up to five."),
            ),
            wording=ABSTRACT,
        ),
    ),
)
