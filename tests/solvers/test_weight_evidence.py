"""Laplace's evidence of weights: slopes, the exact integral in one dimension, and the best alpha (M2, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from mercer.solvers.losses import Bernoulli, Multinomial, Poisson
from mercer.solvers.weight_evidence import LaplaceEvidence, best_evidence

rng = np.random.default_rng(0)
n, K = 40, 5
Phi = rng.normal(size=(n, K))
f = Phi @ rng.normal(size=K) + 0.3
s = rng.uniform(0.5, 2.0, n)
CASES = {
    "bernoulli": (Bernoulli(), (rng.random(n) < 1.0 / (1.0 + np.exp(-f))).astype(int)),
    "multinomial": (Multinomial(3), np.argmax(Phi[:, :3] + rng.gumbel(size=(n, 3)), axis=1)),
    "poisson": (Poisson(), rng.poisson(np.exp(f / 2.0))),
}
cases = pytest.mark.parametrize("case", CASES)


def evidence(F, case, bias, alpha=0.7):
    family, y = CASES[case]
    return LaplaceEvidence.of(F, y[: len(F)], family, alpha=alpha, weight=s[: len(F)], fit_intercept=bias)


@cases
@pytest.mark.parametrize("bias", [True, False])
def test_the_slope_in_the_features_M32(case, bias):
    slope, h = evidence(Phi, case, bias).slope(), 1e-4
    for i, j in ((0, 0), (3, 4), (21, 2)):
        E = np.zeros_like(Phi)
        E[i, j] = h
        difference = (evidence(Phi + E, case, bias).value - evidence(Phi - E, case, bias).value) / (2.0 * h)
        assert_allclose(slope[i, j], difference, rtol=1e-5, atol=1e-7)


def test_the_slope_of_more_features_than_items_M32():
    wide, h = rng.normal(size=(8, 12)), 1e-4
    slope = evidence(wide, "multinomial", True).slope()
    for i, j in ((0, 0), (5, 11)):
        E = np.zeros_like(wide)
        E[i, j] = h
        ends = [evidence(F, "multinomial", True).value for F in (wide + E, wide - E)]
        assert_allclose(slope[i, j], (ends[0] - ends[1]) / (2.0 * h), rtol=1e-4, atol=1e-7)


def test_one_weight_is_nearly_its_integral_M32():
    """Laplace's approximation is exact as items grow in number; 40 of them leave a few thousandths."""
    family, y = CASES["bernoulli"]
    x, alpha = Phi[:, :1], 0.7

    def density(w):
        loss = family.loss(w * x, family.statistic(y)).sum() + 0.5 * alpha * w**2
        return np.exp(-loss) * np.sqrt(alpha / (2.0 * np.pi))

    found = LaplaceEvidence.of(x, y, family, alpha=alpha, fit_intercept=False)
    assert_allclose(found.value, np.log(quad(density, -20.0, 20.0)[0]), atol=0.02)


@cases
def test_the_best_alpha_has_the_largest_evidence_M32(case):
    family, y = CASES[case]
    best = best_evidence(Phi, y, family, weight=s)
    assert all(evidence(Phi, case, True, best.alpha * factor).value < best.value for factor in (1e-3, 0.8, 1.25, 1e3))
