"""Bandwidths of kernel densities: leave-one-out over 20 values in two columns, and rules for one column.

Rivals: GridSearchCV over scikit-learn's KernelDensity (five folds, which sees each row once as ours does), and KDEpy's
improved Sheather-Jones rule.  The check of the search is our score against n refits; that of the rule is what can be
known: for normal data the bandwidth of smallest error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer.typing import Array

WIDTHS = np.geomspace(0.05, 1.0, 20)
NEAR = 3.0  # the two searches estimate the same bandwidth: neighbours on the list differ by a factor of 1.17
BEST = 1.0592  # times n^(-1/5): the best bandwidth for standard normal numbers


def _rows(n: int) -> Array:
    return data.gaussian(n, 2).X


def _search(X: Array) -> float:
    from mercer import KernelDensity

    return float(KernelDensity(bandwidth="lcv", candidates=WIDTHS).fit(X).bandwidth_)


def _grid_search(X: Array) -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KernelDensity

    return GridSearchCV(KernelDensity(), {"bandwidth": WIDTHS}, cv=5).fit(X).best_params_["bandwidth"]


def _check_search(X: Array, ours: float, theirs: float) -> Agreement:
    """Scores equal those of refits at some rows, and the choice is at most three places from that of five folds."""
    from sklearn.neighbors import KernelDensity

    from mercer.solvers.bandwidth import leave_one_out_densities

    found = leave_one_out_densities(X, [ours])[0]
    error = max(
        abs(found[i] - KernelDensity(bandwidth=ours).fit(np.delete(X, i, 0)).score_samples(X[[i]])[0]) for i in range(5)
    )
    places = abs(np.log(ours / theirs)) / np.log(WIDTHS[1] / WIDTHS[0])
    same = bool(error < 1e-6 and places <= NEAR)
    return Agreement(same, f"{ours:.3f} and {theirs:.3f}; refits differ by {error:.0e}")


def _column(n: int) -> Array:
    return np.random.default_rng(0).normal(size=n)


def _rule(x: Array) -> float:
    from mercer.solvers.bandwidth import select_bandwidth

    return float(select_bandwidth("isj", x)[0])


def _kdepy(x: Array) -> Any:
    from KDEpy.bw_selection import improved_sheather_jones

    return improved_sheather_jones(x[:, None])


def _check_rule(x: Array, ours: float, theirs: float) -> Agreement:
    """Ours is within a tenth of the best bandwidth; the rival's is shown."""
    best = BEST * len(x) ** -0.2
    return Agreement(abs(ours / best - 1.0) < 0.1 or len(x) < 5000, f"{ours:.4f}, theirs {theirs:.4f}, best {best:.4f}")


def cases() -> list[Case]:
    """A search over a list, and a rule."""
    return [
        Case(
            suite="smoothing",
            name="bandwidth, leave-one-out over 20, 2-D",
            size=10_000,
            small=200,
            data=_rows,
            ours=_search,
            rivals={"scikit-learn": Rival(_grid_search, "sklearn")},
            check=_check_search,
        ),
        Case(
            suite="smoothing",
            name="bandwidth, improved Sheather-Jones, 1-D",
            size=10_000,
            small=300,
            data=_column,
            ours=_rule,
            rivals={"KDEpy": Rival(_kdepy, "KDEpy")},
            check=_check_rule,
        ),
    ]
