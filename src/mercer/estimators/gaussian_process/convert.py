"""scikit-learn's kernels of Gaussian processes, as ours.

    mine = Converted.of(kernel)       mine.kernel, mine.noise
    mine.inner(theta)                 from scikit-learn's theta to ours, and `outer` back

Both thetas are logarithms, and the map between them is affine: a permutation, with a factor of 2 where a standard
deviation became a variance.  It is found by converting the kernel at theta + e_j for every j, so that no order of
parameters is written down anywhere.

A WhiteKernel that is a term of the sum is noise of the observations.  Kernels that have no counterpart (PairwiseKernel,
ExpSineSquared on several columns, a user's own) are called as they are; their derivatives are then differences.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer import kernels as ours
from mercer.estimators.gaussian_process.covariance import Noise
from mercer.items import Items, Objects, Vectors
from mercer.kernels import Fixed, Kernel, kernel
from mercer.parameters import Parameter, Real, hyper, value
from mercer.typing import Array


def is_foreign(given: Any) -> bool:
    """Whether this is a kernel of scikit-learn; without its module loaded there is none, and loading takes 0.1 s."""
    theirs = sys.modules.get("sklearn.gaussian_process.kernels")
    return theirs is not None and isinstance(given, theirs.Kernel)


@kernel
class Foreign(Kernel):
    """A kernel of scikit-learn as it is, with its theta for hyper-parameters."""

    original: Any = None
    parameters: Parameter = hyper((0.0,), Real, low=-np.inf, high=np.inf, vector=True)

    textual = False

    @property
    def items(self) -> type[Items]:  # type: ignore[override]
        return Vectors if self.original.requires_vector_input else Objects

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return bool(self.original.is_stationary())

    @property
    def psd(self) -> bool | None:
        return None

    def _theirs(self) -> Any:
        if not self.original.n_dims:
            return self.original
        return self.original.clone_with_theta(np.asarray(value(self.parameters)))

    def block(self, A: Any, B: Any) -> Array:
        return np.array(self._theirs()(_as_given(A.values), _as_given(B.values)), dtype=float)

    def diag(self, A: Any) -> Array:
        return np.array(self._theirs().diag(_as_given(A.values)), dtype=float)


def _as_given(values: Any) -> Any:
    """Rows of numbers as one array, whose columns a kernel may ask for; other items as they are."""
    return np.asarray(values) if len(values) and isinstance(values[0], np.ndarray) else values


@dataclass(frozen=True, eq=False)
class Converted:
    """A kernel of scikit-learn as a kernel and a noise of ours, and the way between the two thetas."""

    original: Any
    kernel: Kernel
    noise: Noise | None
    matrix: Array
    shift: Array

    @classmethod
    def of(cls, original: Any, columns: int | None = None) -> Self:
        """The same kernel in our words; `columns` is the width of the data where that is known."""
        found, noise = _split(original, columns)
        theta = original.theta
        shift = _theta(original, columns) if len(theta) else np.empty(0)
        steps = [_theta(original.clone_with_theta(theta + e), columns) - shift for e in np.eye(len(theta))]
        matrix = np.rint(np.array(steps).reshape(len(theta), len(shift)).T)
        return cls(original, found, noise, matrix, shift - matrix @ theta)

    def inner(self, theta: Array) -> Array:
        """Our theta."""
        return np.asarray(self.matrix @ theta + self.shift)

    def outer(self, theta: Array) -> Array:
        """scikit-learn's theta."""
        return np.asarray(np.linalg.solve(self.matrix, theta - self.shift)) if len(self.shift) else np.empty(0)

    def slope(self, slope: Array) -> Array:
        """The derivative in scikit-learn's theta from that in ours."""
        return np.asarray(self.matrix.T @ slope)

    @property
    def bounds(self) -> Array:
        """The bounds scikit-learn has, of our theta."""
        if not len(self.shift):
            return np.empty((0, 2))
        return np.asarray(self.matrix @ self.original.bounds + self.shift[:, None])


def _theta(original: Any, columns: int | None) -> Array:
    found, noise = _split(original, columns)
    return np.concatenate([found.theta, *(slot.theta for slot in (noise.slots if noise else []))])


def _split(original: Any, columns: int | None) -> tuple[Kernel, Noise | None]:
    """The kernel without its white noise, and the noise."""
    from sklearn.gaussian_process.kernels import WhiteKernel

    terms = list(_terms(original))
    white = [t for t in terms if isinstance(t, WhiteKernel)]
    rest = [_as_ours(t, columns) for t in terms if not isinstance(t, WhiteKernel) or t is not white[0]]
    smooth: Kernel = sum(rest[1:], start=rest[0]) if rest else ours.Constant(Fixed(0.0))
    return smooth, Noise(_marked(white[0], "noise_level")) if white else None


def _terms(original: Any) -> Any:
    from sklearn.gaussian_process.kernels import Sum

    if type(original) is Sum:
        yield from _terms(original.k1)
        yield from _terms(original.k2)
    else:
        yield original


def _as_ours(k: Any, columns: int | None) -> Kernel:
    """One of our kernels with the same values, or the original in our clothes."""
    name = type(k).__name__ if type(k).__module__ == "sklearn.gaussian_process.kernels" else ""
    if name == "Sum":
        return ours.Sum((_as_ours(k.k1, columns), _as_ours(k.k2, columns)))
    if name == "Product":
        return _product(k, columns)
    if name == "Exponentiation":
        return ours.Power(_as_ours(k.kernel, columns), k.exponent)
    if name not in _LEAVES or (name == "ExpSineSquared" and columns != 1):
        return Foreign(k, parameters=tuple(k.theta) if k.n_dims else Fixed(0.0))
    return _LEAVES[name](k)


def _product(k: Any, columns: int | None) -> Kernel:
    from sklearn.gaussian_process.kernels import ConstantKernel

    for factor, other in ((k.k1, k.k2), (k.k2, k.k1)):
        if type(factor) is ConstantKernel:
            return ours.Scaled(_as_ours(other, columns), _marked(factor, "constant_value"))
    return ours.Product((_as_ours(k.k1, columns), _as_ours(k.k2, columns)))


def _marked(k: Any, name: str, power: int = 1) -> Parameter:
    """A parameter of theirs at its value, fixed if it is; the bounds are those of `Converted`."""
    found = getattr(k, name)
    number = tuple(float(v) for v in found) if np.ndim(found) else float(found) ** power
    return Fixed(number) if getattr(k, f"hyperparameter_{name}").fixed else number


_LEAVES: dict[str, Callable[[Any], Kernel]] = {
    "ConstantKernel": lambda k: ours.Constant(_marked(k, "constant_value")),
    "WhiteKernel": lambda k: ours.White(_marked(k, "noise_level")),
    "RBF": lambda k: ours.RBF(_marked(k, "length_scale")),
    "Matern": lambda k: ours.Matern(_marked(k, "length_scale"), nu=k.nu),
    "RationalQuadratic": lambda k: ours.RationalQuadratic(_marked(k, "length_scale"), alpha=_marked(k, "alpha")),
    "ExpSineSquared": lambda k: ours.Periodic(_marked(k, "length_scale"), period=_marked(k, "periodicity")),
    "DotProduct": lambda k: ours.Linear() + ours.Constant(_marked(k, "sigma_0", power=2)),
}
