"""Many shifted systems from one decomposition, complete or thin."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from mercer import MemoryBudgetError, configure
from mercer.linalg.spectrum import Spectrum

rng = np.random.default_rng(0)
F = rng.normal(size=(30, 4))
ALPHAS = np.array([1e-3, 0.5, 40.0])


def full():
    B = rng.normal(size=(30, 30))
    return B @ B.T


def systems():
    A = full()
    return {
        "complete": (Spectrum.of_matrix(A.copy()), A),
        "singular": (Spectrum.of_matrix(F @ F.T), F @ F.T),
        "thin": (Spectrum.of_features(F), F @ F.T),
        "sparse": (Spectrum.of_features(csr_matrix(F)), F @ F.T),
    }


@pytest.mark.parametrize("name", ["complete", "singular", "thin", "sparse"])
def test_every_shift_is_solved_as_if_alone_M10(name):
    spectrum, A = systems()[name]
    Z = rng.normal(size=(30, 2))
    inverses = [np.linalg.inv(A + alpha * np.eye(30)) for alpha in ALPHAS]
    assert_allclose(spectrum.solve(Z, ALPHAS), [inverse @ Z for inverse in inverses], rtol=1e-8, atol=1e-9)
    assert_allclose(spectrum.inverse_diagonals(ALPHAS), [np.diagonal(i) for i in inverses], rtol=1e-8)


@pytest.mark.parametrize("name", ["singular", "thin"])
def test_without_a_shift_the_solution_is_the_shortest_T27(name):
    spectrum, A = systems()[name]
    z = rng.normal(size=(30, 1))
    assert spectrum.rank == 4
    assert_allclose(spectrum.solve(z, np.zeros(1))[0], np.linalg.pinv(A, rcond=1e-10) @ z, atol=1e-9)


def test_rank_of_a_zero_matrix_is_zero():
    nothing = Spectrum.of_matrix(np.zeros((3, 3)))
    assert nothing.rank == 0
    assert_allclose(nothing.solve(np.ones((3, 1)), np.zeros(1)), 0.0)
    assert_allclose(nothing.solve(np.ones((3, 1)), np.array([2.0])), 0.5)


def test_rounding_does_not_make_an_eigenvalue_negative():
    assert (Spectrum.of_matrix(np.outer(F[:, 0], F[:, 0])).values >= 0.0).all()
    assert Spectrum.of_matrix(np.diag([1.0, -0.5])).values.min() == -0.5


def test_eigenvectors_over_the_budget_are_refused():
    with configure(memory=2**20), pytest.raises(MemoryBudgetError, match="eigenvectors"):
        Spectrum.of_matrix(np.eye(300))
