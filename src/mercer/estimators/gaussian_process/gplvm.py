"""GP-LVM: probabilistic PCA with a kernel.

PCA explains data by a linear map from few latent coordinates.  Here the map is drawn from a Gaussian process with
kernel k, one draw per column of the data, and the latent points are fitted:

    maximise over Z    sum_d log N(y_d | 0, K(Z) + s^2 I)

together with the hyper-parameters of k and the noise s^2.  With the linear kernel the answer is PCA's.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.engine.fill import require_memory
from mercer.errors import bad
from mercer.estimators.base import interruptible, positive
from mercer.estimators.kernel_argument import written
from mercer.estimators.sklearn_kernels import is_foreign, noiseless
from mercer.gram import LazyGram
from mercer.kernels import RBF, Fixed, Kernel
from mercer.kernels.checked_values import diagonal
from mercer.kernels.input_gradient import input_gradient
from mercer.linalg.cholesky import factorise
from mercer.solvers.gplvm import LatentClimb, climb, condensed, ppca, shared_evidence
from mercer.typing import Array

_NOISE = (1e-6, 1e2)  # bounds of s^2, for data scaled to variance 1
_RESTART_SPREAD = 0.5  # standard deviation of random starts around PCA's scores
_FARTHEST = 1e100  # new rows may be so many standard deviations away: squares must stay finite
_STARTS = 3  # fitted points that serve as starts for the latent point of a new row


class GPLVM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Latent points for vectors, from a Gaussian process.

    n_components          q, the number of latent coordinates
    kernel                a kernel on vectors of length q; None is a variance times RBF of lengthscale 1, fixed because
                          the scale of the latent points is arbitrary.  Free hyper-parameters are fitted
    n_restarts            starts besides PCA's: PCA's scores, moved at random
    tol, max_iter         of L-BFGS-B: it stops at slopes below tol; steps per start
    random_state          of the restarts

    Data are centred and divided by one number, their overall standard deviation (`mean_`, `scale_`); kernel_ and noise_
    are in these units.  After fit: embedding_ (n, q), kernel_, noise_ (s^2), log_likelihood_, n_iter_, converged_ and
    climbs_, the end of every start, best first.
    """

    def __init__(
        self,
        n_components: int = 2,
        kernel: Any = None,
        *,
        n_restarts: int = 0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.n_restarts = n_restarts
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @interruptible
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the latent points of the rows of X; y is ignored."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self._check(X)
        n, D = X.shape
        require_memory(f"GPLVM of {n} rows", 5 * 8 * n * n, "Fit a sample of the rows.")
        size = float(np.abs(X).max()) or 1.0  # keeps the squares of huge numbers finite
        self.mean_ = size * (X / size).mean(axis=0)
        spread = size * float(np.sqrt(np.mean((X / size - self.mean_ / size) ** 2)))
        self.scale_ = spread if spread > 0.0 else 1.0
        Y = (X - self.mean_) / self.scale_
        kernel = self._kernel()
        shape, few = (n, self.n_components), condensed(Y)

        def objective(x: Array) -> tuple[float, Array]:
            return _value_and_slope(x, shape, kernel, few, D)

        log_noise = np.log(_NOISE)
        bounds = np.vstack([np.tile([-np.inf, np.inf], (n * shape[1], 1)), kernel.bounds, log_noise])
        starts = self._starts(Y, kernel)
        self.climbs_ = climb(objective, starts, bounds, tol=self.tol, max_iter=self.max_iter)
        return self._keep(self.climbs_[0], kernel, Y)

    def _check(self, X: Array) -> None:
        owner, q = type(self).__name__, self.n_components
        if not isinstance(q, Integral) or not 1 <= q < len(X):
            raise bad(owner, "n_components", f"an integer from 1 to {len(X) - 1}, below the number of rows", repr(q),
                      "2 makes a picture.")  # fmt: skip
        for name, least in (("n_restarts", 0), ("max_iter", 1)):
            if not isinstance(getattr(self, name), Integral) or getattr(self, name) < least:
                raise bad(owner, name, f"an integer >= {least}", repr(getattr(self, name)), "See the documentation.")
        positive(owner, "tol", self.tol)

    def _kernel(self) -> Kernel:
        if self.kernel is None:
            return 1.0 * RBF(Fixed(1.0))
        found = noiseless("GPLVM", self.kernel, None) if is_foreign(self.kernel) else written(self.kernel)
        if found is None:
            raise bad("GPLVM", "kernel", "None, a kernel object on vectors or an expression", repr(self.kernel),
                      "Pass e.g. RBF(1.0).")  # fmt: skip
        return found

    def _starts(self, Y: Array, kernel: Kernel) -> list[Array]:
        """PCA's scores at standard deviation 1 with PCA's noise, and the same scores moved at random."""
        Z, noise, _ = ppca(Y, self.n_components)
        spread = Z.std(axis=0)
        Z = Z / np.where(spread > 0.0, spread, 1.0)
        random = check_random_state(self.random_state)
        unused = spread == 0.0  # more components than the data have; at 0 their slope would be 0
        Z[:, unused] = _RESTART_SPREAD * random.normal(size=(len(Y), int(unused.sum())))
        moved = [Z + _RESTART_SPREAD * random.normal(size=Z.shape) for _ in range(self.n_restarts)]
        rest = [*kernel.theta, np.log(np.clip(noise, 1e-2, 1.0))]
        return [np.concatenate([start.ravel(), rest]) for start in (Z, *moved)]

    def _keep(self, best: LatentClimb, kernel: Kernel, Y: Array) -> Self:
        Z, self.kernel_, noise = _parts(best.x, (len(Y), self.n_components), kernel)
        self.embedding_ = Z - Z.mean(axis=0) if self.kernel_.stationary else Z
        self.noise_, self.log_likelihood_ = noise, best.value
        self.n_iter_, self.converged_ = best.n_iter, best.converged
        self._factor = factorise(_covariance(self.kernel_, self.embedding_, noise))
        self._rows, self._coef = Y, self._factor.solve(Y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """The latent points of the rows of X."""
        return self.fit(X).embedding_

    @property
    def _n_features_out(self) -> int:
        """The number of latent coordinates, for get_feature_names_out."""
        return int(self.embedding_.shape[1])

    def transform(self, X: Any) -> Array:
        """The latent points of new rows: argmax over z of log p(row | z), all else as fitted.

        A climb starts at the fitted points that explain a row best.  Rows that were fitted keep their points.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        Y = (X - self.mean_) / self.scale_
        if np.abs(Y).max() > _FARTHEST:
            raise bad("GPLVM", "X", f"within {_FARTHEST:.0e} standard deviations of the rows of training",
                      f"a row {np.abs(Y).max():.1e} away", "Check its units.")  # fmt: skip
        own = {row.tobytes(): z for row, z in zip(self._rows, self.embedding_, strict=True)}
        return np.array([own[y.tobytes()] if y.tobytes() in own else self._placed(y) for y in Y])

    def _placed(self, y: Array) -> Array:
        """The most probable latent point of one row."""
        starts = self.embedding_[np.argsort(-self._log_densities(y))[:_STARTS]]
        bounds = np.tile([-np.inf, np.inf], (self.embedding_.shape[1], 1))
        ends = climb(lambda z: self._density(y, z), list(starts), bounds, tol=self.tol, max_iter=self.max_iter)
        return ends[0].x

    def _log_densities(self, y: Array) -> Array:
        """log p(y | z) at every fitted point z, without its constant."""
        C = self._factor.times(np.eye(len(self._factor)))
        K = C - self.noise_ * np.eye(len(C))
        variance = np.diagonal(C) - np.square(self._factor.half(K)).sum(axis=0)
        return _normal(np.square(y - K @ self._coef).sum(axis=1), variance, len(y))

    def _density(self, y: Array, z: Array) -> tuple[float, Array]:
        """log p(y | z) = -D/2 log v - |y - m|^2 / 2 v with the moments m, v of a row at z, and its slope in z."""
        z, D = z[None], len(y)
        k = LazyGram(self.kernel_, z, self.embedding_).dense()[0]
        solved = self._factor.solve(k)
        rest = y - k @ self._coef
        v = float(diagonal(self.kernel_, self.kernel_.prepare(z))[0]) + self.noise_ - float(k @ solved)
        square = float(rest @ rest)
        dv = 0.5 * (square / v - D) / v
        slope = input_gradient(self.kernel_, z, self.embedding_, (self._coef @ rest / v - 2.0 * dv * solved)[None])
        slope += input_gradient(self.kernel_, z, z, np.array([[2.0 * dv]]))
        return float(_normal(np.array(square), np.array(v), D)), slope[0]

    def inverse_transform(self, Z: Any) -> Array:
        """The mean of the data at latent points Z: k(Z, embedding) C^-1 Y, back in the units of the data."""
        check_is_fitted(self)
        cross = LazyGram(self.kernel_, np.asarray(Z, dtype=np.float64), self.embedding_)
        return np.asarray(self.mean_ + self.scale_ * (cross @ self._coef))


def _normal(square: Array, variance: Array, D: int) -> Array:
    """The log density of D normal numbers of one variance, without its constant."""
    return np.asarray(-0.5 * (D * np.log(variance) + square / variance))


def _parts(x: Array, shape: tuple[int, int], kernel: Kernel) -> tuple[Array, Kernel, float]:
    """Latent points, kernel and noise from the vector of all parameters."""
    size = shape[0] * shape[1]
    return x[:size].reshape(shape), kernel.with_theta(x[size:-1]), float(np.exp(x[-1]))


def _covariance(kernel: Kernel, Z: Array, noise: float) -> Array:
    C = LazyGram(kernel, Z).dense()
    C.flat[:: len(C) + 1] += noise
    return C


def _value_and_slope(x: Array, shape: tuple[int, int], kernel: Kernel, Y: Array, columns: int) -> tuple[float, Array]:
    """L and its slope in (Z, theta, log s^2)."""
    Z, kernel, noise = _parts(x, shape, kernel)
    value, M, _ = shared_evidence(_covariance(kernel, Z, noise), Y, columns)
    theta = LazyGram(kernel, Z).vjp(M) if len(x) > Z.size + 1 else np.empty(0)
    points = input_gradient(kernel, Z, Z, 2.0 * M)
    return value, np.concatenate([points.ravel(), theta, [noise * np.trace(M)]])
