"""The base class of all machines: the scikit-learn contract, how data come in, and what is kept of a fit.

`kernel` is an object, a name, an expression, a function or "precomputed" (kernel_argument.py).  Arrays go through
scikit-learn's own checks, other kinds of items through the check of the kernel that compares them.  `_data` turns them
into training data (training_data/), the subclass finds coefficients, and `_keep` leaves what prediction needs.

A search that fits many machines asks `takes_gram`, `items_kind`, `check_items` and `kernel_on` to compute each Gram
once, and estimators/shared_fits.py what else machines can share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from functools import partial, wraps
from numbers import Real
from typing import Any, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from mercer.distributed import Rows, is_spread
from mercer.distributed.lazy import METHODS, predictions
from mercer.engine.interrupts import interrupted, one_fit
from mercer.errors import Interrupted, NotConverged, bad, warn, wrong_kind
from mercer.estimators.conditional_methods import Conditional
from mercer.estimators.function_kernel import Called, Dense
from mercer.estimators.kernel_argument import DEFAULTS, NAMES, gamma_value, named_kernel, no_kernel, written
from mercer.estimators.rows_elsewhere import checked_rows
from mercer.estimators.rows_in_files import opened, predict_by_blocks, remember_columns
from mercer.estimators.sklearn_kernels import foreign_items, is_foreign, noiseless
from mercer.estimators.training_data import Data, GivenGram, KernelItems, MappedItems
from mercer.estimators.worker_settings import carry_settings
from mercer.items import Items, Vectors
from mercer.items.mapped import MappedRows, is_map, is_out_of_memory
from mercer.items.vectors import is_sparse
from mercer.kernels import Kernel, Similarity
from mercer.typing import Array

NO_TARGET = object()

F = TypeVar("F", bound=Callable[..., Any])


class OpenFit(NotConverged, ConvergenceWarning):  # type: ignore[misc]
    """NotConverged, under the name that programs written for scikit-learn filter."""


def warn_open(text: str) -> None:
    """Warn that a fit ended before its tolerance was reached; not after Ctrl-C, whose message says so itself."""
    if not interrupted():
        warn(text, OpenFit)


def interruptible(fit: F) -> F:
    """A `fit` that, on Ctrl-C, keeps what has been found so far as the fitted state and raises KeyboardInterrupt."""

    @wraps(fit)
    def fit_to_the_end(self: Any, *args: Any, **options: Any) -> Any:
        with one_fit(self) as interrupt:
            found = fit(self, *args, **options)
        if interrupt is not None and interrupt.came:
            raise Interrupted(f"{type(self).__name__} was interrupted and keeps what it had found: {_so_far(self)}")
        return found

    return cast(F, fit_to_the_end)


def answer_lazily(cls: type) -> None:
    """Have the methods of a class that predict answer a Dask collection by a Dask array."""
    for name in METHODS:
        own = vars(cls).get(name)
        if isinstance(own, Conditional):
            setattr(cls, name, own.with_method(predictions(own.method)))
        elif callable(own):
            setattr(cls, name, predictions(own))


def _so_far(machine: Any) -> str:
    """What an interrupted machine has found, and how near its optimum that is, if known."""
    if hasattr(machine, "cv_results_"):
        return f"the best of {len(machine.cv_results_['params'])} settings."
    proof: Any = getattr(machine, "certificate_", None)
    gap = getattr(proof, "relative_gap", np.nan)
    if np.isfinite(gap):
        return f"an objective within {max(gap, 0.0):.1e} (relative) of the best possible, after {proof.n_iter} steps."
    return " ".join(str(proof).split()) if proof is not None else "a model that is ready for use."


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """A machine with a `kernel` argument, on any kind of item; `fit` of every subclass is interruptible.

    Most machines predict f(x) = sum_j c_j k(x, x_j) + intercept over the items x_j that `_keep` leaves them:
    `support_` are the positions of these, `dual_coef_` holds one row of coefficients per function f.
    """

    kernel: Any
    support_: Any
    dual_coef_: Any
    intercept_: Any
    low_rank: bool = False  # whether `method` may put the training data behind landmarks (low_rank.py)
    takes_spread: bool = False  # whether a fit to a Dask collection is possible without landmarks
    _kept: Data

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        carry_settings(cls)
        predict_by_blocks(cls)
        if "fit" in vars(cls):
            cls.fit = interruptible(cls.fit)
        answer_lazily(cls)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; kernel__name changes a parameter of the kernel, which is replaced, not modified."""
        nested = {name: value for name, value in params.items() if name.startswith("kernel__")}
        plain = {name: value for name, value in params.items() if name not in nested}
        super().set_params(**plain)
        if nested:
            if is_foreign(self.kernel):
                return super().set_params(**nested)  # type: ignore[no-any-return]  # theirs are modified, as in there
            kernel = written(self.kernel)
            if kernel is None:
                raise bad(type(self).__name__, "kernel", "a kernel object for kernel__... parameters", self.kernel,
                          "Pass e.g. kernel=RBF(1.0).")  # fmt: skip
            self.kernel = kernel.with_params(**{name[len("kernel__") :]: v for name, v in nested.items()})
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = not self._precomputed
        kind = self.items_kind
        tags.input_tags.two_d_array = kind is Vectors or (kind is None and not is_foreign(self.kernel))
        return tags

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def by_name(self) -> bool:
        """Whether the kernel is given by one of the names that scikit-learn's users know."""
        return isinstance(self.kernel, str) and self.kernel in NAMES

    # ---- what a search asks

    @property
    def takes_gram(self) -> bool:
        """Whether a fit needs nothing of its items but kernel values, of a kernel that the fit does not change."""
        return not self.low_rank or cast(Any, self).method == "exact"

    @property
    def items_kind(self) -> type[Items] | None:
        """The class of the items that `kernel` compares; None for a function, which may compare anything."""
        if self.by_name or self._precomputed:
            return Vectors
        if is_foreign(self.kernel):
            return foreign_items(self.kernel)
        kernel = written(self.kernel)
        if kernel is not None:
            return kernel.items
        return Vectors if isinstance(self.kernel, str) else None  # a misspelt name is refused later

    def check_items(self, X: Any) -> Any:
        """X after the checks that `fit` makes; the machine itself stays as it is."""
        return clone(self)._checked(X, reset=True)

    def kernel_on(self, X: Any) -> Kernel | None:
        """The kernel that a fit to the items X would use; None if X are kernel values already."""
        return None if self._precomputed else self._kernel_for(X)

    # ---- how data come in

    def _checked(self, X: Any, y: Any = NO_TARGET, *, reset: bool, numeric: bool = False, outputs: bool = False) -> Any:
        """X (and y when given) after scikit-learn's checks, or the kernel's own for items that are not arrays.

        With `outputs`, y may have several columns.
        """
        if reset and self.items_kind is Vectors and self._is_in_file(X):
            X, y = opened(self, X, y, no_target=NO_TARGET)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if is_spread(X) or isinstance(X, Rows):
            return self._checked_spread(X, y, reset, numeric, outputs)
        if self.items_kind is Vectors and not isinstance(X, Items):
            return self._checked_arrays(X, y, reset, numeric, outputs)
        kernel = written(self.kernel)
        if kernel is not None:
            X = kernel.check(X)
        elif getattr(X, "ndim", 0) == 2 and not is_sparse(X):
            X = np.asarray(X)  # a function of two arrays expects arrays, also where a table was passed
        if y is not NO_TARGET:
            check_consistent_length(X, y)
            y = np.asarray(y) if outputs and np.ndim(y) == 2 else column_or_1d(y, warn=True)
            assert_all_finite(y, input_name="y")
            y = targets(type(self).__name__, y) if numeric else y
        if isinstance(X, MappedRows):
            remember_columns(self, X)
        return X if y is NO_TARGET else (X, y)

    def _is_in_file(self, X: Any) -> bool:
        """Whether these items are rows in a file, to be read block by block; an exact fit takes a map as it is."""
        if isinstance(X, MappedRows) or self._precomputed:
            return isinstance(X, MappedRows)
        return is_out_of_memory(X) and (not is_map(X) or self.reads_blocks(len(X)))

    def reads_blocks(self, n: int) -> bool:
        """Whether a fit to n rows reads them a block at a time: where the machine has landmarks."""
        if not self.low_rank:
            return False
        from mercer.estimators.low_rank import method_for

        return method_for(self, n) == "nystrom"

    def _checked_arrays(self, X: Any, y: Any, reset: bool, numeric: bool, outputs: bool) -> Any:
        """`_checked` for arrays of numbers, by scikit-learn."""
        _require_rows(self, X)
        if self._precomputed and is_sparse(X):
            raise TypeError(f"{type(self).__name__}: Sparse precomputed kernels are not supported. "
                            "Pass X.toarray().")  # fmt: skip
        options = {"accept_sparse": False if self._precomputed else "csr", "dtype": [np.float64, np.float32]}
        if y is NO_TARGET:
            return validate_data(self, X, reset=reset, **options)
        X, y = validate_data(self, X, y, reset=reset, y_numeric=numeric, multi_output=outputs, **options)
        return X, targets(type(self).__name__, y) if numeric else y

    def _checked_spread(self, X: Any, y: Any, reset: bool, numeric: bool, outputs: bool) -> Any:
        """`_checked` for a Dask collection: every block is looked at, and the targets come here."""
        owner = type(self).__name__
        if self._precomputed or not (self.low_rank or self.takes_spread):
            raise wrong_kind(owner, "in memory", "a Dask collection", "Bring the rows here: X.compute().")
        rows = checked_rows(self, X, None if y is NO_TARGET else y, vectors=self.items_kind is Vectors, reset=reset)
        if y is NO_TARGET:
            return rows
        y = y if isinstance(X, Rows) else rows.targets()
        y = y if outputs and y.ndim == 2 else column_or_1d(y, warn=True)
        return rows, targets(owner, y) if numeric else y

    def _data(self, X: Any) -> Data:
        """The training items behind the protocol of estimators/training_data."""
        data: Data
        if isinstance(X, Rows):
            from mercer.estimators.training_data.spread import SpreadItems

            data = SpreadItems.of(type(self).__name__, self._kernel_for(X), X)
        elif isinstance(X, MappedRows):
            data = MappedItems.of(self._kernel_for(X), X)
        else:
            data = GivenGram.of(X) if self._precomputed else KernelItems.of(self._kernel_for(X), X)
        if not self.low_rank:
            return data
        from mercer.estimators.low_rank import on_landmarks

        return on_landmarks(self, data)

    def _kernel_for(self, X: Any) -> Kernel:
        """The kernel object that `kernel` stands for, on these training data."""
        owner, given = type(self).__name__, self.kernel
        if self.by_name:
            return named_kernel(owner, given, self._gamma(X), self._option("degree"), self._option("coef0"))
        found = written(given)
        if found is not None:
            return found
        if is_foreign(given):
            return noiseless(owner, given, X)
        if callable(given) and not isinstance(given, type):
            return self._of_function(given)
        raise no_kernel(owner, given)

    def _option(self, name: str) -> Any:
        """A parameter of named kernels; its default for machines that do not have it."""
        return getattr(self, name, DEFAULTS[name])

    def _gamma(self, X: Any) -> float:
        """gamma as a number; in sklearn.metrics.pairwise, None is 1 / columns, and 1 for "chi2"."""
        given = self._option("gamma")
        if given is None and self._pairwise:
            given = 1.0 if self.kernel == "chi2" else "auto"
        return gamma_value(given, X)

    def _of_function(self, function: Callable[..., Any]) -> Kernel:
        """The kernel of a user's function (X, Y) -> matrix; in sklearn.metrics.pairwise, of two items -> number."""
        if self._pairwise:
            return Similarity(partial(function, **(self.kernel_params or {})))
        return Called(Dense(function), pairwise=True)

    @property
    def _pairwise(self) -> bool:
        """Whether `kernel` follows sklearn.metrics.pairwise: in machines with `kernel_params`."""
        return hasattr(self, "kernel_params")

    # ---- what is kept of a fit

    def _keep(self, X: Any, data: Data, support: Array, columns: Array, intercept: Array) -> None:
        """Keep the items `support` and their coefficients, one column per function."""
        self.support_ = support.astype(np.int32)
        self.intercept_ = intercept
        self.dual_coef_ = np.ascontiguousarray(columns.T)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(data),)
        self._kept = data.keep(support)
        if is_sparse(X):
            from scipy.sparse import csr_matrix

            self.dual_coef_ = csr_matrix(self.dual_coef_)

    @property
    def support_vectors_(self) -> Any:
        """The support vectors as they were passed; none for a precomputed matrix."""
        self._require_fit("support_vectors_")
        return self._kept.as_passed()

    @property
    def coef_(self) -> Any:
        """The weights w of f(x) = <w, x> + intercept, one row per function; for the linear kernel only."""
        self._require_fit("coef_")
        if not self._kept.linear:
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._functions().T @ self._kept.linear_rows
        coef = coef.tocsr() if is_sparse(coef) else coef
        (coef.data if is_sparse(coef) else coef).flags.writeable = False
        return coef

    def _functions(self) -> Any:
        """(kept items, functions): the coefficients of each decision function, sparse like the data."""
        return self.dual_coef_.T

    def _require_fit(self, name: str) -> None:
        if not (hasattr(self, "_kept") and hasattr(self, "support_")):
            raise AttributeError(f"{type(self).__name__} has {name} after fit")

    # ---- prediction

    @property
    def _coef_columns(self) -> Array:
        """(kept items, functions): `dual_coef_` by columns.  Prediction reads it, so whoever changes it changes f."""
        rows = self.dual_coef_
        return np.ascontiguousarray((rows.toarray() if is_sparse(rows) else np.asarray(rows)).T)

    def _items(self, X: Any) -> Any:
        """New items, checked against those of the fit."""
        check_is_fitted(self)
        return self._checked(X, reset=False)

    def _values(self, X: Any) -> Array:
        """f on checked items, of a machine that has one function."""
        return np.asarray(self._kept.evaluate(X, self._coef_columns[:, 0]) + self.intercept_[0])

    def _all_values(self, X: Any) -> Array:
        """f on checked items, one column per function."""
        return np.asarray(self._kept.evaluate(X, self._coef_columns) + self.intercept_)


