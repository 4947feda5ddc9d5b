"""Gaussian process regression: SPEC's numbers, identities, refits, draws, coverage (M31, M33, T30, E23, C8)."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.base import clone

import mercer
from mercer import GaussianProcessRegressor as Gp
from mercer import KernelRidge
from mercer.kernels import RBF, Fixed, Linear, Matern, Spectrum

rng = np.random.default_rng(0)
X = rng.uniform(-3.0, 3.0, size=(40, 2))
y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=40)
Z = rng.uniform(-4.0, 4.0, size=(25, 2))
k = 1.3 * RBF(0.9)


def fixed(kernel=k, alpha=0.05, **more):
    return Gp(kernel, alpha=alpha, optimizer=None, **more)


def test_two_points_M31():
    gp = Gp(RBF(1.0), alpha=0.1, optimizer=None).fit([[0.0], [1.0]], [0.0, 1.0])
    new = [[0.5], [2.0]]
    mean, cov = gp.predict(new, return_cov=True)
    assert_allclose(mean, [0.5171292397, 0.6947921185], atol=1e-10)
    assert_allclose(cov, [[0.0872700955, -0.0589881037], [-0.0589881037, 0.6137839791]], atol=1e-10)
    assert_allclose(gp.log_marginal_likelihood_value_, -2.4050741568, atol=1e-10)
    assert_allclose(gp.predict(new, return_std=True)[1] ** 2, np.diag(cov), atol=1e-12)
    assert_allclose(gp.predict(new, return_std=True, of="y")[1] ** 2, np.diag(cov) + 0.1, atol=1e-12)


def test_the_posterior_is_the_conditional_of_the_joint_Gaussian_T30():
    mean, cov = fixed().fit(X, y).predict(Z, return_cov=True)
    M, C = k(X) + 0.05 * np.eye(40), k(Z, X)
    assert_allclose(mean, C @ np.linalg.solve(M, y), atol=1e-10)
    assert_allclose(cov, k(Z) - C @ np.linalg.solve(M, C.T), atol=1e-10)


def test_the_mean_is_kernel_ridge_regression_T30():
    assert_allclose(fixed().fit(X, y).predict(Z), KernelRidge(alpha=0.05, kernel=k).fit(X, y).predict(Z), atol=1e-10)


def test_data_only_reduce_the_variance_T30():
    gp = fixed()
    before, after = gp.predict(Z, return_std=True)[1], gp.fit(X, y).predict(Z, return_std=True)[1]
    assert (after <= before + 1e-12).all()
    assert after[np.abs(Z).max(axis=1) < 2.0].max() < 0.7 * before.max()


def test_a_marginal_of_more_points_is_the_prior_or_posterior_of_fewer_T30():
    for gp in (fixed(), fixed().fit(X, y)):
        mean, cov = gp.predict(Z, return_cov=True)
        some, part = gp.predict(Z[3:9], return_cov=True)
        assert_allclose(mean[3:9], some, atol=1e-12)
        assert_allclose(cov[3:9, 3:9], part, atol=1e-12)


def test_without_noise_the_data_are_interpolated_and_draws_pass_through_them_T30_M33():
    gp = Gp(Matern(1.0, nu=1.5), alpha=0.0, optimizer=None).fit(X, y)
    mean, std = gp.predict(X, return_std=True)
    assert_allclose(mean, y, atol=1e-8)
    assert_allclose(std, 0.0, atol=1e-6)
    assert_allclose(gp.sample_y(X, 3), np.tile(y[:, None], 3), atol=1e-5)


def test_predictions_before_fit_are_the_priors_M31():
    gp = Gp(k, n_targets=2)
    assert_array_equal(gp.predict(Z), np.zeros((25, 2)))
    assert_allclose(gp.predict(Z, return_cov=True)[1][..., 1], k(Z))
    assert Gp(k).predict(Z, return_std=True)[1].shape == (25,)
    assert_allclose(Gp(k, mean=lambda X: X[:, 0]).predict(Z), Z[:, 0])
    assert_allclose(Gp("matern").predict(Z, return_std=True)[1], 1.0)
    with pytest.raises(ValueError, match="before there are data"):
        Gp(k, mean="constant").predict(Z)


# ---- means, noise, outputs


def test_a_constant_mean_makes_predictions_independent_of_the_level_of_y_M31():
    one, other = (fixed(mean="constant").fit(X, y + shift) for shift in (0.0, 1e4))
    assert_allclose(other.predict(Z) - 1e4, one.predict(Z), atol=1e-7)
    assert_allclose(other.intercept_ - 1e4, one.intercept_, atol=1e-7)
    assert_allclose(other.log_marginal_likelihood_value_, one.log_marginal_likelihood_value_, atol=1e-4)
    far = np.full((1, 2), 1e3)
    assert_allclose(one.predict(far), one.intercept_)
    assert one.predict(far, return_std=True)[1] > np.sqrt(1.3)  # the constant itself is uncertain


def test_a_linear_mean_carries_on_beyond_the_data_M31():
    line = 3.0 + X @ [2.0, -1.0]
    gp = fixed(mean="linear").fit(np.column_stack([X, np.ones(40)]), line)
    far = np.column_stack([Z * 100.0, np.ones(25)])
    assert_allclose(gp.predict(far), 3.0 + 100.0 * Z @ [2.0, -1.0], rtol=1e-6)


def test_a_known_mean_is_taken_off_and_put_back_M31():
    def mean(V):
        return 5.0 * V[:, 0]

    for normalize_y in (False, True):
        gp = fixed(mean=mean, normalize_y=normalize_y).fit(X, y)
        assert_allclose(gp.predict(np.full((1, 2), 50.0)), 250.0 + gp.normalize_y * y.mean(), atol=1e-8)
    assert_allclose(fixed(mean=mean).fit(X, y).predict(Z), fixed().fit(X, y - mean(X)).predict(Z) + mean(Z), atol=1e-10)


def test_known_noise_may_differ_between_items_M31():
    w = rng.uniform(0.01, 0.5, size=40)
    gp = fixed(alpha=w).fit(X, y)
    assert_allclose(gp.alpha_, np.linalg.solve(k(X) + np.diag(w), y), atol=1e-9)
    both = Gp(k, alpha=w, noise=Fixed(0.1), optimizer=None).fit(X, y)
    assert_allclose(both.alpha_, np.linalg.solve(k(X) + np.diag(w + 0.1), y), atol=1e-9)
    assert_allclose(both.predict(Z, return_std=True, of="y")[1] ** 2,
                    both.predict(Z, return_std=True)[1] ** 2 + 0.1)  # fmt: skip


@pytest.mark.parametrize("normalize_y", [False, True])
def test_outputs_are_as_many_fits_that_share_a_factor_M31(normalize_y):
    Y = np.column_stack([y, 10.0 + X[:, 0] ** 2])
    both = fixed(normalize_y=normalize_y).fit(X, Y)
    mean, cov = both.predict(Z, return_cov=True)
    loo = both.leave_one_out()
    for j in range(2):
        one = fixed(normalize_y=normalize_y).fit(X, Y[:, j])
        assert_allclose(mean[:, j], one.predict(Z), atol=1e-10)
        assert_allclose(cov[..., j], one.predict(Z, return_cov=True)[1], atol=1e-10)
        assert_allclose(both.predict(Z, return_std=True)[1][:, j], one.predict(Z, return_std=True)[1], atol=1e-9)
        assert_allclose(loo.log_density[:, j], one.leave_one_out().log_density, atol=1e-8)
    assert both.dual_coef_.shape == (2, 40)
    assert both.sample_y(Z, 4).shape == (25, 2, 4)


def test_leaving_one_out_is_refitting_M31():
    gp = fixed(mean="constant", normalize_y=True).fit(X, y)
    found = gp.leave_one_out()
    units = y.std() * np.array([1.0, np.sqrt(0.05)])
    for i in (0, 13, 39):
        rest = np.delete(np.arange(40), i)
        scaled = (y - y.mean()) / y.std()
        other = fixed(mean="constant").fit(X[rest], scaled[rest])
        mean, std = other.predict(X[i : i + 1], return_std=True, of="y")
        assert_allclose(found.mean[i], mean[0] * units[0] + y.mean(), atol=1e-9)
        assert_allclose(found.std[i], std[0] * units[0], atol=1e-9)
        assert_allclose(found.log_density[i], norm(found.mean[i], found.std[i]).logpdf(y[i]), atol=1e-9)


# ---- items that come and go


def same(one, other):
    for a, b in zip(one.predict(Z, return_cov=True), other.predict(Z, return_cov=True), strict=True):
        assert_allclose(a, b, atol=1e-9)
    assert_allclose(one.log_marginal_likelihood_value_, other.log_marginal_likelihood_value_, rtol=1e-10)


@pytest.mark.parametrize("mean", ["zero", "constant", "linear"])
def test_conditioning_bit_by_bit_is_conditioning_at_once_T30(mean):
    bits = fixed(mean=mean).fit(X[:20], y[:20]).update(X[20:33], y[20:33]).update(X[33:], y[33:])
    if mean != "linear":  # whose columns are scaled by the first items, which changes the evidence by a constant
        same(bits, fixed(mean=mean).fit(X, y))
    other = fixed(mean=mean).fit(X[:20], y[:20]).update(X[20:39], y[20:39])
    same(bits.remove(np.arange(5)).remove([-1]), other.remove(range(5)))
    assert len(bits.X_train_) == len(bits.y_train_) == 34


def test_an_equal_item_can_be_added_and_one_without_noise_too():
    gp = Gp(RBF(1.0), alpha=0.0, optimizer=None).fit(X, y).update(X[:1], y[:1])
    assert gp.jitter_ > 0.0
    assert_allclose(gp.predict(X), y, atol=1e-4)


def test_known_noise_of_new_items_must_be_given_when_it_differs():
    gp = fixed(alpha=np.linspace(0.1, 0.2, 40)).fit(X, y)
    with pytest.raises(ValueError, match="alpha"):
        gp.update(Z, np.zeros(25))
    w = np.r_[np.linspace(0.1, 0.2, 40), np.full(25, 0.3)]
    same(gp.update(Z, np.zeros(25), alpha=0.3), fixed(alpha=w).fit(np.vstack([X, Z]), np.r_[y, np.zeros(25)]))
    with pytest.raises(ValueError, match="all of them"):
        gp.remove(slice(None))


# ---- draws and coverage


@pytest.mark.parametrize("gp", [fixed(), fixed().fit(X, y)], ids=["prior", "posterior"])
def test_draws_have_the_mean_and_covariance_of_the_process_M33(gp):
    mean, cov = gp.predict(Z[:6], return_cov=True)
    draws = gp.sample_y(Z[:6], 4000, random_state=1)
    scale = np.sqrt(np.diag(cov))
    assert (np.abs(draws.mean(axis=1) - mean) < 4.0 * scale / np.sqrt(4000)).all()
    error = np.sqrt((np.outer(scale, scale) ** 2 + cov**2) / 4000)
    assert (np.abs(np.cov(draws) - cov) < 4.0 * error).all()
    assert_array_equal(draws, gp.sample_y(Z[:6], 4000, random_state=1))


def test_smooth_kernels_have_smooth_paths_and_rough_ones_rough_M33():
    t = np.linspace(0.0, 1.0, 200)[:, None]
    steps = [np.abs(np.diff(Gp(kernel).sample_y(t, 20), axis=0)).mean() for kernel in (RBF(1.0), Matern(1.0, nu=0.5))]
    assert steps[1] > 10.0 * steps[0]


def test_bands_cover_what_they_promise_and_widen_away_from_the_data_E23():
    """Over functions drawn from the prior, with hyper-parameters that are known and with such as are learned."""
    kernel, noise, inside = 1.0 * RBF(0.8), 0.1, {"known": [], "learned": []}
    for seed in range(8):
        random = np.random.default_rng(seed)
        points = random.uniform(-3.0, 3.0, size=(500, 1))
        t = Gp(kernel).sample_y(points, 1, random_state=seed)[:, 0] + np.sqrt(noise) * random.normal(size=500)
        known = Gp(kernel, noise=Fixed(noise), alpha=0.0, optimizer=None)
        for name, gp in (("known", known), ("learned", Gp(1.0 * RBF(1.0), noise=0.5, alpha=0.0))):
            mean, std = gp.fit(points[:100], t[:100]).predict(points[100:], return_std=True, of="y")
            inside[name].append(np.mean(np.abs(t[100:] - mean) < 1.959964 * std))
            far = gp.predict([[0.0], [4.0], [6.0]], return_std=True)[1]
            assert far[0] < far[1] < far[2]
    for shares in inside.values():
        assert abs(np.mean(shares) - 0.95) < 0.03


# ---- kinds of items, and the contract


def test_a_precomputed_matrix_gives_the_same_posterior_I3():
    gp, plain = fixed("precomputed").fit(k(X), y), fixed().fit(X, y)
    assert_allclose(gp.predict(k(Z, X)), plain.predict(Z), atol=1e-10)
    std, cov = (plain.predict(Z, **{name: True})[1] for name in ("return_std", "return_cov"))
    assert_allclose(gp.predict(k(Z, X), return_std=True, prior=k.diag(k.prepare(Z)))[1], std, atol=1e-9)
    assert_allclose(gp.predict(k(Z, X), return_cov=True, prior=k(Z))[1], cov, atol=1e-9)
    with pytest.raises(ValueError, match="prior"):
        gp.predict(k(Z, X), return_std=True)
    learned = Gp("precomputed", noise=1.0).fit(k(X), y)
    assert_allclose(learned.noise_, Gp(Fixed(1.3) * RBF(Fixed(0.9)), noise=1.0).fit(X, y).noise_, rtol=1e-3)


def test_strings_go_through_the_same_class():
    words = ["".join(rng.choice(list("acgt"), size=12)) for _ in range(40)]
    target = np.array([w.count("a") - w.count("t") for w in words], dtype=float)
    gp = Gp(1.0 * Spectrum(1), noise="learn").fit(words[:30], target[:30])
    mean, std = gp.predict(words[30:], return_std=True)
    assert np.abs(mean - target[30:]).max() < 0.2
    assert (std >= 0.0).all()
    assert gp.update(words[30:35], target[30:35]).predict(words[:2]).shape == (2,)
    assert clone(gp).fit(words, target).kernel_.theta.shape == (1,)


def test_a_model_survives_pickling():
    gp = fixed().fit(X, y)
    many = np.vstack([Z, Z])
    before = gp.predict(many, return_std=True)
    size = len(pickle.dumps(gp))
    again = pickle.loads(pickle.dumps(gp))
    assert_array_equal(again.predict(many, return_std=True)[1], before[1])
    assert size < 3 * 8 * 40 * 40 + 8000


@pytest.mark.filterwarnings("ignore::mercer.estimators.gaussian_process.report.AtBound")  # of irrelevant columns
def test_a_search_needs_one_matrix_and_no_gradient_tensor_C8():
    n = 1100
    points = np.random.default_rng(0).normal(size=(n, 12))
    kernel = 1.0 * RBF((3.0,) * 12)
    Gp(kernel, noise=0.1).fit(points[:300], points[:300, 0])  # what is imported once does not count
    with mercer.configure(threads=2):
        tracemalloc.start()
        Gp(kernel, noise=0.1).fit(points, points[:, 0])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 2.5 * 8 * n * n  # the subsets have a matrix of half the side, tiles are made for every thread
    with mercer.configure(memory=2**20), pytest.raises(mercer.MemoryBudgetError, match="1100 items"):
        fixed().fit(points, points[:, 0])


def test_attributes_tell_what_was_found():
    gp = fixed().fit(X, y)
    assert_allclose(gp.L_ @ gp.L_.T, k(X) + 0.05 * np.eye(40), atol=1e-13)
    assert_array_equal(gp.dual_coef_[0], gp.alpha_)
    assert_array_equal(gp.support_, np.arange(40))
    assert gp.certificate_.residual < 1e-12
    assert gp.converged_
    assert "hold to" in str(gp.certificate_)
    assert gp.kernel_ == k


@pytest.mark.parametrize("wrong", [{"alpha": -1.0}, {"alpha": np.ones(3)}, {"noise": "loud"}, {"mean": "median"},
                                   {"optimizer": "sgd"}, {"prior": 0.0}, {"n_restarts_optimizer": -1},
                                   {"n_targets": 0}, {"n_targets": 3}, {"kernel": "cubic"}])  # fmt: skip
def test_wrong_arguments_are_named(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match="n_targets" if name == "n_targets" else name):
        Gp(**wrong).fit(X, y)


def test_wrong_calls_are_named():
    gp = fixed().fit(X, y)
    with pytest.raises(RuntimeError, match="At most one"):
        gp.predict(Z, return_std=True, return_cov=True)
    with pytest.raises(ValueError, match="of must be"):
        gp.predict(Z, of="g")
    with pytest.raises(ValueError, match="theta"):
        gp.log_marginal_likelihood(eval_gradient=True)
    with pytest.raises(ValueError, match="2 numbers"):
        gp.log_marginal_likelihood([1.0])
    with pytest.raises(ValueError, match="output"):
        gp.update(Z, np.zeros((25, 2)))
    with pytest.raises(ValueError, match="precomputed"):
        fixed("precomputed").fit(k(X), y).update(k(X), y)
    assert fixed(Linear()).fit(X, y).predict(Z).shape == (25,)
