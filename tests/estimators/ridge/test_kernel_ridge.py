"""KernelRidge: scikit-learn's class and what goes beyond it (M10, M31, T27, T28, C1, I6)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from mercer import KernelRidge, KernelRidgeCV, NotConverged, NotPositiveDefinite
from mercer.estimators.ridge.kernel_ridge import Singular
from mercer.kernels import RBF, Linear, On, Polynomial, Sigmoid, TfIdf
from mercer.kernels import Spectrum as Substrings

rng = np.random.default_rng(1)
n = 40
X = rng.uniform(0.0, 2.0, size=(n, 3))
y = np.sin(3.0 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
Y = np.column_stack([y, X[:, 2] ** 2])
w = rng.uniform(0.5, 2.0, n)
new = rng.uniform(0.0, 2.0, size=(7, 3))
NAMES = ["linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2"]


# ---- scikit-learn's class


@pytest.mark.parametrize("kernel", [name for name in NAMES if name not in ("sigmoid", "additive_chi2")])
@pytest.mark.parametrize("settings", [{}, {"gamma": 0.4, "degree": 2, "coef0": 0.5}], ids=["defaults", "set"])
def test_every_named_kernel_gives_scikit_learns_coefficients_M10(kernel, settings):
    ours = KernelRidge(alpha=0.3, kernel=kernel, **settings).fit(X, y, w)
    if kernel == "chi2":
        settings = {"gamma": 1.0} | settings  # without it theirs fails
    theirs = Theirs(alpha=0.3, kernel=kernel, **settings).fit(X, y, w)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-9)
    assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-9)
    assert_array_equal(ours.X_fit_, theirs.X_fit_)


@pytest.mark.parametrize("kernel", ["sigmoid", "additive_chi2"])
def test_named_kernels_that_are_not_positive_give_scikit_learns_coefficients_too(kernel):
    ours, theirs = (machine(alpha=100.0, kernel=kernel, gamma=0.1).fit(X, y) for machine in (KernelRidge, Theirs))
    assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-8)


def test_outputs_and_their_own_alphas_are_scikit_learns():
    for alpha in (0.2, [0.01, 3.0]):
        ours, theirs = (machine(alpha, kernel="rbf").fit(X, Y, w) for machine in (KernelRidge, Theirs))
        assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-8)
        assert ours.predict(new).shape == (7, 2)
        assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-8)
    assert not hasattr(ours, "loo_error_")


@pytest.mark.parametrize("alpha", [[0.1, 1.0, 10.0], np.logspace(-3, 3, 5)])
def test_several_outputs_have_one_alpha_each_and_no_candidates(alpha):
    fault = rf"alpha must be one number, or one for each of the 2 columns of y; got {len(alpha)} numbers\. KernelRidge"
    with pytest.raises(ValueError, match=fault):
        KernelRidge(alpha, kernel="rbf").fit(X, Y)
    assert KernelRidgeCV(["rbf"], alpha).fit(X, Y).alpha_ in alpha
    assert KernelRidge(alpha, kernel="rbf").fit(X, Y[:, :1]).alpha_ in alpha


def test_changed_coefficients_change_the_prediction():
    for targets in (y, Y):
        m = KernelRidge(kernel="rbf").fit(X, targets)
        before = m.predict(new)
        m.dual_coef_ = 2.0 * m.dual_coef_
        assert_allclose(m.predict(new), 2.0 * before)


def test_a_function_compares_two_items_as_in_scikit_learn():
    def closeness(a, b, scale=1.0):
        return np.exp(-scale * np.abs(a - b).sum())

    for params in (None, {"scale": 0.5}):
        ours, theirs = (
            machine(0.1, kernel=closeness, kernel_params=params).fit(X, y) for machine in (KernelRidge, Theirs)
        )
        assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-9)


def test_sparse_rows_and_given_matrices_are_the_same_machine():
    k = RBF(0.8)
    dense = KernelRidge(0.1, kernel=k).fit(X, y, w)
    assert_allclose(KernelRidge(0.1, kernel=k).fit(csr_matrix(X), y, w).predict(csr_matrix(new)), dense.predict(new))
    given = KernelRidge(0.1, kernel="precomputed").fit(k(X), y, w)
    assert_allclose(given.predict(k(new, X)), dense.predict(new))
    K = k(X)
    KernelRidge(0.1, kernel="precomputed").fit(K, y)
    assert_array_equal(K, k(X))  # left as it was


def test_single_precision_rows_are_solved_in_double():
    narrow = X.astype(np.float32)
    a, b = (KernelRidge(1e-3, kernel="rbf").fit(Z, y).dual_coef_ for Z in (narrow, narrow.astype(float)))
    assert_allclose(a, b, rtol=1e-10)


# ---- the solution


def test_two_points_have_the_coefficients_of_the_book_M31():
    m = KernelRidge(0.1, kernel=RBF(1.0)).fit([[0.0], [1.0]], [0.0, 1.0])
    assert_allclose(m.dual_coef_, [-0.7202420762, 1.3062262742], atol=1e-10)
    assert_allclose(m.predict([[0.5], [2.0]]), [0.5171292397, 0.6947921185], atol=1e-10)


@pytest.mark.parametrize("solver", ["primal", "dual", "eigen"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2)], ids=["linear", "quadratic"])
def test_all_solvers_give_one_answer_T27(solver, fit_intercept, kernel):
    m = KernelRidge(0.5, kernel=kernel, solver=solver, fit_intercept=fit_intercept).fit(X, Y, w)
    auto = KernelRidge(0.5, kernel=kernel, fit_intercept=fit_intercept).fit(X, Y, w)
    assert m.solver_ == solver
    assert_allclose(m.predict(new), auto.predict(new), atol=1e-9)
    assert m.certificate_.residual < 1e-9
    assert m.converged_


def test_the_solver_is_chosen_by_the_shape_C1():
    wide = rng.normal(size=(n, 3 * n))
    assert KernelRidge().fit(X, y).solver_ == "primal"
    assert KernelRidge().fit(wide, y).solver_ == "dual"
    assert KernelRidge(kernel="rbf").fit(X, y).solver_ == "dual"
    assert KernelRidge([0.1, 1.0], kernel="rbf").fit(X, y).solver_ == "eigen"
    assert KernelRidge([0.1, 1.0]).fit(X, y).solver_ == "primal"


def test_an_intercept_takes_up_a_shift_of_the_targets_M10():
    plain, moved = (KernelRidge(0.5, kernel="rbf", fit_intercept=True).fit(X, t).predict(new) for t in (y, y + 1e3))
    assert_allclose(moved, plain + 1e3, atol=1e-8)


def test_an_intercept_is_centring_in_feature_space_M10():
    k, H = RBF(0.7), np.eye(n) - 1.0 / n
    K, cross = k(X), k(new, X)
    centred = (cross - K.mean(axis=0)) @ H
    f = centred @ np.linalg.solve(H @ K @ H + 0.2 * np.eye(n), y - y.mean()) + y.mean()
    assert_allclose(KernelRidge(0.2, kernel=k, fit_intercept=True).fit(X, y).predict(new), f, atol=1e-9)


def test_a_constant_target_is_learned_exactly_with_an_intercept():
    m = KernelRidge(1.0, kernel="rbf", fit_intercept=True).fit(X, np.full(n, 7.0))
    assert_allclose(m.predict(new), 7.0)
    assert_allclose(m.dual_coef_, 0.0, atol=1e-12)
    assert KernelRidge(1.0, kernel="rbf").fit(X, np.full(n, 7.0)).converged_


def test_weights_count_items_and_weight_zero_is_absence():
    twice = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(np.vstack([X, X[:5]]), np.append(y, y[:5]))
    weighed = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(X, y, np.repeat([2.0, 1.0], [5, n - 5]))
    assert_allclose(twice.predict(new), weighed.predict(new), atol=1e-9)
    without = KernelRidge(0.3, kernel=RBF()).fit(X, y, np.repeat([0.0, 1.0], [5, n - 5]))
    assert_allclose(without.predict(new), KernelRidge(0.3, kernel=RBF()).fit(X[5:], y[5:]).predict(new))
    assert_array_equal(without.support_, np.arange(5, n))


def test_one_item_is_enough():
    m = KernelRidge(0.5, kernel=RBF()).fit(X[:1], y[:1])
    assert_allclose(m.dual_coef_, y[:1] / 1.5)
    assert_allclose(m.leave_one_out(), 0.0, atol=1e-15)
    assert_allclose(KernelRidge(0.5, kernel=RBF(), fit_intercept=True).fit(X[:1], y[:1]).predict(new), y[0])


def test_linear_machines_have_weights_T27():
    m = KernelRidge(0.5).fit(X, Y)
    assert_allclose(m.coef_, np.linalg.solve(X.T @ X + 0.5 * np.eye(3), X.T @ Y).T, atol=1e-10)


# ---- leaving one out


@pytest.mark.parametrize("kernel", ["linear", RBF(0.7)], ids=["primal", "dual"])
@pytest.mark.parametrize("target", [y, Y], ids=["one output", "two"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_leaving_one_out_equals_explicit_refits_M10(kernel, target, fit_intercept):
    m = KernelRidge(0.2, kernel=kernel, fit_intercept=fit_intercept)
    assert_allclose(m.fit(X, target).leave_one_out(), cross_val_predict(m, X, target, cv=LeaveOneOut()), atol=1e-9)


def test_candidates_are_judged_by_leave_one_out_errors_M10():
    alphas = np.logspace(-4, 2, 9)
    m = KernelRidge(alphas, kernel=RBF(0.7), fit_intercept=True).fit(X, y, w)
    single = [KernelRidge(a, kernel=RBF(0.7), fit_intercept=True).fit(X, y, w) for a in alphas]
    errors = [np.average((y - one.leave_one_out()) ** 2, weights=w) for one in single]
    assert_allclose(m.loo_error_, errors, rtol=1e-7)
    assert m.alpha_ == alphas[np.argmin(errors)]
    assert_allclose(m.dual_coef_, single[int(np.argmin(errors))].dual_coef_, atol=1e-8)
    assert m.gcv_.shape == (9,)
    assert not hasattr(m.set_params(alpha=1.0).fit(X, y), "loo_error_")


def test_leaving_out_the_only_item_is_refused_with_an_intercept():
    with pytest.raises(ValueError, match="two items or more"):
        KernelRidge(0.5, kernel=RBF(), fit_intercept=True).fit(X[:1], y[:1]).leave_one_out()


# ---- more and fewer items


def same(a, b):
    assert_allclose(a.dual_coef_, b.dual_coef_, atol=1e-9)
    assert_allclose(a.intercept_, b.intercept_, atol=1e-9)
    assert_allclose(a.predict(new), b.predict(new), atol=1e-9)
    assert_array_equal(a.support_, b.support_)
    assert a.shape_fit_ == b.shape_fit_


@pytest.mark.parametrize("kernel", ["linear", RBF(0.7)], ids=["primal", "dual"])
@pytest.mark.parametrize("target", [y, Y], ids=["one output", "two"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_updates_equal_a_refit_M10(kernel, target, fit_intercept):
    m = KernelRidge(0.2, kernel=kernel, fit_intercept=fit_intercept)
    grown = pickle.loads(pickle.dumps(m)).fit(X[:20], target[:20], w[:20])
    for part in (slice(20, 21), slice(21, n)):
        grown.update(X[part], target[part], w[part])
    same(grown, m.fit(X, target, w))
    gone = [0, 7, 39]
    rest = np.setdiff1d(np.arange(n), gone)
    same(grown.remove(gone), m.fit(X[rest], target[rest], w[rest]))
    assert_allclose(grown.leave_one_out(), m.leave_one_out(), atol=1e-9)
    assert grown.certificate_.residual < 1e-9


def test_items_of_weight_zero_are_counted_but_not_learned_from():
    weight = np.where(np.arange(n) % 4 == 0, 0.0, 1.0)
    m = KernelRidge(0.2, kernel=RBF())
    grown = KernelRidge(0.2, kernel=RBF()).fit(X[:20], y[:20], weight[:20]).update(X[20:], y[20:], weight[20:])
    same(grown, m.fit(X, y, weight))
    rest = np.setdiff1d(np.arange(n), [0, 1, 30])
    same(grown.remove([0, 1, 30]), m.fit(X[rest], y[rest], weight[rest]))


def test_a_given_matrix_grows_and_shrinks_M10():
    K, cross = RBF(0.7)(X), RBF(0.7)(new, X)
    m = KernelRidge(0.2, kernel="precomputed").fit(K[:20, :20], y[:20]).update(K[20:], y[20:])
    whole = KernelRidge(0.2, kernel="precomputed").fit(K, y)
    assert_allclose(m.predict(cross), whole.predict(cross), atol=1e-10)
    rest = np.setdiff1d(np.arange(n), [3, 25])
    less = KernelRidge(0.2, kernel="precomputed").fit(K[np.ix_(rest, rest)], y[rest])
    assert_allclose(m.remove([3, 25]).predict(cross[:, rest]), less.predict(cross[:, rest]), atol=1e-10)
    with pytest.raises(ValueError, match="of shape"):
        m.update(K[:1], y[:1])
    with pytest.raises(ValueError, match="Fit again"):
        pickle.loads(pickle.dumps(m)).remove([0])


def test_copies_of_an_item_may_be_added_without_a_penalty():
    """Then the factor cannot grow, and eigenvectors take over."""
    m = KernelRidge(0.0, kernel=RBF(0.3)).fit(X[:10], y[:10])
    with pytest.warns(Singular, match="rank 10 with 11 items"):
        m.update(X[:1], y[:1] + 1.0)
    assert_allclose(m.predict(X[:1]), y[0] + 0.5, atol=1e-6)


def test_an_alpha_for_every_output_survives_an_update():
    m = KernelRidge([0.01, 3.0], kernel=RBF()).fit(X[:30], Y[:30]).update(X[30:], Y[30:])
    same(m, KernelRidge([0.01, 3.0], kernel=RBF()).fit(X, Y))
    left = cross_val_predict(KernelRidge([0.01, 3.0], kernel=RBF()), X, Y, cv=LeaveOneOut())
    assert_allclose(m.leave_one_out(), left, atol=1e-8)


def test_strings_documents_and_tables_grow_too():
    words = ["".join(rng.choice(list("abc"), size=8)) for _ in range(n)]
    m = KernelRidge(0.2, kernel=Substrings(2)).fit(words[:30], y[:30]).update(words[30:], y[30:])
    assert_allclose(m.predict(words), KernelRidge(0.2, kernel=Substrings(2)).fit(words, y).predict(words), atol=1e-9)
    table = {"word": words, "size": X[:, 0]}
    k = On("word", Substrings(2)) + On("size", RBF())
    parts = [{name: column[part] for name, column in table.items()} for part in (slice(30), slice(30, n))]
    m = KernelRidge(0.2, kernel=k).fit(parts[0], y[:30]).update(parts[1], y[30:])
    assert_allclose(m.predict(table), KernelRidge(0.2, kernel=k).fit(table, y).predict(table), atol=1e-9)


def test_what_a_kernel_has_learned_stays_through_updates():
    texts = [" ".join(rng.choice(["red", "green", "blue", "grey"], size=5)) for _ in range(n)]
    m = KernelRidge(0.2, kernel=TfIdf()).fit(texts[:30], y[:30])
    learned = TfIdf().fit(texts[:30])
    whole = KernelRidge(0.2, kernel=learned).fit(texts, y)
    assert_allclose(m.update(texts[30:], y[30:]).predict(texts), whole.predict(texts), atol=1e-9)


# ---- bad input


def test_a_negative_alpha_is_refused_M10():
    with pytest.raises(ValueError, match=r"alpha must be a number >= 0, or several; got -1\.0"):
        KernelRidge(-1.0).fit(X, y)
    with pytest.raises(ValueError, match="positive where there is a choice"):
        KernelRidge([0.0, 0.1, 1.0], kernel="rbf").fit(X, y)


def test_no_penalty_interpolates_and_on_a_singular_gram_the_shortest_function_is_told_M10():
    m = KernelRidge(0.0, kernel=RBF(0.3)).fit(X, y)
    assert_allclose(m.predict(X), y, atol=1e-8)
    with pytest.warns(Singular, match="alpha must be positive for a Gram of rank 3 with 40 items"):
        shortest = KernelRidge(0.0).fit(X, y)
    assert_allclose(shortest.coef_[0], np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-9)
    doubled, target = np.vstack([X, X[:1]]), np.append(y, y[0] + 2.0)
    with pytest.warns(Singular, match="rank 40 with 41 items"):
        both = KernelRidge(0.0, kernel=RBF(0.3)).fit(doubled, target)
    assert_allclose(both.predict(X[:1]), y[0] + 1.0, atol=1e-6)


def test_a_penalty_too_small_for_double_precision_is_told():
    line = np.linspace(0.0, 1.0, 60)[:, None]
    with pytest.warns(NotConverged, match="larger alpha"):
        KernelRidge(1e-16, kernel=RBF(5.0)).fit(line, rng.normal(size=60))


def test_kernels_that_are_not_positive_meet_the_policy_I6():
    k = Sigmoid(2.0, offset=-1.0)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        KernelRidge(5.0, kernel=k).fit(X, y)
    with pytest.raises(NotPositiveDefinite):
        KernelRidge(5.0, kernel=k, check_psd="raise").fit(X, y)
    assert "stationary" in str(KernelRidge(5.0, kernel=k, check_psd="off").fit(X, y).certificate_)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"solver": "svd"}, "solver must be one of"),
        ({"solver": "primal", "kernel": RBF()}, "finite feature map"),
        ({"solver": "primal", "kernel": "precomputed"}, "finite feature map"),
        ({"kernel": "cubic"}, "kernel must be one of"),
        ({"kernel": "rbf", "gamma": -1.0}, "gamma must be"),
        ({"alpha": "large"}, "alpha must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        KernelRidge(**change).fit(np.eye(4), np.arange(4.0))


def test_changes_that_make_no_sense_are_refused():
    m = KernelRidge(0.1, kernel=RBF()).fit(X, y)
    for index in (40, [0, 99], "first", 1.5):
        with pytest.raises(ValueError, match="positions of the 40 items"):
            m.remove(index)
    with pytest.raises(ValueError, match="Leave at least one"):
        m.remove(np.arange(n))
    with pytest.raises(ValueError, match="as in fit"):
        m.update(X[:2], Y[:2])
    with pytest.raises(ValueError, match="features"):
        m.update(X[:2, :2], y[:2])
    same(m, KernelRidge(0.1, kernel=RBF()).fit(X, y))  # none of them left a trace


def test_pickles_predict_alike_and_do_not_carry_the_factor_I7():
    m = KernelRidge(0.1, kernel=RBF()).fit(X[:30], y[:30]).update(X[30:], y[30:])
    assert m._factor is not None
    again = pickle.loads(pickle.dumps(m))
    assert_array_equal(again.predict(new), m.predict(new))
    same(again.remove([2]), m.remove([2]))
    assert len(pickle.dumps(m)) < 8 * n * n


# ---- T28: the optimum and its Lagrangian dual


def penalised(a, K, t, alpha):
    """1/2 |t - K a|^2 + alpha/2 a'K a."""
    return 0.5 * np.sum((t - K @ a) ** 2) + 0.5 * alpha * a @ K @ a


