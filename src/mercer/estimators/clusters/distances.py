"""Machines that need nothing of their items but distances.

kernel="rbf", ...                d^2(x, y) = k(x, x) + k(y, y) - 2 k(x, y), or d with distance="plain"
kernel="precomputed"             the same from a matrix of kernel values
kernel=None, metric="manhattan"  a metric by name, or a function of two items
kernel=None, metric="precomputed"  a matrix of dissimilarities, as it is
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.clusters.metric import METRICS, OF_ROWS, NamedMetric
from mercer.estimators.given_diagonal import common_diagonal, row_diagonal
from mercer.estimators.positivity import require_positive
from mercer.estimators.training_data import Data
from mercer.gram import Distances, given_dissimilarities, kernel_distances
from mercer.items import Items, Vectors
from mercer.kernels import Kernel, Linear, Similarity
from mercer.typing import Array

FORMS = ("squared", "plain")


class DistanceEstimator(KernelEstimator):
    """A machine with the arguments kernel, metric and distance; `_kept` are the items it measures new ones from."""

    metric: Any
    distance: Any

    @property
    def _precomputed(self) -> bool:
        given = self.metric if self.kernel is None else self.kernel
        return isinstance(given, str) and given == "precomputed"

    @property
    def items_kind(self) -> type[Items] | None:
        """The class of the items; None for a function, which may compare anything."""
        if self.kernel is None:
            return Vectors if isinstance(self.metric, str) else None
        return super().items_kind

    @property
    def takes_gram(self) -> bool:
        """Whether a fit needs kernel values only; dissimilarities are none."""
        return self.kernel is not None

    @property
    def _squared(self) -> bool | None:
        """Whether distances are squares; None where values are dissimilarities already."""
        if self.kernel is not None:
            return bool(self.distance == "squared")
        return self.metric == "sqeuclidean" if isinstance(self.metric, str) and self.metric in OF_ROWS else None

    def _kernel_for(self, X: Any) -> Kernel:
        if self.kernel is not None:
            return super()._kernel_for(X)
        if isinstance(self.metric, str):
            return Linear() if self.metric in OF_ROWS else NamedMetric(self.metric)
        return Similarity(self.metric)

    def _check_distance(self) -> None:
        """Refuse what is no distance, before any work."""
        owner, metric = type(self).__name__, self.metric
        if not isinstance(self.distance, str) or self.distance not in FORMS:
            raise bad(owner, "distance", f"one of {FORMS}", repr(self.distance), "'squared' is the default.")
        known = isinstance(metric, str) and metric in (*METRICS, "precomputed")
        if self.kernel is None and not known and (isinstance(metric, str) or not callable(metric)):
            raise bad(owner, "metric", f"one of {[*METRICS, 'precomputed']}, or a function of two items", repr(metric),
                      "It counts where kernel=None.")  # fmt: skip

    def _data(self, X: Any) -> Data:
        """The training items, after a look at what the machine needs of their values."""
        if self.kernel is None and self._precomputed:
            X = np.asarray(X)
            if X.ndim == 2 and X.size and float(X.min()) < 0.0:
                raise bad(type(self).__name__, "X", "dissimilarities >= 0 for metric='precomputed'",
                          f"{float(X.min()):.6g}", "Pass kernel='precomputed' for kernel values.")  # fmt: skip
        data = super()._data(X)
        if self.kernel is not None:
            require_positive(self, data)
        return data

    def _distances(self, data: Data) -> Distances:
        """Between all training items."""
        return data.distances(self._squared)

    def _keep_items(self, data: Data, index: Array) -> None:
        """The items that new ones are measured from; of a matrix of kernel values also their diagonal."""
        self._kept = data.keep(index)
        self._kept_diagonal = None
        if not data.recomputable and self._squared is not None:
            self._kept_diagonal = np.asarray(data.gram().diag(), dtype=float)[index]
            self._common_diagonal = common_diagonal(data)

    def _nearest(self, X: Any) -> Array:
        """The place of the nearest kept item, for all checked items X."""
        every = np.arange(len(self._kept))
        if self._kept_diagonal is None:
            return self._to_kept(X).nearest(every)[0]
        cross, half = self._kept.cross(X), 0.5 * self._kept_diagonal  # k(x, x) is the same for all of a row
        order = Distances(lambda r, c: half[c] - cross.block(r, c), cross.shape, np.dtype(float), False)
        return order.nearest(every)[0]

    def _to_kept(self, X: Any, diagonal: Any = None) -> Distances:
        """From checked items X to the kept ones; of kernel values given as a matrix, k(x, x) is `diagonal`."""
        cross, squared = self._kept.cross(X), self._squared
        if squared is None:
            return given_dissimilarities(cross)
        if self._kept_diagonal is None:
            return kernel_distances(cross, squared=squared)
        rows = row_diagonal(type(self).__name__, cross.shape[0], diagonal, self._common_diagonal)
        return kernel_distances(cross, squared=squared, diagonals=(rows, self._kept_diagonal))
