"""The optimality conditions of a dual one by one, the largest residual of each in one pass."""

from __future__ import annotations

import numpy as np

from mercer.compiled.jit import compiled


@compiled
def residuals(b, slack, lo, hi, epsilon, size, unit):
    """(slack where none is allowed, coefficient beyond its box, coefficient times what it should not go with).

    slack_i says how far sample i asks b_i to rise, beyond epsilon; its negative, to fall.  Coefficients are measured in
    multiples of `size`, slacks in multiples of `unit`.
    """
    primal = outside = complementarity = 0.0
    for i in range(b.shape[0]):
        for side in (1.0, -1.0):
            a, top = max(side * b[i], 0.0) / size, (hi[i] if side > 0.0 else -lo[i]) / size
            s = (side * slack[i] - epsilon) / unit
            over = s if top > 0.0 and s > 0.0 else 0.0
            if np.isfinite(top):
                complementarity = max(complementarity, min(max(top - a, 0.0), 1.0) * over)
            else:
                primal = max(primal, over)
            complementarity = max(complementarity, a * max(-s, 0.0))
            outside = max(outside, a - top)
    return primal, outside, complementarity
