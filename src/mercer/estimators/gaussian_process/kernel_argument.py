"""What `kernel=` may be for a Gaussian process, beyond other machines: None, and scikit-learn's own kernels."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from mercer.estimators.base import KernelEstimator
from mercer.estimators.gaussian_process.convert import is_foreign
from mercer.items import Items, Vectors


class ProcessKernel(KernelEstimator):
    """The contract of scikit-learn where the kernel may be one of its own."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters; kernel__name changes one of the kernel."""
        if is_foreign(self.kernel) and "kernel" not in params:
            return BaseEstimator.set_params(self, **params)  # type: ignore[no-any-return]
        return super().set_params(**params)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if is_foreign(self.kernel):
            tags.input_tags.two_d_array, tags.input_tags.sparse = self.kernel.requires_vector_input, False
        return tags

    @property
    def takes_gram(self) -> bool:
        return self._precomputed

    @property
    def items_kind(self) -> type[Items] | None:
        if is_foreign(self.kernel):
            return Vectors if self.kernel.requires_vector_input else None
        return Vectors if self.kernel is None else super().items_kind
