"""The scikit-learn contract, once for all machines: what `kernel=` may be, and how data come in.

`kernel` is an object, a name, an expression, a function or "precomputed" (kernel_argument.py).  Arrays go through
scikit-learn's own checks; other kinds of items through the check of the kernel that understands them.

A search that fits many machines asks `takes_gram`, `items_kind`, `check_items` and `kernel_on` to compute each Gram
once, and what machines can share beyond that in the way of estimators/shared_fits.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from functools import wraps
from numbers import Real
from typing import Any, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from mercer.engine.interrupts import interrupted, one_fit
from mercer.errors import Interrupted, NotConverged, bad, warn, wrong_kind
from mercer.estimators.function_kernel import Called, Dense
from mercer.estimators.kernel_argument import NAMES, no_kernel, written
from mercer.estimators.sklearn_kernels import foreign_items, is_foreign, noiseless
from mercer.estimators.training_data import Data, GivenGram, KernelItems
from mercer.estimators.worker_settings import carry_settings
from mercer.items import Items, Vectors
from mercer.items.vectors import is_sparse
from mercer.kernels import Kernel
from mercer.typing import Array

_DEFAULTS: dict[str, Any] = {"gamma": "scale", "degree": 3, "coef0": 0.0}
NO_TARGET = object()

F = TypeVar("F", bound=Callable[..., Any])


class OpenFit(NotConverged, ConvergenceWarning):  # type: ignore[misc]
    """NotConverged, under the name that programs written for scikit-learn filter."""


def warn_open(text: str) -> None:
    """Warn that a fit ended before its tolerance was reached; of an interrupted one the interrupt itself tells."""
    if not interrupted():
        warn(text, OpenFit)


def interruptible(fit: F) -> F:
    """A `fit` that Ctrl-C ends with what has been found so far as the fitted state, and with KeyboardInterrupt."""

    @wraps(fit)
    def fit_to_the_end(self: Any, *args: Any, **options: Any) -> Any:
        with one_fit(self) as interrupt:
            found = fit(self, *args, **options)
        if interrupt is not None and interrupt.came:
            raise Interrupted(f"{type(self).__name__} was interrupted and keeps what it had found: {_so_far(self)}")
        return found

    return cast(F, fit_to_the_end)


def _so_far(machine: Any) -> str:
    """What an interrupted machine has, and how near its optimum that is, as far as it knows."""
    if hasattr(machine, "cv_results_"):
        return f"the best of {len(machine.cv_results_['params'])} settings."
    proof: Any = getattr(machine, "certificate_", None)
    gap = getattr(proof, "relative_gap", np.nan)
    if np.isfinite(gap):
        return f"an objective within {max(gap, 0.0):.1e} (relative) of the best possible, after {proof.n_iter} steps."
    return " ".join(str(proof).split()) if proof is not None else "a model that is ready for use."


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """A machine with a `kernel` argument, on any kind of item; `fit` of every subclass is interruptible."""

    kernel: Any

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        carry_settings(cls)
        if "fit" in vars(cls):
            cls.fit = interruptible(cls.fit)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; kernel__name changes a parameter of the kernel, which is replaced, not modified."""
        nested = {name: value for name, value in params.items() if name.startswith("kernel__")}
        plain = {name: value for name, value in params.items() if name not in nested}
        super().set_params(**plain)
        if nested:
            if is_foreign(self.kernel):
                return super().set_params(**nested)  # type: ignore[no-any-return]  # theirs are modified, as in there
            if self._written is None:
                raise bad(type(self).__name__, "kernel", "a kernel object for kernel__... parameters", self.kernel,
                          "Pass e.g. kernel=RBF(1.0).")  # fmt: skip
            self.kernel = self._written.with_params(**{name[len("kernel__") :]: v for name, v in nested.items()})
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
    def _written(self) -> Kernel | None:
        """The kernel where it is an object or an expression."""
        return written(self.kernel)

    @property
    def by_name(self) -> bool:
        """Whether the kernel is given by one of the names that scikit-learn's users know."""
        return isinstance(self.kernel, str) and self.kernel in NAMES

    @property
    def _on_arrays(self) -> bool:
        """Whether the data are arrays of numbers for certain, so that scikit-learn can check them."""
        return self.items_kind is Vectors

    # ---- what a search asks

    @property
    def takes_gram(self) -> bool:
        """Whether a fit needs nothing of its items but kernel values, of a kernel that the fit does not change."""
        return True

    @property
    def items_kind(self) -> type[Items] | None:
        """The class of the items that `kernel` compares; None for a function, which may compare anything."""
        if isinstance(self.kernel, str) and (self.by_name or self._precomputed):
            return Vectors
        if is_foreign(self.kernel):
            return foreign_items(self.kernel)
        if self._written is not None:
            return self._written.items
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
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        given = y is not NO_TARGET
        if self._on_arrays and not isinstance(X, Items):
            _require_rows(self, X)
            if self._precomputed and is_sparse(X):
                raise TypeError(f"{type(self).__name__}: Sparse precomputed kernels are not supported. "
                                "Pass X.toarray().")  # fmt: skip
            options = {"accept_sparse": False if self._precomputed else "csr", "dtype": [np.float64, np.float32]}
            if given:
                X, y = validate_data(self, X, y, reset=reset, y_numeric=numeric, multi_output=outputs, **options)
                return X, targets(type(self).__name__, y) if numeric else y
            return validate_data(self, X, reset=reset, **options)
        if self._written is not None:
            X = self._written.check(X)
        elif getattr(X, "ndim", 0) == 2 and not is_sparse(X):
            X = np.asarray(X)  # a function of two arrays expects arrays, also where a table was passed
        if not given:
            return X
        check_consistent_length(X, y)
        y = np.asarray(y) if outputs and np.ndim(y) == 2 else column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        return X, targets(type(self).__name__, y) if numeric else y

    def _data(self, X: Any) -> Data:
        """The training items behind the interface of estimators/training_data.py."""
        if self._precomputed:
            return GivenGram.of(X)
        return KernelItems.of(self._kernel_for(X), X)

    def _kernel_for(self, X: Any) -> Kernel:
        """The kernel object that `kernel` stands for, on these training data."""
        owner, given = type(self).__name__, self.kernel
        found = self._written
        if found is not None:
            return found
        if is_foreign(given):
            return noiseless(owner, given, X)
        if self.by_name:
            if given in ("poly", "polynomial"):
                _require_whole(owner, self._option("degree"))
            return NAMES[given](self._gamma(X), self._option("degree"), self._option("coef0"))
        if callable(given) and not isinstance(given, type):
            return self._of_function(given)
        raise no_kernel(owner, given)

    def _option(self, name: str) -> Any:
        """A parameter of named kernels; its default for machines that do not have it."""
        return getattr(self, name, _DEFAULTS[name])

    def _gamma(self, X: Any) -> float:
        return gamma_value(self._option("gamma"), X)

    def _of_function(self, function: Callable[..., Any]) -> Kernel:
        """The kernel of a user's function (X, Y) -> matrix."""
        return Called(Dense(function), pairwise=True)


