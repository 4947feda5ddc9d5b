"""What all feature machines share: phi(x) = [k(x, mu_1), ..., k(x, mu_K)] in a linear predictor w' phi(x) + b.

The kernel is used as a feature, not as an inner product, so any similarity will do: nothing is checked for
positivity.  `fit` checks, evaluates the design matrix Phi, asks the subclass for its weights, and keeps the prototypes
whose weight is not zero.  A subclass gives

    _check_options()             refuse settings that make no sense, before anything is computed
    _centres(data, used)         its prototypes; by default all items that count
    _solve(design) -> Weights    the weights, the intercept and their certificate
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from mercer.engine import fill
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.base import KernelEstimator, warn_open, weights
from mercer.estimators.labels import Labels
from mercer.estimators.training_data import Data
from mercer.typing import Array

_LARGEST = 1e150  # of a feature: its square is finite


@dataclass(frozen=True, eq=False)
class Design:
    """Rows for the items that count, columns for the prototypes: column j is item places[j] of `centres`.

    `target` are the numbers or the codes of the classes, and `weight` the weights, of the rows.  Features that are no
    kernel values have no centres.
    """

    Phi: Array
    target: Array
    weight: Array
    centres: Data | None
    places: Array


@dataclass(frozen=True, eq=False)
class Weights:
    """W is (prototypes, functions), `intercept` has one number per function; `certificate` is a Solution or alike.

    Of a certificate only n_iter, converged, reason and its words (str) are asked for.
    """

    W: Array
    intercept: Array
    certificate: Any


class FeatureMachine(KernelEstimator):
    """A linear function of kernel values; only prototypes with a weight are kept."""

    # ---- what a subclass says

    def _check_options(self) -> None:
        """Refuse settings that make no sense."""

    def _centres(self, data: Data, used: Array) -> tuple[Data, Array]:
        """(centres, places): where the prototypes are, and which of these are one column each."""
        return data, used

    def _solve(self, design: Design) -> Weights:
        """The weights of the columns of Phi."""
        raise NotImplementedError

    # ---- fitting

    def _fit(self, X: Any, target: Array, weight: Array) -> Self:
        """Fit to checked items; weight 0 is absence, of the row and of the prototype."""
        design = self._design(X, target, weight)
        require_squares(type(self).__name__, design.Phi)
        found = self._solve(design)
        self._keep_weights(X, design, found)
        self.certificate_ = found.certificate
        self.n_iter_, self.converged_ = found.certificate.n_iter, bool(found.certificate.converged)
        if not self.converged_:
            warn_open(
                f"{type(self).__name__}: stopped early ({found.certificate.reason}) after {self.n_iter_} steps. "
                f"{found.certificate} Raise max_iter or loosen tol."
            )
        return self

    def _design(self, X: Any, target: Array, weight: Array) -> Design:
        """The design matrix over the items that count."""
        data, used = self._data(X), np.flatnonzero(weight)
        centres, places = self._centres(data, used)
        return Design(design_matrix(data, used, centres, places), target[used], weight[used], centres, places)

    def _keep_weights(self, X: Any, design: Design, found: Weights) -> None:
        assert design.centres is not None
        some = np.flatnonzero(found.W.any(axis=1))
        self._keep(X, design.centres, design.places[some], found.W[some], found.intercept)

    # ---- prediction

    def _by_rows(self, X: Any, finish: Callable[[Array], Array]) -> Array:
        """finish(Phi) of checked items, from a few rows of Phi = k(X, kept prototypes) at a time."""
        cross = self._kept.cross(X)
        every = slice(0, cross.shape[1])
        parts = [finish(np.asarray(cross.block(r, every), dtype=float)) for r in cuts(cross.shape[0])]
        return np.concatenate(parts)


class FeatureRegressor(RegressorMixin, FeatureMachine):  # type: ignore[misc]
    """y = w' phi(x) + b and noise."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers y."""
        self._check_options()
        X, y = self._checked(X, y, reset=True, numeric=True)
        return self._fit(X, y.astype(np.float64), weights(type(self).__name__, sample_weight, len(y)))

    def predict(self, X: Any) -> Array:
        """w' phi(x) + b for every item."""
        return self._values(self._items(X))


class FeatureClassifier(ClassifierMixin, FeatureMachine):  # type: ignore[misc]
    """P(y = 1 | x) = sigm(w' phi(x) + b) for two classes, softmax of one such function per class for more."""

    class_weight: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y."""
        self._check_options()
        owner = type(self).__name__
        X, y = self._checked(X, y, reset=True)
        labels = Labels.of(owner, y, self.class_weight)
        weight = weights(owner, sample_weight, len(y)) * labels.weight[labels.codes]
        labels.require_all(owner, np.flatnonzero(weight))
        self.classes_, self.class_weight_ = labels.classes, labels.weight
        return self._fit(X, labels.codes, weight)

    def decision_function(self, X: Any) -> Array:
        """The log odds of the second class; for more than two classes one column per class, equal up to a constant."""
        X = self._items(X)
        return self._values(X) if len(self.classes_) == 2 else self._all_values(X)

    def predict(self, X: Any) -> Array:
        """The most probable class."""
        f = self.decision_function(X)
        codes = (f > 0.0).astype(np.intp) if f.ndim == 1 else np.argmax(f, axis=1)
        return np.asarray(self.classes_[codes])

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x) in the order of classes_."""
        return log_probabilities(self.decision_function(X))

    def predict_proba(self, X: Any) -> Array:
        """P(class | x) in the order of classes_."""
        return np.asarray(np.exp(self.predict_log_proba(X)))


def log_probabilities(f: Array) -> Array:
    """(m, classes): log sigm of -f and f for log odds (m,), log softmax for (m, classes); no overflow."""
    from scipy.special import log_expit, log_softmax

    return np.asarray(np.column_stack([log_expit(-f), log_expit(f)]) if f.ndim == 1 else log_softmax(f, axis=1))


def require_squares(owner: str, Phi: Array) -> None:
    """Refuse features whose squares would overflow."""
    largest = max(float(Phi.max(initial=0.0)), -float(Phi.min(initial=0.0)))
    if not largest <= _LARGEST:
        raise bad(owner, "X", f"items whose features are finite and below {_LARGEST:.0e}",
                  f"a feature of {largest:.1e}", "Scale the columns of X.")  # fmt: skip


def design_matrix(data: Data, used: Array, centres: Data, places: Array) -> Array:
    """Phi_ij = k(item used[i] of data, item places[j] of centres), in double precision; not to be overwritten."""
    cure = "Use fewer prototypes, or raise it with mercer.configure(memory=...)."
    fill.require_memory("The design matrix", 8 * len(used) * len(places), cure)
    return np.asarray(data.between(used, centres, places).dense(), dtype=np.float64)
