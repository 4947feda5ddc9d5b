"""The proof of any function f = KB + r of regularised risk, made from its coefficients alone.

The primal is that of B and r as they are.  The dual is that of a feasible point which they suggest:

    smooth losses             minus the slopes at the scores with the best offset: primal there - 1/2 |B + slopes|_K^2
    made of straight lines    the coefficients, moved into their boxes
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.solvers.losses import StraightLoss
from mercer.solvers.risk.boxes import problem_of
from mercer.solvers.risk.summed_loss import Target
from mercer.typing import Array


def bounds_smooth(gram: Any, target: Target, B: Array, r: Array, *, bias: bool) -> tuple[float, float, Array]:
    """(primal, dual, feasible point of the dual) for a smooth target."""
    H = np.asarray(gram @ B)
    norm2 = float((B * H).sum())
    best = target.balance(H, r) if bias else np.zeros(target.outputs)
    G = target.slopes(H + best)
    E = H + np.asarray(gram @ G)
    dual = 0.5 * norm2 + target.value(H + best) - 0.5 * float(((B + G) * E).sum())
    return 0.5 * norm2 + target.value(H + r), dual, -G


def bounds_straight(
    gram: Any, loss: StraightLoss, y: Array, c: Array, B: Array, r: Array, *, bias: bool
) -> tuple[float, float, Array]:
    """(primal, dual, feasible point of the dual) for a loss made of straight lines."""
    problem, b = problem_of(loss, y, c, bias=bias), B[:, 0]
    a = problem.feasible(b)
    h, Ka = np.asarray(gram @ np.column_stack([b, a])).T
    z = y * (h + r) if loss.margin else y - h - r
    dual = float(problem.z @ a) - problem.epsilon * float(np.abs(a).sum()) - 0.5 * float(a @ Ka)
    return 0.5 * float(b @ h) + float(c @ loss.value(z)), dual, a[:, None]