def lagrangian(z, K, t, alpha):
    """z't - 1/2 |z|^2 - z'K z / (2 alpha)."""
    return z @ t - 0.5 * z @ z - 0.5 * z @ K @ z / alpha


@pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("rows", [X, np.vstack([X[:20], X[:20]])], ids=["distinct", "copies"])
@pytest.mark.parametrize("kernel", [RBF(0.7), Linear()], ids=["rbf", "linear"])
def test_primal_and_dual_meet_at_half_alpha_y_a_T28(kernel, rows, alpha):
    """Copies, and a linear kernel of three columns, make K singular: a is then (K + alpha I)^-1 y all the same."""
    K, m = kernel(rows), KernelRidge(alpha, kernel=kernel).fit(rows, y)
    a, draw = m.dual_coef_, np.random.default_rng(0)
    best = 0.5 * alpha * y @ a
    assert_allclose(a, np.linalg.solve(K + alpha * np.eye(n), y), atol=1e-8 * np.abs(a).max())
    assert penalised(a, K, y, alpha) - lagrangian(alpha * a, K, y, alpha) < 1e-10 * max(best, 1.0)
    assert_allclose([penalised(a, K, y, alpha), lagrangian(alpha * a, K, y, alpha), 0.5 * m.certificate_.primal], best)
    for direction in draw.normal(size=(20, n)):
        step = 0.1 * np.abs(a).max() * direction
        assert penalised(a + step, K, y, alpha) >= best * (1.0 - 1e-12)
        assert lagrangian(alpha * (a + step), K, y, alpha) <= best * (1.0 + 1e-12)


def test_a_singular_gram_has_many_coefficients_but_one_prediction_T28():
    twice = np.vstack([X[:20], X[:20]])
    K, m = RBF(0.7)(twice), KernelRidge(0.1, kernel=RBF(0.7)).fit(twice, y)
    null = np.r_[np.ones(20), -np.ones(20)]
    assert_allclose(K @ null, 0.0, atol=1e-12)
    assert_allclose(penalised(m.dual_coef_ + null, K, y, 0.1), penalised(m.dual_coef_, K, y, 0.1))
    assert_allclose(RBF(0.7)(new, twice) @ (m.dual_coef_ + null), m.predict(new))
