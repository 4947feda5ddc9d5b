"""KernelDensity: closed forms, integrals, distributions, bounds, degenerate data and bad input (S8, S9)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm as normal
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import KernelDensity
from mercer.solvers.density import Accuracy, log_sums
from mercer.windows import NAMES, FunctionWindow

rng = np.random.default_rng(0)
x = rng.normal(size=(80, 1))
X = rng.normal(size=(120, 2)) @ np.array([[1.0, 0.4], [0.0, 0.7]])
ALL = [name for name in NAMES if name not in ("tophat", "linear")]
line = np.linspace(-9.0, 9.0, 3601)


def integral(model, grid=line):
    return np.trapezoid(model.pdf(grid[:, None]), grid)


def test_value_of_three_points_S8():
    model = KernelDensity(bandwidth=0.5).fit([[-1.0], [0.0], [1.0]])
    assert model.pdf([[0.0]])[0] == pytest.approx(0.3379494756, abs=1e-10)


def test_equals_a_gaussian_mixture_S8():
    h, n = 0.3, len(X)
    mixture = GaussianMixture(n, covariance_type="spherical")
    mixture.weights_, mixture.means_ = np.full(n, 1 / n), X
    mixture.covariances_, mixture.precisions_cholesky_ = np.full(n, h**2), np.full(n, 1 / h)
    assert_allclose(KernelDensity(bandwidth=h, rtol=0).fit(X).score_samples(X), mixture.score_samples(X), rtol=1e-9)


@pytest.mark.parametrize("kernel", ALL)
def test_mass_mean_and_variance_S8(kernel):
    w = rng.uniform(0.5, 1.5, len(x))
    model = KernelDensity(kernel=kernel, bandwidth=0.4).fit(x, sample_weight=w)
    p, share = model.pdf(line[:, None]), w / w.sum()
    mean = share @ x[:, 0]
    assert np.trapezoid(p, line) == pytest.approx(1.0, abs=2e-3)
    assert np.trapezoid(p * line, line) == pytest.approx(mean, abs=2e-3)
    variance = share @ (x[:, 0] - mean) ** 2 + 0.4**2 * NAMES[kernel].second_moment()
    assert np.trapezoid(p * (line - mean) ** 2, line) == pytest.approx(variance, rel=5e-3)


@pytest.mark.parametrize(
    "options", [{}, {"adaptive": True}, {"kernel": "epanechnikov"}, {"support": [(-4, None), None]}]
)
def test_leave_one_out_equals_refits_S9(options):
    model = KernelDensity(bandwidth=0.5, rtol=0, **options).fit(X)
    left = model.leave_one_out()
    if "adaptive" in options:  # the factors are those of all points
        points = model._points
        for i in (0, 7):
            others = points.subset(np.delete(np.arange(len(X)), i))
            found = log_sums(others, X[i : i + 1], Accuracy(), "exact")[0][0]
            assert left[i] == pytest.approx(found + model._log_constant - np.log1p(-1 / len(X)))
        return
    refits = [KernelDensity(bandwidth=0.5, rtol=0, **options).fit(np.delete(X, i, 0)).score_samples(X[i : i + 1])[0]
              for i in range(len(X))]  # fmt: skip
    assert_allclose(left, refits, rtol=1e-9)


def test_an_isolated_point_has_log_zero_left_out_S9():
    model = KernelDensity(bandwidth=0.5, kernel="epanechnikov").fit([[0.0], [0.1], [9.0]])
    assert model.leave_one_out()[2] == -np.inf
    assert model.score_samples([[5.0]])[0] == -np.inf


@pytest.mark.parametrize("bandwidth", ["scott", "silverman", "normal", "isj", "sj", "lscv", "lcv"])
def test_rules_follow_the_units(bandwidth):
    one = KernelDensity(bandwidth=bandwidth).fit(x)
    ten = KernelDensity(bandwidth=bandwidth).fit(10.0 * x + 3.0)
    assert ten.bandwidth_ == pytest.approx(10.0 * one.bandwidth_, rel=1e-8)


def test_bandwidths_of_columns_and_matrices():
    h = np.array([0.5, 0.2])
    diagonal = KernelDensity(bandwidth=np.diag(h**2), rtol=0).fit(X)
    assert_allclose(diagonal.score_samples(X), KernelDensity(bandwidth=h, rtol=0).fit(X).score_samples(X), rtol=1e-10)
    H = np.array([[0.3, 0.1], [0.1, 0.2]])
    model = KernelDensity(bandwidth=H).fit(X)
    truth = np.mean([normal_pdf(X[3] - row, H) for row in X])
    assert model.pdf(X[3:4])[0] == pytest.approx(truth, rel=1e-4)
    drawn = model.sample(20_000, random_state=0)
    assert_allclose(np.cov(drawn.T), np.cov(X.T, bias=True) + H, rtol=0.1, atol=0.02)


def normal_pdf(d, H):
    return np.exp(-0.5 * d @ np.linalg.solve(H, d)) / (2.0 * np.pi * np.sqrt(np.linalg.det(H)))


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "exponential"])
@pytest.mark.parametrize("boundary", ["reflect", "linear"])
@pytest.mark.parametrize("support", [(0, None), (0, 4.0), (None, 4.0)])
def test_bounded_densities_integrate_to_one(support, boundary, kernel):
    data = np.clip(np.abs(x), 0.0, 4.0)
    model = KernelDensity(bandwidth=0.5, kernel=kernel, support=support, boundary=boundary).fit(data)
    low, high = (-40.0 if support[0] is None else 0.0), (40.0 if support[1] is None else 4.0)
    grid = np.linspace(low, high, 16_001)
    assert integral(model, grid) == pytest.approx(1.0, abs=1e-3)
    assert model.cdf([[high]])[0] == pytest.approx(1.0, abs=1e-3)
    outside = [[-0.1]] if support[0] == 0 else [[4.1]]
    assert model.score_samples(outside)[0] == -np.inf
    drawn = model.sample(300, random_state=0)
    assert drawn.min() >= low
    assert drawn.max() <= high


def test_first_order_has_less_bias_at_a_bound_than_reflection():
    data = rng.exponential(size=(4000, 1))
    at_zero = {b: KernelDensity(bandwidth=0.3, support=(0, None), boundary=b).fit(data).pdf([[0.0]])[0]
               for b in ("reflect", "linear")}  # fmt: skip
    assert abs(at_zero["linear"] - 1.0) < 0.5 * abs(at_zero["reflect"] - 1.0)


def test_circles_have_no_end():
    model = KernelDensity(bandwidth=20.0, support=("circle", 0.0, 360.0)).fit([[350.0], [5.0], [10.0], [730.0]])
    grid = np.linspace(0.0, 360.0, 3601)
    assert integral(model, grid) == pytest.approx(1.0, abs=1e-6)
    assert_allclose(model.pdf([[0.0], [-10.0]]), model.pdf([[360.0], [710.0]]), rtol=1e-9)


@pytest.mark.parametrize("kernel", ALL)
def test_distribution_and_its_inverse(kernel):
    model = KernelDensity(bandwidth=0.4, kernel=kernel, rtol=0).fit(x)
    q = np.array([0.05, 0.3, 0.5, 0.9])
    at = model.ppf(q)
    assert_allclose(model.cdf(at[:, None]), q, atol=1e-10)
    low = np.linspace(-9.0, at[1], 4001)
    assert np.trapezoid(model.pdf(low[:, None]), low) == pytest.approx(0.3, abs=2e-3)
    inside = np.diff(model.cdf(np.array(model.interval(0.8))[:, None]))[0]
    assert inside == pytest.approx(0.8, abs=1e-9)


def test_conditional_density_is_joint_over_marginal():
    model = KernelDensity(bandwidth=(0.4, 0.3), rtol=0).fit(X)
    given = model.conditional(0, 0.7)
    joint = model.pdf(np.column_stack([np.full(3601, 0.7), line]))
    assert_allclose(given.pdf(line[:, None]), joint / np.trapezoid(joint, line), atol=1e-8)
    assert given.n_features_in_ == 1
    with pytest.raises(ValueError, match="form='product'"):
        KernelDensity(kernel="epanechnikov").fit(X).conditional(0, 0.0)


def test_oversmoothing_lowers_the_number_of_modes_E16():
    two = np.concatenate([x[:40] - 4.0, x[40:] + 4.0])
    counts = [len(KernelDensity(bandwidth=h).fit(two).modes()) for h in (0.05, 1.0, 6.0)]
    assert counts[0] > counts[1] == 2
    assert counts[2] == 1
    plane = np.concatenate([0.3 * X, 0.3 * X + 5.0])
    modes = KernelDensity(bandwidth=1.0).fit(plane).modes()
    assert len(modes) == 2
    model = KernelDensity(bandwidth=1.0, rtol=0).fit(plane)
    for step in (1e-3, -1e-3):
        assert (model.pdf(modes + step) <= model.pdf(modes)).all()


def test_bands_cover_the_expected_density():
    inside, h = [], 0.4
    truth = normal.pdf(0.5, scale=np.sqrt(1.0 + h**2))
    for seed in range(200):
        sample = np.random.default_rng(seed).normal(size=(100, 1))
        low, high = KernelDensity(bandwidth=h).fit(sample).bands([[0.5]], level=0.9)
        inside.append(low[0] <= truth <= high[0])
    assert 0.83 <= np.mean(inside) <= 0.96


def test_thresholds_hold_their_probability():
    sample = rng.normal(size=(2000, 2))
    model = KernelDensity(bandwidth="scott").fit(sample)
    drawn = model.sample(4000, random_state=1)
    assert np.mean(model.pdf(drawn) > model.threshold(0.8)) == pytest.approx(0.8, abs=0.05)


def test_constant_columns_give_a_density_of_the_others():
    data = np.column_stack([x, np.full(80, 7.0)])
    with pytest.warns(UserWarning, match=r"columns \[1\] are constant"):
        model = KernelDensity(bandwidth="silverman").fit(data)
    alone = KernelDensity(bandwidth="silverman").fit(x)
    assert_allclose(model.score_samples(data), alone.score_samples(x))
    assert model.score_samples([[0.0, 7.5]])[0] == -np.inf
    assert (model.sample(5, random_state=0)[:, 1] == 7.0).all()
    with pytest.raises(ValueError, match="Pass a number as bandwidth"):
        KernelDensity(bandwidth="scott").fit(np.ones((5, 2)))
    assert KernelDensity().fit([[3.0]]).pdf([[3.0]])[0] == pytest.approx(normal.pdf(0.0))


def test_duplicates_count_as_weights():
    twice = KernelDensity(bandwidth=0.3, rtol=0).fit(np.repeat(x, 3, axis=0))
    assert_allclose(twice.score_samples(x), KernelDensity(bandwidth=0.3, rtol=0).fit(x).score_samples(x), rtol=1e-9)


def test_single_precision_rows():
    one, other = (KernelDensity(bandwidth=0.3).fit(x.astype(t)).score_samples(x.astype(t)) for t in (np.float32, float))
    assert_allclose(one, other, atol=1e-3)


def test_it_works_in_searches_and_is_verified():
    search = GridSearchCV(KernelDensity(), {"bandwidth": [0.01, 0.4, 20.0]}, cv=3).fit(x)
    assert search.best_params_ == {"bandwidth": 0.4}
    many = rng.normal(size=(3000, 1))
    proof = mercer.verify(KernelDensity(bandwidth=0.2).fit(many), many)
    assert proof.holds
    assert "within rtol" in str(proof)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"bandwidth": 0.0}, "bandwidth must be positive"),
        ({"bandwidth": -1.0}, "bandwidth must be positive"),
        ({"bandwidth": "best"}, "bandwidth must be a number or one of"),
        ({"bandwidth": (1.0, 2.0, 3.0)}, "bandwidth must be a number, 2 numbers"),
        ({"bandwidth": [[1.0, 2.0], [2.0, 1.0]]}, "positive definite"),
        ({"kernel": "gauss"}, "kernel must be a Window"),
        ({"method": "fast"}, "method must be one of"),
        ({"rtol": -1.0}, "rtol must be a number >= 0"),
        ({"support": (1.0, 0.0)}, "the lower first"),
        ({"support": (10.0, None)}, "X must be inside of support"),
        ({"support": [(0, 1)]}, "a list of 2 supports"),
        ({"boundary": "linear"}, "boundary must be 'reflect'"),
        ({"metric": "haversine"}, "invalid metric"),
        ({"adaptive": 2.0}, "adaptive must be"),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, dict) else None,
)
def test_bad_options_are_refused(options, fault):
    with pytest.raises(ValueError, match=fault):
        KernelDensity(**options).fit(X)


def test_a_window_of_ones_own():
    own = FunctionWindow(lambda u: np.maximum(1.0 - u**2, 0.0) ** 2)
    model = KernelDensity(kernel=own, bandwidth=0.5).fit(X)
    assert_allclose(
        model.score_samples(X), KernelDensity(kernel="biweight", bandwidth=0.5).fit(X).score_samples(X), atol=1e-4
    )


@pytest.mark.parametrize("kernel", ["gaussian", "exponential", "epanechnikov"])
def test_the_best_of_candidates_has_the_largest_likelihood_of_rows_left_out_S9(kernel):
    candidates = np.geomspace(0.3, 4.0, 9)
    w = np.random.default_rng(2).uniform(0.5, 2.0, len(X))
    model = KernelDensity(bandwidth="lcv", candidates=candidates, kernel=kernel).fit(X, sample_weight=w)
    scores = [KernelDensity(bandwidth=h, kernel=kernel, rtol=0.0).fit(X, sample_weight=w).leave_one_out() @ w
              for h in candidates]  # fmt: skip
    assert model.bandwidth_ == candidates[np.argmax(scores)]
    assert_allclose(model.score_samples(X), KernelDensity(bandwidth=model.bandwidth_, kernel=kernel)
                    .fit(X, sample_weight=w).score_samples(X))  # fmt: skip


@pytest.mark.parametrize(
    ("options", "words"),
    [({"bandwidth": 1.0}, "None unless bandwidth='lcv'"), ({"metric": "manhattan"}, "other metrics"),
     ({"form": "product", "kernel": "boxcar"}, "other forms"),
     ({"candidates": [1e-9], "kernel": "boxcar"}, "large enough that every row"),
     ({"candidates": [1.0, -1.0]}, "positive numbers")],
    ids=["number", "metric", "form", "narrow", "negative"],
)  # fmt: skip
def test_candidates_that_cannot_be_compared_are_refused_S9(options, words):
    with pytest.raises(ValueError, match=words):
        KernelDensity(**{"bandwidth": "lcv", "candidates": [0.5, 1.0], **options}).fit(X)
