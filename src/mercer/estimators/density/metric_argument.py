"""The norms that scikit-learn's `metric` can name."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad

_NORMS = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
}
_BY_POWER = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}


def norm_of(owner: str, metric: Any, params: Any) -> str:
    """The norm of a metric; the constants of the density are those of its ball."""
    if metric in ("minkowski", "p"):
        norm = _BY_POWER.get(float((params or {}).get("p", 2.0)))
        if norm is not None:
            return norm
    elif isinstance(metric, str) and metric in _NORMS:
        return _NORMS[metric]
    raise bad(owner, "metric", f"one of {', '.join([*_NORMS, 'minkowski with p = 1, 2 or inf'])}",
              f"invalid metric {metric!r}", "A density needs a norm, and the volume of its ball.")  # fmt: skip
