"""scikit-learn's kernels in a Gaussian process: theta as scikit-learn has it, and a WhiteKernel as noise.

    mine = Converted.of(kernel)       mine.kernel, mine.noise
    mine.ours(theta)                  our theta from scikit-learn's, and `theirs` back

Both thetas are logarithms, and the map between them is affine: a permutation, with a factor of 2 where a standard
deviation became a variance.  It is found by converting the kernel at theta + e_j for every j, so that no order of
parameters is written down anywhere.

A WhiteKernel that is a term of the sum is noise of the observations.  The other kernels are converted by
estimators/sklearn_kernels.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer import kernels as ours
from mercer.estimators.gaussian_process.covariance import Noise
from mercer.estimators.sklearn_kernels import Foreign as Foreign  # files name it by this place
from mercer.estimators.sklearn_kernels import as_ours, marked
from mercer.kernels import Fixed, Kernel
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Converted:
    """A kernel of scikit-learn as a kernel and a noise of ours, and the affine map theta = matrix theirs + shift."""

    original: Any
    kernel: Kernel
    noise: Noise | None
    matrix: Array
    shift: Array

    @classmethod
    def of(cls, original: Any, columns: int | None = None) -> Self:
        """The conversion of a kernel; `columns` is the width of the data where that is known."""
        found, noise = _split(original, columns)
        theta = original.theta
        shift = _theta(original, columns) if len(theta) else np.empty(0)
        steps = [_theta(original.clone_with_theta(theta + e), columns) - shift for e in np.eye(len(theta))]
        matrix = np.rint(np.array(steps).reshape(len(theta), len(shift)).T)
        return cls(original, found, noise, matrix, shift - matrix @ theta)

    def ours(self, theta: Array) -> Array:
        """Our theta from scikit-learn's."""
        return np.asarray(self.matrix @ theta + self.shift)

    def theirs(self, theta: Array) -> Array:
        """scikit-learn's theta from ours."""
        return np.asarray(np.linalg.solve(self.matrix, theta - self.shift)) if len(self.shift) else np.empty(0)

    def slope(self, slope: Array) -> Array:
        """The derivative in scikit-learn's theta from that in ours."""
        return np.asarray(self.matrix.T @ slope)

    @property
    def bounds(self) -> Array:
        """The bounds of our theta, from those of scikit-learn."""
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
    rest = [as_ours(t, columns) for t in terms if not isinstance(t, WhiteKernel) or t is not white[0]]
    smooth: Kernel = sum(rest[1:], start=rest[0]) if rest else ours.Constant(Fixed(0.0))
    return smooth, Noise(marked(white[0], "noise_level")) if white else None


def _terms(original: Any) -> Any:
    from sklearn.gaussian_process.kernels import Sum

    if type(original) is Sum:
        yield from _terms(original.k1)
        yield from _terms(original.k2)
    else:
        yield original
