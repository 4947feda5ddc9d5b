"""The proof of nearest neighbours: no set of as many training items is nearer.

For an item x the neighbours S minimise sum_{j in S} d^2(x, x_j) over all sets of n_neighbors items.

    primal    the sum over the neighbours that the machine names, summed over items
    dual      the sum over the smallest of all distances, found by sorting

Both from the same kernel values in double precision, so that they are equal unless the machine missed an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.neighbours.search import Neighbours
from mercer.gram import kernel_distances
from mercer.solvers.solution import Solution
from mercer.typing import Array, Gram

ROUNDING = 1e-12  # of k(x, x) + k(y, y): squared distances below this are rounding
_PANEL = 512  # items whose distances are sorted at a time


@dataclass(frozen=True, kw_only=True)
class NeighbourProof(Solution):
    """`items` are those whose neighbours were looked for again; `labels` says that the targets are those of the fit."""

    items: int
    neighbours: int
    labels: bool = True

    def __str__(self) -> str:
        if not self.labels:
            return "The targets are not those of the fit."
        what = f"the {self.neighbours} neighbours of {self.items} items"
        if self.converged:
            return f"Sorting all distances in double precision finds {what} again."
        return f"Of {what}, some are not the nearest: the sum of their squared distances is {self.gap:.3g} too large."


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> NeighbourProof:
    """The neighbours of all training items, recomputed; and whether y is what the machine remembers."""
    check_is_fitted(model)
    if sample_weight is not None:
        raise bad("verify", "sample_weight", "None for nearest neighbours", "weights", "They have none.")
    if y is None:
        raise bad("verify", "y", "the targets of the fit", "None", "Pass them.")
    X = model._checked(X, reset=False)
    data = model._data(X).double()
    if len(data) != model.n_samples_fit_:
        raise bad("verify", "X", f"the {model.n_samples_fit_} samples the model was fitted on", f"{len(data)} samples",
                  "Pass the training data in their order.")  # fmt: skip
    index = Neighbours.of(model._kept, model._diag, X, int(model.n_neighbors)).index
    return prove(index, data.gram(), np.arange(len(data)), same=_remembers(model, y))


def _remembers(model: Any, y: Any) -> bool:
    """Whether these are the targets of the fit."""
    if hasattr(model, "classes_"):
        return bool(np.array_equal(model.classes_[model._codes], np.ravel(y)))
    return bool(np.array_equal(model._y, np.asarray(y, dtype=float)))


def prove(index: Array, gram: Gram, some: Array, *, same: bool = True) -> NeighbourProof:
    """The proof for some items of a Gram; row i of `index` has the neighbours of item some[i]."""
    count, diag = index.shape[1], np.asarray(gram.diag().real, dtype=np.float64)
    primal, dual, noise = 0.0, 0.0, 0.0
    distances = kernel_distances(gram, squared=True)
    for r in cuts(len(some), _PANEL):
        D = distances.rows(some[r])
        primal += float(np.take_along_axis(D, index[r], axis=1).sum())
        dual += float(np.partition(D, count - 1, axis=1)[:, :count].sum())
        noise += ROUNDING * count * float((abs(diag[some[r]]) + abs(diag).max()).sum())
    distinct = bool((np.diff(np.sort(index, axis=1), axis=1) > 0).all())
    converged = distinct and same and primal - dual <= noise
    reason = "converged" if converged else "not the nearest" if same else "other targets"
    return NeighbourProof(
        primal=primal, dual=min(dual, primal), n_iter=0, converged=converged, reason=reason, items=len(some),
        neighbours=count, labels=same,
    )  # fmt: skip
