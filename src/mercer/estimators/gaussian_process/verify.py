"""Verify a fitted Gaussian process: its equations, its evidence and the slope there, recomputed from the data.

    regression       M a + H b = y, H'a = 0     with M = K + noise; K is kernel_ called on the items, M is factored by
                     LAPACK; a minimises q(a) = 1/2 a'M a - y'a, which lies 1/2 r'M^-1 r above its minimum, r = M a - y
    classification   a = d log p(y | f) / df at f = K a: the gap is that of solvers/laplace.py.  Through landmarks
                     K = Phi Phi' + R and f = Phi u + R a, with u from dual_coef_; for g = d log p(y | f) / df the gap
                     is 1/2 |u - Phi'g|^2 + 1/2 (a - g)'R (a - g)

The slope of the evidence is a difference of two evidences, so it does not rely on formulas of derivatives.  It is 0 for
a hyper-parameter that a bound holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.estimators.gaussian_process.class_posterior import LabelProblem
from mercer.estimators.gaussian_process.classifier import GaussianProcessClassifier
from mercer.estimators.gaussian_process.label_evidence import latent_model, restricted
from mercer.estimators.gaussian_process.methods.inducing_labels import approximated, landmark_prior
from mercer.estimators.gaussian_process.methods.panels import LandmarkPanels
from mercer.estimators.gaussian_process.model import ProcessModel, set_up
from mercer.estimators.gaussian_process.regressor import GaussianProcessRegressor
from mercer.estimators.gaussian_process.targets import Units
from mercer.estimators.labels import Labels
from mercer.solvers.laplace_inducing import InducingPrior
from mercer.solvers.solution import Solution
from mercer.typing import Array

_STEP = 1e-4  # in theta, of the differences
_SOLVED = 1e-6  # largest residual of solved equations, and largest relative error of a claimed evidence


@dataclass(frozen=True, kw_only=True, eq=False)
class ProcessCertificate(Solution):
    """Residual of the equations, log p(y) as recomputed and as claimed, and its slope in every hyper-parameter.

    With labels the residual is the gap in units of the objective.  `reason` is "converged", or what does not hold:
    "residual" for the equations, "evidence" for the claim.
    """

    residual: float
    evidence: float
    claimed: float
    names: tuple[str, ...]
    slope: Array

    def __str__(self) -> str:
        text = (
            f"The equations of the posterior hold to {self.residual:.1e}, within {self.gap:.1e} of their optimum. "
            f"log p(y) is {self.evidence:.6f}, the model says {self.claimed:.6f}."
        )
        if len(self.slope):
            worst = int(np.abs(self.slope).argmax())
            text += f" Its largest slope is {self.slope[worst]:.1e}, in {self.names[worst]}."
        return text


def verify_regressor(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> ProcessCertificate:
    """The certificate of a regressor, ours or scikit-learn's, from its kernel_, noise_ and alpha_ alone.

    A model with method "statespace" or "grid" keeps no alpha_: a = (y - prediction) / noise is what it must have been.
    """
    check_is_fitted(model, "kernel_")
    _require_equations(model)
    _require_targets(y)
    if sample_weight is not None:
        raise bad("verify", "sample_weight", "None for a Gaussian process", "weights",
                  "Use `alpha` for items with different noise.")  # fmt: skip
    ours = isinstance(model, GaussianProcessRegressor)
    fresh = clone(model) if ours else _as_ours(model)
    X, y = fresh._checked(X, y, reset=True, numeric=True, outputs=True)
    Y = Units.of(y, fresh.normalize_y).inside(y)
    setup = set_up(fresh, X, Y)
    _require_count(len(model.y_train_), len(Y))
    used = getattr(model, "support_", np.arange(len(Y)))
    Y = Y - setup.mean.offset(X, len(Y)) / Units.of(y, fresh.normalize_y).scale
    a = _coefficients(model, setup, X, Y)
    H, known = setup.mean.basis(X, len(Y))[used], setup.covariance.alpha + getattr(model, "jitter_", 0.0)

    def matrix(theta: Array) -> Array:
        return np.asarray((_matrix(setup, model, X, theta) + np.diag(known))[np.ix_(used, used)])

    theta = _found(setup, model)
    M = matrix(theta)
    left, gap, primal = _equations(M, a[used], Y[used], H)
    evidence = _evidence(M, Y[used], H)
    slope = _slope(lambda t: _evidence(matrix(t), Y[used], H), theta, setup.user_bounds)
    return _judged(ProcessCertificate(
        primal=primal, dual=primal - gap, n_iter=int(getattr(model, "n_iter_", 0)), converged=False, reason="residual",
        residual=left, evidence=evidence, claimed=float(model.log_marginal_likelihood_value_),
        names=tuple(setup.user_names), slope=slope,
    ))  # fmt: skip


def verify_classifier(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> ProcessCertificate:
    """The certificate of the worst of a classifier's problems, from its kernel_ and dual_coef_."""
    if not isinstance(model, GaussianProcessClassifier):
        raise bad("verify", "model", "one of our Gaussian process classifiers", "one of scikit-learn's",
                  "scikit-learn's keeps no coefficients to verify.")  # fmt: skip
    check_is_fitted(model, "dual_coef_")
    _require_targets(y)
    fresh = clone(model)
    X, y = fresh._checked(X, y, reset=True)
    labels = Labels.of("verify", y, fresh.class_weight)
    through = model.method_ != "exact"
    if not through:
        _require_count(model.dual_coef_.shape[1], len(y))
    fresh.n_classes_ = len(labels.classes)
    weight = weights("verify", sample_weight, len(y)) * labels.weight[labels.codes]
    problems, setup = fresh._problems(labels.codes, weight), latent_model(fresh, X)
    kernels = model.kernel_ if len(problems) > 1 and isinstance(model.kernel_, tuple) else [model.kernel_]
    rows, proofs = np.asarray(model.dual_coef_), []
    for place, (problem, kernel) in enumerate(zip(problems, kernels, strict=True)):
        own, rows = np.split(rows, [problem.shape[1] if len(problem.shape) > 1 else 1])
        if through:
            proofs.append(_through_landmarks(model, setup, problem, kernel, own, model._posteriors[place]))
        else:
            proofs.append(_labelled(model, setup, problem, kernel, own[:, problem.index].T.reshape(problem.shape)))
    worst, evidence = max(proofs, key=lambda proof: proof.residual), float(np.mean([p.evidence for p in proofs]))
    return _judged(replace(worst, evidence=evidence))


