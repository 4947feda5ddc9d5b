"""The one entry to regularised risk: which method solves which loss.

minimise over b, r   1/2 b'Kb + sum_i c_i loss(y_i, f_i),      f = Kb + r

made of straight lines   hinge, epsilon-insensitive, pinball: the dual of support vector machines (boxes.py)
smooth                   all others of solvers/losses, and functions of a user: Newton's method (newton.py)
softmax                  several functions at once, one per class: Newton's method too
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.config import config
from mercer.gram import FeatureGram, StoredGram
from mercer.solvers.limits import Limits
from mercer.solvers.losses import StraightLoss
from mercer.solvers.risk.boxes import by_boxes
from mercer.solvers.risk.newton import newton
from mercer.solvers.risk.solution import RiskSolution
from mercer.solvers.risk.summed_loss import AnyLoss, Softmax, target_of
from mercer.typing import Array


def minimise_risk(
    gram: Any, loss: AnyLoss, y: Array, c: Array, *, bias: bool = True, limits: Limits | None = None
) -> RiskSolution:
    """The f of least 1/2 |f|^2 + sum_i c_i loss_i; y holds -1 and +1 for a margin loss, and c positive numbers.

    A loss is one of solvers/losses or a function (y, f) -> (values, slopes in f), convex and without kinks.
    """
    limits = limits or Limits(tol=1e-6)
    if isinstance(loss, StraightLoss):
        return by_boxes(gram, loss, y, c, bias=bias, limits=limits)
    return newton(stored(gram), target_of(loss, y, c), bias=bias, limits=limits)


def softmax_risk(
    gram: Any, codes: Array, classes: int, c: Array, *, bias: bool = True, limits: Limits | None = None
) -> RiskSolution:
    """The functions of least 1/2 sum_k |f_k|^2 - sum_i c_i log P(class of i), P the softmax of their values."""
    return newton(stored(gram), Softmax(codes, classes, c), bias=bias, limits=limits)


def stored(gram: Any) -> Any:
    """The Gram in memory when two of it fit the budget: Newton's method multiplies with it many times."""
    if isinstance(gram, (FeatureGram, StoredGram)) or 16 * len(gram) ** 2 > config().memory:
        return gram
    return StoredGram.of(np.asarray(gram.dense(), dtype=float))
