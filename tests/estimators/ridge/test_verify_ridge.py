"""mercer.verify: proofs made again, for ridge machines of ours and of scikit-learn (M10, T18)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.linear_model import Ridge

from mercer import SVR, KernelRidge, KernelRidgeCV, verify
from mercer.estimators.svm.certificate import Certificate
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X = rng.uniform(size=(50, 3))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1]]) + 0.1 * rng.normal(size=(50, 2))
w = np.where(np.arange(50) < 5, 0.0, rng.uniform(0.5, 2.0, 50))

MACHINES = {
    "ours": KernelRidge(0.1, kernel=RBF(0.5)),
    "with an intercept": KernelRidge(0.1, kernel="rbf", fit_intercept=True),
    "an alpha for each": KernelRidge([0.1, 2.0], kernel="rbf"),
    "theirs": Theirs(0.1, kernel="rbf"),
    "their polynomial": Theirs(0.5, kernel="polynomial", degree=2, gamma=0.3, coef0=2.0),
    "their alphas": Theirs([0.1, 2.0], kernel="laplacian"),
}


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_a_ridge_machine_is_proved_from_its_coefficients_T18(machine):
    is_proved(machine.fit(X, Y, w), Y)


def test_a_chosen_alpha_is_that_of_the_proof_T18():
    alphas = np.logspace(-3, 1, 5)
    is_proved(KernelRidge(alphas, kernel="rbf").fit(X, Y[:, 0], w), Y[:, 0])
    is_proved(KernelRidgeCV(["rbf"], alphas).fit(X, Y, w).best_estimator_, Y)


def is_proved(machine, targets):
    proof = verify(machine, X, targets, w)
    assert proof.converged
    assert proof.residual < 1e-9
    assert proof.relative_gap < 1e-12
    if isinstance(machine, KernelRidge):
        assert_allclose(proof.primal, machine.certificate_.primal)


@pytest.mark.parametrize("machine", [KernelRidge(0.1, kernel="rbf"), Theirs(0.1, kernel="rbf")], ids=["ours", "theirs"])
def test_a_machine_with_a_wrong_coefficient_is_found_out_T18(machine):
    m = machine.fit(X, Y)
    m.dual_coef_ = m.dual_coef_ + np.eye(50, 2)
    proof = verify(m, X, Y)
    assert not proof.converged
    assert proof.gap > 1e-3


def test_a_given_matrix_is_proved_too():
    K = RBF(0.5)(X)
    for machine in (KernelRidge(0.1, kernel="precomputed"), Theirs(0.1, kernel="precomputed")):
        assert verify(machine.fit(K, Y[:, 0]), K, Y[:, 0]).residual < 1e-9


def test_support_vector_machines_go_their_own_way():
    assert isinstance(verify(SVR().fit(X, Y[:, 0]), X, Y[:, 0]), Certificate)


def test_what_cannot_be_proved_is_refused():
    with pytest.raises(ValueError, match=r"KernelRidge.*, ours or scikit-learn's; got Ridge"):
        verify(Ridge().fit(X, Y), X, Y)
    m = KernelRidge(kernel="rbf").fit(X, Y)
    with pytest.raises(ValueError, match="the 50 samples"):
        verify(m, X[:9], Y[:9])
    with pytest.raises(ValueError, match="targets of the fit"):
        verify(m, X)