def _labelled(model: Any, setup: ProcessModel, problem: LabelProblem, kernel: Any, a: Array) -> ProcessCertificate:
    """The proof of one problem with labels."""
    data, used = setup.covariance.data, problem.index
    own = restricted(setup, data.take(used))

    def gram(theta: Array) -> Array:
        return np.asarray(own.at(theta).covariance.data.gram().dense(), dtype=float)

    theta = np.empty(0) if kernel is None else np.asarray(kernel.theta)
    K = gram(theta)
    found = problem.approximate(K, a, model.max_iter_predict)
    f = K @ a
    log_p, g = problem.log_and_slope(f)
    gap, size = 0.5 * float(np.vdot(a - g, K @ (a - g))), 0.5 * float(np.vdot(a, f))
    slope = _slope(lambda t: problem.approximate(gram(t), a, model.max_iter_predict).evidence, theta, own.user_bounds)
    return ProcessCertificate(
        primal=size - log_p, dual=size - log_p - gap, n_iter=int(model.n_iter_), converged=False, reason="residual",
        residual=gap / (1.0 + abs(size - log_p)), evidence=found.evidence,
        claimed=float(model.log_marginal_likelihood_value_), names=tuple(own.user_names), slope=slope,
    )  # fmt: skip


def _through_landmarks(
    model: Any, setup: ProcessModel, problem: LabelProblem, kernel: Any, rows: Array, claimed: Any
) -> ProcessCertificate:
    """The proof of one problem with labels under the prior of its landmarks.

    `rows` are those of dual_coef_, `claimed` is the posterior of the model: its landmarks, and the a of all items.
    """
    _require_count(len(claimed.data), len(problem.index))
    own, a = restricted(setup, setup.covariance.data.take(problem.index)), claimed.mode.coef

    def prior(theta: Array) -> tuple[LandmarkPanels, InducingPrior]:
        return landmark_prior(own.at(theta).covariance.data, claimed.index)  # type: ignore[arg-type]

    def evidence(theta: Array) -> float:
        return approximated(prior(theta)[1], problem, a, model.max_iter_predict).evidence

    theta = np.asarray(kernel.theta)
    panels, K = prior(theta)
    u = panels.root.T @ rows[:, np.searchsorted(model.support_, problem.index[claimed.index])].T
    log_p, g = problem.sites.log_and_slope(K.spread(u) + K.rest[:, None] * a)
    gap = 0.5 * float(np.sum((u - K.gathered(g)) ** 2) + np.sum(K.rest[:, None] * (a - g) ** 2))
    primal = 0.5 * float(np.sum(u**2) + np.sum(K.rest[:, None] * a**2)) - log_p
    return ProcessCertificate(
        primal=primal, dual=primal - gap, n_iter=int(model.n_iter_), converged=False, reason="residual",
        residual=gap / (1.0 + abs(primal)), evidence=evidence(theta),
        claimed=float(model.log_marginal_likelihood_value_), names=tuple(own.user_names),
        slope=_slope(evidence, theta, own.user_bounds),
    )  # fmt: skip


