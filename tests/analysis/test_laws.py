"""Laws that were planted are recognised; laws that cannot be told apart are called so."""

import math

import numpy as np
import pytest

from benchmarks.coverage import TRUTHS
from benchmarks.coverage import planted as planted_law
from gpruntime import RunSpec
from gpruntime.analysis import summarise
from gpruntime.analysis.fitting import Points, local_exponents, one_term, points_of
from gpruntime.analysis.growth import LAWS
from gpruntime.analysis.laws import fit_laws, why_no_law
from gpruntime.analysis.power import power_analysis
from tests.runs_help import study_table

SIZES = [int(n) for n in np.geomspace(20, 20_000, 11)]
RUNS = 100


def planted(generator, law, constant, sizes=SIZES, runs=RUNS, shape=10.0, lower=lambda n: 0.0):
    """Gamma-distributed times (deviation mean/√shape) around constant·g(n) + lower(n)."""
    means, variances = [], []
    for n in sizes:
        growth = LAWS[law].term.log(np.array([float(n)])) if LAWS[law].term else np.array([0.5 * n * math.log(2)])
        times = (constant * math.exp(growth[0]) + lower(n)) * generator.gamma(shape, 1 / shape, runs)
        means.append(times.mean())
        variances.append(times.var(ddof=1) / times.mean() ** 2)
    return points_of(sizes, means, variances, [runs] * len(sizes))


@pytest.mark.statistical
def test_planted_laws_are_recognised_and_their_constants_covered():
    """200 trials, 20 for each law: recognised in at least 95 %, covered in 92 % and more: other forms could be true."""
    generator = np.random.default_rng(2024)
    recognised = covered = trials = 0
    for law in LAWS:
        sizes = SIZES if LAWS[law].term else list(range(6, 40, 3))
        for _ in range(20):
            fit = fit_laws(planted(generator, law, 3.0, sizes))
            recognised += fit.best.law.id == law
            covered += fit.of(law).constant.low <= 3.0 <= fit.of(law).constant.high
            trials += 1
    assert trials == 200
    assert recognised >= 190
    assert covered >= 184


@pytest.mark.statistical
def test_a_planted_lower_order_term_does_not_spoil_the_constant():
    """3·n ln n + 9·n, 50 trials: n ln n alone would have a constant near 4. The truth is hardly ever excluded."""
    generator = np.random.default_rng(7)
    recognised = covered = excluded = 0
    for _ in range(50):
        fit = fit_laws(planted(generator, "n log n", 3.0, lower=lambda n: 9.0 * n))
        recognised += fit.best.law.id == "n log n"
        excluded += fit.of("n log n").unlikely
        covered += fit.of("n log n").constant.low <= 3.0 <= fit.of("n log n").constant.high
    assert recognised >= 43
    assert excluded <= 1
    assert covered >= 43


@pytest.mark.statistical
def test_a_short_range_cannot_tell_and_says_what_could():
    generator = np.random.default_rng(1)
    undecided = decided = wrong = 0
    for _ in range(20):
        fit = fit_laws(planted(generator, "n log n", 3.0, [100, 150, 200, 300, 400], runs=30, shape=1.0))
        assert not any(law.excluded for law in fit.ranking)
        rivals = {law.law.id for law in fit.ranking if not law.unlikely}
        undecided += {"n log n", "n log^2 n"} <= rivals
        wrong += "n log n" not in rivals
        analysis = power_analysis(fit.of("n log n"), fit.of("n log^2 n"), fit.points)
        assert analysis.size is not None
        assert analysis.size > 400
        assert analysis.runs_factor > 10
        sizes = [int(n) for n in fit.points.n]
        while sizes[-1] < analysis.size:
            sizes.append(2 * sizes[-1])
        longer = fit_laws(planted(generator, "n log n", 3.0, sizes, runs=30, shape=1.0))
        decided += longer.of("n log^2 n").unlikely
    assert undecided >= 16
    assert wrong <= 1
    assert decided >= 15  # four standard errors, known before the runs are made


