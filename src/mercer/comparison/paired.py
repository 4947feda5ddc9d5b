"""Whether a difference between two methods is more than chance, by their losses on the same held-out items.

An item that is hard for one method is hard for the other too, so for losses a_i and b_i the differences
d_i = b_i - a_i vary far less than the losses.  A mean of d within two of its standard errors, sd(d) / sqrt(n), is a
tie.  Accuracies that differ by one item are therefore always a tie: the standard error is one item as well.
"""

from __future__ import annotations

import numpy as np

from mercer.typing import Array

ERRORS = 2.0  # standard errors within which a difference is a tie


def item_losses(predicted: Array, truth: Array, *, labels: bool) -> Array:
    """The loss of every item: 1 for a wrong label, the squared error of a number."""
    if labels:
        return np.asarray(predicted != truth, dtype=float)
    return np.asarray(predicted - truth, dtype=float) ** 2


def is_tie(best: Array, other: Array) -> bool:
    """Whether the losses of a method are larger than those of the best by chance at most; one item is always a tie."""
    d = other - best
    if len(d) < 2:
        return True
    return bool(d.mean() <= ERRORS * d.std(ddof=1) / np.sqrt(len(d)))
