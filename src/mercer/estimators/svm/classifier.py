"""What the two support vector classifiers share: labels, pairs of classes, votes and probabilities.

Two classes are one machine; more are one for every pair (multiclass.py beside this).  With
`decision_function_shape="ovr"` the pair values are only reshaped, as in scikit-learn: for one machine per class use its
OneVsRestClassifier.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import OpenFit
from mercer.estimators.expansion import Data
from mercer.estimators.svm.certificate import Certificate, certificate_of
from mercer.estimators.svm.effort import Effort
from mercer.estimators.svm.machine import SupportVectorMachine
from mercer.estimators.svm.multiclass import Finish, Pair, gathered, one_vs_rest, pair_values, pairs_of, spread, winners
from mercer.estimators.svm.probability import Calibration, require_folds
from mercer.gram import LazyGram, StoredGram
from mercer.gram.classes import ClassGrams
from mercer.gram.held import HeldGram
from mercer.items.vectors import is_sparse
from mercer.solvers.dual import DualSolution, Problem
from mercer.solvers.dual.engine import WHOLE
from mercer.solvers.dual.many import Part, solve_parts
from mercer.solvers.platt import Platt, couple
from mercer.typing import Array

STORED = 2048  # items of all classes whose Gram is stored in full precision, to be shared by all pairs
BATCH = 5  # problems of pairs that are solved in one call
_SURE = 1e-7  # probabilities of pairs stay so far from 0 and 1, as LIBSVM's do


@dataclass(eq=False)
class Task:
    """The machine of one pair, while it is fitted."""

    pair: Pair
    whole: Any
    problem: Problem
    solution: DualSolution | None = None
    sigmoid: Platt | None = None

    def gram(self) -> Any:
        """The Gram of the pair's items; what it holds is freed with it."""
        if isinstance(self.whole, ClassGrams):
            gram: Any = self.whole.pair(self.pair.plus, self.pair.minus)
        else:
            gram = self.whole if len(self.pair.index) == len(self.whole) else self.whole.sub(self.pair.index)
        return HeldGram.of(gram) if isinstance(gram, LazyGram) and len(gram) <= WHOLE else gram

    @property
    def solved(self) -> DualSolution:
        assert self.solution is not None
        return self.solution


def _calibrated(machine: Any) -> bool:
    if machine._probable:
        return True
    raise AttributeError("predict_proba is not available when probability=False")


