"""The twin: EM never falls, and where both arrive the greedy ascent arrived as well (M5, M6)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.solvers.rvm.relevance_data import labels, matrix, numbers

from mercer import MemoryBudgetError, configure
from mercer.solvers.rvm.em import RULES, fixed_point
from mercer.solvers.rvm.evidence import LARGEST
from mercer.solvers.rvm.greedy import greedy


def test_the_evidence_never_falls_under_EM_M5():
    found = fixed_point(numbers(), "em", max_iter=300)
    assert (np.diff(found.trace) >= -1e-9).all()
    assert len(found.trace) > 50


@pytest.mark.parametrize("rule", RULES)
def test_a_step_is_the_formula_of_the_rule_M5(rule):
    """alpha = 1 / (m^2 + S_ii), or gamma / m^2, from the dense posterior at the first variances."""
    model = numbers(beta=50.0)
    found, Phi = fixed_point(model, rule, max_iter=1, tol=1e-12), matrix(model)
    alpha = model.size / model.scale
    S = np.linalg.inv(np.diag(alpha) + 50.0 * Phi.T @ Phi)
    m = 50.0 * S @ Phi.T @ model.y
    new = 1.0 / (m**2 + np.diag(S)) if rule == "em" else (1.0 - alpha * np.diag(S)) / m**2
    assert_allclose(found.alpha, new[found.index], rtol=1e-5)


def test_mackay_prunes_and_ends_near_the_greedy_evidence_M5_M6():
    for model in (numbers(n=100), labels()):
        found = fixed_point(model, "mackay")
        assert found.converged
        assert len(found.index) < len(model) / 2
        assert (1.0 / found.alpha * model.size[found.index] > model.scale / LARGEST).all()
        assert_allclose(found.log_evidence, greedy(model, restarts=3).log_evidence, rtol=0.05)


def test_EM_of_labels_comes_near_the_greedy_evidence_M6():
    model = labels()
    assert_allclose(fixed_point(model, "em", max_iter=300).log_evidence, greedy(model).log_evidence, rtol=0.05)


def test_functions_that_are_zero_are_never_candidates():
    model = numbers()
    model.size[5] = 0.0
    assert 5 not in fixed_point(model, "mackay", max_iter=3).index


def test_all_functions_at_once_need_memory_for_it():
    model = labels()
    with configure(memory=2**16), pytest.raises(MemoryBudgetError, match="greedy"):
        fixed_point(model, "em")
