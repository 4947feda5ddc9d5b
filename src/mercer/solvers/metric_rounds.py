"""A metric learned from the function that uses it: recursive feature machines.

A function f is fitted with a kernel of the distance |(x - z)' T|, T a symmetric matrix.  The mean of grad f grad f'
over the items,

    G = (1/n) sum_i grad f(x_i) grad f(x_i)',

is large in the directions in which f moves.  The next round measures distances with T T' = (G / largest eigenvalue)^p.
The first round tries every power p, the others that which was best.  The best fit of all rounds is the answer, by an
error that is no training error.  For a kernel of the distance sum_j |x_j - z_j|, which looks at columns one by one, the
diagonal of G stands for G.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.typing import Array

_WORTH = 0.01  # share of the error that a round must take away for another to follow


class Fit(Protocol):
    """One fit with a given metric."""

    error: float

    def gradients(self) -> Array:
        """grad f, one row per item and output, in the coordinates of x."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """The best fit, its T, what every round came to, and why they ended.

    The history holds (power, error) of every round, the first with the metric of the start.  The reason is "converged"
    (the last round lowered the error by less than a hundredth, or not at all), "rounds" (as many as were asked for) or
    "interrupted".
    """

    fit: Any
    transform: Array
    history: list[tuple[float, float]]
    reason: str


def next_transform(G: Array, power: float, *, diagonal: bool = False) -> Array:
    """The symmetric T with T T' = (G / largest eigenvalue)^power; the identity for G = 0, as f moves nowhere."""
    if diagonal:
        G = np.diag(np.diag(G))
    values, vectors = np.linalg.eigh(G)
    if not values[-1] > 0.0:
        return np.eye(len(G))
    shares = np.clip(values / values[-1], 0.0, None) ** (0.5 * power)
    return np.asarray((vectors * shares) @ vectors.T)


def mean_outer(gradients: Array) -> Array:
    """G of rows of gradients, scaled so that large and tiny targets leave the range of numbers."""
    largest = float(np.abs(gradients).max(initial=0.0))
    scaled = gradients / largest if largest > 0.0 else gradients
    return np.asarray(scaled.T @ scaled / max(len(scaled), 1))


def learn_metric(
    fit: Callable[[Array], Fit], start: Array, rounds: int, powers: Sequence[float], *, diagonal: bool = False
) -> Rounds:
    """Rounds of fit and new metric, until one lowers the error by less than a hundredth or `rounds` are done."""
    best, transform = fit(start), start
    history, reason = [(np.nan, best.error)], "rounds"
    with until_interrupted() as work:
        for _ in range(rounds):
            G = mean_outer(best.gradients())
            tried = [(power, next_transform(G, power, diagonal=diagonal)) for power in powers]
            fits = [fit(T) for _, T in tried]
            i = int(np.argmin([each.error for each in fits]))
            history.append((tried[i][0], fits[i].error))
            powers = [tried[i][0]]
            worth = fits[i].error < (1.0 - _WORTH) * best.error
            if fits[i].error < best.error:
                best, transform = fits[i], tried[i][1]
            if not worth:
                reason = "converged"
                break
    return Rounds(best, transform, history, "interrupted" if work.came() else reason)
