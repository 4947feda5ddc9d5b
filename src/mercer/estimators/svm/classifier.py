"""What the two support vector classifiers share: labels, pairs of classes, votes and probabilities.

Two classes are one machine; more are one for every pair (multiclass.py beside this).  With
`decision_function_shape="ovr"` the pair values are only reshaped, as in scikit-learn: for one machine per class use its
OneVsRestClassifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import warn_open
from mercer.estimators.conditional import available_unless
from mercer.estimators.svm.machine import SupportVectorMachine
from mercer.estimators.svm.multiclass import Finish, Pairs, one_vs_rest, pair_values, pairs_of, spread, winners
from mercer.estimators.svm.probability import calibrate
from mercer.estimators.training_data import Data
from mercer.items.vectors import is_sparse
from mercer.solvers.dual import Problems, Solutions, solve_all
from mercer.solvers.dual.proof import BIAS
from mercer.solvers.dual.solve import run_by_size
from mercer.solvers.limits import Limits
from mercer.solvers.platt import Platt, couple
from mercer.typing import Array

_SURE = 1e-7  # probabilities of pairs stay so far from 0 and 1, as LIBSVM's do


def _no_sigmoids(machine: Any) -> str:
    return "" if machine._probable else "set probability=True before fit"


class Classifier(ClassifierMixin, SupportVectorMachine):  # type: ignore[misc]
    """A subclass says what the problem of two classes is."""

    probability: Any
    class_weight: Any
    decision_function_shape: str
    break_ties: bool
    one_class_left = "Invalid input - all samples with positive weights belong to the same class."

    def _bounds(self, weight: Array, codes: Array) -> Array:
        """The bound of every coefficient."""
        raise NotImplementedError

    def _problems(self, pairs: Pairs, bound: Array) -> Problems:
        """The problems of all pairs, with the bound of the coefficient of every item."""
        raise NotImplementedError

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y; weights scale the bounds of the coefficients."""
        limits = self._limits()
        self._check_options()
        X, y = self._checked(X, y, reset=True)
        codes = self._labels(y)
        weight, used = self._weighed(sample_weight, len(codes))
        self._require_items(np.bincount(codes[used], minlength=len(self.classes_)))
        pairs = pairs_of(codes, used, len(self.classes_))
        problems = self._problems(pairs, self._bounds(weight, codes))
        data, gram = self._training(X)
        found = solve_all(gram, problems, limits)
        self._judge(found, data, limits)
        self._assemble(X, data, codes, pairs, found)
        self._platts = self._sigmoids(gram, pairs, found, weight, limits) if self._probable else []
        if self.fit_status_:
            self._warn(limits)
        elif not all(self._platts):
            warn_open(f"{type(self).__name__}: stopped early ({limits.ended}), solved but without probabilities. "
                      "Fit again with more time, or with probability=False.")  # fmt: skip
        return self

    def _check_options(self) -> None:
        owner = type(self).__name__
        if self.probability not in (True, False, "deprecated"):
            raise bad(owner, "probability", "True or False", repr(self.probability), "False is the default.")
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise bad(owner, "decision_function_shape", "'ovr' or 'ovo'", repr(self.decision_function_shape),
                      "'ovr' is the default.")  # fmt: skip

    @property
    def _probable(self) -> bool:
        return self.probability not in (False, "deprecated")

    def _labels(self, y: Array) -> Array:
        """The class of every item as a number; sets classes_ and class_weight_."""
        owner = type(self).__name__
        try:
            if y.dtype.kind not in "biuSU":  # these are labels in any case
                check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
        except TypeError as error:
            raise bad(owner, "y", "labels of one type", error, "Make all of them strings.") from None
        if len(self.classes_) < 2:
            raise bad(owner, "y", "labels of two classes or more", f"1 class, {self.classes_.tolist()}",
                      "Of one class OneClassSVM learns the region.")  # fmt: skip
        self.class_weight_ = np.ones(len(self.classes_))
        if self.class_weight is not None:
            self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        if not (np.isfinite(self.class_weight_).all() and (self.class_weight_ > 0.0).all()):
            raise bad(owner, "class_weight", "positive numbers", self.class_weight, "Leave it out for 1.")
        return np.asarray(codes)

    def _require_items(self, counts: Array) -> None:
        """Every class has an item that counts."""
        if not counts.all():
            raise bad(type(self).__name__, "sample_weight", "positive somewhere in every class",
                      f"zero for all items of class {self.classes_.tolist()[int(np.argmin(counts))]!r}",
                      "Leave that class out." if np.count_nonzero(counts) > 1 else self.one_class_left)  # fmt: skip

    def _sigmoids(self, gram: Any, pairs: Pairs, found: Solutions, weight: Array, limits: Limits) -> list[Platt | None]:
        """The sigmoid of every pair; None where the limits ended the work before."""
        out: list[Platt | None] = [None] * len(pairs)

        def work(p: int) -> None:
            if not limits.reached():
                s = pairs.span(p)
                index = pairs.index[s]
                own = gram if len(index) == len(gram) else gram.sub(index)
                out[p] = calibrate(own, pairs.y[s], weight[index], found.problems[p], found[p], limits)

        run_by_size(work, np.diff(pairs.ends).tolist(), limits)
        return out

    def _names(self) -> list[str]:
        if len(self.classes_) == 2:
            return [""]
        return [f"{a} against {b}" for a, b in combinations(self.classes_.tolist(), 2)]

    def _assemble(self, X: Any, data: Data, codes: Array, pairs: Pairs, found: Solutions) -> None:
        """The expansions of all pairs over their common support vectors, sorted by class."""
        sizes = np.diff(pairs.ends)
        coef = found.coef / np.repeat(found.margin, sizes)
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

    # ---- prediction

    def _functions(self) -> Any:
        if len(self.classes_) == 2:
            return self.dual_coef_.T
        wide = spread(self._coef_columns, self.n_support_)
        return type(self.dual_coef_)(wide) if is_sparse(self.dual_coef_) else wide

    def _evaluated(self, X: Any, finish: Finish) -> Array:
        """finish(f) by rows: f is (m,) for two classes, positive for the second, and else (m, pairs)."""
        X = self._items(X)
        if len(self.classes_) == 2:
            return finish(self._values(X))
        if self._kept.linear:
            return finish(self._kept.evaluate(X, spread(self._coef_columns, self.n_support_)) + self.intercept_)
        return pair_values(
            self._kept.cross(X), self._coef_columns, self.n_support_, lambda sums: finish(sums + self.intercept_)
        )

    def decision_function(self, X: Any) -> Array:
        """f(x) for two classes; for more the values of all pairs ("ovo"), or votes and fractions by class ("ovr")."""
        return self._evaluated(X, self._shaped)

    def _shaped(self, f: Array) -> Array:
        """The values of all pairs in the shape that was asked for."""
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
        """The position of the class that the values of all pairs speak for."""
        k = len(self.classes_)
        if k == 2:
            return np.asarray((f >= 0.0).astype(np.intp))
        return np.asarray(np.argmax(one_vs_rest(f, k), axis=1)) if self.break_ties else winners(f, k)

    @available_unless(_no_sigmoids)
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