def test_free_powers():
    generator = np.random.default_rng(3)
    fit = fit_laws(planted(generator, "n^1.5", 2.0))
    assert fit.power.alpha.low < 1.5 < fit.power.alpha.high
    assert fit.power_log.alpha.low < 1.5 < fit.power_log.alpha.high
    assert fit.power_log.beta.low < 0 < fit.power_log.beta.high
    assert -1 < fit.power_log.correlation < -0.9


def test_the_largest_sizes_are_predicted():
    fit = fit_laws(planted(np.random.default_rng(4), "n^2", 1.0))
    assert [size.n for size in fit.predictions] == SIZES[-2:]
    assert all(abs(size.miss) < 4 for size in fit.predictions)
    bent = planted(np.random.default_rng(4), "n^2", 1.0)
    bent.mean[-1] *= 2
    assert fit_laws(bent).predictions[-1].miss > 4


def test_sizes_that_no_law_fits_are_left_out():
    """An odd bump at the three smallest sizes, 200 standard errors high."""
    points = planted(np.random.default_rng(5), "n log n", 3.0, runs=10_000, shape=100.0)
    points.mean[:3] *= [1.4, 1.2, 1.3]
    fit = fit_laws(points)
    assert fit.left_out == tuple(SIZES[:3])
    assert fit.best.law.id == "n log n"
    assert fit.best.constant.value == pytest.approx(3.0, rel=0.01)


def test_a_misfit_widens_intervals():
    points = planted(np.random.default_rng(6), "n", 5.0)
    (tight, *_) = fit_laws(points).best.forms
    points.mean[::2] *= 1.2
    loose = fit_laws(points)
    assert not loose.fits
    assert loose.best.fit.dispersion > 5
    width = math.log(loose.best.constant.high / loose.best.constant.low)
    assert width > 4 * 1.96 * math.sqrt(tight[0].covariance[0, 0])


def test_a_power_that_is_not_in_the_list():
    generator = np.random.default_rng(11)
    points = planted(generator, "n", 1.0, runs=1000)
    bent = points_of(SIZES, points.mean * points.n**0.75, [0.1] * len(SIZES), [1000] * len(SIZES))
    fit = fit_laws(bent)
    assert fit.better_power.odds > 20
    assert fit.power.alpha.low < 1.75 < fit.power.alpha.high


def test_few_sizes_and_no_noise():
    assert fit_laws(points_of([10, 20, 30], [1.0, 2.0, 3.0], [1.0] * 3, [9] * 3)) is None
    squares = [100.0, 400.0, 1600.0, 6400.0]
    exact = fit_laws(points_of([10, 20, 40, 80], squares, [1e-9] * 4, [9] * 4))
    assert exact.best.law.id == "n^2"
    assert exact.best.constant.value == pytest.approx(1.0)
    alike = points_of([10, 20, 40, 80], squares, [0.0] * 4, [9] * 4)
    assert fit_laws(alike) is None  # the variances would be made up
    assert "all runs are alike" in why_no_law(alike)


def test_no_law_on_a_range_that_is_hardly_one():
    near = points_of([1000, 1001, 1002, 1003], [9.0, 9.1, 9.3, 9.2], [0.1] * 4, [50] * 4)
    assert fit_laws(near) is None
    assert "factor of two" in why_no_law(near)


@pytest.mark.statistical
@pytest.mark.parametrize("sizes", [[10, 20, 40, 80], [10, 20, 40, 80, 160], [10, 20, 40, 80, 160, 320]])
def test_large_lower_order_terms_on_few_sizes_exclude_nothing_that_is_true(sizes):
    """1.128·n² + 20.9·n^1.5: at n = 320 the second term is still the larger one, so n² is not even a form."""
    generator = np.random.default_rng(13)
    for _ in range(20):
        fit = fit_laws(planted(generator, "n^2", 1.128, sizes, shape=4.0, lower=lambda n: 20.9 * n**1.5))
        assert not fit.of("n^2").excluded
        assert fit.obstacles or fit.of("n^2").at_bound or not fit.of("n^2").unlikely


