"""The signature kernel of paths: the inner product of all their iterated integrals."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import PointLists
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.function_of_kernel import is_count
from mercer.kernels.prepared_points import Points, require_points, same_points
from mercer.native import signature
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array

_FINEST = 10  # 4^10 cells per pair of increments


@kernel
class SignaturePDE(Kernel):
    """k(x, y) = <S(x / l), S(y / l)>, where S holds all iterated integrals of a path (Salvi et al., 2021).

    The points of a list are joined by straight lines.  k solves d2k/ds dt = <x'(s), y'(t)> k / l^2 with k = 1 on the
    edges; it is computed on a grid with `2^refinement` steps per line, by a scheme of second order.  Where a path
    starts does not count, nor how fast it is run through; append time as a column if it should.

    The exact kernel is positive semi-definite; what the scheme computes is not, and `psd` is False.  A Gram can have
    negative eigenvalues: small ones where <dx, dy> / l^2 is well below 1 for all pairs of steps, and large ones where
    it is not.  Once steps are short, each refinement divides the error by about four.  `mercer.certify` measures the
    smallest eigenvalue on your data; to raise it, lengthen l or refine.
    """

    lengthscale: Parameter = hyper(1.0)
    refinement: int = 0

    items = PointLists
    psd = False  # the exact one is; of the scheme, long steps give a negative eigenvalue
    costly = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_count(self.refinement) or self.refinement > _FINEST:
            raise bad("SignaturePDE", "refinement", f"an integer from 0 to {_FINEST}", repr(self.refinement),
                      "Each step of it makes the grid four times as large.")  # fmt: skip

    @property
    def _settings(self) -> tuple[float, int]:
        return 1.0 / value(self.lengthscale) ** 2, int(self.refinement)

    def prepare_in(self, X: PointLists, frame: Any, pool: Pool) -> Points:
        """The increments of the paths; a path of one point has none."""
        require_points("SignaturePDE", X)
        inside = np.ones(max(len(X.points) - 1, 0), dtype=bool)
        inside[X.ends[1:-1] - 1] = False  # from the end of one path to the start of the next
        return Points(np.diff(X.points, axis=0)[inside], X.ends - np.arange(len(X) + 1))

    def block(self, A: Points, B: Points) -> Array:
        same_points(A, B)
        out = np.empty((len(A), len(B)))
        signature.signature(*A.arrays(), *B.arrays(), *self._settings, out)
        return out

    def parameter_gradients(self, A: Points, B: Points, W: Array) -> dict[str, Any]:
        """dk/dl = -2 / l dk/dlog(1 / l^2)."""
        same_points(A, B)
        out, slope = np.empty((len(A), len(B))), np.empty((len(A), len(B)))
        signature.signature_slope(*A.arrays(), *B.arrays(), *self._settings, out, slope)
        return {"lengthscale": -2.0 * float(np.vdot(W, slope)) / value(self.lengthscale)}
