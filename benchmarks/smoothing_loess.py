"""Suite "smoothing": lowess against statsmodels and fastlowess, Loess against Cleveland's code in scikit-misc."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import mercer
from benchmarks.harness import Agreement, Case, Rival, close
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Rows:
    """Noisy values of a curve or surface, and new places inside of the rows."""

    X: Array
    y: Array
    Z: Array

    @property
    def x(self) -> Array:
        return np.ascontiguousarray(self.X[:, 0])


def _rows(columns: int, n: int) -> Rows:
    rng = np.random.default_rng(n + columns)
    X = rng.uniform(size=(n, columns))
    X = np.sort(X, axis=0) if columns == 1 else X
    y = np.sin(8.0 * X[:, 0]) + X[:, -1] ** 2 + 0.3 * rng.normal(size=n)
    return Rows(X, y, rng.uniform(0.01, 0.99, size=(max(n // 5, 20), columns)))


# ---- lowess


def _lowess(frac: float, delta: float, rows: Rows) -> Array:
    return mercer.lowess(rows.y, rows.x, frac, delta=delta)[:, 1]


def _statsmodels(frac: float, delta: float, rows: Rows) -> Array:
    from statsmodels.nonparametric.smoothers_lowess import lowess

    return np.asarray(lowess(rows.y, rows.x, frac=frac, delta=delta, is_sorted=True)[:, 1])


def _fastlowess(frac: float, delta: float, rows: Rows) -> Array:
    from fastlowess import Lowess

    model = Lowess(fraction=frac, iterations=3, delta=delta, boundary_policy="noboundary", scaling_method="mar")
    return np.asarray(model.fit(rows.x, rows.y).y)


def _equal(tolerance: float, rows: Rows, ours: Array, theirs: Array) -> Agreement:
    return close(ours, theirs, tolerance)


def _lowess_case(size: int, frac: float, delta: float) -> Case:
    others = {"statsmodels": Rival(partial(_statsmodels, frac, delta), "statsmodels"),
              "fastlowess": Rival(partial(_fastlowess, frac, delta), "fastlowess")}  # fmt: skip
    # fastlowess interpolates between other points than the definition if delta > 0
    tolerance = 1e-9 if delta == 0.0 else 1e-2
    return Case("smoothing", f"lowess, n = {size}, frac {frac}, delta {delta}", size, 3000, partial(_rows, 1),
                partial(_lowess, frac, delta), others, partial(_equal, tolerance))  # fmt: skip


# ---- loess


def _as_they_read(X: Array) -> Array:
    """The same rows, arranged as skmisc reads several columns: it takes (n, p) numbers for (p, n)."""
    return np.ascontiguousarray(X.T).reshape(X.shape)


def _theirs(rows: Rows) -> Any:
    from skmisc.loess import loess

    model = loess(_as_they_read(rows.X), rows.y)
    model.fit()
    return model


def _fitted(rows: Rows) -> Array:
    return np.asarray(mercer.Loess().fit(rows.X, rows.y).fitted_values_)


def _fitted_by_them(rows: Rows) -> Array:
    return np.array(_theirs(rows).outputs.fitted_values)


def _predicted(rows: Rows) -> Array:
    return np.asarray(mercer.Loess().fit(rows.X, rows.y).predict(rows.Z))


def _predicted_by_them(rows: Rows) -> Array:
    return np.array(_theirs(rows).predict(_as_they_read(rows.Z), stderror=False).values)


def _errors(rows: Rows) -> Array:
    return np.asarray(mercer.Loess().fit(rows.X, rows.y).predict(rows.Z, return_std=True)[1])


def _errors_by_them(rows: Rows) -> Array:
    return np.array(_theirs(rows).predict(_as_they_read(rows.Z), stderror=True).stderr)


TASKS = {"fitted values": (_fitted, _fitted_by_them), "fit and predictions": (_predicted, _predicted_by_them),
         "fit and standard errors": (_errors, _errors_by_them)}  # fmt: skip


def _loess_case(columns: int, what: str) -> Case:
    ours, theirs = TASKS[what]
    return Case("smoothing", f"Loess, {columns} column{'s' * (columns > 1)}, {what}", 5000, 300,
                partial(_rows, columns), ours, {"scikit-misc": Rival(theirs, "skmisc")},
                partial(_equal, 1e-6))  # fmt: skip


def cases() -> list[Case]:
    """lowess without and with interpolation, and Loess in one and two columns."""
    lowess = [_lowess_case(10_000, 0.1, 0.0), _lowess_case(100_000, 0.01, 0.0), _lowess_case(100_000, 0.1, 0.01)]
    return [*lowess, *(_loess_case(columns, what) for columns in (1, 2) for what in TASKS)]
