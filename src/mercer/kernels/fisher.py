"""Fisher kernels: two items are similar if they pull the parameters of a model into the same direction.

    k(x, y) = g(x)' F^-1 g(y),   g(x) = grad log p(x | theta) at the fitted theta,   F = E[g g']

One model is fitted to the first dataset, so that k depends on it: within a search or cross-validation the model is
learned from the training items of each fold only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items import Anything, Items, PointLists, Sequences, Strings, Vectors
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.maps import dense
from mercer.kernels.prepared_rows import ORIGIN, Rows, dot
from mercer.models import (
    Bernoulli,
    DiagonalGaussian,
    GaussianEmissions,
    GaussianMixture,
    HiddenMarkov,
    Multinomial,
)
from mercer.typing import Array, Index

# {name: fit(X, components)}
FITS: dict[str, Callable[[Any, int], Any]] = {
    "gaussian": lambda X, components: DiagonalGaussian.fit(X),
    "gaussian mean": lambda X, components: DiagonalGaussian.fit(X, variance_known=True),
    "bernoulli": lambda X, components: Bernoulli.fit(X),
    "multinomial": lambda X, components: Multinomial.fit(X),
    "mixture": lambda X, components: GaussianMixture.fit(X, components),
    "hidden markov": lambda X, components: HiddenMarkov.fit(X, components),
}
INFORMATION = ("auto", "exact", "empirical", "identity")


def check_model(owner: str, model: Any, ability: str) -> None:
    """Refuse what is neither the name of a model, nor a model, nor a function."""
    known = isinstance(model, str) and model in FITS
    if not known and not hasattr(model, ability) and not is_mixture(model) and not callable(model):
        raise bad(owner, "model", f"one of {sorted(FITS)}, a fitted model of mercer.models, or a function of the items",
                  repr(model), "scikit-learn's fitted mixtures are taken, too.")  # fmt: skip


def is_mixture(model: Any) -> bool:
    """Whether this has the attributes of scikit-learn's fitted mixtures."""
    return all(hasattr(model, name) for name in ("weights_", "means_", "covariances_", "covariance_type"))


def items_of_model(model: Any) -> type[Items]:
    """The kind of item that a model describes."""
    if isinstance(model, HiddenMarkov):
        return PointLists if isinstance(model.emissions, GaussianEmissions) else Strings
    if isinstance(model, str) and model == "hidden markov":
        return Sequences
    return Vectors if isinstance(model, str) or hasattr(model, "scores") or is_mixture(model) else Anything


def model_data(owner: str, X: Any) -> Any:
    """Checked items as a model takes them."""
    return dense(X, owner).astype(np.float64) if isinstance(X, Vectors) else getattr(X, "values", X)


def require_form(owner: str, model: Any, X: Items) -> None:
    """Refuse sequences of symbols for a hidden Markov model of vectors, and the other way round."""
    if not isinstance(model, HiddenMarkov) or not any(map(len, getattr(X, "values", ()))):
        return
    expected = items_of_model(model)
    if not isinstance(X, expected):
        raise wrong_kind(owner, f"{expected.kind}, as in the first dataset", X.kind, "Pass sequences of one form.")


def fitted_model(model: Any, X: Any, components: int) -> Any:
    """The model itself if it is fitted, else one that is fitted to X."""
    if isinstance(model, str):
        return FITS[model](X, components)
    return GaussianMixture.from_fitted(model) if is_mixture(model) else model


@dataclass(frozen=True, eq=False)
class FisherFrame:
    """What a Fisher kernel has learned: the model, and W with F^-1 = W W' on all scores; `rank` is that of F."""

    model: Any
    whitening: Array
    rank: int


@dataclass(eq=False)
class Scored:
    """Whitened scores, one row per item."""

    rows: Rows
    frame: FisherFrame

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Index) -> Scored:
        return Scored(self.rows[index], self.frame)


