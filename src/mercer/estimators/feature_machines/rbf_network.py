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
from mercer.estimators.feature_machines import ridge_weights
from mercer.estimators.feature_machines.design import Design, Weights, design_matrix
from mercer.estimators.feature_machines.machine import FeatureClassifier, FeatureRegressor, Method
from mercer.estimators.feature_machines.moving_prototypes import Moving, points
from mercer.estimators.feature_machines.placement import placed
from mercer.estimators.feature_machines.shared_fits import offer_of_least_squares
from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.training_data import Data
from mercer.typing import Array


class RBFNetwork(Method):
    """The choice and the optimisation of prototypes.

    A machine has `_likelihood(design)`, the best weights of a design, and `_slopes(design, weights)`, from which
    moving_prototypes.py finds how the loss changes with the prototypes.
    """

    def check(self, machine: Any) -> None:
        owner = type(machine).__name__
        ridge_weights.check_alpha(owner, machine.alpha)
        ridge_weights.check_count(owner, "n_init", machine.n_init, 1)
        if hasattr(machine, "max_iter"):
            ridge_weights.check_effort(owner, machine.tol, machine.max_iter)
        if isinstance(machine.prototypes, str) and machine.prototypes != "all":
            raise bad(owner, "prototypes", "'all', items, or their number", repr(machine.prototypes),
                      "E.g. prototypes=20.")  # fmt: skip

    def takes_gram(self, machine: Any) -> bool:
        every = isinstance(machine.prototypes, str) and machine.prototypes == "all"
        return bool(machine._precomputed or (every and not machine.optimise))

    def design(self, machine: Any, X: Any, target: Array, weight: Array) -> Design:
        data, used = self.data(machine, X), np.flatnonzero(weight)
        random = check_random_state(machine.random_state)
        starts = self._starts(machine, data, used, random)
        centres, places = next(starts)
        design = Design(design_matrix(data, used, centres, places), target[used], weight[used], centres, places)
        if not machine.optimise or not len(places):
            return design
        moving = Moving.of(machine, data, used, design)
        found = [moving.best(points(centres)[places])]
        for others, their_places in starts:
            if interrupted():
                break
            found.append(moving.best(points(others)[their_places]))
        return min(found, key=lambda one: float(machine._likelihood(one).primal))

    def _starts(self, machine: Any, data: Data, used: Array, random: Any) -> Iterator[tuple[Data, Array]]:
        """Prototypes as asked for, and then n_init - 1 times as many training items at random, to start again from."""
        owner = type(machine).__name__
        if isinstance(machine.prototypes, str):
            yield data, used
            return
        count = not hasattr(machine.prototypes, "__len__")
        first = (
            placed(owner, data, used, machine.prototypes, machine.init, random) if count
            else data.prototypes(owner, machine.prototypes)
        )  # fmt: skip
        yield first
        for _ in range(machine.n_init - 1):
            yield data, np.sort(random.permutation(used)[: len(first[1])])

    def solve(self, machine: Any, design: Design) -> Weights:
        assert design.centres is not None
        machine.prototypes_ = design.centres.as_prototypes(design.places)
        found = machine._likelihood(design)
        return ridge_weights.from_least_squares(found) if hasattr(found, "w") else ridge_weights.from_likelihood(found)


class RBFNetworkRegressor(FeatureRegressor):
    """y ~ N(w' phi(x) + b, s^2) on kernel values of prototypes, with a ridge alpha/2 |w|^2.

    prototypes    "all" training items, items (for kernel="precomputed" positions), or their number K
    init          how K are placed: "kmeans", "medoids", "random" or "grid" (up to four columns)
    optimise      move them to where the penalised likelihood is best, from n_init starting points

    After fit: prototypes_, certificate_, and what kernel machines have; support_ are positions among the training items
    where prototypes are some of them, else among prototypes_.
    """

    _method = RBFNetwork()

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
        """The best weights of a design, as a solution of the solver."""
        return ridge_weights.regression(
            type(self).__name__, design, float(self.alpha), fit_intercept=self.fit_intercept
        )

    def _slopes(self, design: Design, found: Any) -> tuple[Array, Array]:
        """(s u, W): the slopes of the losses in f, by their weights, and the weights of the columns."""
        u = design.Phi @ found.w + found.intercept - design.target
        return (design.weight * u)[:, None], found.w[:, None]


class RBFNetworkClassifier(FeatureClassifier):
    """P(y | x) logistic or softmax in w' phi(x) + b, on kernel values of prototypes, with a ridge alpha/2 |w|^2.

    prototypes    "all" training items, items (for kernel="precomputed" positions), or their number K
    init          how K are placed: "kmeans", "medoids", "random" or "grid" (up to four columns)
    optimise      move them to where the penalised likelihood is best, from n_init starting points

    After fit: prototypes_, certificate_ (the duality gap), classes_, and what kernel machines have; support_ are
    positions among the training items where prototypes are some of them, else among prototypes_.
    """

    _method = RBFNetwork()

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

    def _likelihood(self, design: Design) -> Any:
        """The best weights of a design, as a solution of the solver."""
        return ridge_weights.likelihood(
            type(self).__name__, design, self._family(), float(self.alpha),
            fit_intercept=self.fit_intercept, tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip

    def _slopes(self, design: Design, found: Any) -> tuple[Array, Array]:
        """(s u, W): the slopes of the losses in f, by their weights, and the weights of the columns."""
        family = self._family()
        f = family.hidden(design.Phi @ found.W + found.intercept)
        u = family.mean(f) - family.statistic(design.target)
        return design.weight[:, None] * u, family.hidden(found.W)
