"""The `loss` argument: a name, a loss of mercer.solvers.losses, or a function (y, f) -> (values, slopes in f)."""

from __future__ import annotations

from typing import Any

from mercer.errors import bad
from mercer.solvers.losses import NAMED, Loss, classifies
from mercer.solvers.risk.summed_loss import AnyLoss


def loss_of(owner: str, loss: Any, *, labels: bool) -> AnyLoss:
    """The loss that an argument stands for; numbers have no margin, so losses of classes need labels."""
    names = [name for name, known in NAMED.items() if labels or not classifies(known)]
    if isinstance(loss, str) and loss in names:
        return NAMED[loss]  # type: ignore[no-any-return]
    usable = isinstance(loss, Loss) or (callable(loss) and getattr(loss, "convex", True))
    if not isinstance(loss, (type, str)) and usable and (labels or not classifies(loss)):
        return loss  # type: ignore[no-any-return]
    raise bad(owner, "loss", f"one of {names}, such a loss of mercer.solvers.losses, or a function of (y, f)",
              repr(loss), "A function returns the values and their slopes in f, and is convex in f.")  # fmt: skip
