"""Probability product kernels: the overlap of two fitted models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Models
from mercer.items.items import taken
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.typing import Array, Index


@dataclass(eq=False)
class PreparedModels:
    """The models, and log k(p, p) of each where the kernel is normalised."""

    values: list[Any]
    log_norms: Array
    frame: Any = None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(taken(self.values, index), self.log_norms[index])


@kernel
class ProbabilityProduct(Kernel):
    """k(p, q) = integral of p(x)^rho q(x)^rho dx, for models p and q of two objects (Jebara, Kondor and Howard, 2004).

    rho = 1 is the expected likelihood, rho = 1/2 Bhattacharyya's coefficient, for which k(p, p) = 1.  Items are models
    of `mercer.models`, each fitted to one object: Gaussian, Bernoulli, Discrete, Multinomial (rho = 1/2), HiddenMarkov
    (rho = 1, on sequences of `length` steps) or Density.  With `normalised`, k(p, q) / sqrt(k(p, p) k(q, q)), computed
    from logarithms, so that products that are too small for a number still compare.
    """

    rho: float = 1.0
    length: int | None = None
    normalised: bool = False

    items = Models
    psd = True
    psd_reason = "an inner product of functions: p^rho and q^rho, in the space of square-integrable functions"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.rho, bool) or not isinstance(self.rho, (int, float)) or not 0.0 < self.rho < np.inf:
            raise bad("ProbabilityProduct", "rho", "a finite number > 0", repr(self.rho), "0.5 and 1.0 are usual.")
        if self.length is not None and (
            isinstance(self.length, bool) or not isinstance(self.length, int) or self.length < 1
        ):
            raise bad("ProbabilityProduct", "length", "a whole number >= 1, or None", repr(self.length),
                      "It is the length of the sequences that two hidden Markov models both generate.")  # fmt: skip

    def prepare_in(self, X: Models, frame: Any, pool: Pool) -> PreparedModels:
        norms = np.zeros(len(X))
        if self.normalised:
            norms = np.array([0.5 * self._logs([model], [model])[0, 0] for model in X.values], dtype=float)
        return PreparedModels(X.values, norms)

    def block(self, A: PreparedModels, B: PreparedModels) -> Array:
        if not len(A) or not len(B):
            return np.empty((len(A), len(B)))
        with np.errstate(over="ignore"):  # an overflow is reported with the pair of items
            return np.asarray(np.exp(self._logs(A.values, B.values) - A.log_norms[:, None] - B.log_norms))

    def diag(self, A: PreparedModels) -> Array:
        if self.normalised:
            return np.ones(len(A))
        return super().diag(A)

    def _logs(self, A: list[Any], B: list[Any]) -> Array:
        if type(A[0]) is not type(B[0]):
            found = f"{type(A[0]).__name__} and {type(B[0]).__name__}"
            raise bad("ProbabilityProduct", "X", "of one class in both datasets", found, "Fit the same model to all.")
        return np.asarray(type(A[0]).log_products(A, B, float(self.rho), self.length))
