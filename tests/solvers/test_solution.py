"""The gap that every solver reports (T28): what rounding puts below 0 is 0, what is unbounded stays so."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.solvers.solution import Solution


def solution(primal: float, dual: float) -> Solution:
    return Solution(primal=primal, dual=dual, n_iter=1, converged=True, reason="converged")


@pytest.mark.parametrize(("primal", "dual", "gap", "relative"), [
    (2.0, 1.0, 1.0, 0.5),
    (1.0, 1.0 + 2.0**-52, 0.0, 0.0),
    (-1.0, -1.0 + 2.0**-53, 0.0, 0.0),
    (0.0, -0.0, 0.0, 0.0),
    (np.inf, 1.0, np.inf, np.inf),
])  # fmt: skip
def test_gaps(primal, dual, gap, relative):
    found = solution(primal, dual)
    assert found.gap == gap
    assert found.relative_gap == relative
    assert not np.signbit(found.gap)


def test_a_gap_that_is_no_number_is_not_hidden():
    assert np.isnan(solution(np.nan, 1.0).gap)
