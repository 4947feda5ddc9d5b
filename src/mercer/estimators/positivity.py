"""The Mercer policy of machines that rest on the kernel trick: check_psd = "off", "warn" or "raise".

With a kernel that is not positive semi-definite the dual is no longer convex: what is found is a stationary point, and
the gap proves nothing.  scikit-learn says nothing; here

    "off"    nothing is looked at
    "warn"   a given matrix, and a kernel known not to be positive, are tried on a few hundred of the items, a function
             of which nothing is known on a few dozen, which costs next to nothing; a named kernel ("sigmoid") is what
             scikit-learn's users chose, and passes
    "raise"  whatever is not positive by construction is certified on all items, and refused if it fails
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import NotPositiveDefinite, bad, warn
from mercer.estimators.training_data import Data

POLICIES = ("off", "warn", "raise")
NOTABLE = 1e-5  # of the largest eigenvalue: less may come of data in single precision, and harms nothing
TRIED = 256  # by interlacing, a negative eigenvalue of the Gram of some items is a proof against all of it
FEW = 64  # where each pair may be a call of a user's function


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
        _try(owner, data, TRIED if data.kernel is None or data.psd is False else FEW)


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
            f"eigenvalue {values[0]:.3g}. The result is a stationary point and its gap proves nothing. "
            "mercer.repair(K) makes a Gram positive; check_psd='off' silences this.",
            Indefinite,
        )  # fmt: skip
