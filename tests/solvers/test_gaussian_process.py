"""Conditioning a Gaussian process, against dense formulas and refits (M31, M32, T30)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from mercer.kernels import RBF
from mercer.linalg.cholesky import factorise
from mercer.solvers.gaussian_process import condition

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2))
Y = rng.normal(size=(30, 2))
M = RBF(0.8)(X) + 0.2 * np.eye(30)
H = np.column_stack([np.ones(30), X[:, 0]])
NONE = np.empty((30, 0))


def found(Y=Y, H=NONE, M=M):
    return condition(factorise(M.copy()), Y, H)


def test_the_evidence_is_the_log_density_of_the_targets_M32():
    expected = sum(multivariate_normal(np.zeros(30), M).logpdf(column) for column in Y.T)
    assert_allclose(found().evidence, expected)


def test_the_evidence_with_a_basis_is_that_of_contrasts_it_cannot_explain_M32():
    """N'y with N orthonormal and N'H = 0 has a proper density; |H'H| is what the change of variables leaves."""
    N = np.linalg.svd(H)[0][:, 2:]
    expected = multivariate_normal(np.zeros(28), N.T @ M @ N).logpdf(N.T @ Y[:, 0])
    assert_allclose(found(Y[:, :1], H).evidence, expected - 0.5 * np.linalg.slogdet(H.T @ H)[1])


def test_a_flat_prior_is_the_limit_of_a_wide_one_M31():
    wide = condition(factorise(M + 1e6 * H @ H.T), Y, NONE)
    assert_allclose(found(H=H).coef, wide.coef, atol=1e-4)
    assert_allclose(H @ found(H=H).weights, 1e6 * H @ (H.T @ wide.coef), atol=1e-4)


def test_equations_hold_and_the_basis_sees_no_coefficients():
    both = found(H=H)
    assert both.residual() < 1e-13
    assert_allclose(H.T @ both.coef, 0.0, atol=1e-12)


@pytest.mark.parametrize("basis", [NONE, H], ids=["zero", "linear"])
def test_leaving_one_out_is_refitting_without_it_M31(basis):
    mean, variance = found(H=basis).left_out()
    for i in (0, 7, 29):
        rest = np.delete(np.arange(30), i)
        other = found(Y[rest], basis[rest], M[np.ix_(rest, rest)])
        k = M[i, rest]
        assert_allclose(mean[i], k @ other.coef + basis[i] @ other.weights)
        u = np.linalg.solve(other.root, basis[i]) - other.explained.T @ k
        assert_allclose(variance[i], M[i, i] - k @ np.linalg.solve(M[np.ix_(rest, rest)], k) + u @ u)


@pytest.mark.parametrize("basis", [NONE, H], ids=["zero", "linear"])
def test_the_weights_of_the_slope_are_the_derivative_of_the_evidence_M32(basis):
    D = RBF(1.7)(X)
    h = 1e-5
    numeric = (found(H=basis, M=M + h * D).evidence - found(H=basis, M=M - h * D).evidence) / (2 * h)
    assert_allclose(np.sum(found(H=basis).slope_weights() * D), numeric, rtol=1e-7)


def test_a_basis_with_repeated_columns_is_refused():
    with pytest.raises(ValueError, match="lower rank"):
        found(H=np.ones((30, 2)))
