"""One problem of regularised risk: a loss with its targets and weights, to be solved or to be proved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mercer.solvers.limits import Limits
from mercer.solvers.losses import StraightLoss
from mercer.solvers.risk import RiskSolution, minimise_risk, softmax_risk
from mercer.solvers.risk.proof import bounds_smooth, bounds_straight
from mercer.solvers.risk.summed_loss import AnyLoss, Softmax, target_of
from mercer.typing import Array

SOFTMAX = "softmax"
_LENIENCE = 1.1  # a proof that sums in another order may end a little above the tolerance


@dataclass(frozen=True, eq=False)
class RiskProblem:
    """sum_i c_i loss(y_i, f_i); of the softmax y are the numbers of the classes, and there is an f for each."""

    loss: AnyLoss | str
    y: Array
    c: Array
    name: str = ""
    outputs: int = 1

    def solve(self, gram: Any, *, bias: bool, limits: Limits) -> RiskSolution:
        """The best function."""
        if isinstance(self.loss, str):
            return softmax_risk(gram, self.y, self.outputs, self.c, bias=bias, limits=limits)
        return minimise_risk(gram, self.loss, self.y, self.c, bias=bias, limits=limits)

    def prove(self, gram: Any, B: Array, r: Array, *, bias: bool, tol: float, n_iter: int) -> RiskSolution:
        """What is certain of the function KB + r."""
        primal, dual, feasible = self._bounds(gram, B, r, bias)
        done = abs(primal - dual) <= _LENIENCE * tol * max(abs(primal), abs(dual))
        reason = "converged" if done else "tol not reached"
        return RiskSolution(
            coef=B, bias=r, feasible=feasible, primal=primal, dual=dual, n_iter=n_iter, converged=done, reason=reason
        )

    def _bounds(self, gram: Any, B: Array, r: Array, bias: bool) -> tuple[float, float, Array]:
        if isinstance(self.loss, StraightLoss):
            return bounds_straight(gram, self.loss, self.y, self.c, B, r, bias=bias)
        if isinstance(self.loss, str):
            return bounds_smooth(gram, Softmax(self.y, self.outputs, self.c), B, r, bias=bias)
        return bounds_smooth(gram, target_of(self.loss, self.y, self.c), B, r, bias=bias)
