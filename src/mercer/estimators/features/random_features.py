"""RandomFeatures: a stationary kernel as a mean of waves; the distribution of frequencies is in kernels/spectral.py."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.embedding.axes import whole
from mercer.items import Vectors
from mercer.items.vectors import is_sparse
from mercer.kernels.spectral import frequencies
from mercer.typing import Array


class RandomFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """phi(x) = sqrt(2 / n) (cos w_1'x, ..., sin w_1'x, ...), so that E <phi(x), phi(y)> = k(x, y) for a stationary k.

    The error of one kernel value is about 1 / sqrt(n_components), whatever the number of items; |phi(x)| = 1 for an
    even number.  Nothing is learned from the items but the number of their columns (and gamma="scale").

    kernel          RBF, Matern, Exponential, RationalQuadratic or Laplacian, with one lengthscale or one per column;
                    or "rbf" or "laplacian" with gamma
    n_components    columns: a cosine and a sine for each frequency; the last of an odd number is one wave with a
                    random phase
    orthogonal      directions of frequencies are orthogonal where the kernel allows it (all but the Laplacian), which
                    lowers the error
    random_state    of the frequencies

    After fit: frequencies_, one row for every two components.
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        n_components: int = 100,
        orthogonal: bool = True,
        random_state: Any = None,
    ) -> None:
        self.kernel, self.gamma, self.n_components = kernel, gamma, n_components
        self.orthogonal, self.random_state = orthogonal, random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the frequencies for items with as many columns as X; y is ignored."""
        count = whole("RandomFeatures", "n_components", self.n_components) or 1
        if self._precomputed:
            raise bad("RandomFeatures", "kernel", "a stationary kernel", "'precomputed'", "Pass the rows.")
        X = self._checked(X, reset=True)
        kernel = self._kernel_for(X)
        kernel.prepare(X[:1])  # refuses what it cannot compare, lengthscales of another number of columns too
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        D = _values(X).shape[1]
        self.frequencies_ = frequencies(kernel, D, -(-count // 2), rng, orthogonal=bool(self.orthogonal))
        self._phase = float(rng.uniform(0.0, 2.0 * np.pi))
        self._n_features_out = count
        return self

    def transform(self, X: Any) -> Array:
        """The waves at items: cosines, then sines."""
        V = _values(self._items(X))
        dtype = np.float32 if V.dtype == np.float32 else np.float64
        out = np.empty((V.shape[0], self._n_features_out), dtype=dtype)
        angles = np.asarray(V @ self.frequencies_.T.astype(dtype))
        count, pairs = angles.shape[1], out.shape[1] // 2
        np.sin(angles[:, :pairs], out=out[:, count:])
        angles[:, pairs:] += dtype(self._phase)  # of a frequency that has no sine
        np.cos(angles, out=out[:, :count])
        out[:, pairs:count] *= dtype(np.sqrt(2.0))
        out *= dtype(1.0 / np.sqrt(count))
        return out


def _values(X: Any) -> Any:
    """The rows of checked items."""
    V = X.values if isinstance(X, Vectors) else X
    return V.tocsr() if is_sparse(V) else np.asarray(V)
