"""What `kernel=` may be, in every estimator.

    RBF(1.5)                       a kernel object
    "2*RBF(1.5) + Linear()"        the same as text
    "rbf", "poly", "laplacian"     scikit-learn's names, with gamma, degree and coef0 as there
    "matern", "exponential", ..    our names of radial kernels; gamma is 1 / (2 lengthscale^2), as that of "rbf"
    "periodic", "tfidf", ..        any other kernel of ours by the name of its class, as that makes it without arguments
    Matern(nu=2.5) of scikit-learn any kernel of sklearn.gaussian_process.kernels
    f(X, Y)                        a function
    "precomputed"                  kernel values in place of items

estimators/base.py asks here; Gaussian processes tune the kernels that they are given by name (starts.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, lru_cache
from numbers import Real
from typing import Any

import numpy as np

from mercer import kernels
from mercer.errors import bad
from mercer.items import Vectors
from mercer.items.mapped import MappedRows
from mercer.kernels import Kernel

Named = Callable[[float, float, float], Kernel]


def _lengthscale(gamma: float) -> float:
    """The lengthscale l of gamma = 1 / (2 l^2)."""
    return math.sqrt(0.5 / gamma)


def _polynomial(gamma: float, degree: float, coef0: float) -> Kernel:
    """(gamma <x, y> + coef0)^degree; the power 0 is the constant 1, as in scikit-learn."""
    return kernels.Polynomial(degree, gamma=gamma, offset=coef0) if degree else kernels.Constant(1.0)


# Kernels load on first use: most machines need one of these modules.
NAMES: dict[str, Named] = {
    "linear": lambda gamma, degree, coef0: kernels.Linear(),
    "poly": lambda gamma, degree, coef0: _polynomial(gamma, degree, coef0),
    "rbf": lambda gamma, degree, coef0: kernels.RBF(_lengthscale(gamma)),
    "sigmoid": lambda gamma, degree, coef0: kernels.Sigmoid(gamma, offset=coef0),
    "polynomial": lambda gamma, degree, coef0: _polynomial(gamma, degree, coef0),
    "laplacian": lambda gamma, degree, coef0: kernels.Laplacian(1.0 / gamma),
    "chi2": lambda gamma, degree, coef0: kernels.ChiSquared(gamma),
    "additive_chi2": lambda gamma, degree, coef0: kernels.AdditiveChiSquared(),
    "cosine": lambda gamma, degree, coef0: kernels.Cosine(),
    "matern": lambda gamma, degree, coef0: kernels.Matern(_lengthscale(gamma), nu=2.5),
    "exponential": lambda gamma, degree, coef0: kernels.Exponential(_lengthscale(gamma)),
    "rational_quadratic": lambda gamma, degree, coef0: kernels.RationalQuadratic(_lengthscale(gamma)),
}


DEFAULTS: dict[str, Any] = {"gamma": "scale", "degree": 3, "coef0": 0.0}


def named_kernel(owner: str, name: str, gamma: float, degree: Any, coef0: Any) -> Kernel:
    """The kernel of a name in NAMES."""
    whole = isinstance(degree, Real) and float(degree) >= 0.0 and float(degree).is_integer()
    if name in ("poly", "polynomial") and not whole:
        raise bad(owner, "degree", "an integer >= 0", repr(degree), "Other powers of a negative number are not real.")
    return NAMES[name](gamma, degree, coef0)


def gamma_value(gamma: Any, X: Any) -> float:
    """scikit-learn's gamma: "scale" is 1 / (columns * variance of X), "auto" is 1 / columns."""
    if isinstance(gamma, str) and gamma in ("scale", "auto"):
        V = X.values if isinstance(X, Vectors) else X
        variance = _variance(X if isinstance(X, MappedRows) else V) if gamma == "scale" else 1.0
        if not np.isfinite(variance):
            raise bad("kernel", "X", "numbers whose variance is finite for gamma='scale'", f"a variance of {variance}",
                      "Scale the columns, or pass gamma as a number.")  # fmt: skip
        return 1.0 / (V.shape[1] * variance) if variance > 0.0 else 1.0
    if isinstance(gamma, Real) and 0.0 < float(gamma) < np.inf:
        return float(gamma)
    raise bad("kernel", "gamma", "'scale', 'auto' or a positive number", repr(gamma), "See the documentation of SVC.")


def _variance(X: Any) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite one is refused
        if hasattr(X, "variance"):  # rows in files or on other machines
            return float(X.variance())
        if not isinstance(X, np.ndarray):  # sparse
            return float(X.multiply(X).mean() - X.mean() ** 2)
        return float(np.var(X, dtype=np.float64))


def written(given: Any) -> Kernel | None:
    """The kernel that is given as an object, or as text that says all of it; None for names that need the data."""
    if isinstance(given, Kernel):
        return given
    return _read(given) if isinstance(given, str) and given not in NAMES else None


@lru_cache(maxsize=64)
def _read(text: str) -> Kernel | None:
    if "(" in text:
        return kernels.parse(text)
    found = _classes().get(_folded(text))
    return None if found is None else found()


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


@cache
def _classes() -> dict[str, type[Kernel]]:
    """Kernel classes by their names in small letters, without those that NAMES has in another sense."""
    from mercer.kernels.grammar import vocabulary

    taken = {_folded(name) for name in NAMES}
    found = {_folded(name): cls for name, cls in vocabulary().items() if isinstance(cls, type)}
    return {name: cls for name, cls in found.items() if issubclass(cls, Kernel) and name not in taken}


def no_kernel(owner: str, given: Any) -> ValueError:
    """The error for what is none of all this, with the nearest names."""
    cure = "mercer.kernels lists the kernel objects."
    if isinstance(given, type):
        cure = f"A class is not a kernel yet: write {given.__name__}(...)."
    elif isinstance(given, str):
        near = get_close_matches(given.lower(), {*NAMES, *_classes(), "precomputed"}, n=3)
        cure = f"Did you mean {' or '.join(map(repr, near))}?" if near else "An expression is e.g. '2*RBF(1.5)'."
    known = [*NAMES, "precomputed"]
    return bad(owner, "kernel", f"one of {known}, an expression, a kernel object or a function", repr(given), cure)
