"""Prototypes that move to where the penalised likelihood is best.

The loss of prototypes mu is J(mu) = min over W of P(W, mu).  At the best weights only the features move with mu,

    dJ/dmu_j = sum_i s_i u_i w_j dk(x_i, mu_j)/dmu_j,      u_i the slope of the loss of item i in f(x_i),

which needs no more than the derivative of k in its argument.  J has many minima; L-BFGS finds one near its start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.estimators.feature_machines.design import Design, design_matrix
from mercer.estimators.training_data import Data
from mercer.items import Vectors
from mercer.kernels import Kernel
from mercer.kernels.input_gradient import input_gradient
from mercer.solvers.quasi_newton import minimise
from mercer.typing import Array

_STEPS = 200  # largest number of L-BFGS steps


def points(data: Data) -> Array:
    """The coordinates of items that are dense vectors."""
    if data.kernel is not None and isinstance(data.items, Vectors) and not data.items.sparse:
        return np.asarray(data.items.values, dtype=float)
    raise bad("RBFNetwork", "optimise", "False for items that are not dense vectors", True,
              "Only points of a space can be moved.")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Moving:
    """The training items X of a machine, whose `_likelihood` and `_slopes` say what is minimised."""

    machine: Any
    kernel: Kernel
    rows: Data
    X: Array
    design: Design

    @classmethod
    def of(cls, machine: Any, data: Data, used: Array, design: Design) -> Self:
        X = points(data)[used]
        assert data.kernel is not None, "points have one"
        return cls(machine, data.kernel, data.prototypes(type(machine).__name__, X)[0], X, design)

    def at(self, mu: Array) -> Design:
        """The design with these prototypes."""
        centres, places = self.rows.prototypes(type(self.machine).__name__, mu)
        Phi = design_matrix(self.rows, np.arange(len(self.X)), centres, places)
        return replace(self.design, Phi=Phi, centres=centres, places=places)

    def loss(self, mu: Array) -> tuple[float, Array]:
        """J and dJ/dmu."""
        design = self.at(mu)
        found = self.machine._likelihood(design)
        u, W = self.machine._slopes(design, found)
        return float(found.primal), input_gradient(self.kernel, mu, self.X, W @ u.T)

    def best(self, mu: Array) -> Design:
        """The design of the minimum near mu."""

        def flat(theta: Array) -> tuple[float, Array]:
            value, slope = self.loss(theta.reshape(mu.shape))
            return value, slope.ravel()

        found = minimise(flat, mu.ravel(), maxiter=_STEPS)
        return self.at(found.x.reshape(mu.shape))