def _require_whole(owner: str, degree: Any) -> None:
    """Refuse a degree that is no integer >= 0: other powers have no value where <x, y> is negative."""
    if not isinstance(degree, Real) or not float(degree) >= 0.0 or not float(degree).is_integer():
        raise bad(owner, "degree", "an integer >= 0", repr(degree), "Other powers of a negative number are not real.")


def _require_rows(machine: KernelEstimator, X: Any) -> None:
    """Refuse a list of texts, sets and the like where a kernel wants rows of numbers."""
    first = X[0] if isinstance(X, (list, tuple)) and len(X) else None
    if isinstance(first, (str, bytes, Set, Mapping)):
        raise wrong_kind(type(machine).__name__, f"rows of numbers for kernel = {machine.kernel!r}",
                         f"a list of {type(first).__name__}, the first {first!r}",
                         "Choose a kernel for such items: mercer.kernels has some for strings and sets.")  # fmt: skip


def gamma_value(gamma: Any, X: Any) -> float:
    """scikit-learn's gamma: "scale" is 1 / (columns * variance of X), "auto" is 1 / columns."""
    if isinstance(gamma, str) and gamma in ("scale", "auto"):
        V = X.values if isinstance(X, Vectors) else X
        variance = _variance(V) if gamma == "scale" else 1.0
        if not np.isfinite(variance):
            raise bad("kernel", "X", "numbers whose variance is finite for gamma='scale'", f"a variance of {variance}",
                      "Scale the columns, or pass gamma as a number.")  # fmt: skip
        return 1.0 / (V.shape[1] * variance) if variance > 0.0 else 1.0
    if isinstance(gamma, Real) and 0.0 < float(gamma) < np.inf:
        return float(gamma)
    raise bad("kernel", "gamma", "'scale', 'auto' or a positive number", repr(gamma), "See the documentation of SVC.")


def _variance(X: Any) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite one is refused
        if is_sparse(X):
            return float(X.multiply(X).mean() - X.mean() ** 2)
        return float(np.var(X, dtype=np.float64))


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
