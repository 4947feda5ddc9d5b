"""Features inferred by a generative model: how much of an item each hidden cause explains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Items, Vectors
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.composite import Unary
from mercer.kernels.dot import Linear
from mercer.kernels.fisher import check_model, fitted_model, items_of_model, model_data, require_form
from mercer.typing import Index


@dataclass(eq=False)
class Inferred:
    """Prepared features; the frame is (the model, the frame of the kernel on features)."""

    inner: Any
    model: Any

    def __len__(self) -> int:
        return len(self.inner)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.inner[index], self.model)

    @property
    def frame(self) -> tuple[Any, Any]:
        return self.model, self.inner.frame


@kernel
class GenerativeFeatures(Unary):
    """kernel(phi(x), phi(y)), phi(x) the posterior of the hidden causes of x under a model of the first dataset.

    For a "mixture" of Gaussians phi(x) holds the probability of every component, for a "hidden markov" model the share
    of time in every state.  A fitted model with `posteriors`, or scikit-learn's fitted mixture, is used as it is.
    """

    kernel: Kernel = field(default_factory=Linear)
    model: Any = "mixture"
    components: int = 2

    psd_reason = "a kernel of phi(x): its Gram is the inner kernel's Gram of the inferred features"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_model("GenerativeFeatures", self.model, "posteriors")
        if isinstance(self.model, str) and self.model not in ("mixture", "hidden markov"):
            raise bad("GenerativeFeatures", "model", "'mixture' or 'hidden markov'", repr(self.model),
                      "Other models have no hidden causes.")  # fmt: skip

    @property
    def items(self) -> type[Items]:  # type: ignore[override]
        return items_of_model(self.model)

    @property
    def learned(self) -> bool:  # type: ignore[override]
        return True

    @property
    def textual(self) -> bool:  # type: ignore[override]
        return isinstance(self.model, str) and self.kernel.textual

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return False

    isotropic = stationary

    def prepare_in(self, X: Any, frame: tuple[Any, Any] | None, pool: Pool) -> Inferred:
        data = model_data("GenerativeFeatures", X)
        if frame is None and not len(X):
            raise bad("GenerativeFeatures", "the training set", "at least one item", "none", "Call it on data first.")
        model, inner = frame or (fitted_model(self.model, data, self.components), None)
        require_form("GenerativeFeatures", model, X)
        found = model.posteriors(data) if hasattr(model, "posteriors") else model(data)
        features = Vectors.check(np.asarray(found, dtype=float), "GenerativeFeatures")
        return Inferred(self.kernel.prepare_in(features, inner, {}), model)

    def block(self, A: Inferred, B: Inferred) -> Any:
        return self.kernel.block(A.inner, B.inner)

    def diag(self, A: Inferred) -> Any:
        return self.kernel.diag(A.inner)

    def vjp(self, A: Inferred, B: Inferred, W: Any) -> Any:
        return self.kernel.vjp(A.inner, B.inner, W)
