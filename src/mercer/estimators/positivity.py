"""What machines of the kernel trick do about a kernel that is not positive semi-definite: check_psd.

With such a kernel the dual is not convex: the solver finds a stationary point, and the gap proves nothing.

    "off"    no check
    "warn"   a quick check on some items: 256 for a given matrix or a kernel known not to be positive, 64 for a function
             of which nothing is known, as each pair may be one call of it.  Kernels given by name ("sigmoid") are not
             checked, as in scikit-learn
    "raise"  a kernel that is not positive by construction is certified on all items, and refused if that fails
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import NotPositiveDefinite, bad, warn
from mercer.estimators.training_data import Data

POLICIES = ("off", "warn", "raise")
NOTABLE = 1e-5  # share of the largest eigenvalue; smaller negative ones come from data in single precision
TRIED = 256  # items; by interlacing, a negative eigenvalue of a part of the Gram proves one of the whole
TRIED_OF_FUNCTION = 64  # items, if each pair may be a call of a user's function


class Indefinite(UserWarning):
    """A machine that needs a positive semi-definite kernel was given one that is not."""


def require_positive(machine: Any, data: Data) -> None:
    """Apply the policy of the machine to its training data."""
    owner, policy = type(machine).__name__, machine.check_psd
    if not isinstance(policy, str) or policy not in POLICIES:
        raise bad(owner, "check_psd", f"one of {POLICIES}", repr(policy), "'warn' is the default.")
    if policy == "off" or data.psd:
        return
    if policy == "raise":
        _refuse(owner, data)
    elif data.kernel is None or not machine.by_name:
        _try(owner, data, TRIED if data.kernel is None or data.psd is False else TRIED_OF_FUNCTION)


def _refuse(owner: str, data: Data) -> None:
    from mercer.theory import certify

    found = certify(data.gram().dense()) if data.kernel is None else certify(data.kernel, data.items)
    if not found.psd:
        raise NotPositiveDefinite(
            f"{owner}: the kernel must be positive semi-definite on the training items; got smallest eigenvalue "
            f"{found.smallest:.6g}. Use a kernel with psd=True, mercer.repair, or check_psd='off'."
        )


def _try(owner: str, data: Data, most: int) -> None:
    from mercer.theory.spectrum import eigen

    some = np.unique(np.linspace(0, len(data) - 1, min(len(data), most)).astype(np.intp))
    values, _, _ = eigen(data.gram().sub(some).dense())
    if values.size and values[0] < -NOTABLE * np.abs(values).max():
        warn(
            f"{owner}: the kernel is not positive semi-definite: the Gram of {len(some)} training items has the "
            f"eigenvalue {values[0]:.3g}. The result may not be the best possible, and a certificate proves nothing. "
            "mercer.repair(K) makes a Gram positive; check_psd='off' silences this.",
            Indefinite,
        )  # fmt: skip
