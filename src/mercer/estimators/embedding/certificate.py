"""What an embedding proves about itself: how near its eigenvalues are to those of the centred Gram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class EigenCertificate:
    """|H K H v - lambda v| of every axis: an eigenvalue of the centred Gram H K H lies within it of lambda.

    `total` is the sum of all eigenvalues.  With landmarks `missed` is not None: then an eigenvalue of the centred Gram
    is at least the one that was found, and at most `missed` more, if the kernel is positive semi-definite.
    """

    eigenvalues: Array
    residuals: Array
    total: float
    n_iter: int
    converged: bool
    reason: str
    missed: float | None = None

    @property
    def relative_residual(self) -> float:
        """The largest residual in units of its eigenvalue, or of rounding in the largest one."""
        largest = float(np.abs(self.eigenvalues).max(initial=0.0))
        sizes = np.maximum(np.abs(self.eigenvalues), 1e-6 * largest)
        return float(np.max(self.residuals / np.maximum(sizes, 1e-300), initial=0.0))

    def __str__(self) -> str:
        share = f"Their sum is {self._share:.1%} of the trace." if self.total > 0.0 else "The items have no variance."
        if self.missed is not None:
            return (
                f"Each of the {len(self.eigenvalues)} eigenvalues is a lower bound, too small by {self.missed:.3g} at "
                f"most if the kernel is positive semi-definite. {share} Landmarks stand for all items."
            )
        products = f"{self.n_iter} product{'s' * (self.n_iter != 1)}"
        return (
            f"Each of the {len(self.eigenvalues)} eigenvalues is within {self.relative_residual:.1e} (relative) of one "
            f"of the centred Gram. {share} It took {products} with the Gram: {self.reason}."
        )

    @property
    def _share(self) -> float:
        return float(np.maximum(self.eigenvalues, 0.0).sum() / self.total)
