"""Gaussian process regression, with scikit-learn's arguments and methods.

    gp = GaussianProcessRegressor("rbf").fit(X, y)          everything from the data
    mean, std = gp.predict(Xnew, return_std=True)
    print(gp.fit_report_)

`fit` checks the data, sets up the model (model.py), searches its hyper-parameters (tuning.py, regression_evidence.py),
conditions it on the targets (posterior.py) and keeps the result.  The formulas are in solvers/gaussian_process.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.distributed import Rows, is_spread
from mercer.distributed.gathering import gathers_rows
from mercer.engine.pool import one_blas_thread
from mercer.errors import NotPositiveDefinite, bad, warn
from mercer.estimators.base import positive, warn_open
from mercer.estimators.gaussian_process import failed_factor
from mercer.estimators.gaussian_process.base import GaussianProcess
from mercer.estimators.gaussian_process.means import at_training_items
from mercer.estimators.gaussian_process.methods.choice import chosen_method
from mercer.estimators.gaussian_process.methods.inducing import Inducing, InducingPosterior
from mercer.estimators.gaussian_process.methods.method import Method, Posterior, exact_only, rows_away
from mercer.estimators.gaussian_process.methods.neighbours import NeighbourPosterior
from mercer.estimators.gaussian_process.model import ProcessModel, kernel_from_data, set_up
from mercer.estimators.gaussian_process.posterior import RegressionPosterior
from mercer.estimators.gaussian_process.prior_predictions import prior_moments
from mercer.estimators.gaussian_process.report import FitReport, RegressionCertificate, warn_at_bounds
from mercer.estimators.gaussian_process.starts import require_moderate, shorter_lengthscales
from mercer.estimators.gaussian_process.targets import Units, columns
from mercer.estimators.gaussian_process.tuning import best_model, user_value_and_slope
from mercer.estimators.positivity import require_positive
from mercer.estimators.shared_fits import SharedFits
from mercer.items import Vectors
from mercer.kernels import Kernel
from mercer.solvers.evidence_climb import EvidenceClimb, Prior
from mercer.solvers.evidence_search import TOL
from mercer.typing import Array

_LOG_2PI = float(np.log(2.0 * np.pi))
_TOL_OF_FEW = 1e-5  # stop at a predicted gain of so many nats where there are no subsets: evaluations are cheap
_DRAWS = 8  # random thetas per restart where there are subsets; the best on the smallest subset is the start


class Redundant(UserWarning):
    """The covariance has no Cholesky factor: the process is conditioned only on items that determine the others."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Mean, standard deviation and log density of every target given all the others."""

    mean: Array
    std: Array
    log_density: Array


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, GaussianProcess):  # type: ignore[misc]
    """y = m(x) + f(x) + e, f ~ GP(0, k): the posterior of f, and the hyper-parameters of largest evidence.

    As in scikit-learn: optimizer, n_restarts_optimizer, normalize_y, copy_X_train, n_targets, random_state.  Beyond
    that

    kernel        one of our kernels on any kind of item, one of scikit-learn's, a function (X, Y) -> matrix,
                  "precomputed", or a name ("rbf", "matern", "exponential", "rational_quadratic", "linear"): then one
                  lengthscale per column, with starts and bounds from the data.  None is 1.0 * RBF(1.0)
    alpha         known variance of the noise, one number or one per item; for kernels by name the default is scaled
                  down for targets of small variance
    noise         variance of the noise on top of alpha, in the units of y after normalize_y.  A number is where the
                  search starts, Fixed(0.1) stays, "learn" starts from the data, None is 0.  "auto": "learn" for names,
                  the WhiteKernel of scikit-learn's kernels, else None
    mean          "zero", "constant", "linear", or a function of the items; "auto": "constant" for names, else "zero"
    prior         a standard deviation s: log N(theta; its start, s^2) is added to the evidence.  None: no prior
    check_psd     "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite
    method        "exact": one factor of the whole covariance, O(n^3).  "statespace": the same answer in O(n), for a
                  Matern kernel of order 1/2, 3/2 or 5/2 on one column.  "grid": the same on items that form a full
                  grid, for RBF, Laplacian and products of kernels of different columns.  "sgpr": a lower bound of the
                  evidence through n_inducing of the items.  "neighbours": every new item from the n_neighbors
                  training items nearest to it, and variances corrected by items held out.  "auto": "statespace" or
                  "grid" where they apply; "exact" up to 15 000 items, fewer if the memory budget says so; then "sgpr"
                  if so many landmarks leave little unexplained beside the noise, else "neighbours"
    n_inducing    landmarks, for method="sgpr"
    n_neighbors   of every new item, for method="neighbours"

    The default optimizer is L-BFGS-B up to 450 items.  For more items it works mostly on subsets; up to 900 items, or
    with n_restarts_optimizer >= 1, its result is never below that of L-BFGS-B on all items from the same start.  A
    function as in scikit-learn is called on all items; None keeps the hyper-parameters.  Inputs and targets need not be
    standardised: theta is the logarithm of hyper-parameters, whose units only matter for starts and bounds.

    After fit: kernel_ (as given, at the optimum), noise_, alpha_ (= dual_coef_), L_, X_train_, y_train_,
    log_marginal_likelihood_value_, jitter_ (what was added to the diagonal), rank_, fit_report_, certificate_, n_iter_
    (evaluations), converged_; method_, the method that was used; bound_ = (low, high) around the exact evidence; and
    calibration_, the factor by which "neighbours" corrects variances, else 1.  Only "exact" has alpha_ and L_.
    """

    takes_spread = True

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = 1e-10,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: Any = None,
        noise: Any = "auto",
        mean: Any = "auto",
        prior: float | None = None,
        check_psd: str = "warn",
        method: str = "exact",
        n_inducing: int = 512,
        n_neighbors: int = 200,
    ) -> None:
        self.kernel, self.alpha, self.optimizer = kernel, alpha, optimizer
        self.n_restarts_optimizer, self.normalize_y = n_restarts_optimizer, normalize_y
        self.copy_X_train, self.n_targets, self.random_state = copy_X_train, n_targets, random_state
        self.noise, self.mean, self.prior, self.check_psd = noise, mean, prior, check_psd
        self.method, self.n_inducing, self.n_neighbors = method, n_inducing, n_neighbors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    # ---- what a search asks

    @property
    def takes_gram(self) -> bool:
        """Kernel values are enough for a given kernel that stays as it is, and a mean that does not look at items."""
        simple = isinstance(self.mean, str) and self.mean in ("auto", "zero", "constant")
        return self._precomputed or (self.optimizer is None and simple and isinstance(self.kernel, Kernel))

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """Leaving one item out in closed form, as estimators/shared_fits.py says."""
        from mercer.estimators.gaussian_process.shared_fits import offer_of_process

        return offer_of_process(self, y, psd, leave_one_out)

    # ---- fitting

    def fit(self, X: Any, y: Any) -> Self:
        """Find the hyper-parameters of largest evidence; condition on items X with targets y, (n,) or (n, outputs).

        A Dask collection stays on its workers with method="sgpr": the model keeps the landmarks alone, and has no
        X_train_, y_train_ and bound_.  Other methods keep all rows, which come here.
        """
        stays = isinstance(self.method, str) and self.method == Inducing.name
        return self._fit(X, y) if stays else self._fit_here(X, y)

    @gathers_rows
    def _fit_here(self, X: Any, y: Any) -> Self:
        return self._fit(X, y)

    @one_blas_thread()  # matrices are factored on our own threads
    def _fit(self, X: Any, y: Any) -> Self:
        X, y = self._checked_training(X, y)
        self._units, self._flat = Units.of(y, self.normalize_y), y.ndim == 1
        Y = self._units.inside(y)
        model = set_up(self, X, Y)
        require_positive(self, model.covariance.data)
        targets, H = self._without_mean(model, X, Y)
        method = chosen_method(self, model.covariance)
        if kernel_from_data(self) and method.name != "exact":
            require_moderate(Y, self.method)
        model, climbs = self._search(model, method, targets, H)
        posterior = self._posterior(model, method, targets, H)
        self.method_ = method.name
        self._keep_fit(model, posterior, X, Y, climbs)
        if self.optimizer is not None:
            warn_at_bounds(self, model)
        return self

    def _checked_training(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Options and data after all checks."""
        self._check_search_options()
        self._require_integer("n_neighbors", 1)
        self._require_integer("n_inducing", 1)
        if self.n_targets is not None:
            self._require_integer("n_targets", 1)
        if self.prior is not None:
            positive(type(self).__name__, "prior", self.prior)
        try:
            X, y = self._checked(X, y, reset=True, numeric=True, outputs=True)
        except ValueError as error:
            if not is_spread(X):
                failed_factor.name_rows(error, X, y)
            raise
        outputs = 1 if y.ndim == 1 else y.shape[1]
        if self.n_targets is not None and outputs != self.n_targets:
            raise bad(type(self).__name__, "y", f"of n_targets = {self.n_targets} outputs", f"{outputs}",
                      "Leave n_targets out.")  # fmt: skip
        return X.copy() if self.copy_X_train and isinstance(X, np.ndarray) else X, y

    def _without_mean(self, model: ProcessModel, X: Any, Y: Array) -> tuple[Array, Array]:
        """Targets minus the known part of the mean (in the user's units), and the basis of its unknown part."""
        offset, basis = at_training_items(model.mean, X, len(Y))
        return Y - offset / self._units.scale if offset.any() else Y, basis

    def _search(
        self, model: ProcessModel, method: Method, Y: Array, H: Array
    ) -> tuple[ProcessModel, tuple[EvidenceClimb, ...]]:
        """The model at the hyper-parameters of largest evidence, and the climbs."""
        if self.optimizer is None or not len(model.covariance.theta):
            return model, ()
        evidences = method.evidences(model.covariance, Y, H)
        prior = None if self.prior is None else Prior(model.covariance.theta, float(self.prior))
        options: dict[str, Any] = {"tol": _TOL_OF_FEW}
        if len(evidences) > 1:
            options = {"tol": TOL, "draws": _DRAWS, "hints": shorter_lengthscales(model.covariance)}
        random = check_random_state(self.random_state)
        model, climbs = best_model(self, model, evidences, random, prior=prior, **options)
        return replace(model, covariance=method.settled(model.covariance, model.mean, Y, H)), climbs

    def _posterior(self, model: ProcessModel, method: Method, Y: Array, H: Array) -> Posterior:
        try:
            return method.posterior(model.covariance, model.mean, Y, H)
        except NotPositiveDefinite as error:
            found = "; ".join(failed_factor.causes(model.covariance, Y, [])) or "nothing else was found wrong"
            raise NotPositiveDefinite(
                f"{type(self).__name__}: the covariance of the training items must be positive definite. {error} "
                f"What was found: {found}. Raise alpha or learn the noise (noise='learn')."
            ) from None

    def _keep_fit(
        self, model: ProcessModel, posterior: Posterior, X: Any, Y: Array, climbs: tuple[EvidenceClimb, ...]
    ) -> None:
        """Set the fitted attributes, the certificate and the report, and warn of what went wrong."""
        n = len(Y)
        if isinstance(posterior, InducingPosterior) and model.covariance.data.spread:
            posterior = posterior.on_landmarks()
            model = replace(model, covariance=posterior.covariance)
        self._model, self._known = model, posterior
        self._keep_training(X, Y)
        self.kernel_, self.noise_ = model.kernel(), model.covariance.noise.value
        self.log_marginal_likelihood_value_ = np.float64(posterior.evidence)
        self.jitter_, self.rank_ = 0.0, n
        self.calibration_ = getattr(posterior, "calibration", 1.0)
        if isinstance(posterior, RegressionPosterior):
            self._keep_factor(posterior, n)
        reason, gain = (climbs[-1].reason, climbs[-1].gain) if climbs else ("fixed", 0.0)
        self.certificate_ = RegressionCertificate(posterior.residual(), gain, self.jitter_, self.rank_, n, reason)
        self.n_iter_ = sum(climb.evaluations for climb in climbs)
        self.converged_ = reason not in ("max_iter", "interrupted") or gain <= TOL
        self.fit_report_ = FitReport.of(model, self.log_marginal_likelihood_value_, climbs, searched=bool(climbs))
        if isinstance(posterior, RegressionPosterior) and (self.jitter_ or self.rank_ < n):
            causes = failed_factor.causes(model.covariance, Y, list(self.fit_report_.at_bounds))
            remarks = (str(self.certificate_), *failed_factor.followers(posterior.factor), *causes)
            self.fit_report_ = replace(self.fit_report_, remarks=remarks)
        if self.rank_ < n:
            warn(f"{type(self).__name__}: {'; '.join(self.fit_report_.remarks)}", Redundant)
        if not self.converged_:
            warn_open(
                f"{type(self).__name__}: the search of hyper-parameters stopped before its end. {self.certificate_} "
                "Fit again from kernel_, or fix what the data do not determine."
            )

    def _keep_training(self, X: Any, Y: Array) -> None:
        """Set X_train_ and y_train_; rows on workers stay there."""
        for name in ("X_train_", "y_train_"):
            self.__dict__.pop(name, None)
        if not isinstance(X, Rows):
            self.X_train_, self.y_train_ = X, Y[:, 0] if self._flat else Y

    def _keep_factor(self, posterior: RegressionPosterior, n: int) -> None:
        """What follows from a factor of the whole covariance."""
        found = posterior.found
        self.jitter_, self.rank_ = found.factor.jitter, len(posterior.used)
        coef = np.zeros((n, found.coef.shape[1]))
        coef[posterior.used] = found.coef
        self.alpha_ = coef[:, 0] if self._flat else coef
        self.support_ = posterior.used.astype(np.int32)

    # ---- after the fit

    def _exact(self, what: str) -> RegressionPosterior:
        """The posterior of a fit with the whole covariance, which `what` needs."""
        check_is_fitted(self, "_known")
        if not isinstance(self._known, RegressionPosterior):
            raise exact_only(type(self).__name__, what, self.method_)
        return self._known

    @property
    def L_(self) -> Array:
        """The lower Cholesky factor of K + noise."""
        return self._exact("the factor L_").factor.L

    @property
    def bound_(self) -> tuple[float, float]:
        """(low, high) around the evidence of the exact process at these hyper-parameters, whatever the method.

        With "sgpr" and "neighbours" it takes some products with the whole covariance, when it is first asked for; the
        landmarks are n_inducing for both.
        """
        check_is_fitted(self, "_known")
        if not hasattr(self, "_bound"):
            with one_blas_thread():
                self._bound = self._bounds()
        return self._bound

    def _bounds(self) -> tuple[float, float]:
        known = self._known
        if isinstance(known, NeighbourPosterior):
            known = Inducing(self.n_inducing).posterior(known.covariance, known.mean, known.Y, known.H)
        value = float(known.evidence)
        return known.bounds() if isinstance(known, InducingPosterior) else (value, value)

    @property
    def dual_coef_(self) -> Array:
        """alpha_, one row per output."""
        self._exact("the coefficients dual_coef_")
        return np.atleast_2d(self.alpha_.T)

    @property
    def intercept_(self) -> Array:
        """The constant of a mean that has one, else 0, per output."""
        check_is_fitted(self, "_known")
        b = self._known.weights
        return np.asarray((b[0] if len(b) else 0.0) * self._units.scale + self._model.mean.level + self._units.centre)

    @one_blas_thread()
    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """log p(y | theta), and its gradient with eval_gradient; without theta that of the fit.

        theta is kernel_.theta followed by the logarithm of a free noise.  For targets as in y_train_; of several
        outputs it is the sum.  With clone_kernel=False kernel_ is set to theta, as in scikit-learn; the posterior, and
        so every prediction, stays that of the fit.
        """
        check_is_fitted(self, "_known")
        if theta is None:
            if eval_gradient:
                raise bad(type(self).__name__, "theta", "given for a gradient", "None", "Pass kernel_.theta.")
            return self.log_marginal_likelihood_value_
        if not hasattr(self, "X_train_"):
            raise rows_away("the evidence at other hyper-parameters")
        Y, H = self._without_mean(self._model, self.X_train_, columns(self.y_train_))
        method = chosen_method(self, self._model.covariance, self.method_)
        evidence = method.evidences(self._model.covariance, Y, H)[-1]
        value, slope = user_value_and_slope(self._model, evidence, theta, eval_gradient)
        if not clone_kernel:
            self.kernel_ = self._model.at(theta).kernel()
        return (np.float64(value), slope) if eval_gradient else np.float64(value)

    @one_blas_thread()
    def leave_one_out(self) -> LeftOut:
        """The prediction of every training target from all others, in closed form; the hyper-parameters stay."""
        found = self._exact("leaving items out").found
        if self.rank_ < len(self.y_train_):
            raise bad(type(self).__name__, "the fit", "of full rank to leave items out", f"rank {self.rank_}",
                      "Add noise.")  # fmt: skip
        mean, variance = found.left_out()
        offset = columns(self.y_train_) - found.Y
        std = np.sqrt(variance)[:, None]
        z = (found.Y - mean) / std
        density = -0.5 * (z**2 + _LOG_2PI) - np.log(std * self._units.scale)
        units = self._units
        return LeftOut(units.mean(mean + offset), units.std(variance), density[:, 0] if units.outputs == 1 else density)

    # ---- prediction

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, *,
                of: str | None = None, prior: Any = None) -> Any:  # fmt: skip
        """The mean of f at new items, and their standard deviation or covariance.

        of       "f": of the function;  "y": of a new observation, which adds noise_ and a constant alpha.  None is "f",
                 but a WhiteKernel of scikit-learn counts as part of f, as it does there
        prior    k(x, x) of the new items (their whole matrix with return_cov), for a precomputed kernel

        Before fit these are the moments of the prior.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if of not in (None, "f", "y"):
            raise bad(type(self).__name__, "of", "'f' or 'y'", repr(of), "'y' includes the noise.")
        X = self._checked(X, reset=False)
        if not hasattr(self, "_known"):
            return prior_moments(self, X, return_std, return_cov, of)
        return self._predict(X, return_std, return_cov, of, prior)

    @one_blas_thread()
    def _predict(self, X: Any, return_std: bool, return_cov: bool, of: str | None, prior: Any) -> Any:
        units = self._units
        if return_cov:
            mean, C = self._known.joint(X, prior)
            C.flat[:: len(C) + 1] += self._extra(of)
            return self._means(mean, X), units.covariance(C)
        if return_std:
            mean, variance = self._known.moments(X, prior)
            return self._means(mean, X), units.std(np.maximum(variance, 0.0) + self._extra(of))
        return self._means(self._known.mean_at(X), X)

    def _means(self, M: Array, X: Any) -> Array:
        """Means in the user's units, with the known part added."""
        return self._units.mean(M + self._model.mean.offset(X, len(M)) / self._units.scale)

    def _extra(self, of: str | None) -> float:
        """The variance that noise adds to that of f."""
        if of == "f" or (of is None and self._model.foreign is None):
            return 0.0
        alpha = self._model.covariance.alpha
        known = float(alpha[0]) if of == "y" and len(alpha) and np.ptp(alpha) == 0.0 else 0.0
        return self.calibration_ * (self.noise_ + known)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0, *, of: str | None = None) -> Array:
        """Joint draws of f, (m, n_samples), or (m, outputs, n_samples) of several; before fit from the prior."""
        random = check_random_state(random_state)
        mean, C = self.predict(X, return_cov=True, of=of)
        if mean.ndim == 1:
            return _draws(mean, C, n_samples, random)
        return np.stack([_draws(mean[:, j], C[..., j], n_samples, random) for j in range(mean.shape[1])], axis=1)

    # ---- more items, fewer items

    def update(self, X: Any, y: Any, alpha: Any = None) -> Self:
        """Condition on more items too, in O(n^2) for each; the hyper-parameters stay.

        alpha is the known noise variance of the new items, by default that of the old ones.
        """
        self._exact("updates")
        X, y = self._checked(X, y, reset=False, numeric=True, outputs=True)
        covariance = self._model.covariance
        if covariance.data.kernel is None:
            raise bad(type(self).__name__, "kernel", "computable to learn from more items", "a precomputed matrix",
                      "Fit again to the matrix of all items.")  # fmt: skip
        grown, _ = covariance.data.extended(X)
        new = replace(covariance, data=grown, alpha=np.append(covariance.alpha, self._new_alpha(alpha, len(y))))
        self._update_posterior(new, np.vstack([columns(self.y_train_), self._units.inside(y)]), None)
        return self

    def remove(self, index: Any) -> Self:
        """Forget items, by their positions among those learned from, in O(n^2) for each; hyper-parameters stay."""
        self._exact("updates")
        n = len(self.y_train_)
        gone = np.unique(np.arange(n)[index])
        stay = np.setdiff1d(np.arange(n), gone)
        if not len(stay):
            raise bad(type(self).__name__, "index", "some of the items", "all of them", "Leave at least one.")
        self._update_posterior(self._model.covariance.take(stay), columns(self.y_train_)[stay], gone)
        return self

    def _new_alpha(self, alpha: Any, m: int) -> Array:
        known = self._model.covariance.alpha
        if alpha is None and np.ptp(known) > 0.0:
            raise bad(type(self).__name__, "alpha", "given for new items, as it differs between the old", "none",
                      "Pass alpha=..., one number per new item.")  # fmt: skip
        return np.broadcast_to(np.asarray(known[0] if alpha is None else alpha, dtype=float), (m,))

    @one_blas_thread()
    def _update_posterior(self, covariance: Any, Y: Array, gone: Array | None) -> None:
        """Keep the posterior after items were appended, or those at `gone` removed, by an update of the factor."""
        model = replace(self._model, covariance=covariance)
        X = covariance.data.items
        targets, H = self._without_mean(model, X, Y)
        before = self._exact("updates")
        if gone is None:
            posterior = before.extended(covariance, targets, H)
        else:
            posterior = before.reduced(gone, covariance, targets, H)
        self._keep_fit(model, posterior, X.values if isinstance(X, Vectors) else X, Y, ())


@one_blas_thread()
def _draws(mean: Array, C: Array, count: int, random: Any) -> Array:
    """mean + root z with root root' = C; from eigenvectors, because C may be singular."""
    w, V = np.linalg.eigh(C)
    root = V * np.sqrt(np.maximum(w, 0.0))
    return np.asarray(mean[:, None] + root @ random.normal(size=(len(mean), count)))
