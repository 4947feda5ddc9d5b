"""Recursive feature machines as estimators; the mathematics is in solvers/metric_rounds.py."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.distributed import Rows, is_spread
from mercer.errors import bad
from mercer.estimators.base import answer_lazily, interruptible, targets
from mercer.estimators.cells.tree import Split, Tree, grow, routed
from mercer.estimators.kernel_argument import NAMES, named_kernel, written
from mercer.estimators.labels import Labels
from mercer.estimators.recursive_features.columns import FORMS, Columns
from mercer.estimators.recursive_features.leaf import (
    ALPHAS,
    Attempt,
    Leaf,
    Sample,
    Settings,
    Trial,
    learn_columns,
    learn_leaf,
    learn_rounds,
    of_parts,
    start_of,
)
from mercer.estimators.recursive_features.probability import steepness
from mercer.estimators.recursive_features.rows_elsewhere import (
    columns_measured,
    in_columns,
    leaves_on_workers,
    sampled,
)
from mercer.estimators.regressor import columns_of
from mercer.estimators.rows_elsewhere import checked_rows
from mercer.estimators.worker_settings import carry_settings
from mercer.gram.row_squares import is_elsewhere
from mercer.gram.tall import column_variances
from mercer.kernels.additive import Laplacian
from mercer.kernels.radial import Exponential, Radial
from mercer.kernels.stationary import Stationary
from mercer.typing import Array


class RecursiveFeatureMachine(BaseEstimator):  # type: ignore[misc]
    """What the regressor and the classifier share: leaves, each a ridge regression of rows x T with its own T."""

    columns_: Columns
    leaves_: list[Leaf]
    root_: Split | int

    def __init__(
        self,
        distance_kernel: Any = "auto",
        *,
        columns: str = "auto",
        rounds: int = 5,
        powers: Sequence[float] = (0.5, 1.0),
        alphas: Any = None,
        metric_rows: int = 6000,
        max_leaf: int = 20000,
        overlap: float = 0.1,
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        self.distance_kernel, self.columns = distance_kernel, columns
        self.rounds, self.powers, self.alphas = rounds, powers, alphas
        self.metric_rows, self.max_leaf, self.overlap = metric_rows, max_leaf, overlap
        self.random_state, self.verbose = random_state, verbose

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        carry_settings(cls)
        answer_lazily(cls)

    def _learn(self, X: Any, Y: Array, *, held_out: bool = False) -> list[tuple[Array | None, Array]]:
        """Fit the leaves; returns for each the rows that judged, and with `held_out` what they are predicted as."""
        settings, forms = self._settings(), self._forms()
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        X = X.take(np.arange(len(X))) if isinstance(X, Rows) and len(X) <= self.max_leaf else X
        whole = Sample.of(np.arange(len(X)), settings.metric_rows, rng)
        near, told, at = sampled(X, Y, whole)
        self.columns_, first = learn_columns(near, told, at, forms, settings, partial(columns_measured, X))
        self.scale_, start, X = self.columns_.scale, start_of(self.columns_), in_columns(X, self.columns_)
        if len(X) > self.max_leaf:
            found = learn_rounds(Trial(self.columns_(near), told, at, settings.alphas), start, settings, first)
            start, settings, first = found.transform, of_parts(found, settings), []
        tree = grow(X, start, self.max_leaf, float(self.overlap))
        alone = len(tree.rows) == 1
        samples = [whole] if alone else [Sample.of(rows, settings.metric_rows, rng) for rows in tree.rows]
        if is_elsewhere(X):
            learned = leaves_on_workers(X, Y, tree, start, settings, samples, held_out=held_out)
        else:
            learned = self._leaves_here(X, Y, tree, start, settings, samples, first, held_out)
        self.root_, self.leaves_ = tree.root, [leaf for leaf, _ in learned]
        share = np.array(tree.own) / len(X)
        self.metric_ = sum(s * leaf.metric for s, leaf in zip(share, self.leaves_, strict=True))
        moved = np.diag(self.metric_) * column_variances(X)
        self.feature_importances_ = moved / moved.sum() if moved.sum() > 0.0 else moved
        self.loo_error_ = float(share @ [min(error for _, error in leaf.history) for leaf in self.leaves_])
        self.certificate_ = max((leaf.ridge.certificate_ for leaf in self.leaves_), key=lambda proof: proof.residual)
        self.kernel_ = self.leaves_[int(np.argmax(share))].ridge.kernel
        self.n_iter_ = max(leaf.rounds for leaf in self.leaves_)
        return [(predicted, sample.judges) for (_, predicted), sample in zip(learned, samples, strict=True)]

    def _leaves_here(
        self,
        X: Array,
        Y: Array,
        tree: Tree,
        start: Array,
        settings: Settings,
        samples: list[Sample],
        first: Sequence[Attempt],
        held_out: bool,
    ) -> list[tuple[Leaf, Array | None]]:
        """For every leaf what was learned; with `held_out` also what the rows that judge are predicted as by others."""
        learned = [learn_leaf(Trial(X, Y, sample, settings.alphas), rows, start, settings, first)
                   for sample, rows in zip(samples, tree.rows, strict=True)]  # fmt: skip
        return [(leaf, attempt.predicted if held_out else None) for leaf, attempt in learned]

    def _checked_training(self, X: Any, y: Any, **options: Any) -> tuple[Any, Array]:
        """Rows, or blocks of them on workers, and targets."""
        if is_spread(X):
            rows = checked_rows(self, X, y, vectors=True, reset=True)
            if len(rows) < 2:
                raise bad(type(self).__name__, "X", "of two rows or more", "1", "Pass more rows to fit.")
            return rows, rows.targets()
        return validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2, **options)  # type: ignore[no-any-return]

    def _settings(self) -> Settings:
        """The options, checked."""
        owner = type(self).__name__
        given = self.distance_kernel
        auto = isinstance(given, str) and given == "auto"
        kernels = (Exponential(), Laplacian()) if auto else (_distance_kernel(owner, given),)
        for name, least in (("rounds", 0), ("metric_rows", 2), ("max_leaf", 10)):
            number = getattr(self, name)
            if not isinstance(number, Integral) or number < least:
                raise bad(owner, name, f"a whole number >= {least}", repr(number), "Leave it out for the default.")
        powers = tuple(float(power) for power in np.atleast_1d(self.powers))
        if not powers or not all(0.0 < power <= 2.0 for power in powers):
            raise bad(owner, "powers", "numbers in (0, 2]", repr(self.powers), "(0.5, 1.0) is the default.")
        if not isinstance(self.overlap, Real) or not 0.0 <= self.overlap < 0.5:
            raise bad(owner, "overlap", "a share in [0, 0.5)", repr(self.overlap), "0.1 is the default.")
        alphas = ALPHAS if self.alphas is None else np.atleast_1d(np.asarray(self.alphas, dtype=float))
        tell = partial(_print, owner) if self.verbose else _silent
        return Settings(kernels, int(self.rounds), powers, int(self.metric_rows), alphas, tell)

    def _forms(self) -> tuple[str, ...]:
        """The forms of columns that are tried."""
        if not isinstance(self.columns, str) or self.columns not in ("auto", *FORMS):
            raise bad(type(self).__name__, "columns", f"'auto' or one of {FORMS}", repr(self.columns),
                      "'auto' is the default.")  # fmt: skip
        return FORMS if self.columns == "auto" else (self.columns,)

    def _values(self, X: Any) -> Array:
        """f at every row, a column per output."""
        check_is_fitted(self)
        X = self.columns_(validate_data(self, X, reset=False, dtype=np.float64))
        columns = self.leaves_[0].outputs
        out = np.empty((len(X), columns))
        for leaf, rows in routed(self.root_, X):
            out[rows] = self.leaves_[leaf].values(X[rows])
        return out


def _print(owner: str, line: str) -> None:
    sys.stdout.write(f"[{owner}] {line}\n")


def _silent(line: str) -> None:
    """Say nothing."""


def _distance_kernel(owner: str, given: Any) -> Stationary:
    """The kernel of a name, or an object; its lengthscale does not matter yet."""
    named = isinstance(given, str) and given in NAMES
    kernel = named_kernel(owner, given, 1.0, 3, 0.0) if named else written(given)
    if not isinstance(kernel, Radial | Laplacian) or kernel.ard:
        raise bad(owner, "distance_kernel", "a kernel of a distance, with one lengthscale, chosen from the data",
                  repr(given), "Pass 'auto', 'exponential', 'laplacian', 'rbf' or 'matern'.")  # fmt: skip
    return kernel


class RFMRegressor(RegressorMixin, RecursiveFeatureMachine):  # type: ignore[misc]
    """Kernel ridge regression with k(x, z) = g(|(x - z)' T| / width), where T is learned from the gradients of f.

    distance_kernel  "exponential", "laplacian", "rbf", "matern" or an object of one of these, whose lengthscale is
                  chosen; "auto": the first two, and their mean, that with the least error.  The Laplacian is a
                  function of sum_j |x_j - z_j|: its T is diagonal
    columns       "standard": divided by their deviations, and columns of two values by their distance; "ranks": normal
                  scores of the ranks of their entries; "auto": that with the least error before a metric is learned
    rounds        of ridge regression and new metric, at most; they end when the error hardly falls
    powers        p in T T' = (G / largest eigenvalue of G)^p, G the mean of grad f grad f'; the first round tries all,
                  the others that which was best
    alphas        candidates for the penalty of f
    metric_rows   rows on which the metric is learned; f itself learns from all
    max_leaf      more rows are split into parts along the widest direction of the metric, each with a machine
    overlap       the share of rows near a split from which both sides learn
    verbose       print a line for every attempt at a metric and every fit

    Width and alpha have the least exact leave-one-out error.  Kernel and number of rounds have the least error on rows
    from which the metric was not learned; f learns from these too at last, so no validation set is taken away.  With
    fewer than 1500 rows all of them learn, and judge by leave-one-out errors.  Units of columns do not matter.

    After fit: columns_ (how columns are measured), scale_ (by what they are divided), metric_ (T T' of columns so
    measured), feature_importances_, kernel_ (of the rows x T in the largest leaf), loo_error_ (of the rows that judge,
    predicted from others), leaves_, root_, n_iter_, certificate_ (of the leaf whose normal equations hold least well).
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @interruptible
    def fit(self, X: Any, y: Any) -> Self:
        """Learn metric and function from rows X with numbers y, in one column or several."""
        X, y = self._checked_training(X, y, y_numeric=True, multi_output=True)
        y = targets(type(self).__name__, y)
        self._flat = y.ndim == 1
        self._learn(X, columns_of(y))
        return self

    def predict(self, X: Any) -> Array:
        """f(x) for every row."""
        values = self._values(X)
        return values[:, 0] if self._flat else values


class RFMClassifier(ClassifierMixin, RecursiveFeatureMachine):  # type: ignore[misc]
    """A recursive feature machine of class indicators: f_c(x) is near 1 for class c, and the largest decides.

    Its options are those of RFMRegressor.  Probabilities are softmax(s f), with the s of least log loss on values that
    were predicted without the item itself.
    """

    @interruptible
    def fit(self, X: Any, y: Any) -> Self:
        """Learn metric and functions from rows X with labels y."""
        X, y = self._checked_training(X, y)
        labels = Labels.of(type(self).__name__, np.asarray(y))
        self.classes_ = labels.classes
        indicators = np.eye(len(labels.classes))[labels.codes]
        learned = self._learn(X, indicators[:, 1:] if len(labels.classes) == 2 else indicators, held_out=True)
        values = np.vstack([predicted for predicted, _ in learned if predicted is not None])
        rows = np.concatenate([rows for _, rows in learned])
        self.steepness_ = steepness(_of_all_classes(values), labels.codes[rows])
        return self

    def decision_function(self, X: Any) -> Array:
        """f_c(x), a column per class; of two classes f_1 - f_0."""
        values = self._class_values(X)
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Array:
        """The class with the largest value."""
        largest = self._class_values(X).argmax(axis=1)
        return np.asarray(self.classes_[largest])

    def predict_proba(self, X: Any) -> Array:
        """softmax(s f(x))."""
        return np.asarray(softmax(self._class_values(X) * self.steepness_, axis=1))

    def predict_log_proba(self, X: Any) -> Array:
        """log softmax(s f(x))."""
        return np.asarray(log_softmax(self._class_values(X) * self.steepness_, axis=1))

    def _class_values(self, X: Any) -> Array:
        return _of_all_classes(self._values(X))


def _of_all_classes(values: Array) -> Array:
    """A column per class: of two classes only f_1 is learned, as f_0 = 1 - f_1."""
    return np.column_stack([1.0 - values, values]) if values.shape[1] == 1 else values
