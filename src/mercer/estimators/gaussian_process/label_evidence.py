"""The evidence of labels as a function of hyper-parameters: what solvers/evidence_search.py climbs for a classifier.

The kernel is set up as for regression (setup.py), except that a latent function has no units: variances start at 1, and
a WhiteKernel of scikit-learn stays a part of the kernel, as there is no noise beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.errors import NotFinite, NotPositiveDefinite, bad
from mercer.estimators.gaussian_process.class_posterior import Approximation, Posterior, Problem
from mercer.estimators.gaussian_process.covariance import Covariance, Noise
from mercer.estimators.gaussian_process.means import Zero
from mercer.estimators.gaussian_process.model import ProcessModel, by_name, kernel_of
from mercer.estimators.gaussian_process.report import FitReport, at_bounds
from mercer.estimators.gaussian_process.tuning import by_function, random_starts
from mercer.estimators.training_data import Data, GivenGram, KernelItems
from mercer.gram.lazy import both_sides
from mercer.kernels import RBF, Fixed, White
from mercer.solvers.evidence_search import Climb, Prior, search
from mercer.typing import Array

_FEW = 200  # items of the smallest subset that hyper-parameters are looked for on
_LEFT = 1e-3  # nats of evidence still to be had where the search ends
_SIGNS = np.array([-1.0, 1.0])  # targets of variance 1
_WEAK = (
    2.0  # standard deviation of the logarithm of a variance that was not given: a factor of 50 either way is 2 of it
)
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
    return ProcessModel(Covariance(data, Noise(Fixed(0.0)), np.zeros(len(data))), Zero(), foreign)


def restricted(model: ProcessModel, data: Data) -> ProcessModel:
    """The same model on other items."""
    return replace(model, covariance=replace(model.covariance, data=data, alpha=np.zeros(len(data))))


@dataclass(eq=False)
class LabelEvidence:
    """log q(y | theta) on some items; each maximum of the posterior is found from the one before."""

    problem: Problem
    covariance: Covariance
    max_iter: int
    start: Array | None = None
    last: tuple[Data, Array, Approximation] | None = None

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.covariance)

    @property
    def informed(self) -> bool:
        """Whether it knows its curvature."""
        return False

    def value(self, theta: Array) -> float:
        """The evidence; -inf where the Gram is not finite, or rounding leaves it no longer positive."""
        data = self.covariance.at(theta).data
        gram = data.gram()
        try:
            K = gram.dense()
            found = self.problem.approximate(K, self.start, self.max_iter)
        except (NotPositiveDefinite, NotFinite):
            return -np.inf
        self.start, self.last = found.mode.coef, (data, K, found)
        return found.evidence

    def slope(self) -> Array:
        """Its derivative in theta, where `value` was last asked for."""
        assert self.last is not None, "ask for a value first"
        data, K, found = self.last
        return data.slope(both_sides(found.slope(K)))

    def curvature(self, theta: Array) -> None:
        """Not known."""


def evidence_at(
    model: ProcessModel, posterior: Posterior, max_iter: int, theta: Any, gradient: bool
) -> tuple[float, Array]:
    """The evidence of a fitted problem at the user's theta, and its slope there if that is wanted."""
    if posterior.data.kernel is None:
        raise bad("precomputed kernel", "theta", "left out, as a matrix has no hyper-parameters", "some",
                  "Fit with a kernel object.")  # fmt: skip
    own = restricted(model, posterior.data)
    level = LabelEvidence(posterior.problem, own.covariance, max_iter, posterior.found.mode.coef)
    value = level.value(own.inner(theta))
    return value, own.slope(level.slope()) if gradient and np.isfinite(value) else np.zeros(np.size(theta))


@dataclass(frozen=True, eq=False)
class Tuned:
    """A model with its hyper-parameters found, the way there, and where the maximum of its posterior is."""

    model: ProcessModel
    climbs: tuple[Climb, ...]
    start: Array | None

    def report(self, evidence: float) -> FitReport:
        """What to tell of the search; `evidence` is that of the posterior."""
        covariance = self.model.covariance
        ended = at_bounds(covariance.names, covariance.theta, self.model.bounds)
        return FitReport(tuple(covariance.names), covariance.theta, evidence, self.climbs, ended, ())


def tuned(gp: Any, model: ProcessModel, problem: Problem, start: Array | None, random: Any) -> Tuned:
    """The model at the hyper-parameters of largest evidence."""
    ladder = _levels(problem, model.covariance, gp.max_iter_predict, start)
    climbs: tuple[Climb, ...] = ()
    if callable(gp.optimizer):
        theta = by_function(gp, model, ladder[-1], random)
    else:
        theta, climbs = _by_search(gp, model, ladder, random)
    return Tuned(replace(model, covariance=model.covariance.at(theta)), climbs, ladder[-1].start)


def _levels(problem: Problem, covariance: Covariance, max_iter: int, start: Array | None) -> list[LabelEvidence]:
    """The evidence on ever more items, three times as many each time, with all classes in their proportions."""
    found, size = [LabelEvidence(problem, covariance, max_iter, start)], len(covariance) // 3
    while size >= _FEW:
        at = _representative(problem.y, size)
        found.insert(0, LabelEvidence(problem.some(at), covariance.take(at), max_iter))
        size //= 3
    return found


def _representative(y: Array, size: int) -> Array:
    """About `size` positions: of every class its share, one at least, chosen at random but always the same."""
    shuffled = np.random.default_rng(0).permutation(len(y))
    members = [shuffled[y[shuffled] == c] for c in np.unique(y)]
    return np.sort(np.concatenate([one[: -(-len(one) * size // len(y))] for one in members]))


def _by_search(
    gp: Any, model: ProcessModel, ladder: list[LabelEvidence], random: Any
) -> tuple[Array, tuple[Climb, ...]]:
    start, bounds = model.covariance.theta, model.bounds
    others = random_starts(gp, model, ladder[0], random)
    found = search(ladder, [start, *others], bounds, prior=_prior(gp, model.covariance), tol=_LEFT)
    return found.best.theta, found.climbs


def _prior(gp: Any, covariance: Covariance) -> Prior | None:
    """What is weighed against the evidence; "auto" holds the variances of a kernel that was only named.

    Labels of classes that can be separated are the better explained the larger f is, without end; Laplace's Gaussian is
    then far too wide, and probabilities go to those of no knowledge.
    """
    if gp.prior != "auto":
        return None if gp.prior is None else Prior(covariance.theta, float(gp.prior))
    if not by_name(gp):
        return None
    held = np.array([name in _VARIANCES for name in covariance.names])
    return Prior(covariance.theta, np.where(held, _WEAK, np.inf))
