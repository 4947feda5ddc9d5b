"""What `kernel=` of a test stands for: all that estimators take, one or several.

Named kernels get the median heuristic: "rbf" is RBF(l) with l the median distance of two rows of the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.training_data import Data
from mercer.items import Items, Vectors
from mercer.items.joined import joined
from mercer.items.vectors import is_sparse
from mercer.selection.kernel_heuristics import median_lengthscale


class SampleKernel(KernelEstimator):
    """One kernel; the name of the class is that of the test, which errors speak of."""

    def __init__(self, kernel: Any = "rbf") -> None:
        self.kernel = kernel

    def _gamma(self, X: Any) -> float:
        """1 / (2 l^2) for the median distance l of two rows, to four digits."""
        median = median_lengthscale(X.values if isinstance(X, Vectors) else X)
        return 0.5 / float(f"{median:.4g}") ** 2

    def on(self, X: Any) -> Data:
        """Checked items with their kernel."""
        return self._data(self._checked(X, reset=True)).double()

    def on_both(self, X: Any, Y: Any) -> tuple[Data, int, int]:
        """The items of both samples as one dataset, and how many there are of each."""
        X = self._checked(X, reset=True)
        Y = self._checked(Y, reset=False)
        return self._data(_pooled(X, Y)).double(), _count(X), _count(Y)


def _pooled(X: Any, Y: Any) -> Any:
    if isinstance(X, Items):
        return joined(X, Y)
    if is_sparse(X) or is_sparse(Y):
        from scipy.sparse import vstack

        return vstack([X, Y], format="csr")
    return np.concatenate([X, Y]) if isinstance(X, np.ndarray) else [*X, *Y]


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def sample_kernels(owner: str, name: str, given: Any) -> list[SampleKernel]:
    """The kernels of an argument that may be one kernel or a list of them."""
    several = isinstance(given, Sequence) and not isinstance(given, str)
    kernels = list(given) if several else [given]
    if not kernels:
        raise bad(owner, name, "a kernel, or a list of one or more", "an empty list", "'rbf' is the default.")
    kind: Any = type(owner, (SampleKernel,), {})
    return [kind(kernel) for kernel in kernels]


def words(data: Data) -> str:
    """The kernel in a sentence."""
    kernel = getattr(data, "kernel", None)
    return "the given Gram" if kernel is None else repr(kernel)
