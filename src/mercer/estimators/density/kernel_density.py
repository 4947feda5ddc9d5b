"""Kernel density estimation; the mathematics is in solvers/density/ and windows/."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.distributed import is_spread
from mercer.distributed.gathering import gathered
from mercer.errors import bad
from mercer.estimators.base import answer_lazily, interruptible, numbers, weights
from mercer.estimators.density.bandwidth_argument import Bandwidth, bandwidth_of
from mercer.estimators.density.draws import draw
from mercer.estimators.density.metric_argument import norm_of
from mercer.estimators.density.support_argument import inside, sides_of
from mercer.estimators.worker_settings import carry_settings
from mercer.solvers.density import METHODS, Accuracy, Mixture, abramson, log_sums
from mercer.solvers.density.boundary import Side, linear_density, quadrature, reach_of, reflected
from mercer.solvers.density.exact import log_profiles
from mercer.solvers.density.marginals import distribution, inverse
from mercer.solvers.density.modes import modes_on_line, shifted_modes, shifts
from mercer.typing import Array
from mercer.windows import Boxcar, Gaussian, Window, window_of

_STARTS = 500  # points from which modes are searched in several columns
_PAIRS = 2**20
_POINTS = ("_points", "_mixture", "_origin")  # all that is as large as the data
_PER_BANDWIDTH = 16  # places on a line where modes are looked for


class KernelDensity(BaseEstimator):  # type: ignore[misc]
    """p(x) = sum_i w_i c_D h^-D f(|x - x_i| / h): a window f around every point, of mass 1 in every dimension.

    bandwidth     h: a number; one for each column; a matrix, the covariance of a Gaussian window; or a rule: "scott",
                  "silverman", "normal", "isj", "sj", "lscv", "lcv".  Rules follow the units of the columns
                  (scikit-learn's "scott" and "silverman" are for columns of deviation 1)
    candidates    numbers from which bandwidth="lcv" takes the one with the largest leave-one-out likelihood, for all
                  columns and the window itself; without them it searches, one factor of the deviations of columns
    kernel        a name or a Window of mercer.windows: "gaussian", "epanechnikov", "tricube", "tophat", ...
    form          "radial", or "product": one window for each column.  They are equal for the Gaussian
    support       None, bounds (low, high) with None for infinity, ("circle", low, high), or a list with one per column
    boundary      "reflect": what is beyond a bound comes back; "linear": windows near a bound are corrected to first
                  order, for one column.  The density integrates to 1 over the support
    adaptive      True: windows are wider where points are rare, by the power 1/2 of a first density (Abramson); a
                  number is another power
    method        "auto", "fft" (a grid; Gaussian, 1 to 3 columns), "tree", or "exact" (all pairs); method_ says which
    rtol, atol    the error of a density p is at most rtol p + atol; rtol=0 for sums up to rounding
    metric        "euclidean", "manhattan", "chebyshev", or "minkowski" with p in metric_params; c_D is that of its ball
    algorithm, breadth_first, leaf_size    scikit-learn's; they change neither values nor speed here

    After fit: bandwidth_, n_features_in_, columns_ (those of the density: with a rule, constant columns are left out
    and a warning says so), n_effective_ = (sum w)^2 / sum w^2.
    """

    _on_workers: Any = None  # the points, where they are on workers (spread_points.py)

    def __init__(
        self,
        *,
        bandwidth: Any = 1.0,
        candidates: Any = None,
        algorithm: str = "auto",
        kernel: Any = "gaussian",
        metric: str = "euclidean",
        atol: float = 0.0,
        rtol: float = 1e-4,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: dict[str, Any] | None = None,
        form: str = "radial",
        support: Any = None,
        boundary: str = "reflect",
        adaptive: bool | float = False,
        method: str = "auto",
    ) -> None:
        self.bandwidth, self.algorithm, self.kernel, self.metric = bandwidth, algorithm, kernel, metric
        self.atol, self.rtol, self.breadth_first, self.leaf_size = atol, rtol, breadth_first, leaf_size
        self.metric_params, self.form, self.support, self.boundary = metric_params, form, support, boundary
        self.adaptive, self.method, self.candidates = adaptive, method, candidates

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        carry_settings(cls)
        answer_lazily(cls)

    # ---- fitting

    @interruptible
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Place a window around every row of X; those of a Dask collection stay on the workers."""
        owner = type(self).__name__
        self._forget()
        if is_spread(X):
            if self.boundary != "linear":
                from mercer.estimators.density.spread_fit import fit_spread

                fit_spread(self, X, sample_weight)
                return self
            X, _ = gathered(owner, X, None)
            sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C")
        norm = self._check_options(X.shape[1])
        window = window_of(self.kernel, owner)
        w = None if sample_weight is None else weights(owner, sample_weight, len(X))
        if w is not None and (w == 0.0).any():
            X, w = X[w > 0.0], w[w > 0.0]
        sides = sides_of(owner, self.support, X.shape[1])
        X = inside(owner, X, sides)
        h = bandwidth_of(owner, self.bandwidth, X, w, window, self._candidates(window, norm))
        self._require_columns(h, sides)
        self._keep_columns(h, sides, X[0])
        rows = X if len(h.used) == X.shape[1] else np.ascontiguousarray(X[:, h.used])
        rows = rows if h.whiten is None else rows @ h.whiten
        share = None if w is None else w / w.sum()
        self.n_effective_ = float(len(X)) if share is None else float(1.0 / (share @ share))
        self.bandwidth_ = self._shown(h.scale)
        self._points = self._adapted(Mixture(rows, h.scale, window, share, form=self.form, norm=norm))
        self._set_bounds()
        return self

    def _forget(self) -> None:
        """Leave the points of an earlier fit."""
        for name in ("_on_workers", *_POINTS):
            self.__dict__.pop(name, None)

    def _require_columns(self, h: Bandwidth, sides: list[Side]) -> None:
        """Refuse a matrix of bandwidths where columns are looked at one by one."""
        if h.whiten is not None and (any(side.bounded for side in sides) or self.form == "product"):
            raise bad(type(self).__name__, "bandwidth", "a number or one for each column with support or "
                      "form='product'", "a matrix", "Bounds are bounds of columns.")  # fmt: skip

    def _keep_columns(self, h: Bandwidth, sides: list[Side], first: Array) -> None:
        """Which columns the density is of, and the values of the others in the first row."""
        self.columns_, self._whiten, self._constants = h.used, h.whiten, first.astype(np.float64)
        self._sides = [sides[j] for j in h.used]

    def __getstate__(self) -> dict[str, Any]:
        """With all points: those on workers come here, if they fit the memory budget."""
        if self._on_workers is not None:
            here = {name: getattr(self, name) for name in _POINTS}
            return {name: value for name, value in {**super().__getstate__(), **here}.items() if name != "_on_workers"}
        return dict(super().__getstate__())

    def __getattr__(self, name: str) -> Any:
        """Points that are on workers come here when they are asked for."""
        if name not in _POINTS or self._on_workers is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}", name=name, obj=self)
        self._points = self._on_workers.here
        self._mixture, self._origin = self._with_images(self._points)
        return self.__dict__[name]

    def _check_options(self, columns: int) -> str:
        """Refuse what no density can be made of; returns the norm."""
        owner = type(self).__name__
        for name, allowed in (
            ("method", METHODS),
            ("form", ("radial", "product")),
            ("boundary", ("reflect", "linear")),
            ("algorithm", ("auto", "kd_tree", "ball_tree")),
        ):
            if getattr(self, name) not in allowed:
                raise bad(
                    owner, name, f"one of {', '.join(allowed)}", repr(getattr(self, name)), f"'{allowed[0]}' is safe."
                )
        for name in ("rtol", "atol"):
            given = getattr(self, name)
            if not isinstance(given, Real) or not 0.0 <= float(given) < np.inf:
                raise bad(owner, name, "a number >= 0", repr(given), "0 asks for sums up to rounding.")
        if not isinstance(self.adaptive, (bool, np.bool_, Real)) or not 0.0 <= float(self.adaptive) <= 1.0:
            raise bad(
                owner, "adaptive", "True, False or a power from 0 to 1", repr(self.adaptive), "True is the power 1/2."
            )
        if self.boundary == "linear" and columns > 1:
            raise bad(
                owner, "boundary", "'reflect' for several columns", "'linear'", "It corrects windows of one column."
            )
        return norm_of(owner, self.metric, self.metric_params)

    def _candidates(self, window: Window, norm: str) -> Array | None:
        """The bandwidths to choose from, if they are given."""
        owner = type(self).__name__
        if self.candidates is None:
            return None
        if not isinstance(self.bandwidth, str) or self.bandwidth != "lcv":
            raise bad(owner, "candidates", "None unless bandwidth='lcv'", f"given with bandwidth={self.bandwidth!r}",
                      "Numbers are compared by their leave-one-out likelihood.")  # fmt: skip
        radial = norm == "euclidean" and (self.form == "radial" or isinstance(window, Gaussian))
        if not radial:
            raise bad(owner, "candidates", "None for other forms than radial and other metrics than euclidean",
                      f"form={self.form!r}, metric={self.metric!r}", "GridSearchCV compares those.")  # fmt: skip
        return numbers(owner, "candidates", self.candidates)

    def _shown(self, scale: Array) -> Any:
        """The bandwidth as an attribute: one number if all columns have the same by a number or there is one column."""
        if self._whiten is not None:
            return np.array(self.bandwidth, dtype=np.float64)
        number = np.ndim(self.bandwidth) == 0 and not isinstance(self.bandwidth, str)
        same = len(scale) == 1 or number or self.candidates is not None
        return float(scale[0]) if same else scale

    def _adapted(self, mixture: Mixture) -> Mixture:
        """With wider windows where points are rare, if that was asked for."""
        if self._power == 0.0:
            return mixture
        whole, _ = self._with_images(mixture)
        logs, _ = log_sums(whole, mixture.rows, self._accuracy)
        factor = abramson(logs, mixture.weights, self._power)
        return replace(mixture, factor=factor)

    @property
    def _power(self) -> float:
        """Of the density by which windows are wider; 0 if all are equal."""
        return 0.5 if isinstance(self.adaptive, (bool, np.bool_)) and self.adaptive else float(self.adaptive)

    def _with_images(self, mixture: Mixture) -> tuple[Mixture, Array | None]:
        """The mixture with images beyond bounds, and the point each comes from; None if there are no images."""
        if self.boundary == "linear" or not any(side.bounded for side in self._sides):
            return mixture, None
        return reflected(mixture, self._sides)

    def _set_bounds(self) -> None:
        """Images beyond bounds, or the integral of a density that was corrected at its bounds."""
        self._mixture, origin = self._with_images(self._points)
        self._origin = origin
        self._integral = 1.0
        if self._linear:
            x, w = quadrature(self._points, self._sides[0])
            self._integral = float(w @ linear_density(self._points, x, self._sides[0]))
        self.method_ = "exact"

    @property
    def _linear(self) -> bool:
        """Whether windows are corrected to first order at a bound."""
        return self.boundary == "linear" and self._sides[0].bounded and not self._sides[0].circle

    @property
    def _accuracy(self) -> Accuracy:
        return Accuracy(float(self.rtol), float(self.atol))

    # ---- densities

    def score_samples(self, X: Any) -> Array:
        """log p(x) for every row; -inf where the density is 0, as outside of a compact window or of the support."""
        Q, known = self._queries(X)
        logs = np.full(len(Q), -np.inf)
        logs[known] = self._logs(Q[known])
        return logs

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of log p(x) over the rows."""
        return float(np.sum(self.score_samples(X)))

    def pdf(self, X: Any) -> Array:
        """p(x) for every row."""
        return np.asarray(np.exp(self.score_samples(X)))

    def leave_one_out(self) -> Array:
        """log p_-i(x_i) for every training point of positive weight: the density of all other points, at this one.

        Bandwidths, and the factors of adaptive windows, stay as they are.  -inf for a point that no other window
        reaches.
        """
        check_is_fitted(self)
        if self._linear:
            raise bad(type(self).__name__, "boundary", "'reflect' for leave_one_out", "'linear'", "Fit with 'reflect'.")
        bounded = any(side.bounded for side in self._sides)
        points = self._points if bounded or self._on_workers is None else self._on_workers
        own = np.arange(len(points.weights))
        if len(own) < 2:
            raise bad(
                type(self).__name__, "X", "two rows or more for leave_one_out", "1", "One point predicts no other."
            )
        with np.errstate(divide="ignore"):
            rest = np.log1p(-points.weights)
        if points is self._on_workers:
            logs = points.left_out(self._accuracy, self.method)
        elif self._origin is None:
            logs, cost = log_sums(points, points.rows, self._accuracy, self.method, own)
            self.method_ = cost.method
        else:
            logs = self._without_own_images()
        return np.asarray(logs + self._log_constant - rest)

    def _without_own_images(self) -> Array:
        """Log sums at the points, without them and their images."""
        mixture, n = self._mixture, len(self._points)
        logs, step = np.empty(n), max(_PAIRS // len(mixture), 1)
        for i in range(0, n, step):
            part = np.arange(i, min(i + step, n))
            E = log_profiles(mixture, self._points.scaled[part]) + np.log(mixture.masses)
            E[self._origin == part[:, None]] = -np.inf
            top = np.maximum(E.max(axis=1, keepdims=True), -1e300)
            with np.errstate(divide="ignore"):
                logs[part] = top[:, 0] + np.log(np.exp(E - top).sum(axis=1))
        return logs

    @property
    def _log_constant(self) -> float:
        det = 0.0 if self._whiten is None else float(np.linalg.slogdet(self._whiten)[1])
        return (self._mixture if self._on_workers is None else self._on_workers).log_constant + det

    def _queries(self, X: Any) -> tuple[Array, Array]:
        """Rows as the mixture has them, and which of them can have a density above 0."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C", reset=False)
        known = np.full(len(X), True)
        if len(self.columns_) < X.shape[1]:
            others = np.setdiff1d(np.arange(X.shape[1]), self.columns_)
            known &= (X[:, others] == self._constants[others].astype(X.dtype)).all(axis=1)
            X = np.ascontiguousarray(X[:, self.columns_])
        for j, side in enumerate(self._sides):
            if side.bounded:
                known &= side.contains(X[:, j])
                X = X.astype(np.float64, copy=True)
                X[:, j] = side.folded(X[:, j]) if side.circle else X[:, j]
        return (X if self._whiten is None else X @ self._whiten), known

    def _logs(self, Q: Array, exact: bool = False) -> Array:
        """log p at rows as the mixture has them; exact: up to rounding, whatever error was allowed."""
        if not len(Q):
            return np.empty(0)
        if self._linear:
            with np.errstate(divide="ignore"):
                x = Q[:, 0].astype(np.float64)
                return np.asarray(np.log(linear_density(self._points, x, self._sides[0]) / self._integral))
        if self._on_workers is not None:
            found: Array = self._on_workers.log_sums(Q, Accuracy() if exact else self._accuracy, self.method)
            return found + self._log_constant
        if exact:
            return log_sums(self._mixture, Q, Accuracy())[0] + self._log_constant
        logs, cost = log_sums(self._mixture, Q, self._accuracy, self.method)
        self.method_ = cost.method
        return logs + self._log_constant

    def bands(self, X: Any, level: float = 0.95) -> tuple[Array, Array]:
        """Lower and upper ends of pointwise confidence intervals of p, from the variance of the mean over points.

        They say how much the estimate would vary between samples.  What the window smooths away (bias) is not in them.
        """
        z = float(ndtri(0.5 + 0.5 * self._share("level", level)))
        Q, known = self._queries(X)
        density, variance = np.zeros(len(Q)), np.zeros(len(Q))
        density[known] = np.exp(self._logs(Q[known]))
        variance[known] = self._variance(Q[known].astype(np.float64), density[known])
        half = z * np.sqrt(variance)
        return np.maximum(density - half, 0.0), density + half

    def _variance(self, Q: Array, density: Array) -> Array:
        """sum_i w_i^2 (k_i - p)^2, where k_i is the window of point i with its images."""
        mixture, w = self._mixture, self._points.weights
        out, step = np.empty(len(Q)), max(_PAIRS // len(mixture), 1)
        origin = np.arange(len(mixture)) if self._origin is None else self._origin
        gather = csr_array((np.ones(len(mixture)), (np.arange(len(mixture)), origin)))
        for i in range(0, len(Q), step):
            part = slice(i, min(i + step, len(Q)))
            K = np.exp(log_profiles(mixture, Q[part] / mixture.scale) + self._log_constant)
            if mixture.factor is not None:
                K *= mixture.factor ** -float(mixture.columns)
            if self._origin is not None:
                K = K @ gather
            out[part] = ((K - density[part, None]) ** 2) @ w**2
        return out

    # ---- distributions

    def cdf(self, X: Any) -> Array:
        """P(X_1 <= x_1, ..., X_D <= x_D) for every row; for one column, the Gaussian or form="product"."""
        Q, _ = self._queries(X)
        if self._whiten is not None or not self._mixture.is_product:
            raise self._no_product("cdf")
        if self._linear:
            return self._tabled(Q[:, 0].astype(np.float64))
        return distribution(self._mixture, Q.astype(np.float64), self._sides)

    def _tabled(self, x: Array) -> Array:
        """The distribution function of a corrected density, by the trapezoidal rule."""
        grid, _ = quadrature(self._points, self._sides[0])
        values = linear_density(self._points, grid, self._sides[0])
        sums = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(grid))])
        return np.asarray(np.interp(x, grid, sums / sums[-1]))

    def ppf(self, q: Any) -> Array:
        """The x with P(X <= x) = q, for one column."""
        self._one_column("ppf")
        q = np.asarray(numbers(type(self).__name__, "q", q))
        if not ((q >= 0.0) & (q <= 1.0)).all():
            raise bad(type(self).__name__, "q", "shares from 0 to 1", q, "Divide percentages by 100.")
        low, high = self._ends()
        if self._linear:
            found = inverse(self._tabled, q.ravel(), low, high)
        else:
            found = inverse(lambda x: distribution(self._mixture, x[:, None], self._sides), q.ravel(), low, high)
        found = np.where(q.ravel() == 0.0, self._far(low, -1), np.where(q.ravel() == 1.0, self._far(high, 1), found))
        return found.reshape(q.shape)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds so much probability, for one column: as much is below as above."""
        level = self._share("level", level)
        low, high = self.ppf([0.5 - 0.5 * level, 0.5 + 0.5 * level])
        return float(low), float(high)

    def threshold(self, probability: Any) -> Array:
        """The densities above which so much of the probability is: p > threshold is the smallest such region.

        It is the quantile of the density at the points (Hyndman, The American Statistician 50, 1996).
        """
        check_is_fitted(self)
        shares = numbers(type(self).__name__, "probability", probability)
        values, w = np.exp(self._logs(self._points.rows)), self._points.weights
        order = np.argsort(values)
        return np.asarray(np.interp(1.0 - shares, np.cumsum(w[order]) - 0.5 * w[order], values[order]))

    def _ends(self) -> tuple[float, float]:
        """Numbers between which all probability is, but for tails below rounding."""
        mixture, side = self._points, self._sides[0]
        x, reach = mixture.rows[:, 0].astype(np.float64), reach_of(mixture) * mixture.scale[0]
        return max(side.low, float((x - reach).min())), min(side.high, float((x + reach).max()))

    def _far(self, end: float, sign: int) -> float:
        """The end of the distribution: infinite for windows without one."""
        bound = self._sides[0].low if sign < 0 else self._sides[0].high
        return end if np.isfinite(bound) or np.isfinite(self._points.window.radius) else sign * np.inf

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """Rows drawn from the density, for every kernel."""
        check_is_fitted(self)
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise bad(type(self).__name__, "n_samples", "a whole number >= 1", repr(n_samples), "1 is the default.")
        random = check_random_state(random_state)
        if self._linear:
            found = self.ppf(random.uniform(size=int(n_samples)))[:, None]
        else:
            found = draw(self._points, self._sides, int(n_samples), random)
        found = found if self._whiten is None else np.linalg.solve(self._whiten.T, found.T).T
        rows = np.repeat(self._constants[None], len(found), axis=0)
        rows[:, self.columns_] = found
        return rows

    def conditional(self, columns: Any, values: Any) -> KernelDensity:
        """The density of the other columns, given that `columns` have these values.

        It is a density of the same points with weights w_i k(values - x_i), of which only the given columns count.  Its
        columns are the others, in their order.
        """
        check_is_fitted(self)
        owner = type(self).__name__
        given = np.atleast_1d(np.asarray(columns, dtype=np.intp))
        rest = np.setdiff1d(self.columns_, given)
        if not np.isin(given, self.columns_).all() or not len(rest) or len(np.unique(given)) < len(given):
            raise bad(
                owner, "columns", f"some but not all of {self.columns_.tolist()}", repr(columns), "Name columns once."
            )
        if self._whiten is not None or not self._mixture.is_product:
            raise self._no_product("conditional")
        at = numbers(owner, "values", values).reshape(-1)
        if at.shape != given.shape or not np.isfinite(at).all():
            raise bad(
                owner,
                "values",
                f"{len(given)} finite numbers, one for each column",
                repr(values),
                "Pass them in order.",
            )
        place = np.searchsorted(self.columns_, given)
        logs = self._log_shares(place, at)
        if not np.isfinite(logs.max()):
            raise bad(owner, "values", "where the density is not 0", repr(values), "Take a wider kernel or bandwidth.")
        share = np.exp(logs - logs.max())
        return self._of_columns(np.searchsorted(self.columns_, rest), share)

    def _log_shares(self, place: Array, at: Array) -> Array:
        """log w_i k(at - x_i) of some columns, images included."""
        sides = [self._sides[j] for j in place]
        total = np.log(self._points.weights)
        for j, side, x in zip(place, sides, at, strict=True):
            column = self._points.marginal(np.array([j]))
            if not side.contains(np.array([x]))[0]:
                return np.full(len(total), -np.inf)
            whole, origin = reflected(column, [side])
            logs = log_profiles(whole, np.array([[side.folded(np.array([x]))[0] / column.scale[0]]]))[0]
            sums = np.bincount(origin, np.exp(logs - max(float(logs.max()), -1e300)), minlength=len(total))
            with np.errstate(divide="ignore"):
                total = total + np.log(sums)
            total = total if column.factor is None else total - np.log(column.factor)
        return np.asarray(total)

    def _of_columns(self, place: Array, share: Array) -> KernelDensity:
        """A fitted density of some of the columns, with other weights."""
        kept = share > 0.0
        points, names = self._points.marginal(place), [self._sides[j] for j in place]
        params = self.get_params(deep=False)
        other = {"form": "product", "support": None, "candidates": None, "bandwidth": points.scale}
        one = KernelDensity(**{**params, **other})
        one.n_features_in_ = len(place)
        one.columns_, one._whiten, one._constants = np.arange(len(place)), None, np.zeros(len(place))
        one._sides = names
        one._points = points.subset(np.flatnonzero(kept)).weighted(share[kept] / share.sum())
        one.n_effective_ = float(share.sum() ** 2 / (share @ share))
        one.bandwidth_ = one._shown(points.scale)
        one._set_bounds()
        return one

    def modes(self) -> Array:
        """The places where the density has a maximum, one row for each, the highest first.

        One column: all kernels.  Several: the Gaussian, Epanechnikov, biweight and triweight, without bounds, from a
        sample of 500 points.
        """
        check_is_fitted(self)
        places = self._modes_on_line() if len(self.columns_) == 1 else self._shifted_modes()
        rows = np.repeat(self._constants[None], len(places), axis=0)
        rows[:, self.columns_] = places if self._whiten is None else np.linalg.solve(self._whiten.T, places.T).T
        return np.asarray(rows[np.argsort(-self.score_samples(rows), kind="stable")])

    def _modes_on_line(self) -> Array:
        low, high = self._ends()
        h = float(self._points.scale[0]) * (1.0 if self._points.factor is None else float(self._points.factor.min()))
        count = int(min(max((high - low) / h * _PER_BANDWIDTH, 200), 20_000))
        plateau = isinstance(self._points.window, Boxcar)
        grid = np.linspace(low, high, count)
        return modes_on_line(lambda x: self._logs(x[:, None], exact=True), grid, plateau)[:, None]

    def _shifted_modes(self) -> Array:
        points, form = self._points, self.form == "product" and not isinstance(self._points.window, Gaussian)
        if not shifts(points) or form or self._origin is not None or points.norm != "euclidean":
            raise bad(type(self).__name__, "kernel", "gaussian, epanechnikov, biweight or triweight, radial and "
                      "without bounds, for modes of several columns",
                      f"{type(points.window).__name__}, form {self.form!r}", "kernel='gaussian' has them.")  # fmt: skip
        pick = np.random.default_rng(0).permutation(len(points))[:_STARTS]
        return shifted_modes(points, points.scaled[np.sort(pick)])

    def _no_product(self, what: str) -> ValueError:
        got = "a matrix" if self._whiten is not None else f"{self.form!r} with {type(self._points.window).__name__}"
        return bad(type(self).__name__, "form", f"'product', or Gaussian with bandwidths of columns, for {what}", got,
                   "Fit with form='product'.")  # fmt: skip

    def _one_column(self, what: str) -> None:
        check_is_fitted(self)
        if len(self.columns_) != 1 or self.n_features_in_ != 1:
            raise bad(
                type(self).__name__, "X", f"one column for {what}", f"{self.n_features_in_}", "Use cdf or sample."
            )

    def _share(self, name: str, given: Any) -> float:
        if not isinstance(given, Real) or not 0.0 < float(given) < 1.0:
            raise bad(type(self).__name__, name, "a share between 0 and 1", repr(given), "0.95 is usual.")
        return float(given)


carry_settings(KernelDensity)
answer_lazily(KernelDensity)