def _judged(proof: ProcessCertificate) -> ProcessCertificate:
    """The proof with its verdict."""
    reason = "converged" if proof.residual <= _SOLVED else "residual"
    if reason == "converged" and not abs(proof.evidence - proof.claimed) <= _SOLVED * (1.0 + abs(proof.evidence)):
        reason = "evidence"
    return replace(proof, converged=reason == "converged", reason=reason)


# ---- recomputed quantities


def _found(setup: ProcessModel, model: Any) -> Array:
    """The user's theta at the end of the fit."""
    theta = np.empty(0) if model.kernel_ is None else np.asarray(model.kernel_.theta, dtype=float)
    return np.append(theta, np.log(model.noise_)) if setup.foreign is None and setup.covariance.noise.slots else theta


def _matrix(setup: ProcessModel, model: Any, X: Any, theta: Array) -> Array:
    """K + noise I at theta, by a call of the kernel itself."""
    if setup.foreign:
        kernel = model.kernel_.clone_with_theta(theta) if len(theta) else model.kernel_
        return np.array(kernel(X), dtype=float)
    if setup.covariance.noise.slots:
        noise, theta = float(np.exp(theta[-1])), theta[:-1]
    else:
        noise = float(getattr(model, "noise_", 0.0))
    K = np.asarray(X, dtype=float) if model.kernel_ is None else np.asarray(model.kernel_.with_theta(theta)(X))
    return np.asarray(K + noise * np.eye(len(K)), dtype=float)


def _equations(M: Array, a: Array, Y: Array, H: Array) -> tuple[float, float, float]:
    """|M a + H b - y| / |y| for the best b, with H'a; how far q(a) is above its minimum; and q(a)."""
    rest = M @ a - Y
    rest -= H @ np.linalg.lstsq(H, rest, rcond=None)[0]
    size = max(float(np.linalg.norm(Y)), np.finfo(float).tiny)
    orthogonal = float(np.linalg.norm(H.T @ a)) / max(float(np.linalg.norm(H) * np.linalg.norm(a)), 1e-300)
    gap = 0.5 * float(np.vdot(rest, np.linalg.solve(M, rest)))
    return max(float(np.linalg.norm(rest)) / size, orthogonal), max(gap, 0.0), 0.5 * float(np.vdot(a, M @ a - 2.0 * Y))


def _evidence(M: Array, Y: Array, H: Array) -> float:
    """log p(y) as solvers/gaussian_process.py defines it, by LAPACK."""
    (n, q), h = Y.shape, H.shape[1]
    solved = np.linalg.solve(M, np.hstack([Y, H]))
    A, right = H.T @ solved[:, q:], H.T @ solved[:, :q]
    fit = float(np.vdot(Y, solved[:, :q]) - np.vdot(right, np.linalg.solve(A, right)))
    volume = np.linalg.slogdet(M)[1] + np.linalg.slogdet(A)[1] + (n - h) * np.log(2.0 * np.pi)
    return float(-0.5 * (fit + q * volume))


def _slope(evidence: Callable[[Array], float], theta: Array, bounds: Array) -> Array:
    """Differences within the bounds; 0 for a parameter that a bound holds."""
    low, high = bounds.T
    ends = [(np.maximum(theta - e, low), np.minimum(theta + e, high)) for e in _STEP * np.eye(len(theta))]
    slope = np.array([(evidence(b) - evidence(a)) / np.sum(b - a) for a, b in ends])
    held = ((theta <= low + _STEP) & (slope < 0.0)) | ((theta >= high - _STEP) & (slope > 0.0))
    return np.where(held, 0.0, slope)


def _as_ours(model: Any) -> GaussianProcessRegressor:
    """A regressor of ours with the arguments of scikit-learn's."""
    kernel = model.kernel_ if model.kernel is None else model.kernel
    return GaussianProcessRegressor(kernel, alpha=model.alpha, normalize_y=model.normalize_y)


def _coefficients(model: Any, setup: ProcessModel, X: Any, Y: Array) -> Array:
    """a, one column per output."""
    if hasattr(model, "alpha_"):
        return np.asarray(model.alpha_, dtype=float).reshape(len(Y), -1)
    noise = setup.covariance.alpha + model.noise_
    return np.asarray((Y - model._known.mean_at(X)) / noise[:, None])


def _require_equations(model: Any) -> None:
    method = getattr(model, "method_", "exact")
    if method not in ("exact", "statespace", "grid"):
        raise bad("verify", "model", "a Gaussian process with method 'exact', 'statespace' or 'grid'", repr(method),
                  "This one is an approximation: its bound_ lies around the exact evidence.")  # fmt: skip


def _require_targets(y: Any) -> None:
    if y is None:
        raise bad("verify", "y", "the targets of the fit", "None", "Pass them.")


def _require_count(fitted: int, given: int) -> None:
    if fitted != given:
        raise bad("verify", "X", f"the {fitted} samples the model was fitted on", f"{given} samples",
                  "Pass the training data in their order.")  # fmt: skip
