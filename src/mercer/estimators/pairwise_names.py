"""Kernels by the names and arguments of sklearn.metrics.pairwise: for machines that scikit-learn gives them to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from mercer.estimators.base import KernelEstimator, gamma_value
from mercer.kernels import Kernel, Similarity


class PairwiseNames(KernelEstimator):
    """A machine whose gamma is 1 / columns unless it is given, and whose functions compare two items."""

    gamma: Any
    kernel_params: dict[str, Any] | None

    def _gamma(self, X: Any) -> float:
        """As in scikit-learn, None is 1 / columns, and 1 for "chi2"."""
        auto = 1.0 if self.kernel == "chi2" else "auto"
        return gamma_value(auto if self.gamma is None else self.gamma, X)

    def _of_function(self, function: Callable[..., Any]) -> Kernel:
        """As in scikit-learn, a function compares two items."""
        return Similarity(partial(function, **(self.kernel_params or {})))
