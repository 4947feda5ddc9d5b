"""What the classifier and the regressor of nearest neighbours share: items, distances, and graphs of neighbours."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.kernel_argument import NAMES, written
from mercer.estimators.neighbours.search import Neighbours
from mercer.estimators.neighbours.weights import require_weights, weights_of
from mercer.estimators.positivity import require_positive
from mercer.typing import Array

MODES = ("connectivity", "distance")
PROVED = 64  # training items whose neighbours the certificate proves


class KernelNeighbours(KernelEstimator):
    """A machine that asks the n_neighbors training items nearest to a new one, by the distance of their kernel."""

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        check_psd: str = "warn",
    ) -> None:
        self.n_neighbors, self.weights, self.kernel = n_neighbors, weights, kernel
        self.gamma, self.degree, self.coef0, self.check_psd = gamma, degree, coef0, check_psd

    # ---- fitting

    def _remember(self, X: Any) -> None:
        """Keep the checked training items, and k(x, x) of each."""
        owner = type(self).__name__
        require_weights(owner, self.weights)
        data = self._data(X).double()
        self.n_samples_fit_ = len(data)
        self._require_count("n_neighbors", self.n_neighbors, len(data))
        require_positive(self, data)
        self._diag = np.asarray(data.gram().diag(), dtype=np.float64)
        self._kept = data.keep(np.arange(len(data))) if self._precomputed else data

    def _require_count(self, name: str, count: Any, most: int) -> None:
        """Refuse a number of neighbours that there are not."""
        if not isinstance(count, Integral) or isinstance(count, bool) or int(count) < 1:
            raise bad(type(self).__name__, name, "an integer >= 1", repr(count), "5 is the default.")
        if int(count) > most:
            given = f"{count} with {most} sample{'s' * (most != 1)}"
            raise bad(type(self).__name__, name, f"at most the number of training items ({most})", given,
                      "Ask for fewer, or fit to more items.")  # fmt: skip

    @property
    def takes_gram(self) -> bool:
        """Whether a search gives kernel values in place of items.

        Not for kernels of |x - y|, whose neighbours are found from the rows: quicker, and right also where k = 0.  And
        not for weights that need distances, as k(x, x) of new items is not among the values.
        """
        kernel = written(self.kernel)
        if kernel is None and self.by_name:
            kernel = NAMES[self.kernel](1.0, 2.0, 0.0)
        by_rows = kernel is not None and kernel.distance_of_rows(np.zeros((1, 1))) is not None
        return isinstance(self.weights, str) and self.weights == "uniform" and not by_rows

    # ---- what follows from it

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """(distances, positions) of the nearest training items of every item, the nearest first, ties by position.

        Without X, of every training item among the others.  n_neighbors is that of the machine if None.
        """
        check_is_fitted(self)
        found = self._neighbours(X, n_neighbors)
        return (found.distances, found.index) if return_distance else found.index

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The sparse matrix (items, training items) with 1, or for mode="distance" the distance, at each neighbour."""
        from scipy.sparse import csr_matrix

        check_is_fitted(self)
        if mode not in MODES:
            raise bad(type(self).__name__, "mode", f"one of {MODES}", repr(mode), "'connectivity' is the default.")
        found = self._neighbours(X, n_neighbors)
        m, count = found.index.shape
        entries = np.ones(m * count) if mode == "connectivity" else found.distances.ravel()
        starts = np.arange(0, m * count + 1, count)
        return csr_matrix((entries, found.index.ravel(), starts), shape=(m, self.n_samples_fit_))

    def _neighbours(self, X: Any, n_neighbors: int | None = None) -> Neighbours:
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        if X is None:
            if self._precomputed:
                raise bad(type(self).__name__, "X", "given for a precomputed kernel", "None",
                          "Pass the training Gram; every item is then its own first neighbour.")  # fmt: skip
            self._require_count("n_neighbors", count, self.n_samples_fit_ - 1)
            return Neighbours.within(self._kept, int(count))
        self._require_count("n_neighbors", count, self.n_samples_fit_)
        return Neighbours.of(self._kept, self._diag, self._checked(X, reset=False), int(count))

    def _weighed(self, found: Neighbours) -> Array | None:
        return weights_of(type(self).__name__, self.weights, found)

    @property
    def certificate_(self) -> Any:
        """The neighbours of up to 64 training items against all their distances in double precision (NeighbourProof).

        Not for a precomputed kernel, whose values are not kept; `mercer.verify` proves all items.
        """
        if not hasattr(self, "_kept") or self._precomputed:
            raise AttributeError(f"{type(self).__name__} has certificate_ after a fit to items")
        from mercer.estimators.neighbours.verify import prove

        kept: Any = self._kept
        some = np.unique(np.linspace(0, self.n_samples_fit_ - 1, PROVED).astype(np.intp))
        index = Neighbours.of(kept, self._diag, kept.items[some], int(self.n_neighbors)).index
        return prove(index, kept.gram(), some)
