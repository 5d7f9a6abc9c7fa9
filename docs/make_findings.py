"""Measures every finding of docs/findings.md again and draws it: `./run findings [NAME…] [--seed S] [--pictures]`.

Each finding says what must be seen, with intervals of 95 %, on two initial shapes or settings and at least three sizes.
The seed is 2 by default; the page has those of seed 1. Exit status 1 says that one does not hold. With --pictures the
pictures of the page are made anew.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpruntime import RunSpec, run_many
from gpruntime.analysis.compare import ratio_of_means
from gpruntime.analysis.estimates import LEVEL, Estimate, normal_quantile, proportion
from gpruntime.analysis.fitting import slope
from gpruntime.show.axes import new_figure, over_n, points, wrapped
from gpruntime.show.drawing import Drawing
from gpruntime.show.style import INK, look, styled
from gpruntime.theory import limit

IMAGES = Path(__file__).parent / "images"
_LEAF = "unity:leaves=1"


class Point(NamedTuple):
    """A measured number: of which curve, at which n."""

    curve: str
    n: int
    measured: Estimate


class Found(NamedTuple):
    """What was measured, what it is, and whether the finding holds."""

    points: list[Point]
    of: str
    holds: bool
    lines: Sequence[dict[int, float]] = ()  # what the limit says
    notes: Sequence[str] = ()


def ends(found: list[Point], curve: str) -> tuple[Estimate, Estimate]:
    """A curve's first and last."""
    some = [point.measured for point in found if point.curve == curve]
    return some[0], some[-1]


def falls(found: list[Point], curve: str) -> bool:
    """Whether a curve ends below where it begins."""
    first, last = ends(found, curve)
    return (last.high or 0) < (first.low or 0)


def power(found: list[Point], curve: str, least: int) -> Estimate:
    """The power of n by which a curve moves from a size on."""
    some = [point for point in found if point.curve == curve and point.n >= least]
    ends = [(point.measured.high or 0) / (point.measured.low or 1) for point in some]
    errors = np.log(ends) / (2 * normal_quantile(LEVEL))
    sizes, values = (np.array(column, float) for column in zip(*((p.n, float(p.measured)) for p in some), strict=True))
    fitted = slope(sizes, values, errors)
    assert fitted is not None
    return fitted


def order_strict(seed: int) -> Found:
    """ORDER by strict acceptance: T/n² falls to n = 100,000 from both shapes, and by different powers of n."""
    law = {"problem": "order", "algorithm": "gpstar-single"}
    found, powers = list[Point](), list[Estimate]()
    for init in ("unity", "insertion"):
        for n, runs in ((100, 3000), (1000, 3000), (10_000, 3000), (100_000, 400)):
            mean = run_many(RunSpec(**law, n=n, init=init), seed=seed, runs=runs).mean_time()
            found.append(Point(init, n, mean.transformed(lambda t, n=n: t / n**2)))
        powers.append(power(found, init, 100))
    apart = (powers[0].high or 0) < (powers[1].low or 0)
    both = falls(found, "unity") and falls(found, "insertion")
    return Found(
        found,
        "T ÷ n²",
        both and apart,
        notes=[f"T like n^{2 + float(p):.4f} ± {(p.high - p.low) / 2:.4f}" for p in powers],
    )


def weights(seed: int) -> Found:
    """WORDER: with weights 2^(i−1) the mean is at most 1.3 times that with equal ones; log₂ w_max is 59 at n = 60."""
    found = []
    for algorithm, init in (("gp-single", "unity"), ("gp-multi", "unity"), ("gp-multi", "insertion:leaves=4n")):
        for n in (15, 30, 60):
            law = {"algorithm": algorithm, "n": n, "init": init}
            heavy, equal = (
                run_many(RunSpec(problem=f"worder:weights={which}", **law), seed=seed, runs=600).evaluations
                for which in ("powers", "equal")
            )
            found.append(Point(f"{algorithm}, {init}", n, ratio_of_means(heavy, equal)))
    return Found(found, "ratio of the means", all(p.measured.high < 1.3 for p in found))


