"""scikit-learn's kernel objects (sklearn.gaussian_process.kernels) as kernels of ours, for every estimator.

    is_foreign(k)              whether k is one of them
    as_ours(k, columns)        a kernel of ours with the same values
    noiseless("SVC", k, X)     the same for machines that have no noise, where a WhiteKernel is refused

Kernels that have no counterpart (PairwiseKernel, ExpSineSquared on several columns, a user's own) are called as they
are; their derivatives are then differences.

A WhiteKernel is the noise of an observation: v where k(X, X) compares an observation with itself, and 0 for the same
values in k(X, Y).  That is a fact about observations, and no function of two items, so only a Gaussian process can use
it.  (scikit-learn's KernelRidge and SVC call k(X, X) with two arguments, and so leave the noise out without a word.)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mercer import kernels as ours
from mercer.errors import bad
from mercer.items import Items, Objects, Vectors
from mercer.items.vectors import is_sparse
from mercer.kernels import Fixed, Kernel, kernel
from mercer.parameters import Parameter, Real, hyper, value
from mercer.typing import Array


def is_foreign(given: Any) -> bool:
    """Whether this is a kernel of scikit-learn; without its module loaded there is none, and loading takes 0.1 s."""
    theirs = sys.modules.get("sklearn.gaussian_process.kernels")
    return theirs is not None and isinstance(given, theirs.Kernel)


def foreign_items(k: Any) -> type[Items] | None:
    """The class of the items that a kernel of scikit-learn compares; None if they may be anything."""
    return Vectors if k.requires_vector_input else None


@kernel
class Foreign(Kernel):
    """A kernel of scikit-learn as it is, with its theta for hyper-parameters."""

    original: Any = None
    parameters: Parameter = hyper((0.0,), Real, low=-np.inf, high=np.inf, vector=True)

    textual = False

    @property
    def items(self) -> type[Items]:  # type: ignore[override]
        return foreign_items(self.original) or Objects

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return bool(self.original.is_stationary())

    def _theirs(self) -> Any:
        if not self.original.n_dims:
            return self.original
        return self.original.clone_with_theta(np.asarray(value(self.parameters)))

    def block(self, A: Any, B: Any) -> Array:
        return np.array(self._theirs()(_as_given(A.values), _as_given(B.values)), dtype=float)

    def diag(self, A: Any) -> Array:
        return np.array(self._theirs().diag(_as_given(A.values)), dtype=float)

    def __hash__(self) -> int:
        return hash((type(self.original), self.parameters))  # theirs compare, but have no hash

    def __repr__(self) -> str:
        return repr(self._theirs())


def _as_given(values: Any) -> Any:
    """Rows of numbers as one array, whose columns a kernel may ask for; other items as they are."""
    if is_sparse(values):
        return values.toarray()
    return np.asarray(values) if len(values) and isinstance(values[0], np.ndarray) else values


def noiseless(owner: str, k: Any, X: Any) -> Kernel:
    """A kernel of ours with the values of k, for items X and a machine without noise."""
    for part in _parts(k):
        if type(part).__name__ == "WhiteKernel":
            raise bad(owner, "kernel", "without a WhiteKernel, which is the noise of a Gaussian process", repr(k),
                      "Leave it out: here alpha or C says how far to trust an observation.")  # fmt: skip
        if type(part).__name__ == "CompoundKernel":
            raise bad(owner, "kernel", "one kernel", repr(k), "A CompoundKernel holds several: choose one of them.")
    return as_ours(k, np.shape(X)[1] if len(np.shape(X)) == 2 else None)


def _parts(k: Any) -> Iterator[Any]:
    """A kernel of scikit-learn and all that it is made of."""
    yield k
    for name in ("k1", "k2", "kernel"):
        if is_foreign(getattr(k, name, None)):
            yield from _parts(getattr(k, name))


def as_ours(k: Any, columns: int | None) -> Kernel:
    """One of our kernels with the same values, or the original in our clothes."""
    name = type(k).__name__ if type(k).__module__ == "sklearn.gaussian_process.kernels" else ""
    if name == "Sum":
        return ours.Sum((as_ours(k.k1, columns), as_ours(k.k2, columns)))
    if name == "Product":
        return _product(k, columns)
    if name == "Exponentiation" and float(k.exponent).is_integer() and k.exponent >= 0:
        return ours.Power(as_ours(k.kernel, columns), int(k.exponent))
    if name not in _LEAVES or (name == "ExpSineSquared" and columns != 1):
        return Foreign(k, parameters=tuple(k.theta) if k.n_dims else Fixed(0.0))
    return _LEAVES[name](k)


def _product(k: Any, columns: int | None) -> Kernel:
    from sklearn.gaussian_process.kernels import ConstantKernel

    for factor, other in ((k.k1, k.k2), (k.k2, k.k1)):
        if type(factor) is ConstantKernel:
            return ours.Scaled(as_ours(other, columns), marked(factor, "constant_value"))
    return ours.Product((as_ours(k.k1, columns), as_ours(k.k2, columns)))


def marked(k: Any, name: str, power: int = 1) -> Parameter:
    """A parameter of theirs at its value, fixed if it is; bounds are translated by those who tune it."""
    found = getattr(k, name)
    number = tuple(float(v) for v in found) if np.ndim(found) else float(found) ** power
    return Fixed(number) if getattr(k, f"hyperparameter_{name}").fixed else number


_LEAVES: dict[str, Callable[[Any], Kernel]] = {
    "ConstantKernel": lambda k: ours.Constant(marked(k, "constant_value")),
    "WhiteKernel": lambda k: ours.White(marked(k, "noise_level")),
    "RBF": lambda k: ours.RBF(marked(k, "length_scale")),
    "Matern": lambda k: ours.Matern(marked(k, "length_scale"), nu=k.nu),
    "RationalQuadratic": lambda k: ours.RationalQuadratic(marked(k, "length_scale"), alpha=marked(k, "alpha")),
    "ExpSineSquared": lambda k: ours.Periodic(marked(k, "length_scale"), period=marked(k, "periodicity")),
    "DotProduct": lambda k: ours.Linear() + ours.Constant(marked(k, "sigma_0", power=2)),
}
