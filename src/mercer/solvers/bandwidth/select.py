"""The bandwidths of a rule, one for each column.

    select_bandwidth("isj", X)                                 (D,) bandwidths of a Gaussian window
    select_bandwidth("sj", X, weights, Epanechnikov())         the same smoothness with another window

n below is the effective number of rows, (sum w)^2 / sum w^2, and D the number of columns.

"scott"       n^(-1/(D+4)) times the standard deviation of each column
"silverman"   (4 / ((D+2) n))^(1/(D+4)) times the standard deviation: best for normal data
"normal"      the same with 1.4826 times the median absolute deviation
"isj", "sj"   by column, for data of any shape; for D > 1 times n^(1/5 - 1/(D+4)), as rows are farther apart then
"lscv"        one multiple of the standard deviations, with the smallest estimate of the integrated squared error
"lcv"         one multiple of the standard deviations, with the largest leave-one-out likelihood

All follow a shift and a scaling of a column exactly.  For another window h is multiplied by the ratio of the canonical
bandwidths, (roughness / second moment^2)^(1/(D+4)), at which windows smooth equally.  In several columns "lscv" and
"lcv" compute all pairs of rows; of more than 20 000 distinct rows that many are drawn, and h is reduced for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import bad, warn
from mercer.solvers.bandwidth.isj import isj
from mercer.solvers.bandwidth.lcv import lcv
from mercer.solvers.bandwidth.lscv import lscv
from mercer.solvers.bandwidth.normal import normal
from mercer.solvers.bandwidth.sample import Sample
from mercer.solvers.bandwidth.scott import scott, scott_factor
from mercer.solvers.bandwidth.silverman import normal_factor, silverman
from mercer.solvers.bandwidth.sj import sj
from mercer.typing import Array
from mercer.windows import Gaussian, Window

WHOLE: dict[str, Callable[[Sample], Array]] = {
    "scott": scott,
    "silverman": silverman,
    "normal": normal,
    "lscv": lscv,
    "lcv": lcv,
}
BY_COLUMN: dict[str, Callable[[Array, Array, float], float | None]] = {"isj": isj, "sj": sj}
BY_DEVIATIONS: dict[str, Callable[[int, float], float]] = {"scott": scott_factor, "silverman": normal_factor}
RULES = (*WHOLE, *BY_COLUMN)


def select_bandwidth(rule: str, X: Any, weights: Any = None, window: Window | None = None) -> Array:
    """(D,) bandwidths by one of RULES for the rows of X, a table (n, D) or one column (n,).

    Refused: fewer than two rows of positive weight, constant columns, numbers that are not finite.
    """
    if not isinstance(rule, str) or rule not in RULES:
        raise bad(
            "select_bandwidth", "rule", f"one of {', '.join(RULES)}", repr(rule), "'isj' suits data of any shape."
        )
    sample = Sample.of("select_bandwidth", X, weights)
    h = WHOLE[rule](sample) if rule in WHOLE else _by_column(rule, sample)
    return np.asarray(_for_window(h, window) * sample.unit)


def from_deviations(rule: str, deviations: Array, size: float, window: Window | None = None) -> Array:
    """The same by one of BY_DEVIATIONS, from the deviations of the columns and the effective number of rows."""
    return _for_window(deviations * BY_DEVIATIONS[rule](len(deviations), size), window)


def _for_window(h: Array, window: Window | None) -> Array:
    """Bandwidths at which a window smooths as much as a Gaussian with bandwidths h."""
    if window is None:
        return h
    return np.asarray(h * (window.canonical(len(h)) / Gaussian().canonical(len(h))))


def common_bandwidth(h: Any) -> float:
    """One bandwidth for all columns, (h_1 ... h_D)^(1/D), for windows that have one."""
    return float(np.exp(np.mean(np.log(h))))


def _by_column(rule: str, sample: Sample) -> Array:
    D, found = len(sample.columns), []
    for j, x in enumerate(sample.columns):
        h = BY_COLUMN[rule](x, sample.weight, sample.size)
        if h is None:
            warn(f"select_bandwidth: rule {rule!r} has no solution for column {j}: {len(x)} rows are too few for its "
                 "shape. The rule 'silverman' is used for it.", UserWarning)  # fmt: skip
            alone = Sample(x[None], sample.unit[j : j + 1], sample.weight, sample.size)
            h = float(silverman(alone)[0])
        found.append(h)
    return np.asarray(np.array(found) * sample.size ** (0.2 - 1.0 / (D + 4.0)))
