"""Kernel hyper-parameters by evidence, for machines whose features are k(x, x_i)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.engine.interrupts import interrupted
from mercer.errors import bad
from mercer.estimators.training_data import KernelItems
from mercer.kernels import Kernel
from mercer.solvers.quasi_newton import minimise
from mercer.typing import Array

Evidence = Callable[[Array], tuple[float, Callable[[], Array]]]
_SPREAD = 1.0  # standard deviation of the other starting points around the first, in theta


def tuned(owner: str, kernel: Kernel, X: Any, used: Array, evidence: Evidence, restarts: int, seed: Any) -> Kernel:
    """The kernel at the theta of largest evidence; evidence(Phi) returns its value and a function of its slope in Phi.

    L-BFGS within the bounds of theta, from the kernel as it is and from `restarts` points near it.
    """
    from sklearn.utils import check_random_state

    if not kernel.theta.size:
        raise bad(owner, "kernel", "one with free hyper-parameters for tune_kernel=True", repr(kernel),
                  "Leave tune_kernel out.")  # fmt: skip

    def loss(theta: Array) -> tuple[float, Array]:
        data = KernelItems.of(kernel.with_theta(theta), X).double()
        gram = data.gram() if len(used) == len(data) else data.gram().sub(used)
        value, slope = evidence(gram.dense())
        return -value, -gram.vjp(slope())

    low, high = kernel.bounds.T
    random = check_random_state(seed)
    others = [kernel.theta + _SPREAD * random.standard_normal(kernel.theta.size) for _ in range(restarts)]
    starts = [np.clip(theta, low, high) for theta in (kernel.theta, *others)]
    found = [minimise(loss, theta, bounds=kernel.bounds) for theta in starts if not interrupted()]
    best = min(found, key=lambda one: one.fun)
    return kernel.with_theta(np.clip(best.x, low, high))