def test_more_data_do_not_exclude_what_the_forms_forbid():
    generator = np.random.default_rng(14)
    sizes = [10, 20, 40, 80, 160, 320]
    for runs in (1000, 100_000):
        fit = fit_laws(planted(generator, "n^2", 1.128, sizes, runs=runs, lower=lambda n: 20.9 * n**1.5))
        assert not fit.of("n^2").excluded
        assert fit.of("n^2").at_bound or not fit.of("n^2").unlikely


def test_what_it_takes_to_exclude():
    generator = np.random.default_rng(15)
    wide = fit_laws(planted(generator, "n log n", 3.0))
    assert wide.obstacles == ()
    assert wide.of("n").excluded
    assert wide.of("n^2").unlikely
    assert wide.of("n^2").at_bound  # 3·n ln n + a little n² is n² too
    assert not wide.of("n^2").excluded
    few = fit_laws(planted(generator, "n log n", 3.0, SIZES[::3], runs=1000))
    assert few.of("n").unlikely
    assert not few.of("n").excluded
    assert "too few" in few.obstacles[-1]
    bent = planted(generator, "n log n", 3.0)
    bent.mean[-1] *= 2
    assert fit_laws(bent).obstacles
    assert not any(law.excluded for law in fit_laws(bent).ranking)


def test_criteria():
    """Known variances: AIC. An estimated dispersion is a parameter and has the small-sample term."""
    points = planted(np.random.default_rng(16), "n log n", 3.0, SIZES[:4])
    fit = one_term(points, LAWS["n log n"])
    assert fit.criterion(1.0) == pytest.approx(fit.misfit + 2)
    assert fit.criterion(2.0) == pytest.approx(fit.misfit / 2 + 4 + 2 * 2 * 3 / (4 - 2 - 1))


@pytest.mark.statistical
def test_smoothed_variances_are_unbiased():
    """Normal times, four runs: E[log s²] lies log(ν/2) − ψ(ν/2) = 0.37 below log σ² with ν = 3."""
    generator = np.random.default_rng(17)
    found = []
    for _ in range(300):
        times = generator.normal(100, 1, size=(8, 4))
        points = points_of(SIZES[:8], [100.0] * 8, times.var(1, ddof=1) / 100**2, [4] * 8)
        found.append(np.log(points.relative * 4 * 100**2).mean())
    assert abs(np.mean(found)) < 0.08  # four standard errors


def test_equations():
    fit = fit_laws(planted(np.random.default_rng(9), "n log n", 3.0, runs=10_000, lower=lambda n: -6.0 * n))
    assert fit.best.equation().startswith(("3.0", "2.9"))
    assert "·n·ln n − " in fit.best.equation()
    exponential = fit_laws(planted(np.random.default_rng(9), "2^n", 3.0, list(range(6, 40, 3)))).best
    assert exponential.beta == pytest.approx(0.5, abs=0.01)
    assert "2^(0.5" in exponential.equation() or "2^(0.4" in exponential.equation()


@pytest.mark.statistical
def test_low_means_do_not_weigh_more():
    """Log-normal times (γ ≈ 6), 12 sizes of 20 runs: raw weights make the constant 1.3 standard errors too small."""
    generator = np.random.default_rng(12)
    sizes = np.geomspace(20, 20_000, 12)
    errors = {"smoothed": [], "raw": []}
    for _ in range(400):
        times = generator.lognormal(-0.5, 1.0, size=(12, 20)) * (3 * sizes * np.log(sizes))[:, None]
        means, variances = times.mean(1), times.var(1, ddof=1) / times.mean(1) ** 2
        smoothed = points_of(sizes, means, variances, [20] * 12)
        raw = Points(sizes, means, variances / 20, np.full(12, 20.0))
        for name, points in (("smoothed", smoothed), ("raw", raw)):
            fit = one_term(points, LAWS["n log n"])
            errors[name].append((fit.parameters[0] - math.log(3)) / math.sqrt(fit.covariance[0, 0]))
    assert np.mean(errors["raw"]) < -1.1
    assert abs(np.mean(errors["smoothed"])) < 0.65