class Classifier(ClassifierMixin, SupportVectorMachine):  # type: ignore[misc]
    """A subclass says what the problem of two classes is."""

    probability: Any
    class_weight: Any
    decision_function_shape: str
    break_ties: bool

    def _bounds(self, weight: Array, codes: Array) -> Array:
        """The bound of every coefficient."""
        raise NotImplementedError

    def _problem(self, y: Array, bound: Array) -> Problem:
        """The problem of labels -1 and +1 with these bounds of the coefficients."""
        raise NotImplementedError

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y; weights scale the bounds of the coefficients."""
        effort = Effort.of(self)
        self._check_options()
        X, y = self._checked(X, y, reset=True)
        codes = self._labels(y)
        weight, used = self._weighed(sample_weight, len(codes))
        self._require_items(np.bincount(codes[used], minlength=len(self.classes_)))
        bound = self._bounds(weight, codes)
        pairs = pairs_of(codes, used, len(self.classes_))
        problems = [self._problem(pair.y, bound[pair.index]) for pair in pairs]
        data, gram = self._training(X)
        if len(pairs) > 1 and isinstance(gram, LazyGram):
            gram = shared(gram, codes, used)
        tasks = [Task(pair, gram, problem) for pair, problem in zip(pairs, problems, strict=True)]
        self._solve(tasks, weight, effort)
        self._judge([task.solved for task in tasks], self._proofs(tasks, data), effort)
        self._assemble(X, data, codes, tasks)
        self._platts = [task.sigmoid for task in tasks] if self._probable else []
        if not all(self._platts) and not self.fit_status_:
            warnings.warn(f"{effort.owner}: stopped early ({effort.ended}), solved but without probabilities. "
                          "Fit again with more time, or with probability=False.", OpenFit, stacklevel=3)  # fmt: skip
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
        """Every class has an item that counts, and enough of them for the folds of the calibration."""
        if not counts.all():
            raise bad(type(self).__name__, "sample_weight", "positive somewhere in every class",
                      f"zero for all items of class {self.classes_.tolist()[int(np.argmin(counts))]!r}",
                      "Leave that class out.")  # fmt: skip
        if self._probable:
            require_folds(type(self).__name__, self.classes_, counts)

    def _solve(self, tasks: list[Task], weight: Array, effort: Effort) -> None:
        """Solve the problem of every pair, and calibrate it: at once, or where time is limited when all are solved."""
        sizes, at_once = [len(task.problem) for task in tasks], effort.time_limit is None

        def solve(t: int) -> None:
            task, gram = tasks[t], tasks[t].gram()
            if task.solution is None:
                waiting = sum(task.solution is None for task in tasks)
                task.solution = effort.solve(gram, task.problem, waiting=waiting)
            if self._probable and at_once and not effort.ended:
                self._calibrate(task, gram, weight, effort)

        def calibrate(t: int) -> None:
            self._calibrate(tasks[t], tasks[t].gram(), weight, effort)

        solve_together(tasks, effort)
        if self._probable or not all(task.solution for task in tasks):
            effort.share_out(solve, sizes)
        for t in [t for t, task in enumerate(tasks) if task.solution is None]:  # an interrupt came before their turn
            solve(t)
        if self._probable and not at_once:
            effort.share_out(calibrate, sizes)

    def _calibrate(self, task: Task, gram: Any, weight: Array, effort: Effort) -> None:
        w = weight[task.pair.index]
        task.sigmoid = Calibration(gram, task.pair.y, w, task.problem, task.solved).fit(effort)

    def _proofs(self, tasks: list[Task], data: Data) -> list[Certificate]:
        names = [f"{self.classes_[t.pair.plus]} against {self.classes_[t.pair.minus]}" for t in tasks]
        names = names if len(tasks) > 1 else [""]
        return [
            certificate_of(task.solved, task.problem, "classification", name=name, psd=data.psd)
            for task, name in zip(tasks, names, strict=True)
        ]

    def _assemble(self, X: Any, data: Data, codes: Array, tasks: list[Task]) -> None:
        """The expansions of all pairs over their common support vectors, sorted by class."""
        solutions, pairs = [task.solved for task in tasks], [task.pair for task in tasks]
        coefs = [s.coef / s.margin for s in solutions]
        columns = gathered(pairs, coefs, len(codes), len(self.classes_))
        order = np.argsort(codes, kind="stable")
        support = order[columns[order].any(axis=1)]
        if self.penalty_intercept:
            intercept = np.array([b.sum() for b in coefs])
        else:
            intercept = np.array([s.bias / s.margin for s in solutions])
        self._keep(X, data, support, columns[support], intercept)
        self.n_support_ = np.bincount(codes[support], minlength=len(self.classes_)).astype(np.int32)
        self.n_iter_ = np.array([s.n_iter for s in solutions], dtype=np.int32)

    # ---- prediction

    def _functions(self) -> Any:
        if len(self.classes_) == 2:
            return self.dual_coef_.T
        wide = spread(self._columns, self.n_support_)
        return type(self.dual_coef_)(wide) if is_sparse(self.dual_coef_) else wide

    def _evaluated(self, X: Any, finish: Finish) -> Array:
        """finish(f) by rows: f is (m,) for two classes, positive for the second, and else (m, pairs)."""
        X = self._items(X)
        if len(self.classes_) == 2:
            return finish(self._values(X))
        if self._kept.linear:
            return finish(self._kept.evaluate(X, spread(self._columns, self.n_support_)) + self.intercept_)
        return pair_values(
            self._kept.cross(X), self._columns, self.n_support_, lambda sums: finish(sums + self.intercept_)
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

    @available_if(_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """P(class | x) in the order of classes_: Platt's sigmoid, coupled over pairs for more than two classes.

        The sigmoids have an offset of their own and were fitted to scores of held-out items, so the most probable
        class can differ from `predict`: near the boundary, and where classes are rare.
        """
        check_is_fitted(self)
        sigmoids = [platt for platt in self._platts if platt is not None]
        if not sigmoids or len(sigmoids) < len(self._platts):
            raise NotFittedError("predict_proba needs a fit with probability=True that was not stopped early")
        return self._evaluated(X, lambda f: probabilities(sigmoids, f))

    @available_if(_calibrated)  # type: ignore[untyped-decorator]
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


def shared(gram: LazyGram, codes: Array, used: Array) -> StoredGram | ClassGrams:
    """The Gram of all classes, stored if it is small, or what all pairs of a class have in common."""
    if len(gram) > STORED:
        return ClassGrams(gram, [used[codes[used] == c] for c in range(codes.max() + 1)])
    order = np.argsort(codes, kind="stable")  # so that the items of a pair lie side by side
    places = np.argsort(order)
    return StoredGram.of(gram.sub(order).dense(), places, places)


def solve_together(tasks: list[Task], effort: Effort) -> None:
    """Solve small problems on one stored Gram a few at a time, as far as that goes; the others are left."""
    whole = tasks[0].whole
    small = len(tasks) > 1 and isinstance(whole, StoredGram) and max(len(task.problem) for task in tasks) <= WHOLE
    parts = [Part(whole.sub(task.pair.index).I, task.problem) for task in tasks] if small else []
    if not small or not effort.plain or not all(part.plain for part in parts):
        return
    batches = [slice(t, t + BATCH) for t in range(0, len(tasks), BATCH)]

    def solve(i: int) -> None:
        if not effort.over:
            found = solve_parts(whole.K, parts[batches[i]], tol=effort.tol)
            for task, solution in zip(tasks[batches[i]], found, strict=True):
                task.solution = solution

    effort.share_out(solve, [sum(len(part.index) for part in parts[batch]) for batch in batches])


def probabilities(sigmoids: Sequence[Platt], f: Array) -> Array:
    """(m, classes) from the values of all pairs and their sigmoids."""
    if len(sigmoids) == 1:
        p = sigmoids[0].probability(f)
        return np.column_stack([1.0 - p, p])
    P = np.column_stack([platt.probability(values) for platt, values in zip(sigmoids, f.T, strict=True)])
    return couple(np.clip(P, _SURE, 1.0 - _SURE))
