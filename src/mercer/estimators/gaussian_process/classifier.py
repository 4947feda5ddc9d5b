"""Gaussian process classification by Laplace's approximation.

    f ~ GP(0, k),    p(y = +1 | f) = logistic(f) or Phi(f);    for more classes f_c ~ GP(0, k), p(c | f) = softmax(f)_c

The posterior of f is replaced by the Gaussian at its maximum (solvers/laplace.py); its evidence tunes the kernel, and
probabilities are averages over the Gaussian of f(x), which far from the data are those of the prior.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.engine.fill import require_memory
from mercer.errors import bad
from mercer.estimators.base import positive, warn_open, weights
from mercer.estimators.gaussian_process.base import GaussianProcess
from mercer.estimators.gaussian_process.class_posterior import (
    ClassPosterior,
    LabelProblem,
    jointly,
    one_vs_one,
    one_vs_rest,
)
from mercer.estimators.gaussian_process.label_evidence import best_latent_model, evidence_at, latent_model, restricted
from mercer.estimators.gaussian_process.report import FitReport, warn_at_bounds
from mercer.estimators.labels import Labels
from mercer.estimators.positivity import require_positive
from mercer.solvers.losses import Likelihood, Logistic, offering
from mercer.solvers.platt import couple
from mercer.typing import Array

LIKELIHOODS: dict[str, Likelihood] = offering(Likelihood)
MULTI_CLASS = ("softmax", "one_vs_rest", "one_vs_one")


class GaussianProcessClassifier(ClassifierMixin, GaussianProcess):  # type: ignore[misc]
    """A classifier with calibrated probabilities and a kernel tuned by its evidence.

    kernel                  as in GaussianProcessRegressor: one of our kernels on any kind of item, one of
                            scikit-learn's, a function, "precomputed", or a name ("rbf", "matern", ...).  Free
                            hyper-parameters are tuned, Fixed(...) ones stay.  None is 1.0 * RBF(1.0), fixed, as in
                            scikit-learn: "rbf" is the tuned one
    likelihood              "logistic" or "probit", of two classes
    multi_class             "softmax": one model of all classes, with a function each (logistic likelihood only);
                            "one_vs_rest" and "one_vs_one": models of two classes, each with a kernel of its own
    optimizer               "fmin_l_bfgs_b": a search that works mostly on subsets, with L-BFGS-B on all items; None
                            keeps the hyper-parameters; a function as in scikit-learn is called on all items
    n_restarts_optimizer    starts besides the hyper-parameters given, drawn between their bounds by random_state
    class_weight            None, "balanced" or {label: weight}: an item of weight w counts as w equal items
    prior                   a standard deviation s: log N(theta; its start, s^2) is added to the evidence; None is the
                            evidence alone.  If the classes can be separated, the evidence grows with the variance of f
                            without end, and probabilities suffer.  So "auto" is s = 2 for the variances of a kernel
                            given by its name, and None for kernel objects
    max_iter_predict        steps of Newton's method for the posterior's maximum
    warm_start              a further fit begins at the maximum of the last one
    copy_X_train            keep a copy of the items, because they may change later
    n_jobs                  without effect: kernel values are always computed on all cores
    check_psd               "off", "warn" or "raise": what to do about a kernel that is not positive semi-definite

    For a precomputed matrix, probabilities need k(x, x) of the new items: pass `prior` to them, unless it is the same
    number for all training items.

    After fit: classes_, n_classes_, class_weight_, kernel_ and fit_report_ (tuples for several models), certificate_
    (the maximum of the posterior and its proof), log_marginal_likelihood_value_ (of several models the mean, as
    in scikit-learn), n_iter_, converged_, and the functions as expansions over all items: support_, dual_coef_,
    intercept_ (zeros).
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: Any = None,
        multi_class: str = "softmax",
        n_jobs: Any = None,
        likelihood: str = "logistic",
        class_weight: Any = None,
        prior: float | str | None = "auto",
        check_psd: str = "warn",
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.likelihood = likelihood
        self.class_weight = class_weight
        self.prior = prior
        self.check_psd = check_psd

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y; an item of sample_weight w counts as w equal items, one of 0 is left out."""
        self._check_options()
        X, y = self._checked(X, y, reset=True)
        owner = type(self).__name__
        labels = Labels.of(owner, y, self.class_weight)
        weight = weights(owner, sample_weight, len(y)) * labels.weight[labels.codes]
        labels.require_all(owner, weight > 0.0)
        self.classes_, self.n_classes_, self.class_weight_ = labels.classes, len(labels.classes), labels.weight
        problems = self._problems(labels.codes, weight)
        require_memory(f"Laplace's approximation for {len(y)} items", 4 * 8 * len(y) ** 2, "Fit a sample of them.")
        self._model = latent_model(self, X)
        require_positive(self, self._model.covariance.data)
        random, starts = check_random_state(self.random_state), self._starts(problems)
        found = [self._fitted(problem, start, random) for problem, start in zip(problems, starts, strict=True)]
        self._posteriors = [posterior for posterior, _ in found]
        self._model = restricted(self._model, self._posteriors[0].data)  # do not keep the items that were passed
        self._keep_fit([report for _, report in found], len(y))
        for posterior, report in found:
            if report is not None:
                warn_at_bounds(self, restricted(self._model, posterior.data))
        return self

    def _check_options(self) -> None:
        owner = type(self).__name__
        self._check_search_options()
        self._require_integer("max_iter_predict", 1)
        for name, allowed in (("likelihood", tuple(LIKELIHOODS)), ("multi_class", MULTI_CLASS)):
            if getattr(self, name) not in allowed:
                raise bad(owner, name, f"one of {allowed}", repr(getattr(self, name)), f"Leave out for {allowed[0]!r}.")
        if self.prior is not None and self.prior != "auto":
            positive(owner, "prior", self.prior)

    def _problems(self, codes: Array, weight: Array) -> list[LabelProblem]:
        if self.n_classes_ == 2 or self.multi_class == "one_vs_rest":
            return one_vs_rest(codes, weight, self.n_classes_, LIKELIHOODS[self.likelihood])
        if self.multi_class == "one_vs_one":
            return one_vs_one(codes, weight, self.n_classes_, LIKELIHOODS[self.likelihood])
        if LIKELIHOODS[self.likelihood] != Logistic():
            raise bad(type(self).__name__, "likelihood", "'logistic' for the softmax of more than two classes",
                      repr(self.likelihood), "Use multi_class='one_vs_rest'.")  # fmt: skip
        return jointly(codes, weight, self.n_classes_)

    def _starts(self, problems: list[LabelProblem]) -> list[Array | None]:
        """Where Newton's method starts: with warm_start at the maximum of the last fit, if the shapes agree."""
        last = [p.found.mode.coef for p in getattr(self, "_posteriors", [])] if self.warm_start else []
        fitting = [coef.shape for coef in last] == [problem.shape for problem in problems]
        return list(last) if fitting else [None] * len(problems)

    def _fitted(
        self, problem: LabelProblem, start: Array | None, random: Any
    ) -> tuple[ClassPosterior, FitReport | None]:
        """The posterior of one problem after its kernel has been tuned, and the report of the search."""
        data, steps = self._model.covariance.data, self.max_iter_predict
        every = len(problem.index) == len(data)
        kept = data if every and not self.copy_X_train else data.keep(problem.index)
        if self.optimizer is None or not data.slots():
            K = (data if every else data.take(problem.index)).gram().dense()
            return ClassPosterior.of(problem, kept, K, start, steps), None
        model, climbs, start = best_latent_model(self, restricted(self._model, kept), problem, start, random)
        best = model.covariance.data
        posterior = ClassPosterior.of(problem, best, best.gram().dense(), start, steps)
        return posterior, FitReport.of(model, posterior.found.evidence, climbs, searched=True)

    def _keep_fit(self, reports: list[FitReport | None], n: int) -> None:
        """Set the fitted attributes."""
        modes = [posterior.found.mode for posterior in self._posteriors]
        self.kernel_ = _one([restricted(self._model, posterior.data).kernel() for posterior in self._posteriors])
        self.fit_report_ = _one(reports)
        self.log_marginal_likelihood_value_ = np.mean([p.found.evidence for p in self._posteriors])
        self.certificate_ = max(modes, key=lambda mode: (not mode.converged, mode.gap))
        ends = [report.climbs[-1].reason for report in reports if report and report.climbs]
        self.n_iter_ = max(mode.n_iter for mode in modes)
        self.converged_ = self.certificate_.converged and not {"max_iter", "interrupted"} & set(ends)
        self.support_ = np.arange(n, dtype=np.int32)
        self.dual_coef_ = np.vstack([_spread(p, n) for p in self._posteriors])
        self.intercept_ = np.zeros(len(self.dual_coef_))
        self._warn()

    def _warn(self) -> None:
        """Warn if Newton's method or the search was stopped early."""
        text = f"the search of hyper-parameters stopped before its end: {self.fit_report_}. Fit again from kernel_."
        if not self.certificate_.converged:
            text = f"Newton's method stopped early (max_iter). {self.certificate_} Raise max_iter_predict."
        if not self.converged_:
            warn_open(f"{type(self).__name__}: {text}")

    # ---- after the fit

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The evidence at theta, and its slope with eval_gradient; without theta that of the fit.

        For several models it is the mean, and theta is the concatenation of theirs, or one theta for all of them.  With
        clone_kernel=False kernel_ is set to theta, as in scikit-learn; predictions stay those of the fit.
        """
        check_is_fitted(self)
        if theta is None:
            if eval_gradient:
                raise bad(type(self).__name__, "theta", "given for a gradient", "None", "Pass kernel_.theta.")
            return self.log_marginal_likelihood_value_
        theta, count = np.asarray(theta, dtype=float), len(self._posteriors)
        separate = theta.shape == (count * len(self._model.covariance.theta),)
        pieces = theta.reshape(count, -1) if separate else [theta] * count
        values, slopes = zip(*(
            evidence_at(self._model, posterior, self.max_iter_predict, piece, eval_gradient)
            for posterior, piece in zip(self._posteriors, pieces, strict=True)
        ), strict=True)  # fmt: skip
        if not clone_kernel:
            models = [restricted(self._model, posterior.data) for posterior in self._posteriors]
            self.kernel_ = _one([model.at(piece).kernel() for model, piece in zip(models, pieces, strict=True)])
        if not eval_gradient:
            return np.mean(values)
        return np.mean(values), (np.concatenate(slopes) if separate else np.sum(slopes, axis=0)) / count

    # ---- prediction

    def predict(self, X: Any, prior: Any = None) -> Array:
        """The most probable class; `prior` for more than two of them and precomputed matrices, as in predict_proba."""
        X = self._new(X)
        if self.n_classes_ == 2:  # p > 1/2 where f > 0 on average
            return np.asarray(self.classes_[(self._posteriors[0].mean(X) > 0.0).astype(np.intp)])
        return np.asarray(self.classes_[self._probabilities(X, prior).argmax(axis=1)])

    def predict_proba(self, X: Any, prior: Any = None) -> Array:
        """P(class | x) in the order of classes_, averaged over the posterior of f; `prior` for precomputed matrices.

        Accurate to 1e-13 for two classes.  The softmax is averaged over a fixed set of points, to about 1e-4 for three
        classes.  One against the rest is divided by its sum; one against one is coupled (Wu, Lin & Weng, 2004).
        """
        return self._probabilities(self._new(X), prior)

    def predict_log_proba(self, X: Any, prior: Any = None) -> Array:
        """The logarithm of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X, prior)))

    def latent_mean_and_variance(self, X: Any, prior: Any = None) -> tuple[Array, Array]:
        """Mean and variance of f at new items: (m,) for two classes, else (m, functions)."""
        X = self._new(X)
        parts = [posterior.latent(X, prior) for posterior in self._posteriors]
        if len(parts) > 1:
            return tuple(np.column_stack(columns) for columns in zip(*parts, strict=True))  # type: ignore[return-value]
        ((mean, spread),) = parts
        return mean, np.diagonal(spread, axis1=1, axis2=2).copy() if spread.ndim == 3 else spread

    def _new(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._checked(X, reset=False)

    def _probabilities(self, X: Any, prior: Any) -> Array:
        parts = [posterior.probabilities(X, prior) for posterior in self._posteriors]
        if len(parts) == 1:
            return parts[0]
        ones = np.column_stack([P[:, 1] for P in parts])
        if self.multi_class == "one_vs_one":
            return couple(ones)
        return np.asarray(ones / ones.sum(axis=1, keepdims=True))


def _one(found: list[Any]) -> Any:
    """The only entry, or all of them as a tuple."""
    return found[0] if len(found) == 1 else tuple(found)


def _spread(posterior: ClassPosterior, n: int) -> Array:
    """The coefficients of a posterior's functions over all n items, one row each."""
    rows = np.atleast_2d(posterior.found.mode.coef.T)
    out = np.zeros((len(rows), n))
    out[:, posterior.problem.index] = rows
    return out