def _require_rows(machine: KernelEstimator, X: Any) -> None:
    """Refuse a list of texts, sets and the like where a kernel wants rows of numbers."""
    first = X[0] if isinstance(X, (list, tuple)) and len(X) else None
    if isinstance(first, (str, bytes, Set, Mapping)):
        raise wrong_kind(type(machine).__name__, f"rows of numbers for kernel = {machine.kernel!r}",
                         f"a list of {type(first).__name__}, the first {first!r}",
                         "Choose a kernel for such items: mercer.kernels has some for strings and sets.")  # fmt: skip


def positive(owner: str, name: str, given: Any, *, infinite: bool = False) -> float:
    """A parameter that must be a positive number."""
    if not isinstance(given, Real) or not float(given) > 0.0:
        raise bad(owner, name, "a positive number", repr(given), f"Choose {name} > 0.")
    if float(given) == np.inf and not infinite:
        raise bad(owner, name, "a finite number", repr(given), f"Choose a large {name} instead.")
    return float(given)


def share(owner: str, nu: Any) -> float:
    """The nu of a nu-machine: 0 < nu <= 1."""
    if not isinstance(nu, Real) or not 0.0 < float(nu) <= 1.0:
        raise bad(owner, "nu", "a number with 0 < nu <= 1", repr(nu), "It bounds a share of the items.")
    return float(nu)


