"""The tail of the time of (1+1) GP-single at n = 100, from more runs than a processor could make.

PYTHONPATH=src python docs/make_tails.py count [SHARE]    # on a GPU: writes docs/data/gpu-tails.json; SHARE of the runs
.venv/bin/python docs/make_tails.py draw                  # anywhere: draws it into docs/images/gpu-tails.png
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "gpu-tails.json"
IMAGE = Path(__file__).parent / "images" / "gpu-tails.png"
N, LEVEL = 100, 0.95
# A cell has at most 2³² runs, so that of a problem are of several seeds.
JOBS = {"majority": [(1, 4_000_000_000), (2, 4_000_000_000), (3, 2_000_000_000)], "order": [(1, 150_000_000)]}
COLOURS = {"majority": "#0072b2", "order": "#d55e00"}


def count(share: float) -> None:
    """Makes the runs and writes their histograms."""
    from gpruntime.engine.summary import bin_begins
    from gpruntime.gpu import summarise_runs
    from gpruntime.model.spec import RunSpec

    found: dict[str, Any] = {}
    begins = bin_begins().tolist()
    for problem, jobs in JOBS.items():
        spec = RunSpec(problem=problem, algorithm="gp-single", n=N)
        begun, parts = time.perf_counter(), []
        for seed, runs in jobs:
            parts.append((seed, summarise_runs(spec, seed, max(1000, round(runs * share)), keep=5)))
        counts = sum(part.histogram for _, part in parts)
        optima, total = sum(part.optima for _, part in parts), sum(part.total for _, part in parts)
        squares = sum(part.squares for _, part in parts)
        found[problem] = {
            "device": parts[0][1].device,
            "seconds": round(time.perf_counter() - begun, 1),
            "seeds": {seed: part.runs for seed, part in parts},
            "optima": optima,
            "by_the_engine": sum(part.by_the_engine for _, part in parts),
            "total": total,
            "squares": squares,
            "longest": {seed: part.largest for seed, part in parts},
            "shortest": {seed: part.smallest for seed, part in parts},
            "bins": [[begin, number] for begin, number in zip(begins, counts.tolist(), strict=True) if number],
        }
        print(problem, {name: value for name, value in found[problem].items() if name != "bins"}, flush=True)
        DATA.parent.mkdir(exist_ok=True)
        DATA.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


def draw() -> None:
    """Draws P(time ≥ t) with exact binomial intervals, and prints the quantiles."""
    import matplotlib as mpl
    from scipy import stats

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
    for problem, found in json.loads(DATA.read_text(encoding="utf-8")).items():
        runs = sum(found["seeds"].values())
        times, numbers = zip(*found["bins"], strict=True)
        beyond, left = [], runs
        for number in numbers:
            beyond.append(left)
            left -= number
        # Clopper and Pearson: the interval that the binomial law itself gives
        low = [stats.beta.ppf((1 - LEVEL) / 2, k, runs - k + 1) for k in beyond]
        high = [1.0 if k == runs else stats.beta.ppf((1 + LEVEL) / 2, k + 1, runs - k) for k in beyond]
        shares = [k / runs for k in beyond]
        label = f"{problem.upper()}, {runs:,} runs"
        axes.fill_between(times, low, high, color=COLOURS[problem], alpha=0.25, linewidth=0)
        axes.plot(times, shares, color=COLOURS[problem], linewidth=1.5, label=label)
        mean = found["total"] / found["optima"]
        print(f"{problem}: {runs:,} runs, mean {mean:,.4f}")
        for power in range(1, 11):
            place = next((i for i, share in enumerate(shares) if share <= 10.0**-power), None)
            if place is not None:
                told = f"{shares[place]:.3g} ({low[place]:.3g} to {high[place]:.3g})"
                print(f"  P(time >= {times[place]:,}) = {told}, {times[place] / mean:.2f} times the mean")
    axes.set(yscale="log", xlabel="t, evaluations", ylabel="P(time ≥ t)")
    axes.set_title(
        f"(1+1) GP-single from unity, n = {N}: the tail of the time, with {LEVEL:.0%} intervals", fontsize=11
    )
    axes.grid(which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    figure.savefig(IMAGE, dpi=150)


if __name__ == "__main__":
    if sys.argv[1:2] == ["draw"]:
        draw()
    else:
        count(float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
