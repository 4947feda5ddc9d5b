"""Separable, quasi-separable and overlapping classes are told apart, two and more (M1, M34)."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import FeatureGLMClassifier
from mercer.solvers.glm import solve_glm
from mercer.solvers.losses import Bernoulli, Multinomial
from mercer.solvers.separation import separation

CASES = {
    "separable": ([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1]),
    "quasi-separable": ([-1.0, 0.0, 0.0, 1.0], [0, 0, 1, 1]),
    "": ([-1.0, 0.5, -0.5, 1.0], [0, 0, 1, 1]),
}


@pytest.mark.parametrize("kind", CASES)
def test_two_classes_on_a_line_M34(kind):
    x, y = (np.array(part) for part in CASES[kind])
    Z, family = np.column_stack([x, np.ones(4)]), Bernoulli()
    assert separation(Z, family.contrasts(family.statistic(y))) == kind
    found = solve_glm(x[:, None], y, family, alpha=0.0)
    assert found.reason == (kind or "converged")
    assert found.converged == (not kind)
    assert not kind or "no finite weights" in str(found)


@pytest.mark.parametrize("kind", CASES)
def test_three_classes_of_which_two_overlap_or_touch_M34(kind):
    x, y = CASES[kind]
    x, y = np.array([*x, 8.0, 9.0]), np.array([*y, 2, 2])
    family = Multinomial(3)
    found = separation(np.column_stack([x, np.ones(6)]), family.contrasts(family.statistic(y)))
    assert found == (kind or "quasi-separable")  # the third class is far from both in any case
    assert solve_glm(x[:, None], y, family, alpha=0.0).reason == found


@pytest.mark.parametrize("kind", ["separable", "quasi-separable"])
def test_a_machine_names_the_fault_and_a_penalty_cures_it_M1(kind):
    x, y = (np.array(part) for part in CASES[kind])
    with pytest.raises(ValueError, match="separate") as told:
        FeatureGLMClassifier(alpha=0.0).fit(x[:, None], y)
    assert ("quasi-separable" in str(told.value)) == (kind == "quasi-separable")
    assert FeatureGLMClassifier(alpha=0.1).fit(x[:, None], y).converged_