def sorting(seed: int) -> Found:
    """SORTING by RUN with parsimony: several operations open the traps at n = 8, and less and less beyond."""
    found = []
    for operations in ("poisson:mean=1", "power:beta=1.5"):
        for init in ("unity:leaves=n", "unity:leaves=2n", "insertion:leaves=n"):
            for n in (8, 11, 14):
                spec = RunSpec(problem="sorting:measure=run", algorithm="gp-single", accept="parsimony", n=n, init=init,
                               operations=operations, budget=30 * n**3)  # fmt: skip
                found.append(Point(f"{operations}, from {init}", n, run_many(spec, seed=seed, runs=60).solved()))
    return Found(found, "P(optimum within 30·n³ evaluations)", all(falls(found, p.curve) for p in found))


def plus_c(seed: int) -> Found:
    """+c-MAJORITY with parsimony: P(optimum) falls exponentially from 64n leaves, not from 2n²."""
    found, setting = list[Point](), {"problem": "plus-c-majority", "algorithm": "gp-single", "accept": "parsimony"}
    for name, leaves in (("64n leaves", lambda n: 64 * n), ("2n² leaves", lambda n: 2 * n * n)):
        for n in (25, 50, 100):
            spec = RunSpec(**setting, n=n, init=f"unity:leaves={leaves(n)}", budget=20 * leaves(n) * 12)
            found.append(Point(name, n, run_many(spec, seed=seed, runs=200).solved()))
    said = limit(RunSpec(**setting, n=100, init="unity:leaves=64n", budget=10**9))
    expected = {n: said.at(n).chance for n in (25, 50, 100)}
    constant = (ends(found, "2n² leaves")[1].high or 0) >= (ends(found, "2n² leaves")[0].low or 0)
    near = all(abs(-math.log(p.measured.value or 1e-9) / p.n - 0.0145) < 0.005 for p in found[1:3])
    return Found(found, "P(optimum)", falls(found, "64n leaves") and constant and near, [expected])


def size_limit(seed: int) -> Found:
    """AND from AND and OR: the tightest limit on leaves takes twice the time of the next; larger ones do not matter."""
    found = []
    starts = {"one leaf": "unity:leaves=1", "n leaves": "insertion:leaves=n"}
    for start, init in starts.items():
        for factor in (1, 2, 8):
            for n in (6, 9, 12):
                spec = RunSpec(problem="and-or", algorithm="gp-multi", n=n, init=init, max_leaves_allowed=factor * n,
                               budget=10**7)  # fmt: skip
                mean = run_many(spec, seed=seed, runs=150).mean_time()
                found.append(Point(f"ℓ = {factor}n, from {start}", n, mean))
    last = {p.curve: p.measured for p in found if p.n == 12}
    holds = all(
        last[f"ℓ = 1n, from {start}"].low > 2 * last[f"ℓ = 2n, from {start}"].high
        and 0.8 < last[f"ℓ = 8n, from {start}"].value / last[f"ℓ = 2n, from {start}"].value < 1.25
        for start in starts
    )
    return Found(found, "mean evaluations", holds)


def population(seed: int) -> Found:
    """SMO-GP on WORDER with weights 2^(i−1): from one leaf P_max never exceeds n + 1; from 10n leaves it does."""
    found, large = [], ("unity:leaves=10n", "insertion:leaves=10n")
    for init in ("unity:leaves=1", "unity", *large):
        for n in (10, 14, 20):
            spec = RunSpec(problem="worder:weights=powers", algorithm="smo-single", n=n, init=init)
            kept = run_many(spec, seed=seed, runs=150).max_population
            assert kept is not None
            found.append(Point(init, n, proportion(int((kept > n + 1).sum()), len(kept))))
    never = all(p.measured.value == 0 for p in found if p.curve == "unity:leaves=1")
    return Found(found, "P(P_max > n + 1)", never and all((ends(found, init)[1].low or 0) > 0.04 for init in large))


def front(seed: int) -> Found:
    """The time of SMO-GP to the whole front, over n·T_init + n²·ln n: it climbs from 2n leaves, less from one."""
    found, notes, holds = list[Point](), list[str](), True
    for problem, init in (("order", "unity"), ("order", "insertion"), ("majority", "unity"), ("majority", _LEAF)):
        for n, runs in ((10, 1000), (20, 400), (40, 150), (80, 60)):
            spec = RunSpec(problem=problem, algorithm="smo-single", n=n, init=init)
            mean, bound = run_many(spec, seed=seed, runs=runs).mean_time(), n * spec.init.leaves + n * n * math.log(n)
            found.append(Point(f"{problem}, {init}", n, mean.transformed(lambda t, bound=bound: t / bound)))
        climb = power(found, found[-1].curve, 10)
        notes.append(f"{found[-1].curve}: n^{climb}")
        holds &= (climb.low or 0) > 0 if init != _LEAF else float(climb) < 0.15
    return Found(found, "T ÷ (n·T_init + n²·ln n)", holds, notes=notes)


