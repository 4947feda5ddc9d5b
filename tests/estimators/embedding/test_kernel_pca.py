"""Kernel PCA: PCA where the kernel is linear, the same on every kind of item, with proof (SPEC M13, A12, T29, T35)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import decomposition
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import mercer
from mercer import KernelPCA, NotPositiveDefinite, configure
from mercer.estimators.embedding.certificate import EigenCertificate
from mercer.kernels import RBF, Geometric, Homogeneous, Linear, Normalised, Polynomial, Spectrum, SubsetCount

rng = np.random.default_rng(0)
n = 90
X = rng.normal(size=(n, 4)) * [3.0, 2.0, 1.0, 0.5] + [5.0, 0.0, 0.0, 1.0]
new = rng.normal(size=(7, 4)) + np.array([5.0, 0.0, 0.0, 1.0])
WORDS = ["".join(rng.choice(list("abcd"), size=8)) for _ in range(40)]
SETS = [set(rng.choice(5, size=3).tolist()) for _ in range(40)]


def up_to_sign(A, B, **tolerance):
    signs = np.sign(np.sum(A * B, axis=0))
    assert_allclose(A * np.where(signs == 0.0, 1.0, signs), B, **tolerance)


# ---- what it is


def test_the_linear_kernel_is_pca_T29():
    ours, theirs = KernelPCA(4).fit(X), PCA(4).fit(X)
    up_to_sign(ours.transform(X), theirs.transform(X), atol=1e-10)
    up_to_sign(ours.transform(new), theirs.transform(new), atol=1e-10)
    assert_allclose(ours.eigenvalues_, (n - 1) * theirs.explained_variance_, rtol=1e-10)
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-10)


def test_scores_are_orthogonal_with_the_eigenvalues_as_squared_lengths_M13():
    model = KernelPCA(6, kernel=RBF(2.0))
    Y = model.fit_transform(X)
    assert_allclose(Y.T @ Y, np.diag(model.eigenvalues_), atol=1e-10)
    assert_allclose(Y.sum(axis=0), 0.0, atol=1e-10)
    assert_allclose(model.transform(X), Y, atol=1e-10)
    largest = model.eigenvectors_[np.argmax(abs(model.eigenvectors_), axis=0), np.arange(6)]
    assert (largest > 0.0).all()


def test_two_columns_have_up_to_n_minus_1_components_M13():
    model = KernelPCA(kernel=RBF(0.3)).fit(X[:, :2])
    assert model.transform(new[:, :2]).shape == (7, n - 1)
    assert_allclose(model.explained_variance_ratio_.sum(), 1.0)


@pytest.mark.parametrize("solver", ["dense", "krylov", "arpack", "randomized", "nystroem"])
def test_every_solver_is_scikit_learns_answer(solver):
    Z = rng.normal(size=(500, 3))
    ours = KernelPCA(5, kernel="rbf", gamma=0.3, eigen_solver=solver, tol=1e-10).fit(Z)
    theirs = decomposition.KernelPCA(5, kernel="rbf", gamma=0.3, eigen_solver="dense").fit(Z)
    assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    up_to_sign(ours.transform(Z[:9]), theirs.transform(Z[:9]), atol=1e-7)
    assert ours.solver_ == {"arpack": "krylov", "randomized": "krylov"}.get(solver, solver)


MAPS = {
    "polynomial": (Polynomial(2, gamma=0.5, offset=1.0), X),
    "homogeneous": (Homogeneous(2), X),
    "geometric": (Geometric(3), X[:, :2] / 5.0),
    "subsets": (SubsetCount(), SETS),
}


@pytest.mark.parametrize("name", MAPS)
def test_kernel_run_equals_linear_run_on_the_explicit_map_T35(name):
    k, items = MAPS[name]
    F = np.asarray(k.feature_map(items), dtype=float)
    count = 3
    by_kernel, by_map = KernelPCA(count, kernel=k).fit(items), KernelPCA(count).fit(F)
    up_to_sign(by_kernel.transform(items), by_map.transform(F), atol=1e-8 * np.sqrt(by_map.eigenvalues_[0]))
    assert_allclose(by_kernel.explained_variance_ratio_, by_map.explained_variance_ratio_, rtol=1e-8)


@pytest.mark.parametrize(("kernel", "items"), [(Normalised(Spectrum(2)), WORDS), (SubsetCount(), SETS)])
def test_items_of_any_kind_are_their_gram_I1_I3(kernel, items):
    direct = KernelPCA(3, kernel=kernel).fit(items[:30])
    k = kernel.fit(items[:30])
    given = KernelPCA(3, kernel="precomputed").fit(k(items[:30]))
    assert_allclose(direct.transform(items[30:]), given.transform(k(items[30:], items[:30])), atol=1e-9)
    assert given.X_fit_ is None
    assert list(direct.X_fit_) == items[:30]


# ---- its proof


def test_the_certificate_says_how_near_the_eigenvalues_are():
    Z = rng.normal(size=(600, 3))
    model = KernelPCA(4, kernel=RBF(1.0)).fit(Z)
    proof = model.certificate_
    assert isinstance(proof, EigenCertificate)
    assert proof.converged
    exact = np.linalg.eigvalsh(mercer.kernels.Centred(RBF(1.0))(Z))
    assert (abs(exact[:, None] - model.eigenvalues_).min(axis=0) <= proof.residuals + 1e-12).all()
    assert proof.relative_residual <= 1e-6
    assert "eigenvalues is within" in str(proof)
    assert_allclose(proof.total, exact.sum(), rtol=1e-10)


def test_verify_makes_the_proof_again_for_ours_and_scikit_learns():
    for model in (KernelPCA(3, kernel="rbf"), decomposition.KernelPCA(3, kernel="rbf")):
        proof = mercer.verify(model.fit(X), X)
        assert proof.converged
        assert proof.relative_residual < 1e-10
    model.eigenvectors_ = model.eigenvectors_ + 0.01
    assert not mercer.verify(model, X).converged
    with pytest.raises(ValueError, match="90 items the model was fitted on"):
        mercer.verify(model, X[1:])


def test_too_few_products_are_told_and_landmarks_bound_the_eigenvalues():
    Z = rng.normal(size=(600, 3))
    with pytest.warns(ConvergenceWarning, match="residuals must be within tol"):
        short = KernelPCA(4, kernel=RBF(1.0), max_iter=1, eigen_solver="krylov").fit(Z)
    assert not short.converged_
    assert short.certificate_.reason == "max_iter"
    exact = KernelPCA(4, kernel=RBF(1.0), eigen_solver="dense").fit(Z)
    few = KernelPCA(4, kernel=RBF(1.0), eigen_solver="nystroem", n_landmarks=60).fit(Z)
    assert (few.eigenvalues_ <= exact.eigenvalues_).all()
    assert (exact.eigenvalues_ <= few.eigenvalues_ + few.certificate_.missed).all()
    assert len(few.support_) == len(few.X_fit_) == 60
    assert_allclose(few.transform(Z), few.eigenvectors_ * np.sqrt(few.eigenvalues_), atol=1e-8)
    assert "lower bound" in str(few.certificate_)


def test_a_slow_kernel_beyond_the_memory_takes_landmarks():
    Z = rng.normal(size=(300, 3))
    with configure(memory=2**17):
        model = KernelPCA(2, kernel=RBF(1.0) + Linear(), n_landmarks=40).fit(Z)
        fast = KernelPCA(2, kernel=RBF(1.0), eigen_solver="krylov").fit(Z)
    assert (model.solver_, fast.solver_) == ("nystroem", "krylov")


# ---- edges


def test_more_components_than_rank_are_zero_M13():
    model = KernelPCA(8).fit(X)
    assert_array_equal(model.eigenvalues_[4:], 0.0)
    assert_array_equal(model.transform(new)[:, 4:], 0.0)
    assert model.transform(new).shape == (7, 8)
    assert KernelPCA(8, remove_zero_eig=True).fit(X).transform(new).shape == (7, 4)
    assert KernelPCA(500).fit(X).transform(new).shape == (7, n)


def test_constant_data_have_no_variance_M13():
    model = KernelPCA(2, kernel=RBF(1.0)).fit(np.ones((6, 2)))
    assert_array_equal(model.eigenvalues_, 0.0)
    assert_array_equal(model.explained_variance_ratio_, 0.0)
    assert_array_equal(model.transform(np.zeros((3, 2))), 0.0)
    assert "no variance" in str(model.certificate_)


def test_an_indefinite_gram_is_warned_of_and_refused_where_axes_are_negative_I6():
    values = np.array([5.0, 3.0, 1.0, 0.0, -1.0, -4.0])
    Q = np.linalg.qr(np.column_stack([np.ones(6), rng.normal(size=(6, 5))]))[0]
    K = (Q[:, 1:] * values[[0, 1, 2, 4, 5]]) @ Q[:, 1:].T
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        model = KernelPCA(3, kernel="precomputed").fit(K)
    assert_allclose(model.eigenvalues_, [5.0, 3.0, 1.0])
    with pytest.raises(NotPositiveDefinite, match=r"-4 .*ask for at most 3 components"):
        KernelPCA(kernel="precomputed", check_psd="off").fit(K)
    with pytest.raises(NotPositiveDefinite, match="smallest eigenvalue"):
        KernelPCA(3, kernel="precomputed", check_psd="raise").fit(K)


@pytest.mark.parametrize(("options", "message"), [
    ({"n_components": 0}, "n_components must be an integer >= 1 or None; got 0"),
    ({"n_components": 1.5}, "n_components must be an integer"),
    ({"eigen_solver": "lobpcg"}, "eigen_solver must be one of"),
    ({"tol": -1.0}, "tol must be a finite number >= 0; got -1.0"),
    ({"max_iter": 0}, "max_iter must be an integer >= 1"),
    ({"n_landmarks": 0}, "n_landmarks must be an integer >= 1"),
    ({"fit_inverse_transform": True, "alpha": -1.0}, "alpha must be a finite number >= 0"),
    ({"fit_inverse_transform": True, "inverse": "knn"}, "inverse must be 'ridge' or 'fixed_point'; got 'knn'"),
    ({"fit_inverse_transform": True, "inverse": "fixed_point"}, "kernel must be the Gaussian kernel"),
])  # fmt: skip
def test_bad_arguments_are_refused_by_name_I5(options, message):
    with pytest.raises(ValueError, match=message):
        KernelPCA(**options).fit(X)


# ---- back to rows


def ring(count, seed=0):
    draw = np.random.default_rng(seed)
    angle = draw.uniform(0.0, 2.0 * np.pi, count)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.02 * draw.normal(size=(count, 2))


def test_the_inverse_of_the_linear_kernel_is_pcas():
    model = KernelPCA(2, fit_inverse_transform=True).fit(X)
    expected = PCA(2).fit(X)
    assert_allclose(model.inverse_transform(model.transform(new)),
                    expected.inverse_transform(expected.transform(new)), atol=0.05)  # fmt: skip


@pytest.mark.parametrize("inverse", ["ridge", "fixed_point"])
def test_new_rows_come_back_and_by_a_width_of_its_own_nearer_than_scikit_learns(inverse):
    Z, held = ring(200), ring(60, seed=1)
    ours = KernelPCA(6, kernel="rbf", gamma=2.0, fit_inverse_transform=True, inverse=inverse).fit(Z)
    theirs = decomposition.KernelPCA(6, kernel="rbf", gamma=2.0, fit_inverse_transform=True).fit(Z)

    def off(model):
        return np.linalg.norm(model.inverse_transform(model.transform(held)) - held, axis=1).mean()

    assert off(ours) < 0.05
    if inverse == "ridge":
        assert off(ours) < 0.25 * off(theirs)


def test_a_fixed_point_is_one_and_no_training_row_is_higher():
    Z = ring(80)
    model = KernelPCA(3, kernel=RBF(0.7), fit_inverse_transform=True, inverse="fixed_point").fit(Z)
    scores = model.transform(Z[:5])
    found = model.inverse_transform(scores)
    G = scores @ model._coef.T + 1.0 / len(Z)
    W = G * RBF(0.7)(found, Z)
    assert_allclose(W @ Z / W.sum(axis=1)[:, None], found, atol=1e-5)
    assert (W.sum(axis=1)[:, None] >= G @ RBF(0.7)(Z) - 1e-6).all()


def test_the_inverse_has_scikit_learns_attributes_and_refuses_what_it_cannot_do():
    model = KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(X)
    assert model.dual_coef_.shape == (n, 4)
    assert_allclose(model.X_transformed_fit_, model.transform(X), atol=1e-10)
    assert model.inverse_alpha_ > 0.0
    with pytest.raises(ValueError, match="scores on 2 axes; got 3 columns"):
        model.inverse_transform(X[:, :3])
    with pytest.raises(NotFittedError, match="fit_inverse_transform must be True"):
        KernelPCA(2).fit(X).inverse_transform(X[:, :2])
    with pytest.raises(ValueError, match="dense rows of numbers"):
        KernelPCA(2, kernel=Spectrum(2), fit_inverse_transform=True).fit(WORDS)
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform with a precomputed kernel"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(np.eye(3))


def test_single_precision_stays_single():
    Z = X.astype(np.float32)
    model = KernelPCA(2, kernel=RBF(2.0))
    assert model.fit_transform(Z).dtype == model.transform(Z).dtype == np.float32
    up_to_sign(model.transform(Z), KernelPCA(2, kernel=RBF(2.0)).fit_transform(X), atol=1e-4)


def test_all_axes_of_few_features_need_no_decomposition_of_all_items():
    Z = rng.normal(size=(3000, 4))
    model = KernelPCA().fit(Z)
    assert model.solver_ == "krylov"
    assert_allclose(model.eigenvalues_, 3000 * np.linalg.eigvalsh(np.cov(Z.T, bias=True))[::-1], rtol=1e-8)
    assert KernelPCA(kernel=Homogeneous(2)).fit(Z[:300]).transform(new).shape == (7, 10)


def test_the_number_of_threads_changes_nothing():
    Z = rng.normal(size=(700, 3))
    found = []
    for threads in (1, 2):
        with configure(threads=threads):
            found.append(KernelPCA(3, kernel=RBF(1.0)).fit(Z).transform(Z[:5]))
    assert_array_equal(*found)
