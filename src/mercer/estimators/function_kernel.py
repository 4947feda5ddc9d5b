"""A user's function (X, Y) -> matrix in the place of a kernel, called as scikit-learn calls it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mercer.items.vectors import is_sparse
from mercer.kernels import Similarity
from mercer.kernels.base import kernel
from mercer.kernels.user import Chosen
from mercer.typing import Array


@kernel
class Called(Similarity):
    """k(X, Y) = function(X, Y), where Y are always training items.

    The symmetry that Similarity asks of any two datasets is tried among training items only: new items may be of
    another type (a list, where the training items are an array), which a function may understand as X but not as Y.
    """

    def block(self, A: Chosen, B: Chosen) -> Array:
        return super().block(A, B) if A.dataset is B.dataset else self._evaluate(A, B)


@dataclass(frozen=True)
class Dense:
    """A function (X, Y) -> matrix whose result may be sparse."""

    function: Callable[[Any, Any], Any]

    def __call__(self, X: Any, Y: Any) -> Any:
        K = self.function(X, Y)
        return K.toarray() if is_sparse(K) else K
