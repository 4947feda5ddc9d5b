"""mercer.verify of machines of regularised risk: the proof of fit is made again, and wrong coefficients show (M12)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import KernelLogisticRegression, KernelQuantileRegressor, KernelRiskClassifier, KernelRiskRegressor, verify
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
numbers = np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=60)
two = np.where(numbers > 0.0, "up", "down")
three = np.digitize(numbers, [-0.4, 0.4])
w = np.where(np.arange(60) % 12 == 0, 0.0, rng.uniform(0.5, 2.0, 60))


def _quartic(y, f):
    return 0.25 * (y - f) ** 4, -((y - f) ** 3)


MACHINES = {
    "huber": (KernelRiskRegressor("huber", kernel=RBF(1.0)), numbers),
    "tube": (KernelRiskRegressor("epsilon_insensitive", kernel=RBF(1.0)), numbers),
    "of a user": (KernelRiskRegressor(_quartic, kernel=RBF(1.0)), numbers),
    "quantile": (KernelQuantileRegressor(quantile=0.3, kernel=RBF(1.0)), numbers),
    "quantile through 0": (KernelQuantileRegressor(quantile=0.3, kernel=RBF(1.0), fit_intercept=False), numbers),
    "hinge": (KernelRiskClassifier("hinge", kernel=RBF(1.0), class_weight="balanced"), two),
    "one against the rest": (KernelRiskClassifier("squared_hinge", kernel=RBF(1.0)), three),
    "linear": (KernelRiskClassifier("squared_hinge", kernel="linear"), two),
    "logistic": (KernelLogisticRegression(kernel=RBF(1.0)), two),
    "softmax": (KernelLogisticRegression(kernel=RBF(1.0)), three),
    "softmax through 0": (KernelLogisticRegression(kernel=RBF(1.0), fit_intercept=False), three),
}
machines = pytest.mark.parametrize(("machine", "y"), MACHINES.values(), ids=MACHINES)


@machines
def test_the_proof_of_fit_is_found_again_M12(machine, y):
    proof = verify(machine.fit(X, y, w), X, y, w)
    told = machine.certificate_
    assert proof.converged
    assert -1e-9 <= proof.relative_gap <= 1.1 * machine.tol
    assert_allclose([p.primal for p in proof.parts or [proof]], [p.primal for p in told.parts or [told]], rtol=1e-7)
    assert (proof.loss, proof.psd, proof.convex) == (told.loss, told.psd, told.convex)


@machines
def test_a_wrong_coefficient_or_intercept_is_found_out_M12(machine, y):
    m = machine.fit(X, y)
    right = m.dual_coef_
    m.dual_coef_ = right + 0.5 * np.eye(*right.shape)
    proof = verify(m, X, y)
    assert not proof.converged
    assert proof.relative_gap > 2.0 * m.tol
    m.dual_coef_, m.intercept_ = right, m.intercept_ + np.eye(1, len(m.intercept_))[0]
    assert not verify(m, X, y).converged


def test_a_proof_needs_the_data_of_the_fit():
    m = KernelLogisticRegression().fit(X, two)
    with pytest.raises(ValueError, match="targets of the fit"):
        verify(m, X)
    with pytest.raises(ValueError, match="the 60 samples"):
        verify(m, X[:50], two[:50])
    with pytest.raises(ValueError, match="labels of the classes"):
        verify(m, X, three)
