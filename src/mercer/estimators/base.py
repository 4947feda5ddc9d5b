"""The scikit-learn contract, once for all machines: what `kernel=` may be, and how data come in.

`kernel` is a name ("linear", "poly", "rbf", "sigmoid", with gamma, degree and coef0 as in scikit-learn), one of our
kernels, a function (X, Y) -> matrix, or "precomputed".  Arrays go through scikit-learn's own checks; other kinds
of items through the check of the kernel that understands them.

A search that fits many machines asks `takes_gram`, `items_kind`, `check_items` and `kernel_on` to compute each Gram
once, and what machines can share beyond that in the way of estimators/shared_fits.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from mercer.errors import NotConverged, bad, wrong_kind
from mercer.estimators.expansion import Data, GivenGram, KernelItems
from mercer.items import Items, Vectors
from mercer.items.vectors import is_sparse
from mercer.kernels import RBF, Kernel, Linear, Polynomial, Sigmoid, Similarity
from mercer.typing import Array

NAMES: dict[str, Callable[[float, float, float], Kernel]] = {
    "linear": lambda gamma, degree, coef0: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree, gamma=gamma, offset=coef0),
    "rbf": lambda gamma, degree, coef0: RBF.from_gamma(gamma),
    "sigmoid": lambda gamma, degree, coef0: Sigmoid(gamma, offset=coef0),
}
_DEFAULTS: dict[str, Any] = {"gamma": "scale", "degree": 3, "coef0": 0.0}
NO_TARGET = object()


class OpenFit(NotConverged, ConvergenceWarning):  # type: ignore[misc]
    """NotConverged, under the name that programs written for scikit-learn filter."""


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """A machine with a `kernel` argument, on any kind of item."""

    kernel: Any

    def set_params(self, **params: Any) -> Self:
        """Set parameters; kernel__name changes a parameter of the kernel, which is replaced, not modified."""
        nested = {name: value for name, value in params.items() if name.startswith("kernel__")}
        plain = {name: value for name, value in params.items() if name not in nested}
        super().set_params(**plain)
        if nested:
            if not isinstance(self.kernel, Kernel):
                raise bad(type(self).__name__, "kernel", "a kernel object for kernel__... parameters", self.kernel,
                          "Pass e.g. kernel=RBF(1.0).")  # fmt: skip
            self.kernel = self.kernel.with_params(**{name[len("kernel__") :]: v for name, v in nested.items()})
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = not self._precomputed
        tags.input_tags.two_d_array = not isinstance(self.kernel, Kernel) or self.kernel.items is Vectors
        return tags

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

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
        if isinstance(self.kernel, Kernel):
            return self.kernel.items
        return Vectors if isinstance(self.kernel, str) else None

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
            options = {"accept_sparse": False if self._precomputed else "csr", "dtype": [np.float64, np.float32]}
            if given:
                X, y = validate_data(self, X, y, reset=reset, y_numeric=numeric, multi_output=outputs, **options)
                return X, targets(type(self).__name__, y) if numeric else y
            return validate_data(self, X, reset=reset, **options)
        if isinstance(self.kernel, Kernel):
            X = self.kernel.check(X)
        elif getattr(X, "ndim", 0) == 2 and not is_sparse(X):
            X = np.asarray(X)  # a function of two arrays expects arrays, also where a table was passed
        if not given:
            return X
        check_consistent_length(X, y)
        y = np.asarray(y) if outputs and np.ndim(y) == 2 else column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        return X, targets(type(self).__name__, y) if numeric else y

    def _data(self, X: Any) -> Data:
        """The training items behind the interface of estimators/expansion.py."""
        if self._precomputed:
            return GivenGram.of(X)
        return KernelItems.of(self._kernel_for(X), X)

    def _kernel_for(self, X: Any) -> Kernel:
        """The kernel object that `kernel` stands for, on these training data."""
        if isinstance(self.kernel, Kernel):
            return self.kernel
        if isinstance(self.kernel, str) and self.kernel in NAMES:
            gamma, degree, coef0 = (getattr(self, name, default) for name, default in _DEFAULTS.items())
            return NAMES[self.kernel](gamma_value(gamma, X), degree, coef0)
        return called(type(self).__name__, self.kernel, NAMES)


def called(owner: str, kernel: Any, names: Iterable[str]) -> Kernel:
    """The kernel of a user's function (X, Y) -> matrix; all else is neither a kernel object nor one of the names."""
    if callable(kernel) and not isinstance(kernel, type):
        return Similarity(Dense(kernel), pairwise=True)
    cure = "mercer.kernels lists the kernel objects."
    if isinstance(kernel, type):
        cure = f"A class is not a kernel yet: write {kernel.__name__}(...)."
    raise bad(owner, "kernel", f"one of {[*names, 'precomputed']}, a kernel object or a function", repr(kernel), cure)


def _require_rows(machine: KernelEstimator, X: Any) -> None:
    """Refuse a list of texts, sets and the like where a kernel wants rows of numbers."""
    first = X[0] if isinstance(X, (list, tuple)) and len(X) else None
    if isinstance(first, (str, bytes, Set, Mapping)):
        raise wrong_kind(type(machine).__name__, f"rows of numbers for kernel = {machine.kernel!r}",
                         f"a list of {type(first).__name__}, the first {first!r}",
                         "Choose a kernel for such items: mercer.kernels has some for strings and sets.")  # fmt: skip


@dataclass(frozen=True)
class Dense:
    """A function (X, Y) -> matrix whose result may be sparse."""

    function: Callable[[Any, Any], Any]

    def __call__(self, X: Any, Y: Any) -> Any:
        K = self.function(X, Y)
        return K.toarray() if is_sparse(K) else K


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


def weights(owner: str, given: Any, n: int) -> Array:
    """Sample weights as n numbers >= 0, not all zero."""
    if given is None:
        return np.ones(n)
    w = numbers(owner, "sample_weight", given)
    if w.ndim == 0:
        w = np.full(n, float(w))
    if w.shape != (n,) or not np.isfinite(w).all() or (w < 0.0).any() or not (w > 0.0).any():
        raise bad(owner, "sample_weight", f"{n} numbers >= 0, not all zero",
                  f"shape {w.shape}, smallest {w.min(initial=0.0)}", "Weight 0 leaves an item out.")  # fmt: skip
    return w
