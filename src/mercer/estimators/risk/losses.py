"""The `loss` argument: a name, a loss of mercer.solvers.losses, or a function (y, f) -> (values, slopes in f)."""

from __future__ import annotations

from typing import Any

from mercer.errors import bad
from mercer.solvers.losses import (
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logistic,
    Loss,
    Pinball,
    Squared,
    SquaredHinge,
)
from mercer.solvers.risk.minimise import AnyLoss

NAMES: dict[str, Loss] = {
    "hinge": Hinge(),
    "squared_hinge": SquaredHinge(),
    "log_loss": Logistic(),
    "exponential": Exponential(),
    "squared_error": Squared(),
    "huber": Huber(),
    "epsilon_insensitive": EpsilonInsensitive(),
    "pinball": Pinball(),
}


def loss_of(owner: str, loss: Any, *, labels: bool) -> AnyLoss:
    """The loss that an argument stands for; numbers have no margin, so margin losses need labels."""
    names = [name for name, known in NAMES.items() if labels or not known.margin]
    if isinstance(loss, str) and loss in names:
        return NAMES[loss]
    known = hasattr(loss, "conjugate") and hasattr(loss, "margin")
    if not isinstance(loss, type) and ((known and (labels or not loss.margin)) or (callable(loss) and not known)):
        return loss  # type: ignore[no-any-return]
    raise bad(owner, "loss", f"one of {names}, such a loss of mercer.solvers.losses, or a function of (y, f)",
              repr(loss), "A function returns the values and their slopes in f.")  # fmt: skip
