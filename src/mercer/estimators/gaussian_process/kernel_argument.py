"""What `kernel=` may be for a Gaussian process, beyond other machines: None."""

from __future__ import annotations

from typing import Any

from mercer.estimators.base import KernelEstimator
from mercer.estimators.sklearn_kernels import is_foreign
from mercer.items import Items, Vectors


class ProcessKernel(KernelEstimator):
    """A machine whose kernel may be left out, and which takes no sparse rows for a kernel of scikit-learn, as there."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if is_foreign(self.kernel):
            tags.input_tags.sparse = False
        return tags

    @property
    def takes_gram(self) -> bool:
        return self._precomputed

    @property
    def items_kind(self) -> type[Items] | None:
        return Vectors if self.kernel is None else super().items_kind