# ---- terms that no list had, and laws that none has


@pytest.mark.statistical
@pytest.mark.parametrize("truth", [name for name, (law, *_) in TRUTHS.items() if law and "0.085" not in name])
def test_lower_order_terms_break_neither_the_law_nor_its_constant(truth):
    """15 trials: the truth is never excluded, and its constant is held in 9 (13.5 − 4·1.2, of 90 %) and more."""
    identifier, constant, law = TRUTHS[truth]
    generator = np.random.default_rng(4)
    fits = [fit_laws(planted_law(generator, law)) for _ in range(15)]
    own = [fit.of(identifier) for fit in fits]
    assert not any(one.excluded for one in own)
    assert sum(one.constant.low <= constant <= one.constant.high for one in own) >= 9


@pytest.mark.statistical
def test_on_a_short_range_the_constant_allows_for_forms_that_are_only_less_likely():
    """20 trials on six sizes: it was held in 9 to 11 with the forms up to 20 : 1, and is in 14 to 17 now."""
    _, constant, law = TRUTHS["5·n·(1 − n^−¼)"]
    generator, sizes = np.random.default_rng(1), (10, 20, 40, 80, 160, 320)
    own = [fit_laws(planted_law(generator, law, sizes)).of("n").constant for _ in range(20)]
    assert sum(one.low <= constant <= one.high for one in own) >= 13


def test_it_takes_a_thousand_to_one_and_a_law_that_fits():
    fits = [fit_laws(planted(np.random.default_rng(seed), "n log n", 3.0, runs=40)) for seed in range(8)]
    ranked = [(fit, law) for fit in fits for law in fit.ranking]
    assert all(fit.fits and not fit.obstacles and law.behind >= 1000 for fit, law in ranked if law.excluded)
    assert any(law.unlikely and not law.excluded and not law.at_bound for fit, law in ranked if not fit.obstacles)
    bent = planted(np.random.default_rng(15), "n log n", 3.0)
    bent.mean[::2] *= 1.2
    assert not any(law.excluded for law in fit_laws(bent).ranking)


@pytest.mark.parametrize(
    ("law", "told_apart"), [(lambda n: n**1.1, False), (lambda n: 3 * n * np.log(n), True), (lambda n: 2 * n**2, True)]
)
def test_a_free_power_is_a_rival_unless_it_is_the_law(law, told_apart):
    fit = fit_laws(planted_law(np.random.default_rng(6), law, runs=1000))
    assert (fit.better_power is None and not fit.rival_powers) == told_apart


def test_local_exponents_by_hand():
    points = points_of([10, 20, 80], [1.0, 4.0, 16.0], [0.04] * 3, [100] * 3)
    (n, first), (_, second) = local_exponents(points)
    assert n == pytest.approx(math.sqrt(200))
    assert (first.value, second.value) == pytest.approx((2, 1))
    assert first.high - first.value == pytest.approx(1.96 * math.sqrt(2 * 0.0004) / math.log(2), rel=1e-2)


def test_the_doubt_stands_in_the_sentence_of_the_law():
    """Whoever reads one sentence reads the doubt."""
    table = study_table([RunSpec(problem="order", algorithm="gp-single", n=n) for n in (4, 6, 8, 12)], 20)
    (curve,) = summarise(table).curves
    assert curve.fit.rivals
    assert "given these forms" in curve.sentences()[0]
    assert "cannot be told from it." in curve.sentences()[0]
    assert curve.sentences()[0] in curve.headline()
    assert any(sentence.startswith("Local exponents: ") for sentence in curve.sentences())
