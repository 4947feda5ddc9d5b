"""Kernelised gradient descent as a regressor; the iteration is in solvers/gradient_descent.py."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from mercer.config import config
from mercer.errors import bad
from mercer.estimators.positivity import require_positive
from mercer.estimators.regressor import KernelRegressor
from mercer.solvers.gradient_descent import UPDATES, Watch, chosen_step, descend
from mercer.typing import Array, Gram


class KernelGradientDescent(KernelRegressor):
    """Least squares by gradient descent in feature space: beta <- beta + alpha (y - K beta) from 0.

    f(x) = sum_i beta_i k(x, x_i).  There is no penalty: the number of steps is what keeps f smooth, and with
    early_stopping a share of the items, which are not learned from, decides on it.

    learning_rate       alpha; "auto" is 1 / lambda_max ("batch") or 1 / max k(x, x) ("sequential"), and twice that
                        or more is refused
    update              "batch", or "sequential": in place, item after item
    tol                 stop when the gradient has fallen to this share of the first one
    early_stopping      stop when the error on validation_fraction of the items has not fallen for n_iter_no_change
                        steps, and go back to the best one

    kernel, gamma, degree, coef0 and check_psd as in SVR.  After fit: dual_coef_ (beta), support_, certificate_,
    n_iter_, converged_, learning_rate_.
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        learning_rate: Any = "auto",
        update: str = "batch",
        max_iter: int = 1000,
        tol: float = 1e-6,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        random_state: Any = None,
        check_psd: str = "warn",
    ) -> None:
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.learning_rate, self.update, self.max_iter, self.tol = learning_rate, update, max_iter, tol
        self.early_stopping, self.validation_fraction = early_stopping, validation_fraction
        self.n_iter_no_change, self.random_state, self.check_psd = n_iter_no_change, random_state, check_psd

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to items X with numbers y, in one column or several."""
        alpha = self._checked_options()
        X, Y = self._with_targets(X, y, reset=True)
        data = self._data(X)
        require_positive(self, data)
        gram = data.double().gram()
        learned, held = self._split(len(data))
        watch = None
        if len(held):
            watch = Watch(gram.part(held, learned).dense(), Y[held], int(self.n_iter_no_change))
            gram = gram.sub(learned)
        diagonal = np.asarray(gram.diag(), dtype=float)
        K = self._stored(gram)
        self.learning_rate_ = chosen_step(K, diagonal, self.update, alpha)
        found = descend(K, Y[learned], alpha=self.learning_rate_, max_iter=int(self.max_iter), update=self.update,
                        tol=float(self.tol), watch=watch)  # fmt: skip
        self._keep(X, data, learned, found.beta, np.zeros(1))
        self._set_coefficients(found.beta, np.zeros(Y.shape[1]))
        self.certificate_, self.n_iter_, self.converged_ = found, found.n_iter, found.converged
        return self

    def _checked_options(self) -> float | None:
        """The step, None for "auto", after a look at the other options."""
        if self.update not in UPDATES:
            raise bad("KernelGradientDescent", "update", f"one of {UPDATES}", repr(self.update), "'batch' is usual.")
        for name in ("max_iter", "n_iter_no_change"):
            if not isinstance(getattr(self, name), Integral) or getattr(self, name) < 1:
                raise bad("KernelGradientDescent", name, "an integer >= 1", repr(getattr(self, name)), "Count steps.")
        if isinstance(self.learning_rate, str) and self.learning_rate == "auto":
            return None
        if not isinstance(self.learning_rate, Real):
            raise bad("KernelGradientDescent", "learning_rate", "'auto' or a number", repr(self.learning_rate),
                      "'auto' is half of the largest step that converges.")  # fmt: skip
        return float(self.learning_rate)

    def _split(self, n: int) -> tuple[Array, Array]:
        """Positions of the items to learn from, and of those to watch."""
        if not self.early_stopping:
            return np.arange(n), np.empty(0, dtype=np.intp)
        if not isinstance(self.validation_fraction, Real) or not 0.0 < float(self.validation_fraction) < 1.0:
            raise bad("KernelGradientDescent", "validation_fraction", "a number between 0 and 1",
                      repr(self.validation_fraction), "0.1 is the default.")  # fmt: skip
        held = round(n * float(self.validation_fraction))
        if not 0 < held < n:
            raise bad("KernelGradientDescent", "X", "enough items to hold some back", f"{n} items",
                      "Turn early_stopping off.")  # fmt: skip
        order = check_random_state(self.random_state).permutation(n)
        return np.sort(order[held:]), np.sort(order[:held])

    def _stored(self, gram: Gram) -> Any:
        """The Gram as an array, for it is read in every step; streamed where the budget forbids that."""
        fits = 8 * len(gram) ** 2 <= config().memory
        return np.asarray(gram.dense(), dtype=float) if fits or self.update == "sequential" else gram
