"""Kernel ridge regression, with scikit-learn's arguments; the mathematics is in solvers/ridge/problem.py."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.engine.fill import require_memory
from mercer.errors import NotConverged, bad, warn
from mercer.estimators.base import weights
from mercer.estimators.cells.fitting import takes_cells
from mercer.estimators.low_rank import Work, takes_landmarks
from mercer.estimators.positivity import require_positive
from mercer.estimators.regressor import KernelRegressor
from mercer.estimators.ridge import landmarks, updates
from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.training_data import Data
from mercer.items.vectors import is_sparse
from mercer.linalg.spectrum import Spectrum
from mercer.solvers import ridge
from mercer.solvers.ridge import Factored, Iterated, Shifted, Targets
from mercer.typing import Array, Gram

SOLVERS = ("auto", "primal", "dual", "eigen", "iterative")
_COLUMNS_PER_ITEM = 0.5  # up to which a linear kernel is solved on its features


class Singular(UserWarning):
    """alpha = 0 on a Gram without an inverse: of all best functions, the one of least norm was chosen."""


def _exact(n: int) -> Work:
    """A Gram, and a Cholesky factor in its place."""
    return Work(float(n) ** 3 / 6.0, 0.5 * float(n) ** 2, 8.0 * float(n) ** 2)


@takes_cells
@takes_landmarks(_exact, stores=False)
class KernelRidge(KernelRegressor):
    """Minimise sum_i w_i (y_i - f(x_i) - b)^2 + alpha |f|^2: f = sum_i a_i k(., x_i), (K + alpha W^-1) a + b = y.

    alpha, kernel, gamma, degree, coef0 and kernel_params are scikit-learn's, and so are its names of kernels; a
    function is given two items and returns a number.  Beyond that

    alpha           one number; of several columns of y, one for each, as in scikit-learn.  Of a single column several
                    numbers are candidates: that with the least leave-one-out error is taken, exactly and from one
                    decomposition.  KernelRidgeCV(alphas=...) chooses for several columns too.
    fit_intercept   adds b, which is not penalised
    solver          "dual": Cholesky, in the memory of the Gram;  "eigen": all eigenvectors;  "primal": on the
                    explicit features of the kernel;  "iterative": conjugate gradients for one alpha, on a Gram in
                    single precision with residuals in double; beyond the memory budget none is stored;  "auto": by
                    the number of candidates and of features, never iterative
    check_psd       "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite
    method          "exact"; "nystrom": on landmarks, in passes over the items that store nothing of their number;
                    "auto": exact where that fits the memory budget and takes a minute or two
    n_landmarks     how many; None: 1000, or all items
    landmarks       "rpcholesky", "uniform", "kmeans++", "leverage", or items
    cell_rows       with method="cells" items are split until a cell has so many; the machine on landmarks is fitted to
                    all, and an exact one in each cell to what that leaves over (a classifier: to the labels)

    After fit: dual_coef_ and X_fit_ as in scikit-learn (without items of weight zero), intercept_, alpha_, solver_,
    certificate_; for several candidates loo_error_ and gcv_ of each.  `update` and `remove` change the items learned
    from; `leave_one_out` predicts each from the others.  y may have several columns.

    With "nystrom" X_fit_ are the landmarks, approximation_ says how much of the Gram they miss, and certificate_.exact
    between which numbers the optimum for the kernel itself lies.  With very many items, alpha is chosen by gcv_, which
    the first pass gives for all candidates, and loo_error_ is left out: it needs a second pass as long as the first.

    With "cells" there are cells_, approximation_, and certificate_, that of the worst cell; cells_.machines hold the
    rest.  Each cell chooses its own alpha where there are candidates.
    """

    alpha_: Any
    _targets: Targets
    _factor: Factored | None

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = False,
        solver: str = "auto",
        check_psd: str = "warn",
        method: str = "exact",
        n_landmarks: int | None = None,
        landmarks: Any = "rpcholesky",
        cell_rows: int = 2000,
    ) -> None:
        self.alpha, self.kernel, self.kernel_params = alpha, kernel, kernel_params
        self.gamma, self.degree, self.coef0 = gamma, degree, coef0
        self.fit_intercept, self.solver, self.check_psd = fit_intercept, solver, check_psd
        self.method, self.n_landmarks, self.landmarks, self.cell_rows = method, n_landmarks, landmarks, cell_rows

    # ---- fitting

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """All alphas and folds in one call, as estimators/shared_fits.py says."""
        from mercer.estimators.ridge.shared_fits import offer_of_ridge

        return offer_of_ridge(self, y, psd, leave_one_out) if self.takes_gram else None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with numbers y, in one column or several; items of weight zero are left out."""
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, *, choose: bool = False) -> Self:
        """`fit`; with `choose` alpha lists candidates for certain, also a single one."""
        alphas = ridge.checked_alphas("KernelRidge", self.alpha)
        if self.solver not in SOLVERS:
            raise bad("KernelRidge", "solver", f"one of {SOLVERS}", repr(self.solver), "'auto' is the default.")
        X, Y = self._with_targets(X, y, reset=True)
        data = self._data(X)
        require_positive(self, data)
        weight = weights("KernelRidge", sample_weight, len(data))
        shape = X.shape if hasattr(X, "shape") else (len(data),)
        blocks = data.blocks(Y, weight)
        if blocks is not None:
            landmarks.fit(self, data, blocks, alphas, choose or _are_candidates(len(alphas), Y.shape[1]))
            self.shape_fit_ = shape
            return self
        used, gram = np.flatnonzero(weight), data.double().gram()
        self._factor, self.shape_fit_ = None, shape
        targets = Targets(Y[used], weight[used], bool(self.fit_intercept))
        gram = gram if len(used) == len(data) else gram.sub(used)
        self._learn(data.keep(used), gram, used, targets, alphas, choose or _are_candidates(len(alphas), targets.k))
        return self

    def _learn(self, kept: Data, gram: Gram, support: Array, targets: Targets, alphas: Array, choose: bool) -> None:
        """Choose alpha where there is a choice, and solve."""
        self._forget_choice()
        require_positive_candidates(alphas, choose)
        system = self._system(kept, gram, targets, alphas, choose)
        self.alpha_ = alphas if len(alphas) > 1 else float(alphas[0])
        if choose:
            found = ridge.leave_one_out(system, targets, alphas)
            self.loo_error_, self.gcv_, self.alpha_ = found.errors, found.gcv, float(alphas[found.best])
        if not kept.recomputable and isinstance(system, Factored):
            self._factor = system
        self._settle(kept, support, targets, system, gram)

    def _system(self, kept: Data, gram: Gram, targets: Targets, alphas: Array, choose: bool = False) -> Shifted:
        self.solver_ = self._way(kept, choose or len(alphas) > 1)
        if self.solver_ == "primal":
            return Spectrum.of_features(_weighed(_features(kept.double()), targets.s))
        if self.solver_ == "iterative":
            return Iterated(gram, targets.s)
        K = targets.scale(owned_gram(gram))
        return ridge.factorised(K, float(alphas[0])) if self.solver_ == "dual" else Spectrum.of_matrix(K)

    def _way(self, kept: Data, several: bool) -> str:
        if self.solver in ("primal", "eigen", "iterative"):
            return self.solver
        if self.solver == "auto" and kept.linear and kept.linear_rows.shape[1] <= _COLUMNS_PER_ITEM * len(kept):
            return "primal"
        return "eigen" if several else "dual"

    def _settle(self, kept: Data, support: Array, targets: Targets, system: Shifted, gram: Gram | None = None) -> None:
        answer = ridge.solve_ridge(system, targets, self.alpha_)
        self._kept, self._targets, self.support_ = kept, targets, support.astype(np.int32)
        self._set_coefficients(answer.coef, answer.intercept)
        s = targets.s[:, None]
        Ka: Any = system.times(answer.coef / s) / s if isinstance(system, Factored) else gram @ answer.coef
        self.certificate_ = ridge.certify_ridge(targets, answer, self.alpha_, Ka, psd=kept.psd)
        self.n_iter_, self.converged_ = 1, self.certificate_.converged
        self._warn(system)

    def _warn(self, system: Shifted) -> None:
        n = len(self._targets.Y)
        if isinstance(system, Spectrum) and np.min(self.alpha_) == 0.0 and system.rank < n:
            warn(
                f"KernelRidge: alpha must be positive for a Gram of rank {system.rank} with {n} items; got 0. Of all "
                "functions with the least squared error that of least norm was taken. Choose alpha > 0.",
                Singular,
            )  # fmt: skip
        elif not self.converged_:
            warn(
                f"KernelRidge: the normal equations hold only to {self.certificate_.residual:.1e} of the targets: "
                f"alpha = {self.alpha_} is too small for this Gram in double precision. Choose a larger alpha.",
                NotConverged,
            )  # fmt: skip

    def _forget_choice(self) -> None:
        """Forget the errors by which alpha was chosen: they belong to the items of that fit."""
        for name in ("loo_error_", "gcv_", "_left_out"):
            self.__dict__.pop(name, None)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return {**state, "_factor": None} if "_factor" in state else state

    # ---- after the fit

    def update(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from more items: what `fit` to all of them gives for alpha_, in O(n^2) per new item.

        X of a precomputed kernel holds the values between the new items and all: the old ones, then the new.  What a
        kernel has learned from the first items (a vocabulary) stays.
        """
        check_is_fitted(self)
        self._require_items("update")
        updates.update(self, X, y, sample_weight)
        return self

    def remove(self, index: Any) -> Self:
        """Forget items, by their positions among all that were passed: what `fit` to the rest gives for alpha_.

        Positions are counted anew afterwards.
        """
        check_is_fitted(self)
        self._require_items("remove")
        updates.remove(self, index)
        return self

    def _require_items(self, what: str) -> None:
        if self.approximation_ is not None:
            raise bad("KernelRidge", "method", f"'exact' for {what}", f"{self.method_!r}, which keeps only some items",
                      "Fit again.")  # fmt: skip

    def leave_one_out(self) -> Array:
        """For every item of positive weight, what the machine fitted to all the others would predict (with alpha_).

        Closed form: y_i - c_i / (s_i G_ii), as in solvers/ridge/problem.py; one factorisation, no refits.
        """
        check_is_fitted(self)
        if "_left_out" in self.__dict__:
            return self._shaped(self._left_out)
        self._require_items("leave_one_out, unless alpha was chosen by it")
        t = self._targets
        if t.intercept and len(t.Y) < 2:
            raise bad("KernelRidge", "X", "two items or more to leave one out", "1 item", "Fit to more items.")
        left = t.Y - ridge.leave_one_out_residuals(updates.system_of(self), t, self.alpha_)
        return self._shaped(left)

    @property
    def X_fit_(self) -> Any:
        """The items that dual_coef_ belongs to, as they were passed; none for a precomputed matrix."""
        return self.support_vectors_


def require_positive_candidates(alphas: Array, choose: bool) -> None:
    """Refuse alpha = 0 among candidates."""
    if choose and alphas.min() == 0.0:
        raise bad("KernelRidge", "alpha", "positive where there is a choice", "0 among the candidates",
                  "Leave it out.")  # fmt: skip


def _are_candidates(alphas: int, outputs: int) -> bool:
    """Whether so many alphas are to be chosen from: of one output they are, several outputs have one each."""
    if outputs > 1 and alphas not in (1, outputs):
        raise bad("KernelRidge", "alpha", f"one number, or one for each of the {outputs} columns of y",
                  f"{alphas} numbers", "KernelRidgeCV(alphas=...) chooses among candidates.")  # fmt: skip
    return alphas > 1 and outputs == 1


def owned_gram(gram: Gram) -> Array:
    """The Gram in an array of float64 that may be overwritten."""
    n = len(gram)
    require_memory(f"The Gram of {n} items", 8 * n * n, "Fit a sample of them, or raise the budget.")
    K = np.empty((n, n))
    gram.fill(K)
    return K


def _features(kept: Data) -> Any:
    """phi(x), one row per item."""
    found = kept.features()
    if found is None:
        raise bad("KernelRidge", "kernel", 'one with a finite feature map for solver="primal"',
                  "one without", 'Use solver="dual".')  # fmt: skip
    return found


def _weighed(F: Any, s: Array) -> Any:
    if (s == 1.0).all():
        return F
    return F.multiply(s[:, None]).tocsr() if is_sparse(F) else F * s[:, None]
