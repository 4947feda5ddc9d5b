"""Principal axes by three ways agree with each other and with their definition (SPEC A12, M13, C13)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from mercer import configure
from mercer.gram import LazyGram, StoredGram
from mercer.kernels import RBF, Laplacian, Linear
from mercer.solvers.nystroem import InMemory, nystroem_axes
from mercer.solvers.principal_axes import (
    Centred,
    negative_eigenvalues,
    principal_axes,
    residuals_of,
    signed,
    total_variance,
)

rng = np.random.default_rng(0)
n = 450
X = rng.normal(size=(n, 5)) * [3.0, 2.0, 1.0, 0.5, 0.2] + 2.0
H = np.eye(n) - 1.0 / n

GRAMS = {
    "native rows": LazyGram(RBF(2.0), X),
    "native rows in single precision": LazyGram(RBF(2.0), X.astype(np.float32)),
    "slow tiles": LazyGram(Laplacian(3.0) + Linear(), X),
    "more rows than columns": LazyGram(Linear(), X),
    "sparse rows": LazyGram(Linear(), csr_array(np.where(X > 2.0, X, 0.0))),
    "more columns than rows": LazyGram(Linear(), rng.normal(size=(n, 2 * n))),
    "stored": StoredGram(RBF(2.0)(X)),
}


def reference(gram):
    K = np.asarray(gram.dense(), dtype=float)
    return H @ K @ H


@pytest.mark.parametrize("kind", GRAMS)
def test_axes_are_the_eigenpairs_of_the_centred_gram_M13(kind):
    gram = GRAMS[kind]
    Kc = reference(gram)
    expected = np.linalg.eigvalsh(Kc)[::-1][:4]
    tol = 1e-5 if "single" in kind else 1e-9
    for solver in ("dense", "krylov"):
        axes = principal_axes(gram, 4, solver=solver, tol=1e-10)
        assert axes.solver == solver
        assert_allclose(axes.values, expected, rtol=tol)
        assert_allclose(axes.total, np.trace(Kc), rtol=tol)
        assert_allclose(Kc @ axes.vectors, axes.vectors * axes.values, atol=10.0 * tol * expected[0])
        A, b = axes.projection()
        scores = np.asarray(gram.dense(), dtype=float) @ A + b
        assert_allclose(scores, axes.vectors * np.sqrt(axes.values), atol=10.0 * tol * np.sqrt(expected[0]))


def test_auto_takes_lapack_for_few_items_or_many_axes():
    gram = GRAMS["native rows"]
    assert principal_axes(gram, 5).solver == "krylov"
    assert principal_axes(gram, 200).solver == "dense"
    assert principal_axes(gram.sub(np.arange(100)), 5).solver == "dense"


@pytest.mark.parametrize("kind", ["native rows", "slow tiles"])
def test_a_gram_that_does_not_fit_is_streamed_with_the_same_answer(kind):
    stored = principal_axes(GRAMS[kind], 3, tol=1e-10)
    with configure(memory=2**18):
        streamed = principal_axes(GRAMS[kind], 3, tol=1e-10)
    assert_allclose(streamed.values, stored.values, rtol=1e-12)
    assert_allclose(abs(np.sum(streamed.vectors * stored.vectors, axis=0)), 1.0, rtol=1e-10)


def test_the_default_tolerance_gives_eigenvalues_to_many_more_digits():
    exact = np.linalg.eigvalsh(reference(GRAMS["native rows"]))[::-1][:6]
    axes = principal_axes(GRAMS["native rows"], 6)
    assert_allclose(axes.values, exact, rtol=1e-9)
    assert (axes.residuals <= 1e-6 * axes.values).all()


def test_centring_A12():
    K = GRAMS["stored"].dense()
    Kc = Centred(None).dense(GRAMS["stored"])
    assert_allclose(Kc, H @ K @ H, atol=1e-12)
    assert_allclose(Kc.sum(axis=0), 0.0, atol=1e-10)
    assert_allclose(Centred(None).dense(StoredGram.of(Kc)), Kc, atol=1e-12)  # once is enough
    assert np.linalg.eigvalsh(Kc)[0] > -1e-10
    centred = Centred(GRAMS["stored"])
    V = rng.normal(size=(n, 3))
    assert_allclose(centred(V), H @ K @ H @ V, atol=1e-10)
    assert_allclose(centred.means(n), K.mean(axis=1), rtol=1e-12)
    linear = LazyGram(Linear(), X)
    assert_allclose(Centred(None).dense(linear), (X - X.mean(0)) @ (X - X.mean(0)).T, atol=1e-10)
    assert_allclose(total_variance(linear), n * X.var(axis=0).sum(), rtol=1e-12)


def test_residuals_are_those_of_the_pairs_that_are_given():
    gram = GRAMS["stored"]
    axes = principal_axes(gram, 3, tol=1e-10)
    assert residuals_of(gram, axes.values, axes.vectors).max() < 1e-8
    wrong = residuals_of(gram, axes.values + 0.1, axes.vectors)
    assert_allclose(wrong, 0.1, rtol=1e-6)


def test_all_landmarks_are_no_approximation_and_few_bound_the_eigenvalues():
    gram = GRAMS["stored"]
    K = gram.dense()
    exact = np.linalg.eigvalsh(reference(gram))[::-1][:5]
    for count in (30, 100, n):
        S = np.sort(rng.permutation(n)[:count])
        axes = nystroem_axes(InMemory(lambda r, S=S: K[r][:, S], len(K)), K[np.ix_(S, S)], np.diagonal(K), 5)
        assert (axes.values <= exact * (1.0 + 1e-9)).all()
        assert (exact <= axes.values + axes.missed + 1e-9).all()
        scores = K[:, S] @ axes.coef + axes.constant
        assert_allclose(scores, axes.vectors * np.sqrt(axes.values), atol=1e-8)
    assert_allclose(axes.values, exact, rtol=1e-8)
    assert axes.missed < 1e-6


def test_signs_make_the_largest_entry_positive_M13():
    V = np.array([[1.0, -3.0, 0.0], [-2.0, 1.0, 0.0]])
    assert signed(V).tolist() == [-1.0, -1.0, 1.0]


def test_negative_eigenvalues_of_few_and_of_many_items_M14(monkeypatch):
    A = rng.normal(size=(n, n))
    gram = StoredGram(A + A.T)
    values = np.linalg.eigvalsh(reference(gram))
    few = negative_eigenvalues(gram, 1.0)
    assert_allclose(few, values[values < -1e-9], rtol=1e-9)
    monkeypatch.setattr("mercer.solvers.principal_axes._ALL_VALUES", 10)
    many = negative_eigenvalues(gram, 1.0)
    assert_allclose(many, values[:5], rtol=1e-2)
    assert not len(negative_eigenvalues(GRAMS["stored"], 1.0))