def mean_field(seed: int) -> Found:
    """The mean field has the means of MAJORITY and 2/3-MAJORITY, to four standard errors."""
    found, holds, lines = list[Point](), True, list[dict[int, float]]()
    for problem, init in (("majority", "unity"), ("majority", "unity:leaves=6n"), ("two-thirds-majority", "unity")):
        spec = RunSpec(problem=problem, algorithm="gp-single", n=640, init=init, budget=10**9)
        said = limit(spec)
        for n in (640, 2560, 10_240):
            at_n = RunSpec(problem=problem, algorithm="gp-single", n=n, init=init, budget=10**9)
            runs = run_many(at_n, seed=seed, runs=150)
            holds &= abs(said.against({n: (runs.evaluations.tolist(), 0)}).compared[0].z) < 4
            mean = runs.mean_time().transformed(lambda t, n=n: t / (n * math.log(n)))
            found.append(Point(f"{problem}, {init}", n, mean))
        lines.append({n: said.at(n).constant or 0 for n in (640, 2560, 10_240)})
        holds &= problem != "majority" or abs((said.constant or 0) - 7.277) < 1e-3
    return Found(found, "T ÷ (n ln n)", holds, lines)


FINDINGS: dict[str, Callable[[int], Found]] = {
    "order-strict": order_strict,
    "weights": weights,
    "sorting": sorting,
    "plus-c": plus_c,
    "size-limit": size_limit,
    "population": population,
    "front": front,
    "mean-field": mean_field,
}


def drawing(name: str, found: Found, words: str) -> Drawing:
    """The picture."""
    sizes = sorted({point.n for point in found.points})
    records: list[dict[str, Any]] = []
    with styled():
        figure, (axes,) = new_figure(3.6)
        for place, curve in enumerate(dict.fromkeys(point.curve for point in found.points)):
            some = [point for point in found.points if point.curve == curve]
            ns = [point.n * (1 + 0.02 * place) for point in some]
            points(axes, ns, [point.measured for point in some], look(place), curve)  # type: ignore[arg-type]
            records += [{"curve": curve, "n": p.n, **p.measured.columns("value")} for p in some]
        for place, line in enumerate(found.lines):
            label = "mean field" if place == 0 else None
            axes.plot(list(line), list(line.values()), color=INK, linewidth=0.9, label=label)
        over_n(axes, sizes)
        axes.set_ylabel(found.of)
        axes.set_title(wrapped(words))
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return Drawing(f"finding-{name}", figure, words, records)


def main() -> None:
    """All findings, or those that are named."""
    asked = argparse.ArgumentParser(prog="./run findings", description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FINDINGS))
    asked.add_argument("--seed", type=int, default=2)
    asked.add_argument("--pictures", action="store_true")
    words = asked.parse_args()
    if unknown := [name for name in words.names if name not in FINDINGS]:
        asked.error(f"{unknown[0]}: must be one of {', '.join(FINDINGS)}")
    failed = []
    for name in words.names or FINDINGS:
        begun, found = time.monotonic(), FINDINGS[name](words.seed)
        said = " ".join((FINDINGS[name].__doc__ or "").split())
        print(f"{name}: {said}\n  {'holds' if found.holds else 'DOES NOT HOLD'}, seed {words.seed}; {found.of}:")
        for point in found.points:
            print(f"    {point.curve}, n = {point.n:,}: {point.measured}")
        for note in found.notes:
            print(f"    {note}")
        print(f"  {time.monotonic() - begun:.0f} s", flush=True)
        failed += [] if found.holds else [name]
        if words.pictures:
            target = IMAGES / f"finding-{name}.png"
            target.write_bytes(drawing(name, found, said).to_bytes("png"))
    if failed:
        print(f"gpruntime: does not hold on seed {words.seed}: {', '.join(failed)}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