@kernel
class Fisher(Kernel):
    """k(x, y) = g(x)' F^-1 g(y), g the gradient of log p at a model fitted to the first dataset (Jaakkola, Haussler).

    model         "gaussian" (independent columns), "gaussian mean" (their variances are known), "bernoulli",
                  "multinomial" (rows of counts), "mixture" of Gaussians, "hidden markov" (strings, token lists, or
                  sequences of vectors); or a fitted model of mercer.models, a fitted mixture of scikit-learn, or a
                  function that returns the gradients, one row per item
    components    of a mixture, or states of a hidden Markov model
    information   "exact" (a formula, where there is one), "empirical" (mean of g g' over the first dataset) or
                  "identity"; "auto": exact where a formula exists, else empirical
    ridge         added to the empirical information, as a share of its mean diagonal

    An empirical information may be singular; directions without information are left out, and `k.fit(X).frame.rank`
    says how many remain.  It gives all of these the same variance, so that kernel PCA finds no order among them: take
    "identity" there.
    """

    model: Any = "gaussian"
    components: int = 2
    information: str = "auto"
    ridge: float = 0.0

    learned = True
    psd = True
    psd_reason = "an inner product of features: gradients of a log likelihood, whitened"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_model("Fisher", self.model, "scores")
        if self.information not in INFORMATION:
            raise bad(
                "Fisher", "information", f"one of {INFORMATION}", repr(self.information), "'auto' is the default."
            )
        if not isinstance(self.ridge, (int, float)) or not 0.0 <= self.ridge < np.inf:
            raise bad("Fisher", "ridge", "a finite number >= 0", repr(self.ridge), "0 adds nothing.")

    @property
    def items(self) -> type[Items]:  # type: ignore[override]
        return items_of_model(self.model)

    @property
    def textual(self) -> bool:  # type: ignore[override]
        return isinstance(self.model, str)

    def prepare_in(self, X: Any, frame: FisherFrame | None, pool: Pool) -> Scored:
        data = model_data("Fisher", X)
        if frame is None:
            if not len(X):
                raise bad("Fisher", "the training set", "at least one item", "none", "Call the kernel on data first.")
            model = fitted_model(self.model, data, self.components)
            frame = self._learned(model, _scores(model, data))
        require_form("Fisher", frame.model, X)
        scores = _scores(frame.model, data) if len(X) else np.empty((0, len(frame.whitening)))
        weights = frame.whitening
        Z = scores * weights if weights.ndim == 1 else scores @ weights
        return Scored(Rows(Z, np.einsum("ij,ij->i", Z, Z), ORIGIN), frame)

    def block(self, A: Scored, B: Scored) -> Array:
        return dot(A.rows, B.rows)[0]

    def diag(self, A: Scored) -> Array:
        return A.rows.sqnorm.copy()

    def feature_map(self, X: Any) -> Array:
        """The whitened gradients."""
        return np.asarray(self.prepare(X).rows.values)

    def _learned(self, model: Any, scores: Array) -> FisherFrame:
        width = scores.shape[1]
        exact = model.information() if hasattr(model, "information") and self.information in ("auto", "exact") else None
        if self.information == "identity":
            return FisherFrame(model, np.ones(width), width)
        if exact is not None:
            return FisherFrame(model, 1.0 / np.sqrt(exact), width)
        if self.information == "exact":
            raise bad("Fisher", "information", f"'empirical' or 'identity' for {type(model).__name__}", "'exact'",
                      "No formula for its information is known.")  # fmt: skip
        whitening = _whitening(scores, float(self.ridge))
        return FisherFrame(model, whitening, whitening.shape[1])


def _scores(model: Any, data: Any) -> Array:
    """One row of gradients per item."""
    found = np.asarray(model.scores(data) if hasattr(model, "scores") else model(data), dtype=float)
    if found.ndim != 2 or len(found) != len(data):
        raise bad("Fisher", "model", f"a function with one row of gradients per item ({len(data)})",
                  f"shape {found.shape}", "It gets the whole dataset and must keep its length.")  # fmt: skip
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found).all(axis=1)))
        raise bad("Fisher", "the gradient of log p", "finite", f"other values for item {row}",
                  "The model gives this item no probability: add a pseudo-count, or drop it.")  # fmt: skip
    return found


def _whitening(scores: Array, ridge: float) -> Array:
    """W with W W' = (mean g g' + ridge)^-1 on the directions that carry information; from G = U S V'."""
    _, values, axes = np.linalg.svd(scores / np.sqrt(len(scores)), full_matrices=False)
    squares = values**2 + ridge * float((values**2).sum()) / max(scores.shape[1], 1)
    kept = values > values.max(initial=0.0) * max(scores.shape) * np.finfo(float).eps
    return np.asarray(axes[kept].T / np.sqrt(squares[kept]))
