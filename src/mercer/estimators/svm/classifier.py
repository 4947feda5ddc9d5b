"""What SVC and NuSVC share: labels, one machine for every pair of classes, votes and probabilities.

Two classes are one machine; more are one for every pair (multiclass.py).  With `decision_function_shape="ovr"` the pair
values are only reshaped, as in scikit-learn; for one machine per class use its OneVsRestClassifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator, warn_open, weights
from mercer.estimators.conditional_methods import available_unless
from mercer.estimators.labels import Labels
from mercer.estimators.rows_in_files import by_blocks
from mercer.estimators.svm.certificate import Certificate
from mercer.estimators.svm.fitting import new_items, warn_unsolved
from mercer.estimators.svm.multiclass import Finish, Pairs, one_vs_rest, pair_values, spread, winners
from mercer.estimators.svm.probability import calibrate
from mercer.estimators.svm.proof_record import Record
from mercer.estimators.training_data import Data
from mercer.gram.tall import in_memory
from mercer.items.vectors import is_sparse
from mercer.solvers.dual import DualSolutions
from mercer.solvers.dual.proof import BIAS
from mercer.solvers.limits import Limits, run_by_size
from mercer.solvers.platt import Platt, couple
from mercer.typing import Array

_SURE = 1e-7  # distance of pair probabilities from 0 and 1, as in LIBSVM


def _no_sigmoids(machine: Any) -> str:
    return "" if machine._probable else "set probability=True before fit"


class PairwiseClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """A subclass states and solves the problems of all pairs in `fit`."""

    impossible = "training items that no machine with this kernel separates"  # needs a finite C
    cure = "The data are not separable: choose a finite C."
    one_class_left = "Invalid input - all samples with positive weights belong to the same class."
    penalty_intercept = False
    probability: Any
    class_weight: Any
    decision_function_shape: str
    break_ties: bool
    fit_status_: int
    _record: Record

    # ---- fitting

    def _checked_labels(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array, Array]:
        """(items, the class of each as a number, the weight of each); sets classes_ and class_weight_."""
        self._check_options()
        X, y = self._checked(X, y, reset=True)
        labels, owner = self._labels(y), type(self).__name__
        weight = weights(owner, sample_weight, len(y), negative_is_absent=True)
        labels.require_all(owner, np.flatnonzero(weight), self.one_class_left)
        return X, labels.codes, weight

    def _check_options(self) -> None:
        owner = type(self).__name__
        if self.probability not in (True, False, "deprecated"):
            raise bad(owner, "probability", "True or False", repr(self.probability), "False is the default.")
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise bad(owner, "decision_function_shape", "'ovr' or 'ovo'", repr(self.decision_function_shape),
                      "'ovr' is the default.")  # fmt: skip

    def _labels(self, y: Array) -> Labels:
        """The labels as numbers; sets classes_ and class_weight_."""
        labels = Labels.of(type(self).__name__, y, self.class_weight)
        self.classes_, self.class_weight_ = labels.classes, labels.weight
        return labels

    @property
    def _probable(self) -> bool:
        return self.probability not in (False, "deprecated")

    def _keep_pairs(self, X: Any, data: Data, codes: Array, pairs: Pairs, found: DualSolutions) -> None:
        """Keep the common support vectors of all pairs, sorted by class, and their coefficients."""
        coef = found.coef / np.repeat(found.margin, np.diff(pairs.ends))
        columns = pairs.by_item(coef, len(codes))
        order = np.argsort(codes, kind="stable")
        support = order[columns[order].any(axis=1)]
        if self.penalty_intercept:
            intercept = np.add.reduceat(coef, pairs.ends[:-1])
        else:
            intercept = found.proofs[:, BIAS] / found.margin
        self._keep(X, data, support, columns[support], intercept)
        self.n_support_ = np.bincount(codes[support], minlength=len(self.classes_)).astype(np.int32)
        self.n_iter_ = found.steps.astype(np.int32)

    def _keep_sigmoids(self, gram: Any, pairs: Pairs, weight: Array, found: DualSolutions, limits: Limits) -> None:
        """Fit the sigmoid of every pair if probability=True, and warn of a fit that ended early."""
        self._platts: list[Platt | None] = []
        if self._probable:
            self._platts = [None] * len(pairs)
            run_by_size(lambda p: self._keep_sigmoid(p, gram, pairs, weight, found, limits), pairs.sizes, limits)
        if self.fit_status_:
            warn_unsolved(self, limits)
        elif not all(self._platts):
            warn_open(f"{type(self).__name__}: stopped early ({limits.ended}), solved but without probabilities. "
                      "Fit again with more time, or with probability=False.")  # fmt: skip

    def _keep_sigmoid(
        self, p: int, gram: Any, pairs: Pairs, weight: Array, found: DualSolutions, limits: Limits
    ) -> None:
        s = pairs.span(p)
        index = pairs.index[s]
        own = in_memory(gram if len(index) == len(gram) else gram.sub(index))
        self._platts[p] = calibrate(own, pairs.y[s], weight[index], found.problems[p], found[p], limits)

    # ---- the proof

    @property
    def solution_(self) -> Any:
        """What the solver returned, on the support vectors; a tuple for more than two classes."""
        self._require_fit("solution_")
        found = self._record.solutions
        return found[0] if len(found) == 1 else found

    @property
    def certificate_(self) -> Certificate:
        """The proof of optimality; of the worst pair, with all of them in its `parts`."""
        self._require_fit("certificate_")
        names = [f"{a} against {b}" for a, b in combinations(self.classes_.tolist(), 2)]
        return self._record.certificate(names if len(names) > 1 else [""])

    # ---- prediction

    def _functions(self) -> Any:
        if len(self.classes_) == 2:
            return self.dual_coef_.T
        wide = spread(self._coef_columns, self.n_support_)
        return type(self.dual_coef_)(wide) if is_sparse(self.dual_coef_) else wide

    def _evaluated(self, X: Any, finish: Finish) -> Array:
        """finish(f) by rows: f is (m,) for two classes, positive for the second, and else (m, pairs)."""
        X = new_items(self, X)
        if len(self.classes_) == 2:
            return finish(self._values(X))
        if self._kept.evaluates_at_once:
            return finish(self._kept.evaluate(X, spread(self._coef_columns, self.n_support_)) + self.intercept_)
        return pair_values(
            self._kept.cross(X), self._coef_columns, self.n_support_, lambda sums: finish(sums + self.intercept_)
        )

    def decision_function(self, X: Any) -> Array:
        """f(x) for two classes; for more the values of all pairs ("ovo"), or votes and fractions by class ("ovr")."""
        return self._evaluated(X, self._shaped)

    def _shaped(self, f: Array) -> Array:
        """The values of all pairs in the shape of `decision_function_shape`."""
        by_class = self.decision_function_shape == "ovr" and len(self.classes_) > 2
        return one_vs_rest(f, len(self.classes_)) if by_class else f

    def predict(self, X: Any) -> Array:
        """The class with most votes; equal votes go to the first class, or with break_ties to the larger values."""
        if self.break_ties and self.decision_function_shape == "ovo":
            raise bad(type(self).__name__, "break_ties", "False when decision_function_shape is 'ovo'", True,
                      "Use decision_function_shape='ovr'.")  # fmt: skip
        codes = self._evaluated(X, self._decided)
        return np.asarray(self.classes_[codes])

    def _decided(self, f: Array) -> Array:
        """The position of the predicted class, from the values of all pairs."""
        k = len(self.classes_)
        if k == 2:
            return np.asarray((f >= 0.0).astype(np.intp))
        return np.asarray(np.argmax(one_vs_rest(f, k), axis=1)) if self.break_ties else winners(f, k)

    @available_unless(_no_sigmoids)
    @by_blocks
    def predict_proba(self, X: Any) -> Array:
        """P(class | x) in the order of classes_: Platt's sigmoid, coupled over pairs for more than two classes.

        The sigmoids have an offset of their own and were fitted to scores of held-out items, so the most probable
        class can differ from `predict`: near the boundary, and where classes are rare.
        """
        check_is_fitted(self)
        sigmoids = [platt for platt in self._platts if platt is not None]
        if not self._platts:
            raise NotFittedError("predict_proba is not available when fitted with probability=False: set it to True")
        if len(sigmoids) < len(self._platts):
            raise NotFittedError("predict_proba needs a fit that was not stopped early: fit again with more time")
        return self._evaluated(X, lambda f: probabilities(sigmoids, f))

    @available_unless(_no_sigmoids)
    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))

    @property
    def probA_(self) -> Array:
        """The slopes of the sigmoids in LIBSVM's sign, 1 / (1 + exp(A f + B)) of the first class of each pair."""
        self._require_fit("probA_")
        return np.array([-platt.A for platt in self._platts if platt is not None])

    @property
    def probB_(self) -> Array:
        """The offsets of the sigmoids in LIBSVM's sign."""
        self._require_fit("probB_")
        sign = 1.0 if len(self.classes_) == 2 else -1.0
        return np.array([sign * platt.B for platt in self._platts if platt is not None])


def probabilities(sigmoids: Sequence[Platt], f: Array) -> Array:
    """(m, classes) from the values of all pairs and their sigmoids."""
    if len(sigmoids) == 1:
        p = sigmoids[0].probability(f)
        return np.column_stack([1.0 - p, p])
    P = np.column_stack([platt.probability(values) for platt, values in zip(sigmoids, f.T, strict=True)])
    return couple(np.clip(P, _SURE, 1.0 - _SURE))