def numbers(owner: str, name: str, given: Any) -> Array:
    """What was given as float64; texts and complex numbers are refused."""
    try:
        if np.asarray(given).dtype.kind != "c":
            return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    first = np.asarray(given, dtype=object).ravel()[:1].tolist()
    raise bad(owner, name, "numbers", f"values such as {first[0]!r}" if first else "none", "Encode them first.")


def targets(owner: str, y: Array) -> Array:
    """Numbers to learn, of an array that scikit-learn has checked; it lets texts pass, and makes None a NaN."""
    t = numbers(owner, "y", y)
    if not np.isfinite(t).all():
        assert_all_finite(t, input_name="y")
    return t


def weights(owner: str, given: Any, n: int, *, negative_is_absent: bool = False) -> Array:
    """Sample weights as n finite numbers >= 0, not all zero; one number stands for n of them.

    With `negative_is_absent` a negative weight leaves its item out, as it does in LIBSVM.
    """
    if given is None:
        return np.ones(n)
    w = numbers(owner, "sample_weight", given)
    w = np.full(n, float(w)) if w.ndim == 0 else w
    if w.shape != (n,):
        raise bad(owner, "sample_weight", f"{n} numbers, one for each item", f"an array of shape {w.shape}",
                  "Pass them in the order of the items.")  # fmt: skip
    if not np.isfinite(w).all():
        raise bad(owner, "sample_weight", "finite", _first(w, ~np.isfinite(w)), "Weight 0 leaves an item out.")
    if negative_is_absent:
        w = np.maximum(w, 0.0)
    elif (w < 0.0).any():
        raise bad(owner, "sample_weight", ">= 0", _first(w, w < 0.0), "Weight 0 leaves an item out.")
    if not (w > 0.0).any():
        raise bad(owner, "sample_weight", "positive for some of the items", "none above 0",
                  "Invalid input - all samples have zero or negative weights.")  # fmt: skip
    return w


def _first(w: Array, where: Array) -> str:
    """The first of the weights that a message is about."""
    i = int(np.argmax(where))
    return f"{w[i]} for item {i}"
