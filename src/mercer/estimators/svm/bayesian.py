"""The support vector machine as a posterior over functions (Polson & Scott, 2011).

    prior      f ~ GP(0, k / tau),    tau = 2 / C
    posterior  proportional to  exp(-2 sum_i (1 - y_i f(x_i))_+)  times the prior

The mode is the SVM without a free intercept.  `method="em"` finds the mode, `method="gibbs"` draws from the posterior:
every draw is a function, so margins and probabilities have an uncertainty, and tau itself may have a prior.  The
functions are linear in the features of a pivoted Cholesky factor of the Gram, so any kernel on any kind of item can be
used, and only the pivots are kept.  The prior variance of f(x) outside the span of the pivots, which is large only far
from all items, is left out.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread, run
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.base import KernelEstimator, positive, warn_open
from mercer.estimators.conditional_methods import available_unless
from mercer.estimators.labels import Labels
from mercer.linalg.pivoted_cholesky import pivoted_cholesky
from mercer.solvers.hinge_posterior import HingeMode, HingePosterior, hinge_em, hinge_gibbs
from mercer.typing import Array


def _no_draws(machine: Any) -> str:
    return "" if machine.method == "gibbs" else 'it needs draws, use method="gibbs"'


class BayesianSVC(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """A classifier with a posterior: EM or Gibbs sampling for the hinge pseudo-posterior.

    kernel, gamma, ...   as in SVC; a name, a kernel object on any kind of item, a function or "precomputed"
    C                    C = 2 / tau; the mode is that of SVC(C) without a free intercept
    prior                (shape, rate) of a gamma prior on tau, then tau is drawn too, from 2 / C on; None fixes it
    rank                 largest number of features; time grows with its square, a small one approximates the kernel
    n_draws, burn_in, thin   of Gibbs sampling; tol (relative duality gap) and max_iter of EM
    penalty_intercept    adds an intercept with the same prior as the weights: the kernel k + 1

    More than two classes are one machine for each, against the rest.  After fit: classes_, posterior_ (a
    HingePosterior or HingeMode per machine), tau_ (its posterior mean in each), residual_ (the share of the trace of
    the Gram that the features leave out), n_iter_.
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: float = 1.0,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        method: str = "gibbs",
        prior: tuple[float, float] | None = None,
        rank: int | None = 200,
        n_draws: int = 500,
        burn_in: int = 200,
        thin: int = 1,
        tol: float = 1e-3,
        max_iter: int = 2000,
        penalty_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.kernel, self.C, self.gamma, self.degree, self.coef0 = kernel, C, gamma, degree, coef0
        self.method, self.prior, self.rank = method, prior, rank
        self.n_draws, self.burn_in, self.thin, self.tol, self.max_iter = n_draws, burn_in, thin, tol, max_iter
        self.penalty_intercept, self.random_state = penalty_intercept, random_state

    # ---- fitting

    def fit(self, X: Any, y: Any) -> Self:
        """Find the mode, or draw from the posterior, given items X with labels y."""
        tau = self._check_options()
        X, y = self._checked(X, y, reset=True)
        targets = self._targets(y)
        data = self._data(X)
        factor = pivoted_cholesky((data.plus_one() if self.penalty_intercept else data).gram(), self.rank)
        self.posterior_ = self._posteriors(factor.L, targets, tau)
        draws = [p.w if isinstance(p, HingePosterior) else p.w[None] for p in self.posterior_]
        fewest = min(map(len, draws))  # an interrupted machine has fewer than the others
        self._coefficients = np.stack([factor.coefficients(w[-fewest:].T) for w in draws])  # (machines, pivots, draws)
        self._kept = data.keep(factor.pivots)
        self.tau_ = np.array([p.tau.mean() if isinstance(p, HingePosterior) else tau for p in self.posterior_])
        self.residual_, self.n_iter_ = factor.residual, max(p.n_iter for p in self.posterior_)
        return self

    def _check_options(self) -> float:
        """Refuse invalid options; returns tau."""
        if self.method not in ("em", "gibbs"):
            raise bad("BayesianSVC", "method", "'em' or 'gibbs'", repr(self.method), "'gibbs' is the default.")
        counts = {"n_draws": (self.n_draws, 1), "burn_in": (self.burn_in, 0), "thin": (self.thin, 1),
                  "max_iter": (self.max_iter, 1), "rank": (self.rank or 1, 1)}  # fmt: skip
        for name, (given, least) in counts.items():
            if not isinstance(given, Integral) or given < least:
                raise bad("BayesianSVC", name, f"an integer >= {least}", repr(given), "Leave it out for the default.")
        if self.prior is not None and not (
            len(self.prior) == 2 and all(isinstance(p, Real) and p > 0.0 for p in self.prior)
        ):
            raise bad(
                "BayesianSVC", "prior", "(shape, rate) > 0 of a gamma distribution", self.prior, "None fixes tau."
            )
        positive("BayesianSVC", "tol", self.tol)
        return 2.0 / positive("BayesianSVC", "C", self.C)

    def _targets(self, y: Array) -> Array:
        """(machines, items): labels -1 and +1, of the second class or of each against the rest; sets classes_."""
        labels = Labels.of("BayesianSVC", y)
        self.classes_, k = labels.classes, len(labels.classes)
        chosen = np.arange(1, 2) if k == 2 else np.arange(k)
        return np.where(labels.codes == chosen[:, None], 1.0, -1.0)

    def _posteriors(self, L: Array, targets: Array, tau: float) -> tuple[HingePosterior | HingeMode, ...]:
        """One posterior per machine; each has its own random numbers, so that they do not depend on threads."""
        root = np.random.SeedSequence(check_random_state(self.random_state).randint(2**31))
        seeds = root.spawn(len(targets))
        found: list[Any] = [None] * len(targets)

        def one(c: int, steps: int, burn_in: int, draws: int) -> None:
            if self.method == "em":
                found[c] = hinge_em(L, targets[c], tau=tau, tol=self.tol, max_iter=steps)
                return
            found[c] = hinge_gibbs(
                L, targets[c], tau=tau, prior=self.prior, draws=draws, burn_in=burn_in, thin=self.thin,
                seed=np.random.default_rng(seeds[c]),
            )  # fmt: skip

        with until_interrupted(), one_blas_thread():
            run(lambda c: one(c, self.max_iter, self.burn_in, self.n_draws), range(len(targets)))
        for c in range(len(targets)):
            if found[c] is None:  # an interrupt came before its turn
                one(c, 1, 0, 1)
        _warn_if_open(found)
        return tuple(found)

    # ---- prediction

    def decision_function(self, X: Any) -> Array:
        """The f whose log odds are those of `predict_proba`: (items,) for two classes, else (items, classes).

        For EM that is the mode itself; for Gibbs it is nearer to 0 where the draws disagree.  The mean of the draws is
        margin_samples(X).mean(axis=1).
        """
        f = margin_of(self._log_odds(X))
        return f[:, 0] if len(self.classes_) == 2 else f

    def predict(self, X: Any) -> Array:
        """The most probable class."""
        odds = self._log_odds(X)
        return np.asarray(
            self.classes_[np.argmax(odds, axis=1) if odds.shape[1] > 1 else (odds[:, 0] > 0.0).astype(int)]
        )

    def predict_proba(self, X: Any) -> Array:
        """P(class | x): the mean over draws of L(f) / (L(f) + L(-f)), L(m) = exp(-2 (1 - m)_+) the pseudo-likelihood.

        The hinge is not a likelihood; here it is normalised over the two labels, which the model itself does not do.
        For more than two classes the probabilities of each against the rest are scaled to sum to 1.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x), in the order of classes_."""
        from scipy.special import log_expit, logsumexp

        odds = self._log_odds(X)
        if len(self.classes_) == 2:
            return np.asarray(log_expit(np.column_stack([-odds, odds])))
        log_p = log_expit(odds)
        return np.asarray(log_p - logsumexp(log_p, axis=1, keepdims=True))

    @available_unless(_no_draws)
    def margin_samples(self, X: Any) -> Array:
        """Draws of f(x): (items, draws) for two classes, else (items, draws, classes)."""
        check_is_fitted(self)
        A = self._coefficients
        flat = self._kept.evaluate(self._checked(X, reset=False), A.transpose(1, 2, 0).reshape(A.shape[1], -1))
        f = flat.reshape(len(flat), A.shape[2], A.shape[0]) + self._intercepts.T
        return f[:, :, 0] if len(self.classes_) == 2 else f

    @property
    def _intercepts(self) -> Array:
        """(machines, draws): sum_j a_j, the part of f that comes from the 1 of k + 1."""
        sums = self._coefficients.sum(axis=1)
        return np.asarray(sums if self.penalty_intercept else np.zeros_like(sums))

    def _log_odds(self, X: Any) -> Array:
        """(items, machines): log of P(+1 | x) / P(-1 | x), both averaged over the draws, a tile of items at a time."""
        check_is_fitted(self)
        cross = self._kept.cross(self._checked(X, reset=False))
        items, pivots = cross.shape
        out = np.empty((items, len(self._coefficients)))

        def tile(r: slice) -> None:
            K = cross.block(r, slice(0, pivots))
            for c, (A, intercept) in enumerate(zip(self._coefficients, self._intercepts, strict=True)):
                out[r, c] = mean_log_odds(K @ A + intercept)

        run(tile, cuts(items))
        return out


