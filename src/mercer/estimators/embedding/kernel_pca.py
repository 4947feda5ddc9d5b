"""Kernel PCA, with scikit-learn's arguments; the mathematics is in solvers/principal_axes.py."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from mercer.config import config
from mercer.engine.interrupts import interrupted
from mercer.engine.tiles import cuts
from mercer.errors import bad, warn
from mercer.estimators.base import KernelEstimator
from mercer.estimators.embedding import pre_images
from mercer.estimators.embedding.axes import (
    NYSTROEM,
    SOLVERS,
    Effort,
    Placed,
    not_negative,
    place,
    require_no_negative,
    seed_of,
    whole,
)
from mercer.estimators.low_rank import LANDMARKS, METHODS, Work, require_few, takes_landmarks
from mercer.estimators.positivity import require_positive
from mercer.estimators.training_data import Approximation, Data
from mercer.items import Vectors
from mercer.items.vectors import is_sparse
from mercer.solvers.landmarks import RULES
from mercer.typing import Array

_PANEL = 2**22  # kernel values at a time in a search for fixed points
_ASYMMETRY = 1e-8  # of the largest entry of a given Gram: more is told


class AsymmetricGram(UserWarning):
    """A given Gram is not symmetric; its symmetric part was taken."""


def _exact(n: int) -> Work:
    """Products with the Gram, which is stored where it fits the budget."""
    return Work(1000.0 * float(n) ** 2, 0.5 * float(n) ** 2, min(8.0 * float(n) ** 2, float(config().memory)))


@takes_landmarks(_exact, stores=False, data=False)
class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """The axes of largest variance in the space of a kernel, and the scores of items on them.

    H K H v = lambda v with H = I - 11'/n; scores of training items are sqrt(lambda) v, those of others
    sum_j (k(x, x_j) - mean_t k(x_t, x_j)) v_j / sqrt(lambda).

    n_components, kernel, gamma, degree, coef0, kernel_params, fit_inverse_transform, remove_zero_eig, random_state,
    copy_X and n_jobs are scikit-learn's.  Beyond that

    kernel          any kernel on any kind of item, or "precomputed"
    eigen_solver    "dense": LAPACK;  "krylov" (also "arpack" and "randomized"): block Krylov on products with the
                    Gram, which is stored or streamed;  "nystroem": n_landmarks items stand for all;  "auto": dense for
                    few items or many axes, landmarks above 50 000 items or where the Gram of a slow kernel does not
                    fit the memory, else krylov
    tol, max_iter   largest residual in units of its eigenvalue (0 is 1e-6: eigenvalues are then right to about 1e-12),
                    and most products with the Gram
    method          "auto": as eigen_solver says;  "exact": never landmarks;  "nystrom": landmarks, as with "nystroem"
    n_landmarks     how many; None: 1000, or all items
    landmarks       "rpcholesky", "uniform", "kmeans++" or "leverage": how they are chosen
    alpha           of the regression behind inverse_transform; None chooses it by leave-one-out
    inverse         "ridge": a regression of rows on scores with a width of its own, chosen by leave-one-out;
                    "fixed_point": the row whose feature vector is nearest, for the Gaussian kernel
    check_psd       "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite

    After fit: eigenvalues_, eigenvectors_, gamma_, X_fit_ as in scikit-learn; explained_variance_ratio_ (shares of the
    trace of the centred Gram); certificate_ (residuals that prove the eigenvalues), solver_, method_, approximation_
    (rank and trace error of landmarks), n_iter_, converged_; with fit_inverse_transform also dual_coef_,
    X_transformed_fit_ and inverse_kernel_.  The sign of an axis is such that the largest entry of its vector is
    positive.  More components than the rank have eigenvalue and scores 0.
    """

    takes_spread = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        alpha: float | None = None,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: Any = "auto",
        remove_zero_eig: bool = False,
        random_state: Any = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        inverse: str = "ridge",
        n_landmarks: int | None = None,
        check_psd: str = "warn",
        method: str = "auto",
        landmarks: str = "rpcholesky",
    ) -> None:
        self.n_components, self.kernel, self.kernel_params = n_components, kernel, kernel_params
        self.gamma, self.degree, self.coef0 = gamma, degree, coef0
        self.alpha, self.fit_inverse_transform, self.inverse = alpha, fit_inverse_transform, inverse
        self.eigen_solver, self.tol, self.max_iter, self.iterated_power = eigen_solver, tol, max_iter, iterated_power
        self.remove_zero_eig, self.random_state, self.copy_X, self.n_jobs = (
            remove_zero_eig,
            random_state,
            copy_X,
            n_jobs,
        )
        self.n_landmarks, self.check_psd = n_landmarks, check_psd
        self.method, self.landmarks = method, landmarks

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.sparse and not self.fit_inverse_transform
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # ---- fitting

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the axes of the items X; y is ignored."""
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """The scores of the items X on their axes."""
        return self._fit(X)

    def _fit(self, X: Any) -> Array:
        """Fit, and give the scores of X."""
        effort = self._effort()
        if self.fit_inverse_transform and self._precomputed:
            raise ValueError(
                "KernelPCA: Cannot fit_inverse_transform with a precomputed kernel: rows are not known. "
                "Pass the rows and the kernel."
            )
        X = self._checked(X, reset=True)
        data = self._data(_symmetric(X) if self._precomputed else X)
        require_positive(self, data)
        if self.by_name:
            self.gamma_ = self._gamma(X)
        count = min(whole("KernelPCA", "n_components", self.n_components, optional=True) or _most_axes(data), len(data))
        if effort.landmarks is not None and self.n_landmarks is not None and self.method == "nystrom":
            require_few("KernelPCA", self.n_landmarks, len(data))
        found = place("KernelPCA", data.double().gram(), count, effort)
        require_no_negative("KernelPCA", found.values)
        if self.remove_zero_eig or self.n_components is None:
            found = found.some(found.values > 0.0)
        self._keep_axes(X, data, found)
        if self.fit_inverse_transform:
            self._learn_inverse(X, found.scores)
        return _like(found.scores, X)

    def reads_blocks(self, n: int) -> bool:
        """On landmarks, if these are asked for."""
        return isinstance(self.method, str) and self.method == "nystrom"

    def _effort(self) -> Effort:
        """The arguments about the solution, checked."""
        owner = "KernelPCA"
        if not isinstance(self.eigen_solver, str) or self.eigen_solver not in SOLVERS:
            raise bad(owner, "eigen_solver", f"one of {tuple(SOLVERS)}", repr(self.eigen_solver), "Leave it out.")
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise bad(owner, "method", f"one of {METHODS}", repr(self.method), "'auto' is the default.")
        if not isinstance(self.landmarks, str) or self.landmarks not in RULES:
            raise bad(owner, "landmarks", f"one of {RULES}", repr(self.landmarks), "'rpcholesky' is the default.")
        if self.method == "exact" and self.eigen_solver == NYSTROEM:
            raise bad(owner, "eigen_solver", "another one for method='exact'", repr(NYSTROEM), "Leave one of them out.")
        few = whole(owner, "n_landmarks", self.n_landmarks, optional=True) or LANDMARKS
        return Effort(
            NYSTROEM if self.method == "nystrom" else self.eigen_solver, not_negative(owner, "tol", self.tol),
            None if self.method == "exact" else few, whole(owner, "max_iter", self.max_iter, optional=True),
            seed_of(self.random_state), self.landmarks,
        )  # fmt: skip

    def _keep_axes(self, X: Any, data: Any, found: Placed) -> None:
        self.eigenvalues_, self.eigenvectors_ = np.maximum(found.values, 0.0), found.vectors
        self.certificate_, self.solver_ = found.certificate, found.solver
        self.n_iter_, self.converged_ = found.certificate.n_iter, found.certificate.converged
        total = found.certificate.total
        self.explained_variance_ratio_ = self.eigenvalues_ / total if total > 0.0 else np.zeros_like(self.eigenvalues_)
        self.method_ = "nystrom" if found.solver == NYSTROEM else "exact"
        self.approximation_ = None if self.method_ == "exact" else _missed(found, self.landmarks, data)
        self.support_ = found.index.astype(np.int32)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(data),)
        self._kept, self._coef, self._constant = data.keep(found.index), found.coef, found.constant

    # ---- what is known after it

    @property
    def X_fit_(self) -> Any:
        """The items that scores are computed from, as they were passed; none for a precomputed matrix."""
        if not hasattr(self, "_kept"):
            raise AttributeError("KernelPCA has X_fit_ after fit")
        return self._kept.as_passed() if self._kept.recomputable else None

    @property
    def _n_features_out(self) -> int:
        """The number of axes, for get_feature_names_out."""
        return len(self.eigenvalues_)

    def transform(self, X: Any) -> Array:
        """The scores of items, one column per axis; kernel values are streamed."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return _like(self._kept.evaluate(X, self._coef) + self._constant, X)

    # ---- back to rows

    def _learn_inverse(self, X: Any, scores: Array) -> None:
        if self.inverse not in ("ridge", "fixed_point"):
            raise bad("KernelPCA", "inverse", "'ridge' or 'fixed_point'", repr(self.inverse), "Leave it out.")
        rows = X.values if isinstance(X, Vectors) else X
        if is_sparse(rows) or not isinstance(self._kept.items, Vectors):
            raise bad("KernelPCA", "X", "dense rows of numbers for fit_inverse_transform",
                      "sparse rows" if is_sparse(rows) else type(rows).__name__,
                      "Items of other kinds have no pre-images.")  # fmt: skip
        alpha = None if self.alpha is None else not_negative("KernelPCA", "alpha", self.alpha)
        self.X_transformed_fit_ = scores
        if self.inverse == "fixed_point":
            if not pre_images.is_gaussian(self._kept.kernel):
                raise bad("KernelPCA", "kernel", "the Gaussian kernel for inverse='fixed_point'",
                          repr(self._kept.kernel), "inverse='ridge' works for every kernel.")  # fmt: skip
            return
        if len(scores) < 2:
            raise bad("KernelPCA", "X", "two rows or more for fit_inverse_transform", "1 sample", "Pass more.")
        if interrupted():
            return
        rows = np.asarray(rows, dtype=float)
        self._unit = float(np.abs(rows).max()) or 1.0  # so that squares of huge numbers are finite
        self._ridge = pre_images.ridge_of(scores, rows / self._unit, alpha, seed_of(self.random_state))
        self.dual_coef_ = self._unit * self._ridge.best_estimator_.dual_coef_
        self.inverse_kernel_, self.inverse_alpha_ = self._ridge.kernel_, self._ridge.alpha_

    def inverse_transform(self, X: Any) -> Array:
        """Rows whose scores are about X."""
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "KernelPCA: fit_inverse_transform must be True for inverse_transform; got False. Set it and fit again."
            )
        scores = check_array(X, dtype=np.float64)
        if scores.shape[1] != len(self.eigenvalues_):
            raise bad("KernelPCA", "X", f"scores on {len(self.eigenvalues_)} axes", f"{scores.shape[1]} columns",
                      "Pass what transform gives.")  # fmt: skip
        return self._fixed_points(scores) if self.inverse == "fixed_point" else self._unit * self._ridge.predict(scores)

    def _fixed_points(self, scores: Array) -> Array:
        kept = self._kept
        rows = np.asarray(kept.items.values, dtype=float)
        A, starts = (
            self._coef - self._coef.mean(axis=0),
            pre_images.nearest(self.X_transformed_fit_[self.support_], scores),
        )
        parts = [
            pre_images.fixed_points(
                lambda Z: np.asarray(kept.cross(Z).rows(np.arange(len(Z))), dtype=float), rows,
                scores[r] @ A.T + 1.0 / len(rows), starts[:, r],
            )
            for r in cuts(len(scores), max(1, _PANEL // len(rows)))
        ]  # fmt: skip
        return np.vstack(parts)


def _missed(found: Placed, rule: str, data: Data) -> Approximation:
    """What the landmarks miss of the Gram."""
    missed, trace = float(found.certificate.missed or 0.0), float(np.sum(data.gram().diag()))
    return Approximation("nystrom", len(found.index), rule, missed, missed / max(trace, 1e-300))


def _most_axes(data: Data) -> int:
    """A bound on the number of axes with variance: the items, or the features of the kernel where these are fewer."""
    if data.kernel is None or not isinstance(data.items, Vectors):
        return len(data)
    return data.kernel.dimension(data.items.values.shape[1]) or len(data)


def _like(scores: Array, X: Any) -> Array:
    """Scores in the precision of the items."""
    return scores.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else scores


def _symmetric(K: Any) -> Any:
    """A given Gram; the symmetric part of one that is not symmetric, as scikit-learn takes any square matrix."""
    K = np.asarray(K)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        return K  # refused with its shape
    apart = max((float(np.abs(K[r] - K[:, r].T).max(initial=0.0)) for r in cuts(len(K))), default=0.0)
    if apart <= _ASYMMETRY * float(np.abs(K).max(initial=0.0)):
        return K
    warn(f"KernelPCA: K must be symmetric; got entries that differ by {apart:.3g}. Its symmetric part (K + K.T) / 2 is "
         "taken.", AsymmetricGram)  # fmt: skip
    return 0.5 * (K + K.T)
