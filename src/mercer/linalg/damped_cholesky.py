"""The Cholesky factor of a small positive semi-definite matrix that rounding may have made singular or worse.

    diag(M) (1 + d) + shift       d = a few units of rounding, times 100 until there is a factor

A Newton step with a slightly damped matrix still decreases the objective, so d is not reported.
(`cholesky.factorise` works on large matrices in place and reports what it added.)
"""

from __future__ import annotations

import numpy as np

from mercer.typing import Array

_ROUNDING = 8.0 * float(np.finfo(float).eps)  # the first damping, times the number of rows


class DampedCholesky:
    """The factor of the symmetric M + shift I, damped until there is one; M is overwritten."""

    def __init__(self, M: Array, *, shift: float = 0.0) -> None:
        from scipy.linalg import cho_factor

        diagonal, damping = np.diagonal(M).copy(), _ROUNDING * len(M)
        while len(M):
            M.flat[:: len(M) + 1] = diagonal * (1.0 + damping) + shift
            try:
                self._factor = cho_factor(M, lower=True, check_finite=False)
                return
            except np.linalg.LinAlgError:
                damping *= 100.0

    def solve(self, B: Array) -> Array:
        """(M + shift I)^-1 B."""
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve(self._factor, B, check_finite=False)) if len(B) else B