def log_odds(f: Array) -> Array:
    """log L(f) / L(-f) = 2 ((1 + f)_+ - (1 - f)_+): 4 f inside the margin, 2 f +- 2 outside."""
    return np.asarray(2.0 * (np.maximum(1.0 + f, 0.0) - np.maximum(1.0 - f, 0.0)))


def margin_of(odds: Array) -> Array:
    """The f with these log odds."""
    return np.where(np.abs(odds) <= 4.0, 0.25 * odds, 0.5 * odds - np.sign(odds))


def mean_log_odds(f: Array) -> Array:
    """The log odds of the mean probability over the columns of f."""
    s = log_odds(f)
    log_p = np.minimum(s, 0.0) - np.log1p(np.exp(-np.abs(s)))
    return _log_mean_exp(log_p) - _log_mean_exp(log_p - s)


def _log_mean_exp(a: Array) -> Array:
    top = a.max(axis=1)
    return np.asarray(top + np.log(np.exp(a - top[:, None]).mean(axis=1)))


def _warn_if_open(found: list[Any]) -> None:
    for mode in found:
        if isinstance(mode, HingeMode) and not mode.converged:
            warn_open(
                f"BayesianSVC: relative duality gap {mode.relative_gap:.1e} after {mode.n_iter} iterations of EM. "
                "The objective is within the gap of the best possible; raise max_iter or loosen tol."
            )
            return
