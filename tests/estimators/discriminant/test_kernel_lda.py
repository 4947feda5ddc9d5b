"""Kernel discriminant analysis: Fisher's direction, its multiclass span, and honest probabilities (SPEC M30, T35)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh, subspace_angles
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import KernelLDA, KernelSearchCV, NotPositiveDefinite
from mercer.kernels import RBF, Geometric, Homogeneous, Linear, Normalised, Polynomial, Spectrum, SubsetCount
from mercer.solvers.discriminant import class_targets, discriminant

rng = np.random.default_rng(0)
X, y = load_iris(return_X_y=True)
two = y > 0
V, label = X[two], np.where(y[two] == 2, "b", "a")
CLASS = np.arange(60) % 3
WORDS = ["".join(rng.choice(list("abcde"[c : c + 3]), size=10)) for c in CLASS]
SETS = [set(rng.choice(range(2 * c, 2 * c + 4), size=3).tolist()) for c in CLASS]


def scatters(K, codes):
    """M (or the sum over classes) and N of the definition."""
    means = np.array([K[:, codes == c].mean(axis=1) for c in np.unique(codes)])
    counts = np.bincount(codes)
    N = K @ K.T - (means.T * counts) @ means
    centred = means - K.mean(axis=1)
    return (centred.T * counts) @ centred, N


def delta(model, K):
    """What the model adds to the diagonal of the Gram."""
    return model.shrinkage_ * (np.trace(K) / len(K) - K.mean())


# ---- two classes


def test_the_linear_kernel_gives_fishers_direction_M30():
    model = KernelLDA(kernel="linear", shrinkage=1e-9).fit(V, label)
    first, second = V[label == "a"], V[label == "b"]
    Sw = sum((part - part.mean(0)).T @ (part - part.mean(0)) for part in (first, second))
    fisher = np.linalg.solve(Sw, second.mean(0) - first.mean(0))
    w = model.coef_[0]
    assert_allclose(w / np.linalg.norm(w), fisher / np.linalg.norm(fisher), rtol=1e-4)  # the sign is that of class 1
    assert w @ (second.mean(0) - first.mean(0)) > 0.0


@pytest.mark.parametrize("shrinkage", [1e-3, 0.1])
def test_the_direction_is_a_stationary_point_of_J_M30(shrinkage):
    K = RBF(1.5)(V)
    codes = (label == "b").astype(int)
    model = KernelLDA(kernel="precomputed", shrinkage=shrinkage).fit(K, label)
    a = model.dual_coef_[0]
    M, N = scatters(K, codes)
    H = np.eye(len(K)) - 1.0 / len(K)
    R = N + delta(model, K) * K  # |w|^2 = a'Ka is what delta weighs

    def J(a):
        return (a @ M @ a) / (a @ R @ a)

    slope = H @ (M @ a - J(a) * (R @ a))  # along coefficients that sum to 0, as those of centred features do
    assert np.abs(slope).max() < 1e-6 * np.abs(M @ a).max()
    assert_allclose(J(7.0 * a), J(a), rtol=1e-6)
    assert all(J(a + 0.1 * np.abs(a).mean() * H @ rng.normal(size=len(a))) < J(a) for _ in range(20))
    assert model.decision_function(K)[codes == 1].mean() > 0.0 > model.decision_function(K)[codes == 0].mean()


def test_several_classes_span_the_generalised_eigenvectors_M30():
    K = RBF(1.0)(X)
    model = KernelLDA(kernel="precomputed", shrinkage=0.01).fit(K, y)
    M, N = scatters(K, y)
    H = np.eye(len(K)) - 1.0 / len(K)
    Kc = H @ K @ H
    R = N + delta(model, K) * Kc
    values, A = eigh(H @ M @ H, H @ R @ H + 1e-9 * np.trace(R) / len(R) * np.eye(len(R)))
    assert values[-3] < 1e-6 * values[-1]  # of three classes there are two
    angles = subspace_angles(Kc @ A[:, -2:], Kc @ model.dual_coef_.T)
    assert np.degrees(angles.max()) < 0.5


def test_with_many_rows_it_is_scikit_learns_linear_analysis():
    Z = rng.normal(size=(3000, 4))
    codes = np.argmax(Z @ rng.normal(size=(4, 3)) + 1.5 * rng.normal(size=(3000, 3)), axis=1)
    ours, theirs = KernelLDA(kernel="linear", shrinkage=1e-7).fit(Z, codes), LinearDiscriminantAnalysis().fit(Z, codes)
    assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=0.01)
    assert np.mean(ours.predict(Z) == theirs.predict(Z)) > 0.99
    up, down = ours.transform(Z), theirs.transform(Z)
    cosines = np.sum(up * down, axis=0) / (np.linalg.norm(up, axis=0) * np.linalg.norm(down, axis=0))
    assert_allclose(np.abs(cosines), 1.0, atol=1e-3)


def test_leaving_out_is_refitting_without_the_item_M30():
    K = RBF(1.0)(V)
    codes = (label == "b").astype(int)
    model = KernelLDA(kernel="precomputed", shrinkage=0.05).fit(K, label)
    Y, d = class_targets(codes, 2), delta(model, K)

    def without(i):
        rest = np.delete(np.arange(len(K)), i)
        system = np.block([[K[np.ix_(rest, rest)] + d * np.eye(len(rest)), np.ones((len(rest), 1))],
                           [np.ones((1, len(rest))), np.zeros((1, 1))]])  # fmt: skip
        solved = np.linalg.solve(system, np.append(Y[rest, 0], 0.0))
        return K[i, rest] @ solved[:-1] + solved[-1]

    left = np.array([[without(i)] for i in range(len(K))]) + Y / (len(K) - 1)  # the level of all scores stays
    again = discriminant(left, codes, model.priors_)
    assert_allclose(again.means, model.means_, rtol=1e-6)
    assert_allclose(again.projection, model._classes.projection, rtol=1e-6)


def test_coordinates_have_unit_covariance_within_classes_also_on_new_items():
    Z = rng.normal(size=(1200, 2))
    codes = (np.hypot(*Z.T) > 1.2).astype(int)
    model = KernelLDA().fit(Z[:600], codes[:600])
    at = model.transform(Z[600:])[:, 0]
    spread = np.mean([(at[codes[600:] == c]).var() for c in (0, 1)])
    assert 0.7 < spread < 1.4
    assert log_loss(codes[600:], model.predict_proba(Z[600:])) < 0.25


MAPS = {
    "polynomial": (Polynomial(2, gamma=0.5, offset=1.0), X, y),
    "homogeneous": (Homogeneous(2), X, y),
    "geometric": (Geometric(3), X[:, :2] / 5.0, y),
    "subsets": (SubsetCount(), SETS, CLASS),
}


@pytest.mark.parametrize("name", MAPS)
def test_kernel_run_equals_linear_run_on_the_explicit_map_T35(name):
    k, items, codes = MAPS[name]
    F = np.asarray(k.feature_map(items), dtype=float)
    by_kernel, by_map = (
        KernelLDA(kernel=kernel, shrinkage=0.01).fit(data, codes) for kernel, data in ((k, items), (Linear(), F))
    )
    assert_allclose(by_kernel.transform(items), by_map.transform(F), atol=1e-6)
    assert_allclose(by_kernel.predict_proba(items), by_map.predict_proba(F), atol=1e-7)


@pytest.mark.parametrize(("kernel", "items"), [(Normalised(Spectrum(2)), WORDS), (SubsetCount(), SETS)])
def test_strings_and_sets_are_classified_I1_I3(kernel, items):
    names = np.array(["x", "y", "z"])[CLASS]
    model = KernelLDA(kernel=kernel).fit(items[:45], names[:45])
    assert model.score(items[45:], names[45:]) > 0.8
    k = kernel.fit(items[:45])
    given = KernelLDA(kernel="precomputed").fit(k(items[:45]), names[:45])
    assert_allclose(model.predict_proba(items), given.predict_proba(k(items, items[:45])), atol=1e-8)


# ---- shrinkage, search, proof


def test_shrinkage_has_the_least_leave_one_out_error_of_all_candidates():
    model = KernelLDA().fit(X, y)
    assert model.loo_error_.shape == (17,)
    assert model.shrinkage_ == pytest.approx(10.0 ** ((np.argmin(model.loo_error_) - 12) / 2.0))
    for scale in (1e-6, 1e6):  # in units of the kernel
        assert (
            KernelLDA(kernel=scale * RBF(1.0)).fit(X, y).shrinkage_ == KernelLDA(kernel=RBF(1.0)).fit(X, y).shrinkage_
        )


def test_a_sample_chooses_for_many_items(monkeypatch):
    monkeypatch.setattr("mercer.estimators.discriminant.kernel_lda.ROWS", 60)
    model = KernelLDA().fit(X, y)
    assert model.score(X, y) > 0.95


def test_a_search_over_shared_grams_is_scikit_learns():
    grid = {"shrinkage": [1e-3, 0.1, 10.0], "gamma": [0.1, 1.0]}
    ours, theirs = (search(KernelLDA(), grid, cv=3).fit(X, y).cv_results_["mean_test_score"]
                    for search in (KernelSearchCV, GridSearchCV))  # fmt: skip
    assert_allclose(ours, theirs)


def test_verify_makes_the_proof_again():
    model = KernelLDA().fit(X, y)
    assert model.certificate_.converged
    assert mercer.verify(model, X, y).residual < 1e-8
    model.dual_coef_ = 1.01 * model.dual_coef_
    assert not mercer.verify(model, X, y).converged


def test_it_takes_part_in_comparisons():
    found = mercer.compare(X, y, RBF(1.0), ["klda", "dummy"], cv=3)
    assert found["klda"].score > 0.9


# ---- edges


def test_targets_are_orthonormal_and_centred():
    for counts in ((5, 1), (3, 7, 2), (1, 1, 1, 4)):
        codes = np.repeat(np.arange(len(counts)), counts)
        Y = class_targets(codes, len(counts))
        assert_allclose(Y.T @ Y, np.eye(len(counts) - 1), atol=1e-12)
        assert_allclose(Y.sum(axis=0), 0.0, atol=1e-12)
        assert all(np.ptp(Y[codes == c], axis=0).max() == 0.0 for c in range(len(counts)))
    assert class_targets(np.array([0, 1, 1]), 2)[2, 0] > 0.0


def test_a_class_of_one_item_is_learned_and_as_many_classes_as_items_are_refused():
    codes = y.copy()
    codes[149] = 3
    Z = X.copy()
    Z[149] += 10.0
    model = KernelLDA().fit(Z, codes)
    assert model.predict(Z[149:])[0] == 3
    assert np.mean(model.predict(Z) == codes) > 0.9
    with pytest.raises(ValueError, match="more items than classes; got 3 items of 3 classes"):
        KernelLDA().fit(X[[0, 60, 120]], [0, 1, 2])
    with pytest.raises(ValueError, match="two classes or more"):
        KernelLDA().fit(X[:9], np.zeros(9))


def test_constant_items_are_given_the_shares_of_the_classes():
    model = KernelLDA().fit(np.ones((10, 2)), [0] * 7 + [1] * 3)
    assert_allclose(model.predict_proba(np.ones((2, 2))), [[0.7, 0.3]] * 2, atol=1e-6)


def test_priors_move_the_threshold_and_not_the_axis():
    plain, rare = KernelLDA().fit(V, label), KernelLDA(priors=[0.99, 0.01]).fit(V, label)
    assert_allclose(rare.decision_function(V) - plain.decision_function(V), np.log(0.01 / 0.99), rtol=1e-6)
    assert (rare.predict(V) == "b").sum() < (plain.predict(V) == "b").sum()


def test_components_are_the_first_axes_and_the_classes_are_parted_by_all():
    all_of_them, one = KernelLDA().fit(X, y), KernelLDA(n_components=1).fit(X, y)
    assert_array_equal(one.transform(X), all_of_them.transform(X)[:, :1])
    assert_array_equal(one.predict_proba(X), all_of_them.predict_proba(X))
    assert one.get_feature_names_out().tolist() == ["kernellda0"]
    assert_allclose(all_of_them.explained_variance_ratio_.sum(), 1.0)
    assert all_of_them.explained_variance_ratio_[0] > 0.9


@pytest.mark.parametrize(("options", "message"), [
    ({"n_components": 3}, "n_components must be an integer from 1 to 2"),
    ({"shrinkage": 0.0}, "shrinkage must be 'auto' or a positive number; got 0.0"),
    ({"shrinkage": "best"}, "shrinkage must be 'auto'"),
    ({"priors": [0.5, 0.5]}, "priors must be 3 positive numbers with the sum 1"),
    ({"priors": [0.5, 0.5, 0.5]}, "priors must be 3 positive numbers with the sum 1"),
])  # fmt: skip
def test_bad_arguments_are_refused_by_name_I5(options, message):
    with pytest.raises(ValueError, match=message):
        KernelLDA(**options).fit(X, y)


def test_an_indefinite_gram_is_warned_of_or_refused_I6():
    K = RBF(1.0)(X)
    K[:2, :2] = [[1.0, 1.5], [1.5, 1.0]]
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        KernelLDA(kernel="precomputed", shrinkage=1.0).fit(K, y)
    with pytest.raises(NotPositiveDefinite, match="smallest eigenvalue"):
        KernelLDA(kernel="precomputed", check_psd="raise").fit(K, y)
