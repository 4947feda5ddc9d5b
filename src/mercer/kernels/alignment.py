"""The global alignment kernel of time series: all ways to match two sequences, by how near the matched points are."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import PointLists
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_points import Points, require_points, same_points
from mercer.native import alignment
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array


@kernel
class GlobalAlignment(Kernel):
    """k(x, y) = S(x, y) / sqrt(S(x, x) S(y, y)), where S sums over all alignments of two sequences (Cuturi, 2007).

    An alignment walks from the first to the last points of both and moves on in x, in y or in both; it counts as the
    product of e / (2 - e) over the pairs of points it meets, e = exp(-|x_i - y_j|^2 / (2 l^2)).  With a `band`, e is
    multiplied by max(0, 1 - |i - j| / band): pairs that far apart in time never meet, which saves their time, and
    sequences whose lengths differ as much have the value 0.

    S itself grows like 5.8^length; `log(X, Y)` gives its logarithm.
    """

    lengthscale: Parameter = hyper(1.0)
    band: float | None = None

    items = PointLists
    psd = True
    psd_reason = "a sum over alignments whose local kernel c has a positive c / (1 + c) = e / 2 (Cuturi), normalised"
    bound = 1.0
    costly = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.band is not None and not (_is_number(self.band) and 0.0 < self.band < np.inf):
            raise bad("GlobalAlignment", "band", "a number above 0, or None", repr(self.band),
                      "It is the distance in time at which points no longer meet.")  # fmt: skip
        if not np.isfinite(value(self.lengthscale)):
            raise bad("GlobalAlignment", "lengthscale", "finite", value(self.lengthscale), "Use a large number.")

    @property
    def _settings(self) -> tuple[float, float]:
        """gamma = 1 / (2 l^2), and the band."""
        return 0.5 / value(self.lengthscale) ** 2, np.inf if self.band is None else float(self.band)

    def prepare_in(self, X: PointLists, frame: Any, pool: Pool) -> Points:
        """The ratios by which S(x, x) grows from point to point, and their derivatives in gamma."""
        require_points("GlobalAlignment", X)
        ratio, slope = np.empty(len(X.points)), np.empty(len(X.points))
        alignment.own_ratios(X.points, X.ends, *self._settings, ratio, slope)
        return Points(X.points, X.ends, (ratio, slope))

    def block(self, A: Points, B: Points) -> Array:
        same_points(A, B)
        out = np.empty((len(A), len(B)))
        alignment.align(*A.arrays(0), *B.arrays(0), *self._settings, out)
        return out

    def diag(self, A: Points) -> Array:
        return np.ones(len(A))

    def parameter_gradients(self, A: Points, B: Points, W: Array) -> dict[str, Any]:
        """dk/dl = dk/dgamma dgamma/dl, and dgamma/dl = -1 / l^3."""
        same_points(A, B)
        out, slope = np.empty((len(A), len(B))), np.empty((len(A), len(B)))
        alignment.align_slope(*A.arrays(0, 1), *B.arrays(0, 1), *self._settings, out, slope)
        return {"lengthscale": -float(np.vdot(W, slope)) / value(self.lengthscale) ** 3}

    def log(self, X: Any, Y: Any = None) -> Array:
        """log S(X, Y), the sum before it is normalised; -inf where it is 0."""
        A = self.prepare(X)
        B = A if Y is None else self.prepare(Y)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self(X, Y)) + _log_root(A)[:, None] + _log_root(B))


def _log_root(A: Points) -> Array:
    """log sqrt(S(x, x)), minus the sum of the logarithms of the ratios."""
    return -np.add.reduceat(np.log(A.more[0]), A.ends[:-1]) if len(A) else np.empty(0)


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float, np.integer, np.floating)) and not isinstance(x, bool)
