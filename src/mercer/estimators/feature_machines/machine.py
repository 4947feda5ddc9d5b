"""What all feature machines share: phi(x) = [k(x, mu_1), ..., k(x, mu_K)] in a linear predictor w' phi(x) + b.

The kernel is used as a feature, not as an inner product, so it may be any similarity: nothing is checked for
positivity.  A machine has parameters, and a `Method` that finds its weights from them: check the parameters, evaluate
the design matrix Phi, solve for the weights, keep the prototypes whose weight is not zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from mercer.engine.tiles import cuts
from mercer.estimators.base import KernelEstimator, warn_open, weights
from mercer.estimators.feature_machines.design import Design, Weights, design_matrix, require_squares
from mercer.estimators.feature_machines.placement import prototypes_among
from mercer.estimators.feature_machines.ridge_weights import family_of
from mercer.estimators.labels import Labels
from mercer.estimators.training_data import Data
from mercer.solvers.losses import Family, Gaussian
from mercer.typing import Array


class Method:
    """How weights are found.  It has no state: parameters are read from the machine, and results are set on it."""

    def takes_gram(self, machine: Any) -> bool:
        """Whether kernel values are all that it needs of the items."""
        return True

    def check(self, machine: Any) -> None:
        """Refuse parameters that make no sense, before anything is computed."""

    def data(self, machine: Any, X: Any) -> Data:
        """The training items under the kernel of the machine."""
        return machine._data(X)  # type: ignore[no-any-return]

    def design(self, machine: Any, X: Any, target: Array, weight: Array) -> Design:
        """The design matrix; by default every item that counts is a prototype, or n_prototypes of them."""
        data, used = self.data(machine, X), np.flatnonzero(weight)
        places = prototypes_among(data, used, machine.n_prototypes)
        return Design(design_matrix(data, used, data, places), target[used], weight[used], data, places, used=used)

    def solve(self, machine: Any, design: Design) -> Weights:
        """The weights of the columns of Phi."""
        raise NotImplementedError

    def keep(self, machine: Any, X: Any, design: Design, found: Weights) -> None:
        """Keep the prototypes that have a weight."""
        assert design.centres is not None
        some = np.flatnonzero(found.W.any(axis=1))
        machine._keep(X, design.centres, design.places[some], found.W[some], found.intercept)


def fit_numbers(machine: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit a regressor to items X with numbers y."""
    machine._method.check(machine)
    X, y = machine._checked(X, y, reset=True, numeric=True)
    _fit_weights(machine, X, y.astype(np.float64), weights(type(machine).__name__, sample_weight, len(y)))


def fit_labels(machine: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit a classifier to items X with labels y."""
    machine._method.check(machine)
    owner = type(machine).__name__
    X, y = machine._checked(X, y, reset=True)
    labels = Labels.of(owner, y, machine.class_weight)
    weight = weights(owner, sample_weight, len(y)) * labels.weight[labels.codes]
    labels.require_all(owner, np.flatnonzero(weight))
    machine.classes_, machine.class_weight_ = labels.classes, labels.weight
    _fit_weights(machine, X, labels.codes, weight)


def _fit_weights(machine: Any, X: Any, target: Array, weight: Array) -> None:
    """Find and keep the weights; items of weight 0 are left out, also as prototypes."""
    owner, method = type(machine).__name__, machine._method
    design = method.design(machine, X, target, weight)
    require_squares(owner, design.Phi)
    found = method.solve(machine, design)
    method.keep(machine, X, design, found)
    proof = machine.certificate_ = found.certificate
    machine.n_iter_, machine.converged_ = proof.n_iter, bool(proof.converged)
    if not machine.converged_:
        warn_open(f"{owner}: stopped early ({proof.reason}) after {proof.n_iter} steps. {proof} "
                  "Raise max_iter or loosen tol.")  # fmt: skip


def by_rows(machine: Any, X: Any, finish: Callable[[Array], Array]) -> Array:
    """finish(Phi) of checked items, from a few rows of Phi = k(X, kept prototypes) at a time."""
    cross = machine._kept.cross(X)
    every = slice(0, cross.shape[1])
    parts = [finish(np.asarray(cross.block(r, every), dtype=float)) for r in cuts(cross.shape[0])]
    return np.concatenate(parts)


class FeatureRegressor(RegressorMixin, KernelEstimator):  # type: ignore[misc]
    """y = w' phi(x) + b and noise."""

    _method: ClassVar[Method]

    @property
    def takes_gram(self) -> bool:
        return self._method.takes_gram(self)

    def _family(self) -> Family:
        """The distribution of y."""
        return Gaussian()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers y."""
        fit_numbers(self, X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        """w' phi(x) + b for every item."""
        return self._values(self._items(X))


class FeatureClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """P(y = 1 | x) = sigm(w' phi(x) + b) for two classes, softmax of one such function per class for more."""

    _method: ClassVar[Method]
    class_weight: Any

    @property
    def takes_gram(self) -> bool:
        return self._method.takes_gram(self)

    def _family(self) -> Family:
        """The distribution of y."""
        return family_of(len(self.classes_))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y."""
        fit_labels(self, X, y, sample_weight)
        return self

    def decision_function(self, X: Any) -> Array:
        """The log odds of the second class; for more than two classes one column per class, equal up to a constant."""
        X = self._items(X)
        return self._values(X) if len(self.classes_) == 2 else self._all_values(X)

    def predict(self, X: Any) -> Array:
        """The most probable class."""
        codes = most_probable(self.decision_function(X))
        return np.asarray(self.classes_[codes])

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x) in the order of classes_."""
        return log_probabilities(self.decision_function(X))

    def predict_proba(self, X: Any) -> Array:
        """P(class | x) in the order of classes_."""
        return np.asarray(np.exp(self.predict_log_proba(X)))


def most_probable(f: Array) -> Array:
    """The position of the class with the largest value, for log odds (m,) or one value per class (m, classes)."""
    return np.asarray((f > 0.0).astype(np.intp) if f.ndim == 1 else np.argmax(f, axis=1))


def log_probabilities(f: Array) -> Array:
    """(m, classes): log sigm of -f and f for log odds (m,), log softmax for (m, classes); no overflow."""
    from scipy.special import log_expit, log_softmax

    return np.asarray(np.column_stack([log_expit(-f), log_expit(f)]) if f.ndim == 1 else log_softmax(f, axis=1))
