"""Profiles: the figure of one, and what `gpruntime study show` prints of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpruntime.analysis import formatting
from gpruntime.analysis.profiles import Profile
from gpruntime.analysis.survival import thinned
from gpruntime.analysis.trajectories import in_words
from gpruntime.model.printable import printable
from gpruntime.show.axes import is_finite, log_times, log_values, new_figure, points, with_intervals, wrapped
from gpruntime.show.drawing import Drawing, slug
from gpruntime.show.style import look, shades, styled
from gpruntime.show.tables import Table, with_interval
from gpruntime.show.terminal import WIDTH, table_lines, wrapped_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpruntime.analysis.estimates import Estimate

PARTS = (0.9, 0.75, 0.5, 0.25, 0.1)  # of the runs, for the lines of the attainment function
_MAX_POINTS = 15
_ROWS = 5


def profile_figure(profile: Profile) -> Drawing:
    """Evaluations at fixed targets, fitness at fixed budgets with attainment lines, and targets reached over time."""
    targets, budgets = profile.at_targets, profile.at_budgets
    chosen = [targets[place] for place in thinned(len(targets), _MAX_POINTS)]
    fitness, at = [target.fitness for target in targets], [budget.evaluations for budget in budgets]
    how = look(0)
    with styled():
        figure, (first, second, third) = new_figure(7.6, 3, [1.2, 1.2, 1], share=False)
        _band(first, fitness, [target.median for target in targets])
        finite = [t for t in targets if is_finite(t.median.value)]
        if finite:
            first.plot([t.fitness for t in finite], [float(t.median) for t in finite], color=how.colour, label="median")
        ert = [target.ert for target in chosen]
        points(first, [target.fitness for target in chosen], ert, look(3), "evaluations ÷ successes")
        log_values(first)
        first.set(xlabel="fitness k", ylabel="evaluations until k", title=wrapped(profile.name))
        upwards = fitness[0] <= fitness[-1]
        first.legend(loc="upper left" if upwards else "upper right")
        for part, shade in zip(PARTS, shades(len(PARTS)), strict=True):
            label = f"{100 * part:g} % of the runs"
            second.step(at, profile.front(part), where="post", color=shade, linewidth=0.9, label=label)
        _band(second, at, [budget.mean for budget in budgets], colour=look(3).colour)
        second.plot(at, [float(budget.mean) for budget in budgets], color=look(3).colour, linewidth=1.8, label="mean")
        second.set_ylabel("best fitness")
        second.legend(loc="lower right" if upwards else "upper right", ncols=2)
        _band(third, at, [budget.solved for budget in budgets])
        third.plot(at, [float(budget.solved) for budget in budgets], color=how.colour)
        third.set(ylim=(0, 1.02), ylabel="targets reached")
        for axes in (second, third):
            log_times(axes)
            axes.set_xlabel("evaluations")
            if profile.horizon is not None:
                axes.axvline(profile.horizon, color="#8a8a8a", linestyle=":", linewidth=1)
            if at[0] == at[-1]:
                axes.set_xlim(at[0] / 2, at[0] * 2)
    drawn = [*(t.median for t in targets), *ert, *(e for b in budgets for e in (b.mean, b.solved))]
    caption = (
        f"{profile.name}, {formatting.plural(profile.runs, 'run')}{with_intervals(drawn, profile.level)}. Evaluations "
        "to a fixed fitness; the best fitness after fixed evaluations, its mean and what shares of the runs have "
        "attained; and the share of all fitness values that a run has reached."
    )
    if not is_finite(targets[-1].median.value):
        caption += " The median ends where half of the runs never come, or not within the budget."
    if profile.horizon is not None:
        caption += f" Beyond the budget of {profile.horizon:,.0f} nothing is known."
    records: list[dict[str, Any]] = [{"profile": "fixed target", **record} for record in profile.to_records()]
    fronts = [profile.front(part) for part in PARTS]
    for place, record in enumerate(profile.budget_records()):
        lines = {f"attained_by_{part:g}": front[place] for part, front in zip(PARTS, fronts, strict=True)}
        records.append({"profile": "fixed budget", **record, **lines})
    return Drawing(f"profile-{slug(profile.name)}", figure, caption, records)


def _band(axes: Axes, at: Sequence[float], estimates: Sequence[Estimate], colour: str = look(0).colour) -> None:
    """The intervals, as far as they are known and finite."""
    known = [(x, e.low, e.high) for x, e in zip(at, estimates, strict=True) if is_finite(e.low) and is_finite(e.high)]
    if len(known) > 1:
        x, low, high = zip(*known, strict=True)
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)


def profile_table(profile: Profile) -> Table:
    """Some targets in words."""
    chosen = [profile.at_targets[place] for place in thinned(len(profile.at_targets), _ROWS)]
    rows = tuple(
        (in_words(target.fitness), *map(with_interval, (target.chance, target.mean, target.median, target.ert)))
        for target in chosen
    )
    return Table(("fitness", "P(reached)", "E[evaluations]", "median", "evaluations ÷ successes"), rows)


def profiles_text(profiles: Sequence[Profile], verbose: bool = False, width: int = WIDTH) -> str:
    """A line for each cell, or a table."""
    lines = ["Profiles: evaluations until a fitness is reached"]
    for profile in profiles:
        lines += [profile.name] if verbose else wrapped_lines(f"{profile.name}: {profile.headline()}", width)
        lines += table_lines(profile_table(profile), width) if verbose else []
    return "\n".join(printable(line) for line in lines)
