"""Gaussian processes at all points of a grid, with a covariance that is a product over its axes: exact, O(n sum n_j).

    y = f + H b + e,    cov f = v K_1 (x) ... (x) K_p  (Kronecker),    var e = noise,    a flat prior on b

With K_j = U_j diag(w_j) U_j' for every axis, M = v K + noise I has the eigenvectors U = U_1 (x) ... (x) U_p and the
eigenvalues d = v w_1 (x) ... (x) w_p + noise.  So log |M|, products with M^-1 and slopes need one axis at a time:

    d evidence = sum_j <W_j, dK_j>,    W_j = v/2 U_j (sum_c T_c diag(w of the other axes) T_c' - q diag(t)) U_j'

T_c is a column of U'[P Y, sqrt(q) M^-1 H R^-1] with axis j as rows and all others as columns (H'M^-1 H = R'R), and t_i
is the sum of (w of the other axes) / d over all points with index i on axis j.

Rows of Y and H are the points of the grid in the order of their indices, the last axis fastest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer.solvers.products_evidence import evidence_of, weights_of
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class GridProcess:
    """Noisy values at all points of a grid: the Gram of every axis, targets Y (n, q) and a basis H (n, h) of the mean.

    Raises LinAlgError where the covariance is singular.
    """

    grams: tuple[Array, ...]
    Y: Array
    H: Array
    variance: float
    noise: float

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of every axis."""
        return tuple(len(K) for K in self.grams)

    # ---- spectra

    @cached_property
    def _spectra(self) -> list[tuple[Array, Array]]:
        pairs = [np.linalg.eigh(0.5 * (K + K.T)) for K in self.grams]
        return [(np.maximum(w, 0.0), U) for w, U in pairs]

    @cached_property
    def eigenvalues(self) -> Array:
        """d, (n,)."""
        d = self.variance * _outer([w for w, _ in self._spectra]).ravel() + self.noise
        if not d.min() > 0.0:
            raise np.linalg.LinAlgError("the covariance of the grid is singular")
        return d

    @cached_property
    def _rotated(self) -> Array:
        """U'[Y H]."""
        return _along(np.hstack([self.Y, self.H]), [U.T for _, U in self._spectra])

    @cached_property
    def products(self) -> Array:
        """[Y H]'M^-1 [Y H]."""
        return np.asarray(self._rotated.T @ (self._rotated / self.eigenvalues[:, None]))

    @property
    def q(self) -> int:
        """How many targets there are."""
        return int(self.Y.shape[1])

    @cached_property
    def weights(self) -> Array:
        """b (h, q)."""
        return weights_of(self.products, self.q)

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """U'P Y (n, q), and U'M^-1 H R^-1 (n, h)."""
        q, d = self.q, self.eigenvalues[:, None]
        Y, H = self._rotated[:, :q], self._rotated[:, q:]
        root = np.linalg.cholesky(self.products[q:, q:])
        return (Y - H @ self.weights) / d, np.linalg.solve(root, H.T).T / d

    @cached_property
    def coef(self) -> Array:
        """P Y (n, q): f(x) = sum_j k(x, x_j) coef_j."""
        return _along(self._solved[0], [U for _, U in self._spectra])

    # ---- evidence

    @cached_property
    def evidence(self) -> float:
        """log p(Y), summed over the targets, restricted if H has columns."""
        return evidence_of(float(np.log(self.eigenvalues).sum()), self.products, len(self.Y), self.q)

    def slopes(self) -> tuple[list[Array], float]:
        """The derivative of the evidence in the Gram of every axis, and that in the noise."""
        A, E = self._solved
        q = self.q
        columns = np.hstack([A, np.sqrt(q) * E])
        noise = 0.5 * float((columns**2).sum() - q * (1.0 / self.eigenvalues).sum())
        return [self._slope_of_axis(j, columns) for j in range(len(self.grams))], noise

    def _slope_of_axis(self, j: int, columns: Array) -> Array:
        """W_j."""
        w, shape = [w for w, _ in self._spectra], self.shape
        w[j] = np.ones(shape[j])
        others = np.moveaxis(_outer(w), j, 0).reshape(shape[j], -1)
        d = np.moveaxis(self.eigenvalues.reshape(shape), j, 0).reshape(shape[j], -1)
        T = np.moveaxis(columns.reshape(*shape, -1), j, 0).reshape(*d.shape, -1)
        core = np.tensordot(T * others[..., None], T, axes=([1, 2], [1, 2]))
        core.flat[:: shape[j] + 1] -= self.q * (others / d).sum(axis=1)
        U = self._spectra[j][1]
        return np.asarray(0.5 * self.variance * U @ core @ U.T)

    def residual(self) -> float:
        """|M coef + H b - Y| / |Y|, with the Grams themselves and not their spectra."""
        left = self.variance * _along(self.coef, list(self.grams)) + self.noise * self.coef
        left += self.H @ self.weights - self.Y
        return float(np.linalg.norm(left) / max(float(np.linalg.norm(self.Y)), np.finfo(float).tiny))

    # ---- new points

    def moments(self, cross: list[Array], prior: Array, H: Array) -> tuple[Array, Array]:
        """Mean (m, q) and variance (m,) of f + H b at new points.

        `cross` holds, for every axis, the kernel values (m, n_j) between new points and levels; `prior` is k(x, x).
        """
        F, u = self._new(cross, H)
        explained = (F * F) @ (1.0 / self.eigenvalues)
        return self._means(F, H), prior - explained + np.einsum("ij,ij->i", u, u)

    def joint(self, cross: list[Array], prior: Array, H: Array) -> tuple[Array, Array]:
        """Mean (m, q) and covariance (m, m); `prior` is k(x, x') of the new points."""
        F, u = self._new(cross, H)
        return self._means(F, H), prior - (F / self.eigenvalues) @ F.T + u @ u.T

    def _new(self, cross: list[Array], H: Array) -> tuple[Array, Array]:
        """v U'k(x) by rows, and R^-T (h(x) - H'M^-1 k(x))."""
        F = self.variance * _rows([C @ U for C, (_, U) in zip(cross, self._spectra, strict=True)])
        root = np.linalg.cholesky(self.products[self.q :, self.q :])
        return F, np.linalg.solve(root, H.T).T - F @ self._solved[1]

    def _means(self, F: Array, H: Array) -> Array:
        return np.asarray(F @ self._solved[0] + H @ self.weights)


def _outer(vectors: list[Array]) -> Array:
    """The products of one entry of each vector, for all choices of entries."""
    out = vectors[0]
    for v in vectors[1:]:
        out = out[..., None] * v
    return np.asarray(out)


def _along(V: Array, matrices: list[Array]) -> Array:
    """(A_1 (x) ... (x) A_p) V."""
    T = V.reshape(*(A.shape[1] for A in matrices), -1)
    for j, A in enumerate(matrices):
        T = np.moveaxis(np.tensordot(A, T, axes=(1, j)), 0, j)
    return np.ascontiguousarray(T.reshape(len(V), -1))


def _rows(matrices: list[Array]) -> Array:
    """Every row the Kronecker product of the rows of the matrices."""
    out = matrices[0]
    for A in matrices[1:]:
        out = (out[:, :, None] * A[:, None, :]).reshape(len(A), -1)
    return out
