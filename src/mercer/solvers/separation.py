"""Whether features separate classes: the linear programme behind infinite weights.

    maximise  sum_j m_j      over directions v, with m <= A v, 0 <= m <= 1

A row of A is the lead of an item's own class over another class (the difference of their scores), per unit of every
weight.  Along a direction in which no lead falls and some grow, the likelihood grows without end.  The sum of two such
directions is one too, so that at the optimum m_j is 1 for every lead that can grow and 0 for the others.  If all can,
the classes are "separable"; if only some can (the other items lie on the border), "quasi-separable"; if none can, "",
and the best weights are finite (Albert and Anderson, 1984).
"""

from __future__ import annotations

import numpy as np

from mercer.typing import Array


def separation(Z: Array, contrasts: Array) -> str:
    """Whether features Z (n, p) separate classes; contrasts (n, others, functions) are own class minus each other."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack

    scale = np.maximum(np.abs(Z).max(axis=0), 1e-300)
    A = np.einsum("nof,np->nofp", contrasts, Z / scale).reshape(-1, contrasts.shape[2] * Z.shape[1])
    m, p = A.shape
    found = linprog(
        np.append(np.zeros(p), -np.ones(m)), A_ub=hstack([csr_array(-A), eye_array(m)]), b_ub=np.zeros(m),
        bounds=[(None, None)] * p + [(0.0, 1.0)] * m,
    )  # fmt: skip
    grows = found.x[p:] > 0.5 if found.success else np.zeros(m, dtype=bool)
    if grows.all():
        return "separable"
    return "quasi-separable" if grows.any() else ""
