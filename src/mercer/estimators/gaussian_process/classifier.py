"""Gaussian process classification by Laplace's approximation.

    f ~ GP(0, k),    p(y = +1 | f) = logistic(f) or Phi(f);    for more classes f_c ~ GP(0, k), p(c | f) = softmax(f)_c

The posterior of f is replaced by the Gaussian at its maximum (solvers/laplace.py); its evidence tunes the kernel, and
probabilities are averages over the Gaussian of f(x), which far from the data are those of the prior.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import positive, warn_open, weights
from mercer.estimators.gaussian_process.base import GaussianProcess
from mercer.estimators.gaussian_process.class_posterior import LabelProblem, jointly, one_vs_one, one_vs_rest
from mercer.estimators.gaussian_process.label_evidence import best_latent_model, latent_model, restricted
from mercer.estimators.gaussian_process.methods.label_choice import METHODS, chosen_label_method, method_named, works_of
from mercer.estimators.gaussian_process.methods.label_method import LabelMethod, LabelPosterior
from mercer.estimators.gaussian_process.report import FitReport, warn_at_bounds
from mercer.estimators.gaussian_process.tuning import user_value_and_slope
from mercer.estimators.labels import Labels
from mercer.estimators.low_rank import Cost
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
    method                  "exact": a factor of n x n for every step.  "inducing": n_inducing of the items stand for
                            all; what they do not explain of an item is independent of the others (FITC), O(n m^2) for
                            every step.  "auto": "exact" up to about 5000 items of two classes (fewer for more classes,
                            or if the memory budget says so), then "inducing"
    n_inducing              landmarks, for method="inducing"; all items where there are fewer

    For a precomputed matrix, probabilities need k(x, x) of the new items: pass `prior` to them, unless it is the same
    number for all training items.

    After fit: classes_, n_classes_, class_weight_, kernel_ and fit_report_ (tuples for several models), certificate_
    (the maximum of the posterior and its proof), log_marginal_likelihood_value_ (of several models the mean, as
    in scikit-learn), n_iter_, converged_, method_, approximation_ (rank and trace error of the landmarks, a tuple for
    several models; None for "exact"), and the functions as expansions over all items, or over the landmarks: support_,
    dual_coef_, intercept_ (zeros).
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
        method: str = "exact",
        n_inducing: int = 512,
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
        self.method = method
        self.n_inducing = n_inducing

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to items X with labels y; an item of sample_weight w counts as w equal items, one of 0 is left out."""
        self._check_options()
        X, y = self._checked(X, y, reset=True)
        problems = self._label_problems(y, sample_weight)
        self._model = latent_model(self, X)
        method = chosen_label_method(self, self._model.covariance.data, problems)
        require_positive(self, self._model.covariance.data)
        random, starts = check_random_state(self.random_state), self._starts(problems)
        found = [self._fitted(method, *each, random) for each in zip(problems, starts, strict=True)]
        self.method_ = method.name
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
        self._require_integer("n_inducing", 1)
        for name, allowed in (
            ("likelihood", tuple(LIKELIHOODS)), ("multi_class", MULTI_CLASS), ("method", METHODS)
        ):  # fmt: skip
            if getattr(self, name) not in allowed:
                raise bad(owner, name, f"one of {allowed}", repr(getattr(self, name)), f"Leave out for {allowed[0]!r}.")
        if self.prior is not None and self.prior != "auto":
            positive(owner, "prior", self.prior)

    def _label_problems(self, y: Array, sample_weight: Any) -> list[LabelProblem]:
        """The problems of all labels; sets classes_, n_classes_ and class_weight_."""
        owner = type(self).__name__
        labels = Labels.of(owner, y, self.class_weight)
        weight = weights(owner, sample_weight, len(y)) * labels.weight[labels.codes]
        labels.require_all(owner, weight > 0.0)
        self.classes_, self.n_classes_, self.class_weight_ = labels.classes, len(labels.classes), labels.weight
        return self._problems(labels.codes, weight)

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
        last = [p.mode.coef for p in getattr(self, "_posteriors", [])] if self.warm_start else []
        fitting = [coef.size for coef in last] == [int(np.prod(problem.shape)) for problem in problems]
        return list(last) if fitting else [None] * len(problems)

    def _fitted(
        self, method: LabelMethod, problem: LabelProblem, start: Array | None, random: Any
    ) -> tuple[LabelPosterior, FitReport | None]:
        """The posterior of one problem after its kernel has been tuned, and the report of the search."""
        data, steps = self._model.covariance.data, self.max_iter_predict
        every = len(problem.index) == len(data)
        kept = data if every and not self.copy_X_train else data.keep(problem.index)
        if self.optimizer is None or not data.slots():
            return method.posterior(problem, data if every else data.take(problem.index), kept, start, steps), None
        model = restricted(self._model, kept)
        evidences = method.evidences(problem, model.covariance, start, steps)
        model, climbs = best_latent_model(self, model, evidences, random)
        best = model.covariance.data
        posterior = method.posterior(problem, best, best, evidences[-1].start, steps)
        return posterior, FitReport.of(model, posterior.evidence, climbs, searched=True)

    def _keep_fit(self, reports: list[FitReport | None], n: int) -> None:
        """Set the fitted attributes."""
        modes = [posterior.mode for posterior in self._posteriors]
        self.kernel_ = _one([restricted(self._model, posterior.data).kernel() for posterior in self._posteriors])
        self.fit_report_ = _one(reports)
        self.log_marginal_likelihood_value_ = np.mean([p.evidence for p in self._posteriors])
        self.certificate_ = max(modes, key=lambda mode: (not mode.converged, mode.gap))
        ends = [report.climbs[-1].reason for report in reports if report and report.climbs]
        self.n_iter_ = max(mode.n_iter for mode in modes)
        self.converged_ = self.certificate_.converged and not {"max_iter", "interrupted"} & set(ends)
        found = [p.approximation for p in self._posteriors]
        self.approximation_ = None if found[0] is None else _one(found)
        self.support_, self.dual_coef_ = _expansion(self._posteriors, n)
        self.intercept_ = np.zeros(len(self.dual_coef_))
        self._warn()

    def _warn(self) -> None:
        """Warn if Newton's method or the search was stopped early."""
        text = f"the search of hyper-parameters stopped before its end: {self.fit_report_}. Fit again from kernel_."
        if not self.certificate_.converged:
            text = f"Newton's method stopped early (max_iter). {self.certificate_} Raise max_iter_predict."
        if not self.converged_:
            warn_open(f"{type(self).__name__}: {text}")

    def estimate_cost(self, X: Any, y: Any) -> dict[str, Cost]:
        """{method: about how many seconds and bytes a fit to X and y takes}; nothing is fitted."""
        fresh = clone(self)
        fresh._check_options()
        X, y = fresh._checked(X, y, reset=True)
        problems = fresh._label_problems(y, None)
        works = works_of(fresh, latent_model(fresh, X).covariance.data, problems)
        return {method: work.cost() for method, work in works.items()}

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
        if self._posteriors[0].data.kernel is None:
            raise bad("precomputed kernel", "theta", "left out, because a matrix has no hyper-parameters", "some",
                      "Fit with a kernel object.")  # fmt: skip
        theta, count = np.asarray(theta, dtype=float), len(self._posteriors)
        separate = theta.shape == (count * len(self._model.covariance.theta),)
        pieces = theta.reshape(count, -1) if separate else [theta] * count
        values, slopes = zip(*(
            self._evidence_at(posterior, piece, eval_gradient)
            for posterior, piece in zip(self._posteriors, pieces, strict=True)
        ), strict=True)  # fmt: skip
        if not clone_kernel:
            models = [restricted(self._model, posterior.data) for posterior in self._posteriors]
            self.kernel_ = _one([model.at(piece).kernel() for model, piece in zip(models, pieces, strict=True)])
        if not eval_gradient:
            return np.mean(values)
        return np.mean(values), (np.concatenate(slopes) if separate else np.sum(slopes, axis=0)) / count

    def _evidence_at(self, posterior: LabelPosterior, theta: Any, gradient: bool) -> tuple[float, Array]:
        """The evidence of a fitted problem at the user's theta; its slope there, or zeros if `gradient` is False."""
        own = restricted(self._model, posterior.data)
        method = method_named(self.method_, self.n_inducing)
        evidence = method.evidence_of(posterior, own.covariance, self.max_iter_predict)
        return user_value_and_slope(own, evidence, theta, gradient)

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


def _expansion(posteriors: list[LabelPosterior], n: int) -> tuple[Array, Array]:
    """support_ and dual_coef_: all items for exact posteriors, else those that are a landmark of one of them."""
    parts = [posterior.expansion() for posterior in posteriors]
    exact = posteriors[0].approximation is None
    support = np.arange(n) if exact else np.unique(np.concatenate([index for index, _ in parts]))
    rows = [np.zeros((len(C), len(support))) for _, C in parts]
    for row, (index, C) in zip(rows, parts, strict=True):
        row[:, np.searchsorted(support, index)] = C
    return support.astype(np.int32), np.vstack(rows)
