"""RBF networks, or kernel machines: a generalised linear model on k(x, mu_1), ..., k(x, mu_K).

The prototypes mu are all training items, items that are given, or K items found by placement.py; for vectors they can
be moved to where the penalised likelihood is best.  That problem has many optima, so it is started from several places.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mercer.engine.interrupts import interrupted
from mercer.errors import bad
from mercer.estimators.feature_machines import ridge
from mercer.estimators.feature_machines.design import (
    Design,
    FeatureClassifier,
    FeatureMachine,
    FeatureRegressor,
    Weights,
    design_matrix,
)
from mercer.estimators.feature_machines.left_out import offer_of_least_squares
from mercer.estimators.feature_machines.moving import Moving, points
from mercer.estimators.feature_machines.placement import placed
from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.training_data import Data
from mercer.typing import Array


class RBFNetwork(FeatureMachine):
    """What both share: the choice and the optimisation of prototypes."""

    prototypes: Any
    init: str
    optimise: bool
    n_init: int
    alpha: float
    fit_intercept: bool
    random_state: Any

    def _check_options(self) -> None:
        owner = type(self).__name__
        ridge.check_alpha(owner, self.alpha)
        ridge.check_count(owner, "n_init", self.n_init, 1)
        if isinstance(self.prototypes, str) and self.prototypes != "all":
            raise bad(owner, "prototypes", "'all', items, or their number", repr(self.prototypes),
                      "E.g. prototypes=20.")  # fmt: skip

    @property
    def takes_gram(self) -> bool:
        every = isinstance(self.prototypes, str) and self.prototypes == "all"
        return self._precomputed or (every and not self.optimise)

    def _likelihood(self, design: Design) -> Any:
        """The best weights of a design, as a solution of least_squares.py or glm.py."""
        raise NotImplementedError

    def _slopes(self, design: Design, found: Any) -> tuple[Array, Array]:
        """(s u, W): the slopes of the losses in f, by their weights, and the weights of the columns."""
        raise NotImplementedError

    def _design(self, X: Any, target: Array, weight: Array) -> Design:
        data, used = self._data(X), np.flatnonzero(weight)
        random = check_random_state(self.random_state)
        starts = self._starts(data, used, random)
        centres, places = next(starts)
        design = Design(design_matrix(data, used, centres, places), target[used], weight[used], centres, places)
        if not self.optimise or not len(places):
            return design
        moving = Moving.of(self, data, used, design)
        found = [moving.best(points(centres)[places])]
        for others, their_places in starts:
            if interrupted():
                break
            found.append(moving.best(points(others)[their_places]))
        return min(found, key=lambda one: float(self._likelihood(one).primal))

    def _starts(self, data: Data, used: Array, random: Any) -> Iterator[tuple[Data, Array]]:
        """Prototypes as asked for, and then n_init - 1 times as many training items at random, to start again from."""
        owner = type(self).__name__
        if isinstance(self.prototypes, str):
            yield data, used
            return
        count = not hasattr(self.prototypes, "__len__")
        first = (
            placed(owner, data, used, self.prototypes, self.init, random) if count
            else data.prototypes(owner, self.prototypes)
        )  # fmt: skip
        yield first
        for _ in range(self.n_init - 1):
            yield data, np.sort(random.permutation(used)[: len(first[1])])

    # ---- after the fit

    def _solve(self, design: Design) -> Weights:
        assert design.centres is not None
        self.prototypes_ = design.centres.as_prototypes(design.places)
        found = self._likelihood(design)
        return ridge.from_least_squares(found) if hasattr(found, "w") else ridge.from_likelihood(found)


class RBFNetworkRegressor(RBFNetwork, FeatureRegressor):
    """y ~ N(w' phi(x) + b, s^2) on kernel values of prototypes, with a ridge alpha/2 |w|^2.

    prototypes    "all" training items, items (for kernel="precomputed" positions), or their number K
    init          how K are placed: "kmeans", "medoids", "random" or "grid" (up to four columns)
    optimise      move them to where the penalised likelihood is best, from n_init starting points

    After fit: prototypes_, certificate_, and what kernel machines have; support_ are positions among the training items
    where prototypes are some of them, else among prototypes_.
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        prototypes: Any = "all",
        init: str = "kmeans",
        optimise: bool = False,
        n_init: int = 3,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        random_state: Any = None,
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.prototypes, self.init, self.optimise, self.n_init = prototypes, init, optimise, n_init
        self.alpha, self.fit_intercept, self.random_state = alpha, fit_intercept, random_state

    def shared_fits(self, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
        """Leaving one item out in closed form, as estimators/shared_fits.py says."""
        return offer_of_least_squares(self, y, leave_one_out)

    def _likelihood(self, design: Design) -> Any:
        return ridge.regression(type(self).__name__, design, float(self.alpha), fit_intercept=self.fit_intercept)

    def _slopes(self, design: Design, found: Any) -> tuple[Array, Array]:
        u = design.Phi @ found.w + found.intercept - design.target
        return (design.weight * u)[:, None], found.w[:, None]


class RBFNetworkClassifier(RBFNetwork, FeatureClassifier):
    """P(y | x) logistic or softmax in w' phi(x) + b, on kernel values of prototypes, with a ridge alpha/2 |w|^2.

    prototypes    "all" training items, items (for kernel="precomputed" positions), or their number K
    init          how K are placed: "kmeans", "medoids", "random" or "grid" (up to four columns)
    optimise      move them to where the penalised likelihood is best, from n_init starting points

    After fit: prototypes_, certificate_ (the duality gap), classes_, and what kernel machines have; support_ are
    positions among the training items where prototypes are some of them, else among prototypes_.
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        prototypes: Any = "all",
        init: str = "kmeans",
        optimise: bool = False,
        n_init: int = 3,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-10,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.prototypes, self.init, self.optimise, self.n_init = prototypes, init, optimise, n_init
        self.alpha, self.fit_intercept, self.class_weight = alpha, fit_intercept, class_weight
        self.tol, self.max_iter, self.random_state = tol, max_iter, random_state

    def _check_options(self) -> None:
        super()._check_options()
        ridge.check_effort(type(self).__name__, self.tol, self.max_iter)

    def _likelihood(self, design: Design) -> Any:
        return ridge.likelihood(
            type(self).__name__, design, ridge.family_of(len(self.classes_)), float(self.alpha),
            fit_intercept=self.fit_intercept, tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip

    def _slopes(self, design: Design, found: Any) -> tuple[Array, Array]:
        family = ridge.family_of(len(self.classes_))
        f = family.hidden(design.Phi @ found.W + found.intercept)
        u = family.mean(f) - family.statistic(design.target)
        return design.weight[:, None] * u, family.hidden(found.W)
