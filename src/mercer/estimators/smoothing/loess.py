"""Loess as an estimator; the mathematics is in solvers/loess/."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.errors import bad, warn
from mercer.estimators.base import interruptible, targets, weights
from mercer.estimators.worker_settings import carry_settings
from mercer.items import Vectors
from mercer.solvers.loess.fit import LoessSurface, Settings, fit_surface
from mercer.solvers.loess.local_fits import Points, terms
from mercer.typing import Array

FAMILIES = ("gaussian", "symmetric")
SURFACES = ("interpolate", "direct")
STATISTICS = ("approximate", "exact")
TRACES = ("auto", "exact", "approximate")
OUTSIDE = ("nearest", "nan", "fit", "raise")
MOST_COLUMNS = 8
_LARGEST = 1e150
_TRIMMED = 0.1  # share of a column at each end that its scale does not look at


class Extrapolated(UserWarning):
    """Values were asked for outside of the box around the training rows."""


class SingularFit(UserWarning):
    """Some local fits are not unique; those of least norm were taken."""


class Loess(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Local polynomials of the nearest points (Cleveland & Grosse), in one column or a few.

    span         share of the rows that each local fit is to; above 1, all rows with flatter weights
    degree       of the polynomials: 0, 1 or 2
    family       "gaussian": least squares; "symmetric": further passes that give outliers less weight
    normalize    whether several columns are divided by their deviations, without the lowest and highest tenth
    surface      "interpolate": fits at the vertices of a tree of boxes and cubics between them, for many rows;
                 "direct": a fit at every place, as always in more than 8 columns
    statistics   "approximate": degrees of freedom by a formula in the trace of the smoother; "exact": by its products
    trace        of the smoother: "exact", "approximate" by a formula, or "auto": exact below 500 rows and for direct
                 surfaces
    cell         boxes have at most the share span * cell of the rows
    iterations   passes of family="symmetric" after the first
    extrapolate  outside of the box around the training rows (0.5 % larger): "nearest" takes the value at the nearest
                 place of it and warns, "nan" gives NaN, "fit" the local polynomial there, "raise" refuses

    Defaults and answers are those of the C library (in Python: skmisc.loess), which differ slightly from R's in the
    placement of boxes.  Standard errors with sample weights are R's.

    After fit: fitted_values_, residuals_, robust_weights_, sigma_ (deviation of the noise), df_ (trace of L), delta1_,
    delta2_, enp_ (equivalent number of parameters), dof_ (degrees of freedom of intervals), n_singular_ (local fits
    that were not unique), divisor_ (of the columns), n_iter_, certificate_.
    """

    _surface: LoessSurface

    def __init__(
        self,
        span: float = 0.75,
        *,
        degree: int = 2,
        family: str = "gaussian",
        normalize: bool = True,
        surface: str = "interpolate",
        statistics: str = "approximate",
        trace: str = "auto",
        cell: float = 0.2,
        iterations: int = 4,
        extrapolate: str = "nearest",
    ) -> None:
        self.span, self.degree, self.family, self.normalize = span, degree, family, normalize
        self.surface, self.statistics, self.trace, self.cell = surface, statistics, trace, cell
        self.iterations, self.extrapolate = iterations, extrapolate

    @interruptible
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the surface to the rows X with numbers y; a weight is the inverse of a variance, up to a factor."""
        if y is None:
            raise ValueError("Loess requires y to be passed, but the target y is None.")
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, reset=True)
        settings, y = self._settings(X.shape[1]), targets("Loess", y)
        v = weights("Loess", sample_weight, len(y))
        self._require_enough(int((v > 0.0).sum()), X.shape[1])
        self.divisor_ = _deviations(X[v > 0.0]) if self.normalize and X.shape[1] > 1 else np.ones(X.shape[1])
        rows = np.flatnonzero(v > 0.0)  # a row without weight is absent
        rows = rows[np.argsort(X[rows, 0])] if X.shape[1] == 1 else rows
        Z = X / self.divisor_
        _require_range(Z)
        points = Points(np.ascontiguousarray(Z[rows].T), v[rows], settings.degree, self._count(len(rows)),
                        max(1.0, settings.span))  # fmt: skip
        self._surface = fit_surface(points, y[rows], settings)
        self._keep(rows, Z, y)
        return self

    def _keep(self, rows: Array, Z: Array, y: Array) -> None:
        """Set the fitted attributes, in the order in which rows were passed; `rows` are those that were fitted to."""
        found, traces = self._surface, self._surface.traces
        self._order = rows
        self.fitted_values_, self.robust_weights_ = np.empty(len(y)), np.ones(len(y))
        self.fitted_values_[rows], self.robust_weights_[rows] = found.fitted, found.robust
        if len(rows) < len(y):
            absent = np.setdiff1d(np.arange(len(y)), rows)
            self.fitted_values_[absent] = found.values(np.clip(Z[absent], *self._limits()))
        self.residuals_ = y - self.fitted_values_
        self.sigma_, self.df_ = found.scale, traces.trace
        self.delta1_, self.delta2_ = traces.delta1, traces.delta2
        self.enp_ = traces.delta1 + 2.0 * traces.trace - len(rows)
        self.dof_ = traces.delta1**2 / traces.delta2 if traces.delta2 > 0.0 else float("nan")
        self.n_singular_, self.n_iter_ = found.plain.n_singular, found.n_iter
        if self.n_singular_ and found.reason == "converged":
            warn(f"Loess: {self.n_singular_} of {len(found.plain.fit)} local fits are not unique; those of least norm "
                 "were taken. Raise span, or lower degree.", SingularFit)  # fmt: skip

    # ---- what follows from it

    def predict(self, X: Any, return_se: bool = False) -> Any:
        """The surface at every row; with `return_se` also its standard error."""
        check_is_fitted(self)
        Z, inside = self._places(X)
        values = self._filled(Z, inside, self._surface.values, self._surface.local)
        if not return_se:
            return values
        noise = self._filled(Z, inside, self._surface.noise, self._surface.local_noise)
        return values, self.sigma_ * np.sqrt(noise)

    def interval(self, X: Any, level: float = 0.95) -> tuple[Array, Array]:
        """(low, high): where the mean of y lies with this probability, at each row by itself, if f is not biased there.

        f +- t times its standard error, with a quantile of Student's distribution with dof_ degrees of freedom.
        """
        from scipy.special import stdtrit

        if not isinstance(level, Real) or not 0.0 < float(level) < 1.0:
            raise bad("Loess", "level", "between 0 and 1", repr(level), "0.95 is the default.")
        values, error = self.predict(X, return_se=True)
        reach = float(stdtrit(self.dof_, 0.5 + 0.5 * float(level))) * error
        return values - reach, values + reach

    def smoother(self, X: Any) -> Array:
        """(n, training rows): the weights l of every training y in the value at each row of X, which add up to 1."""
        check_is_fitted(self)
        Z, inside = self._places(X)
        if self.extrapolate == "fit" and not inside.all():
            raise bad("Loess", "X", "inside of the box around the training rows",
                      f"row {int(np.argmin(inside))} outside", "Weights are those of the surface.")  # fmt: skip
        L = np.zeros((len(Z), len(self.fitted_values_)))
        L[:, self._order] = self._surface.weights(Z)
        if self.extrapolate == "nan":
            L[~inside] = np.nan
        return L

    def outside(self, X: Any) -> Array:
        """Which rows lie outside of the box around the training rows, where values are extrapolated."""
        check_is_fitted(self)
        return ~self._inside(self._checked(X))

    @property
    def certificate_(self) -> Any:
        """How well the fits solve their normal equations, and how far the surface is from direct fits (LoessProof)."""
        if not hasattr(self, "_surface"):
            raise AttributeError("Loess has certificate_ after fit")
        from mercer.estimators.smoothing.loess_proof import prove

        return prove(self._surface)

    # ---- what a search asks

    takes_gram = False  # fits need the rows, not kernel values
    items_kind = Vectors

    def check_items(self, X: Any) -> Array:
        """X after the checks that `fit` makes."""
        return np.asarray(validate_data(clone(self), X, dtype=np.float64, reset=True))

    def kernel_on(self, X: Any) -> None:
        """No kernel."""

    # ---- places

    def _checked(self, X: Any) -> Array:
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.ascontiguousarray(X / self.divisor_)

    def _limits(self) -> tuple[Array, Array]:
        boxes = self._surface.boxes
        if boxes is not None:
            return boxes.lower, boxes.upper
        Xt = self._surface.points.Xt
        return Xt.min(axis=1), Xt.max(axis=1)

    def _inside(self, Z: Array) -> Array:
        low, high = self._limits()
        return np.asarray(((low <= Z) & (high >= Z)).all(axis=1))

    def _places(self, X: Any) -> tuple[Array, Array]:
        """Places at which the surface exists, and which of them are those that were asked for."""
        Z = self._checked(X)
        inside = self._inside(Z)
        if inside.all():
            return Z, inside
        count, text = int((~inside).sum()), f"row {int(np.argmin(inside))} of X is"
        if self.extrapolate == "raise":
            raise bad("Loess", "X", "inside of the box around the training rows", f"{count} outside, {text} the first",
                      "extrapolate='nearest' takes the nearest place.")  # fmt: skip
        if self.extrapolate == "nearest":
            warn(f"Loess: {count} of {len(Z)} rows lie outside of the training rows, {text} the first; the values at "
                 "the nearest places are given. outside(X) says which.", Extrapolated)  # fmt: skip
            Z = np.clip(Z, *self._limits())
        return Z, inside

    def _filled(self, Z: Array, inside: Array, surface: Any, local: Any) -> Array:
        """Numbers of the surface, and outside of it what `extrapolate` says."""
        if self.extrapolate == "nearest" or inside.all():
            return np.asarray(surface(Z))
        out = np.full(len(Z), np.nan)
        out[inside] = surface(Z[inside])
        if self.extrapolate == "fit":
            out[~inside] = local(Z[~inside])
        return out

    # ---- options

    def _settings(self, columns: int) -> Settings:
        """The options, checked."""
        names = {"family": FAMILIES, "surface": SURFACES, "statistics": STATISTICS, "trace": TRACES,
                 "extrapolate": OUTSIDE}  # fmt: skip
        for name, known in names.items():
            if getattr(self, name) not in known:
                raise bad("Loess", name, f"one of {known}", repr(getattr(self, name)), f"{known[0]!r} is the default.")
        for name, most in (("span", np.inf), ("cell", 1.0)):
            given = getattr(self, name)
            if not isinstance(given, Real) or not 0.0 < float(given) <= most or float(given) == np.inf:
                rule = "a positive number" if name == "span" else "a number with 0 < cell <= 1"
                raise bad("Loess", name, rule, repr(given), "The defaults are span=0.75 and cell=0.2.")
        if isinstance(self.degree, bool) or not isinstance(self.degree, Integral) or self.degree not in (0, 1, 2):
            raise bad("Loess", "degree", "0, 1 or 2", repr(self.degree), "2 is the default.")
        if isinstance(self.iterations, bool) or not isinstance(self.iterations, Integral) or self.iterations < 0:
            raise bad("Loess", "iterations", "an integer >= 0", repr(self.iterations), "4 is the default.")
        return Settings(
            float(self.span),
            int(self.degree),
            float(self.cell),
            int(self.iterations) if self.family == "symmetric" else 0,
            self.surface == "direct" or columns > MOST_COLUMNS,
            self.statistics == "exact",
            self.trace,
        )

    def _count(self, n: int) -> int:
        """How many of n rows each local fit is to."""
        return min(n, int(n * float(self.span) + 1e-5))

    def _require_enough(self, n: int, d: int) -> None:
        need, count = terms(d, int(self.degree)) + 1, self._count(n)
        if count < need:
            rows = "1 sample" if n == 1 else f"{n} samples"
            raise bad("Loess", "span", f"large enough for {need} rows in each local fit of degree {self.degree}",
                      f"{count} of {rows}", "Raise span, lower degree, or pass more rows.")  # fmt: skip


def _deviations(X: Array) -> Array:
    """The standard deviation of every column without its lowest and highest tenth; 1 if that is 0."""
    n = len(X)
    cut = int(np.ceil(_TRIMMED * n))
    middle = np.sort(np.ascontiguousarray(X.T), axis=1)[:, cut : n - cut]
    if middle.shape[1] < 2:
        return np.ones(X.shape[1])
    size = np.maximum(np.abs(middle[:, 0]), np.abs(middle[:, -1]))
    size[size == 0.0] = 1.0  # so that squares of huge and tiny numbers are numbers
    found = size * (middle / size[:, None]).std(axis=1, ddof=1)
    return np.where(found > np.finfo(float).tiny, found, 1.0)


def _require_range(Z: Array) -> None:
    """Refuse columns whose squared distances overflow."""
    if np.abs(Z).max(initial=0.0) > _LARGEST:
        raise bad("Loess", "X", f"of numbers up to {_LARGEST:g} in size, once normalized", f"{np.abs(Z).max():g}",
                  "Choose another unit.")  # fmt: skip


carry_settings(Loess)
