"""The evidence of labels as a function of theta: what solvers/evidence_search.py maximises for a classifier.

The kernel is set up as for regression (model.py), except that a latent function has no units: variances start at 1, and
a WhiteKernel of scikit-learn stays a part of the kernel, because labels have no noise of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.errors import NotFinite, NotPositiveDefinite
from mercer.estimators.gaussian_process.class_posterior import Approximation, LabelProblem
from mercer.estimators.gaussian_process.covariance import Covariance, Noise
from mercer.estimators.gaussian_process.means import ZeroMean
from mercer.estimators.gaussian_process.model import ProcessModel, kernel_from_data, kernel_of
from mercer.estimators.gaussian_process.tuning import best_model
from mercer.estimators.training_data import Data, GivenGram, KernelItems
from mercer.kernels import RBF, Fixed, White
from mercer.solvers.evidence_climb import Evidence, EvidenceClimb, Prior
from mercer.solvers.evidence_search import LEAST
from mercer.typing import Array

_SMALLEST = 200  # items of the smallest subset, at least
_TOL = 1e-3  # stop at a predicted gain of so many nats
_SIGNS = np.array([-1.0, 1.0])  # targets of variance 1
_PRIOR_SPREAD = 2.0  # standard deviation of log variance for prior="auto": within a factor of 50 with 95 %
_UNTUNED = Fixed(1.0) * RBF(Fixed(1.0))  # what kernel=None is in scikit-learn's classifier
_VARIANCES = ("Scaled.factor", "Constant.value")


def latent_model(gp: Any, X: Any) -> ProcessModel:
    """The kernel of a classifier on items X, without noise and mean."""
    kernel, foreign = (_UNTUNED, None) if gp.kernel is None else kernel_of(gp, X, _SIGNS)
    if kernel is None:
        data: Data = GivenGram.of(np.asarray(X, dtype=float))
    else:
        white = foreign.noise if foreign else None
        data = KernelItems.of(kernel + White(white.variance) if white else kernel, X).double()
    return ProcessModel(Covariance(data, Noise(Fixed(0.0)), np.zeros(len(data))), ZeroMean(), foreign)


def restricted(model: ProcessModel, data: Data) -> ProcessModel:
    """The same model on other items."""
    return replace(model, covariance=replace(model.covariance, data=data, alpha=np.zeros(len(data))))


@dataclass(eq=False)
class LabelEvidence:
    """log q(y | theta) on some items, by Laplace's approximation."""

    problem: LabelProblem
    covariance: Covariance
    max_iter: int
    start: Array | None = None  # coefficients from which the next maximum of the posterior is looked for: the last one

    has_curvature = False
    least_gain = LEAST

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.covariance)

    def value_and_slope(self, theta: Array, *, at_least: float = -np.inf) -> tuple[float, Array | None]:
        """The evidence, -inf where the Gram is not finite or not positive after rounding; its slope if >= at_least."""
        data = self.covariance.at(theta).data
        try:
            K = data.gram().dense()
            found: Approximation = self.problem.approximate(K, self.start, self.max_iter)
        except (NotFinite, NotPositiveDefinite):
            return -np.inf, None
        self.start, value = found.mode.coef, float(found.evidence)
        return value, data.slope(found.slope(K)) if value >= at_least else None

    def curvature(self, theta: Array) -> None:
        """Not known."""


def best_latent_model(
    gp: Any, model: ProcessModel, evidences: Sequence[Evidence], random: Any
) -> tuple[ProcessModel, tuple[EvidenceClimb, ...]]:
    """The model at its best hyper-parameters, and the climbs of the search; `evidences` are on ever more items."""
    return best_model(gp, model, evidences, random, prior=_prior(gp, model.covariance), tol=_TOL)


def on_subsets(
    problem: LabelProblem, covariance: Covariance, start: Array | None, max_iter: int
) -> list[LabelEvidence]:
    """The evidence on ever more items, three times as many each time, with all classes in their proportions."""
    found, size = [LabelEvidence(problem, covariance, max_iter, start)], len(covariance) // 3
    while size >= _SMALLEST:
        at = representative(problem.y, size)
        found.insert(0, LabelEvidence(problem.some(at), covariance.take(at), max_iter))
        size //= 3
    return found


def representative(y: Array, size: int) -> Array:
    """About `size` positions: of every class its share, one at least, drawn with a fixed seed."""
    shuffled = np.random.default_rng(0).permutation(len(y))
    members = [shuffled[y[shuffled] == c] for c in np.unique(y)]
    return np.sort(np.concatenate([one[: -(-len(one) * size // len(y))] for one in members]))


def _prior(gp: Any, covariance: Covariance) -> Prior | None:
    """The prior on theta; "auto" is one on the variances of a kernel given by its name.

    Without it the evidence of classes that can be separated grows with the variance of f, without end.  Laplace's
    Gaussian is then far too wide, and the predicted probabilities go to those of the prior.
    """
    if gp.prior != "auto":
        return None if gp.prior is None else Prior(covariance.theta, float(gp.prior))
    if not kernel_from_data(gp):
        return None
    held = np.array([name in _VARIANCES for name in covariance.names])
    return Prior(covariance.theta, np.where(held, _PRIOR_SPREAD, np.inf))
