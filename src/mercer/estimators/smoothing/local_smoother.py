"""What NadarayaWatson and LocalRegression share: widths, predictions with bands, flags of places without support."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from mercer.distributed import is_spread
from mercer.distributed.gathering import gathered
from mercer.errors import bad, warn
from mercer.estimators.base import answer_lazily, interruptible, targets, warn_open, weights
from mercer.estimators.regressor import columns_of
from mercer.estimators.smoothing.mixed_columns import Extent, MixedColumns, checked, learned, number_columns
from mercer.estimators.worker_settings import carry_settings
from mercer.solvers.bandwidth import RULES
from mercer.solvers.local_regression import (
    CRITERIA,
    BandwidthSearch,
    LocalFit,
    LocalProblem,
    NormalEquations,
    Places,
    Width,
    best_width,
    criterion,
    degrees,
    fill_gaps,
    highest_rates,
    local_fit,
    prove,
    smoother_rows,
)
from mercer.typing import Array
from mercer.windows import Window, window_of

GAPS = ("nearest", "mean", "nan")
PROVED = 64  # training points whose fits the certificate proves


class Unsupported(UserWarning):
    """Predictions at places where the data say little: in gaps, outside of their range, or on singular designs."""


@dataclass(frozen=True, eq=False)
class Flags:
    """For every place, whether a prediction there rests on less than it should.

    empty      no point has a weight: the value is what `gaps` says
    singular   the points do not determine all terms: some were left out
    outside    a column is outside of its range in the data, or has a category that they do not
    """

    empty: Array
    singular: Array
    outside: Array

    def __str__(self) -> str:
        names = {"in gaps": self.empty, "with singular designs": self.singular, "outside of the data": self.outside}
        return ", ".join(f"{int(flag.sum())} {name}" for name, flag in names.items() if flag.any()) or "none"


class LocalSmoother(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A local polynomial around every place; `_degree` is that of the polynomial."""

    bandwidth: Any
    window: Any
    neighbours: Any
    categorical: Any
    ordered: Any
    gaps: str
    _degree: int
    _columns: MixedColumns
    _problem: LocalProblem
    _width: Width

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        carry_settings(cls)
        answer_lazily(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @property
    def takes_gram(self) -> bool:
        """A smoother has no kernel, so that a search fits it by itself."""
        return False

    # ---- fitting

    @interruptible
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remember points X with numbers y, in one column or several, and choose the bandwidth; weight 0 leaves out.

        The points of a Dask collection stay on the workers, unless `neighbours` are asked for.
        """
        owner = type(self).__name__
        window = window_of(self.window, owner, "window")
        if self.gaps not in GAPS:
            raise bad(owner, "gaps", f"one of {GAPS}", repr(self.gaps), "'nearest' is the default.")
        if is_spread(X) and self.neighbours is None:
            from mercer.estimators.smoothing.spread_problem import SpreadProblem

            self._problem = SpreadProblem.of(self, X, y, sample_weight, window)
        else:
            self._remember(X, y, sample_weight, window)
        self.__dict__.pop("search_", None)
        self._width = self._chosen()
        self.bandwidth_ = self._by_column()
        self._measure()
        return self

    def _remember(self, X: Any, y: Any, sample_weight: Any, window: Window) -> None:
        """Set the problem with all points here."""
        owner = type(self).__name__
        if is_spread(X):
            X, y = gathered(owner, X, y)
            sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        V, y = checked(self, X, y, reset=True)
        t = targets(owner, y)
        self._flat = t.ndim == 1
        w = weights(owner, sample_weight, len(V))
        used = np.flatnonzero(w)
        self._columns = learned(self, Extent.of(self, V[used]))
        Z, codes = self._columns.split(owner, V[used])
        levels, degree = self._columns.levels, self._degree
        self._problem = LocalProblem(Z, codes, levels, columns_of(t)[used], w[used], window, degree)

    @property
    def _on_workers(self) -> Any:
        """The problem, if its points are on workers; else None."""
        problem = self.__dict__.get("_problem")
        return problem if problem is not None and type(problem) is not LocalProblem else None

    def __getstate__(self) -> dict[str, Any]:
        """With all points: those on workers come here, if they fit the memory budget."""
        state = dict(super().__getstate__())
        return state if self._on_workers is None else {**state, "_problem": self._problem.here}

    def _chosen(self) -> Width:
        """The widths that `bandwidth` or `neighbours` stands for."""
        problem, owner = self._problem, type(self).__name__
        if self.neighbours is not None:
            count = _count(owner, self.neighbours, len(problem))
            deviation = problem.X.std(axis=0)
            return Width(np.where(deviation > 0.0, deviation, 1.0), np.zeros(problem.codes.shape[1]), count)
        given = self.bandwidth
        if isinstance(given, str):
            if given not in (*CRITERIA, *RULES):
                raise bad(owner, "bandwidth", f"numbers or one of {', '.join((*CRITERIA, *RULES))}", repr(given),
                          "'loo' is the default.")  # fmt: skip
            if given in RULES:
                return Width(self._by_rule(given), 0.5 * highest_rates(problem))
            width, self.search_ = best_width(
                problem, Width(self._by_rule("silverman"), 0.5 * highest_rates(problem)), given, gaps=self.gaps
            )
            if not self.search_.converged:
                warn_open(f"{owner}: the bandwidth has not converged: {self.search_}. Pass bandwidth_ as a number to "
                          "keep it.")  # fmt: skip
            return width
        return self._given(given)

    def _by_rule(self, rule: str) -> Array:
        problem = self._problem
        if problem.X.shape[1] == 0 or len(problem) < 2:
            return np.ones(problem.X.shape[1])
        return problem.by_rule(rule)

    def _given(self, given: Any) -> Width:
        """Bandwidths and rates as numbers: one for all columns of numbers, or one for every column."""
        owner, columns = type(self).__name__, self._columns
        coded = columns.coded
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise bad(owner, "bandwidth", "numbers, or the name of a rule", repr(given), "E.g. 'loo'.") from None
        if values.ndim == 0 and not coded:
            values = np.full(self.n_features_in_, float(values))
        if values.shape != (self.n_features_in_,):
            rule = "one for each column" if coded else "one number, or one for each column"
            raise bad(owner, "bandwidth", f"{rule} ({self.n_features_in_})", f"shape {values.shape}", "Look at X.")
        h, rates = values[columns.numeric], values[coded]
        if not (np.isfinite(h) & (h > 0.0)).all():
            raise bad(owner, "bandwidth", "positive and finite", repr(given), "It is the width of the window.")
        most = highest_rates(self._problem)
        if not ((rates >= 0.0) & (rates <= most)).all():
            raise bad(owner, "bandwidth", f"from 0 to {most.tolist()} for the columns {coded} of categories",
                      rates.tolist(), "0 counts equal ones only.")  # fmt: skip
        return Width(columns.widths(h), rates)

    def _by_column(self) -> Any:
        """The widths in the order of the columns; NaN for columns that are left out."""
        if self._width.neighbours is not None:
            return None
        found = np.full(self.n_features_in_, np.nan)
        columns = self._columns
        found[columns.numeric], found[columns.coded] = 2.0 * self._width.h * columns.half, self._width.rates
        return found

    def _measure(self) -> None:
        """The fit at the training points, its degrees of freedom and the deviation of the noise."""
        problem = self._problem
        fit = local_fit(problem, self._width, problem.own, variance=True)
        values = fill_gaps(problem, self._width, problem.own, fit, self.gaps)
        self.fitted_values_ = self._shaped(values)
        self.df_ = degrees(problem, self._width, fit)[0]
        spread = np.where(fit.empty, 1.0 / problem.w, np.asarray(fit.spread))
        self.residual_df_ = float(len(problem) - 2.0 * self.df_ + (problem.w * spread).sum())
        squares = problem.w @ (problem.Y - values) ** 2
        known = self.residual_df_ >= 1.0  # else f goes through the points, and the noise is not known
        sigma = np.sqrt(squares / self.residual_df_) if known else np.full(len(squares), np.nan)
        self.sigma_ = float(sigma[0]) if self._flat else sigma

    # ---- after the fit

    def predict(self, X: Any, return_se: bool = False) -> Any:
        """f at every place, one column per column of y; with `return_se` also its standard error."""
        check_is_fitted(self)
        places, outside = self._places(X)
        fit = local_fit(self._problem, self._width, places, variance=bool(return_se))
        self._tell(Flags(fit.empty, fit.dropped, outside))
        values = fill_gaps(self._problem, self._width, places, fit, self.gaps)
        if not return_se:
            return self._shaped(values)
        return self._shaped(values), self._error(fit)

    def interval(self, X: Any, level: float = 0.95) -> tuple[Array, Array]:
        """(low, high): where f lies with this probability, at each place by itself, if it is not biased there.

        f +- t sigma_ |l(x)|, with a quantile of Student's distribution with residual_df_ degrees of freedom.
        """
        from scipy.stats import t

        if not isinstance(level, Real) or not 0.0 < float(level) < 1.0:
            raise bad(type(self).__name__, "level", "between 0 and 1", repr(level), "0.95 is the default.")
        values, std = self.predict(X, return_se=True)
        reach = float(t.ppf(0.5 + 0.5 * float(level), self.residual_df_)) * std
        return values - reach, values + reach

    def flags(self, X: Any) -> Flags:
        """Which places lie in gaps, outside of the data, or where their points leave a term undetermined."""
        check_is_fitted(self)
        places, outside = self._places(X)
        fit = local_fit(self._problem, self._width, places)
        return Flags(fit.empty, fit.dropped, outside)

    def smoother(self, X: Any) -> Array:
        """(places, points): the weights l with f(x) = sum_i l_i(x) y_i, of sum 1; NaN in gaps.

        Points are the training items of positive weight, in their order.
        """
        check_is_fitted(self)
        return smoother_rows(self._problem.here, self._width, self._places(X)[0])

    def leave_one_out(self) -> Array:
        """For every training point of positive weight, what the others predict there, at the same bandwidth."""
        check_is_fitted(self)
        problem = self._problem
        fit = local_fit(problem, self._width, problem.others)
        return self._shaped(fill_gaps(problem, self._width, problem.others, fit, self.gaps))

    def criterion(self, kind: str = "loo") -> float:
        """The criterion "loo", "gcv" or "aicc" at the bandwidth of the fit; columns of y in units of their variance."""
        check_is_fitted(self)
        if kind not in CRITERIA:
            raise bad(type(self).__name__, "kind", f"one of {CRITERIA}", repr(kind), "'loo' is the default.")
        return criterion(self._problem, self._width, kind, gaps=self.gaps, gradient=False)[0]

    @property
    def certificate_(self) -> NormalEquations:
        """The normal equations of up to 64 local fits; `mercer.verify` looks at all training points."""
        if not hasattr(self, "_width"):
            raise AttributeError(f"{type(self).__name__} has certificate_ after fit")
        n = len(self._problem)
        return self._proof(np.unique(np.linspace(0, n - 1, min(n, PROVED)).astype(np.intp)))

    def _proof(self, some: Array) -> NormalEquations:
        values = columns_of(np.asarray(self.fitted_values_))
        problem = self._problem.here
        return prove(problem, self._width, problem.own.at(some), values[some])

    def _places(self, X: Any) -> tuple[Places, Array]:
        """New places, and whether each is outside of the data."""
        owner, columns = type(self).__name__, self._columns
        V = checked(self, X, reset=False)
        number_columns(owner, V, columns.constant)
        Z, codes = columns.split(owner, V)
        outside = ((Z < 0.0) | (Z > 1.0)).any(axis=1) | (codes[:, : len(columns.unordered)] < 0).any(axis=1)
        return Places(Z, codes), np.asarray(outside)

    def _tell(self, flags: Flags) -> None:
        if flags.empty.any() or flags.singular.any() or flags.outside.any():
            rule = {"nearest": "that of the nearest point", "mean": "the mean", "nan": "NaN"}[self.gaps]
            warn(f"{type(self).__name__}: some of {len(flags.empty)} places have little support: {flags}. In a gap the "
                 f"value is {rule}; flags(X) has them one by one.", Unsupported)  # fmt: skip

    def _error(self, fit: LocalFit) -> Array:
        if not np.isfinite(np.asarray(self.sigma_)).all():
            raise bad(type(self).__name__, "residual_df_", "1 or more for standard errors", f"{self.residual_df_:.3g}",
                      "The fit goes through the points: choose a wider bandwidth.")  # fmt: skip
        spread = np.sqrt(np.asarray(fit.spread))
        return np.asarray(spread * self.sigma_ if self._flat else spread[:, None] * self.sigma_)

    def _shaped(self, values: Array) -> Array:
        return np.asarray(values[:, 0] if self._flat else values)


def _count(owner: str, given: Any, n: int) -> int:
    """A number of neighbours, or a share of all points."""
    if isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= 1:
        if int(given) > n:
            raise bad(owner, "neighbours", f"at most the number of points ({n})", repr(given), "Ask for fewer.")
        return int(given)
    if isinstance(given, Real) and not isinstance(given, (bool, Integral)) and 0.0 < float(given) <= 1.0:
        return max(1, round(float(given) * n))
    raise bad(owner, "neighbours", "a whole number >= 1 or a share of 0 to 1", repr(given), "E.g. 30, or 0.3.")


__all__ = ["BandwidthSearch", "Flags", "LocalSmoother", "Unsupported"]


answer_lazily(LocalSmoother)
