"""Labels through landmarks: Laplace's approximation under the prior of solvers/laplace_inducing.py, in O(n m^2).

The search begins on a subset of the items.  Landmarks are chosen where the climb on its items begins, and again at the
hyper-parameters that were found.  Newton's method makes many passes over the features, so they are stored where they
fit into half of the memory budget, and made anew in every pass where not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.config import config
from mercer.engine.pool import one_blas_thread, run
from mercer.engine.tiles import cuts
from mercer.errors import NotFinite, NotPositiveDefinite
from mercer.estimators.gaussian_process.class_posterior import LabelProblem
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.label_evidence import representative
from mercer.estimators.gaussian_process.methods.label_method import LabelMethod
from mercer.estimators.gaussian_process.methods.panels import PANEL, LandmarkPanels, chosen_landmarks
from mercer.estimators.training_data import Approximation, Data, KernelItems
from mercer.solvers.laplace import Mode
from mercer.solvers.laplace_inducing import InducingLaplace, InducingPrior, quadratic_forms
from mercer.typing import Array

_SUBSET, _FEW = 4000, 256  # items on which the search begins, and their landmarks, at most
_LEAST_GAIN = 5e-5  # nats per item that a step of the search on all items must gain


def landmark_prior(data: KernelItems, index: Array) -> tuple[LandmarkPanels, InducingPrior]:
    """The items in panels, of which those at `index` are the landmarks, and the prior of all of them."""
    stored = 2 * 8 * len(data) * len(index) <= config().memory
    panels = LandmarkPanels(data, data.prepared[index], stored=stored)
    try:
        return panels, InducingPrior.of(panels, panels.diag)
    except np.linalg.LinAlgError:
        raise NotPositiveDefinite(
            "Laplace approximation: the kernel must be positive semi-definite on the landmarks; got a Gram with "
            "a negative eigenvalue. Use a kernel with psd=True, or mercer.repair."
        ) from None


def approximated(prior: InducingPrior, problem: LabelProblem, start: Array | None, max_iter: int) -> InducingLaplace:
    """The approximation of a problem under a prior of its items."""
    sites = problem.sites
    begin = None if start is None else start.reshape(len(problem.y), sites.functions)
    return InducingLaplace.of(prior, sites, start=begin, max_iter=max_iter)


@dataclass(eq=False)
class InducingLabelEvidence:
    """log q(y | theta) on some items, under the prior of `count` landmarks; `index` are their positions."""

    problem: LabelProblem
    covariance: Covariance
    count: int
    max_iter: int
    start: Array | None = None  # coefficients from which the next maximum of the posterior is looked for: the last one
    index: Array | None = None  # None: to be chosen at the first theta

    has_curvature = False

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.covariance)

    @property
    def least_gain(self) -> float:
        """Nats: a step that gains less for each item changes no prediction that matters."""
        return _LEAST_GAIN * self.size

    @one_blas_thread()  # panels are spread over our own threads
    def value_and_slope(self, theta: Array, *, at_least: float = -np.inf) -> tuple[float, Array | None]:
        """The evidence, -inf where k is not finite or not positive after rounding; its slope if >= at_least."""
        data: Any = self.covariance.at(theta).data
        try:
            self.index = chosen_landmarks(data, self.count) if self.index is None else self.index
            panels, prior = landmark_prior(data, self.index)
            found = approximated(prior, self.problem, self.start, self.max_iter)
        except (NotFinite, NotPositiveDefinite):
            return -np.inf, None
        self.start, value = found.mode.coef, float(found.evidence)
        return value, _slope(panels, found) if value >= at_least else None

    def curvature(self, theta: Array) -> None:
        """Not known."""


def _slope(panels: LandmarkPanels, found: InducingLaplace) -> Array:
    """The derivative of the evidence in theta."""
    kernel, prepared, slopes = panels.data.kernel, panels.data.prepared, found.slopes()
    half = np.linalg.inv(panels.root)
    inner = half.T @ slopes.landmarks @ half

    def part(r: slice) -> tuple[Array]:
        return (kernel.vjp(prepared[r], panels.landmarks, slopes.of_panel(r) @ half),)

    (cross,) = panels.folded(part)
    own = kernel.vjp(panels.landmarks, panels.landmarks, 0.5 * (inner + inner.T))
    return np.asarray(cross + own + panels.slope_of_diagonal(slopes.diagonal))


@dataclass(frozen=True, eq=False)
class InducingClassPosterior:
    """A problem with its mode, what landmarks know of it (u and A^-1 of the solver), its evidence and its traces."""

    problem: LabelProblem
    data: KernelItems
    index: Array  # positions of the landmarks
    mode: Mode
    weights: Array
    inverse: Array
    evidence: float
    trace: float  # sum of k(x, x)
    missed: float  # what landmarks do not explain of it

    @classmethod
    @one_blas_thread()
    def of(cls, problem: LabelProblem, data: KernelItems, index: Array, start: Array | None, max_iter: int) -> Self:
        """The posterior of a problem on its items and the landmarks among them."""
        _, prior = landmark_prior(data, index)
        found = approximated(prior, problem, start, max_iter)
        return cls(problem, data, index, found.mode, found.weights(), found.curvature.inverse(), float(found.evidence),
                   float(prior.variance.sum()), float(prior.rest.sum()))  # fmt: skip

    @cached_property
    def _panels(self) -> LandmarkPanels:
        return LandmarkPanels(self.data, self.data.prepared[self.index])

    @property
    def approximation(self) -> Approximation:
        """Rank and trace error of the landmarks."""
        share = self.missed / max(self.trace, np.finfo(float).tiny)
        return Approximation(InducingLabels.name, len(self.index), "rpcholesky", self.missed, share)

    def expansion(self) -> tuple[Array, Array]:
        """f(x) = k(x, landmarks) L^-T u."""
        return self.problem.index[self.index], np.linalg.solve(self._panels.root.T, self.weights).T

    def mean(self, X: Any) -> Array:
        mean = self._moments(X, spreads=False)[0]
        return mean if mean.shape[1] > 1 else mean[:, 0]

    def latent(self, X: Any, prior: Any) -> tuple[Array, Array]:
        mean, spread = self._moments(X, spreads=True)
        return (mean, spread) if mean.shape[1] > 1 else (mean[:, 0], spread[:, 0, 0])

    @one_blas_thread()
    def _moments(self, X: Any, *, spreads: bool) -> tuple[Array, Array]:
        """Means (rows, C) and, with `spreads`, covariances (rows, C, C) of f at new items."""
        kernel, panels, C = self.data.kernel, self._panels, self.weights.shape[1]
        new = kernel.prepare(X, self.data.prepared.frame)
        mean, spread = np.empty((len(new), C)), np.zeros((len(new) if spreads else 0, C, C))
        _ = panels.root  # made once, before threads ask for it

        def rows(r: slice) -> None:
            Phi = panels.features(new[r])
            mean[r] = Phi @ self.weights
            if spreads:
                rest = np.asarray(kernel.diag(new[r]), dtype=float) - np.einsum("ij,ij->i", Phi, Phi)
                spread[r] = quadratic_forms(Phi, self.inverse)
                spread[r] += np.maximum(rest, 0.0)[:, None, None] * np.eye(C)

        run(rows, cuts(len(new), PANEL))
        return mean, spread

    def probabilities(self, X: Any, prior: Any) -> Array:
        return self.problem.probabilities(*self.latent(X, prior))


class InducingLabels(LabelMethod):
    """Laplace's approximation under the prior of landmarks."""

    name = "inducing"

    def __init__(self, count: int) -> None:
        self.count = count

    def evidences(
        self, problem: LabelProblem, covariance: Covariance, start: Array | None, max_iter: int
    ) -> list[InducingLabelEvidence]:
        """The evidence on a subset, from few landmarks, and on all items."""
        whole = InducingLabelEvidence(problem, covariance, self.count, max_iter, start)
        if len(covariance) <= 2 * _SUBSET:
            return [whole]
        some = representative(problem.y, _SUBSET)
        part = InducingLabelEvidence(problem.some(some), covariance.take(some), min(self.count, _FEW), max_iter)
        return [part, whole]

    def posterior(
        self, problem: LabelProblem, data: Data, kept: Data, start: Array | None, max_iter: int
    ) -> InducingClassPosterior:
        assert isinstance(kept, KernelItems)
        return InducingClassPosterior.of(problem, kept, chosen_landmarks(kept, self.count), start, max_iter)

    def evidence_of(
        self, posterior: InducingClassPosterior, covariance: Covariance, max_iter: int
    ) -> InducingLabelEvidence:
        """With the landmarks of the fit."""
        index, start = posterior.index, posterior.mode.coef
        return InducingLabelEvidence(posterior.problem, covariance, len(index), max_iter, start, index)
