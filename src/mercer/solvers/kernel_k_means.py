"""Kernel k-means: k-means of the features of a kernel, by products with its Gram alone.

    minimise sum_i w_i |phi(x_i) - mu_c(i)|^2 over the clusters c(i),  mu_c = sum_i V_ic phi(x_i),
    V_ic = w_i / W_c for the items of cluster c, and W_c the sum of their weights

    |phi(x_i) - mu_c|^2 = k(x_i, x_i) - 2 (K V)_ic + (V'K V)_cc

Each step moves all items to their nearest mean.  The loss never rises, for neither the move nor the new means can raise
it; the losses of all steps are the witness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.typing import Array

_ROUNDING = 1e-9  # of the first loss


@dataclass(frozen=True, kw_only=True, eq=False)
class MeansProof:
    """The loss of the last clusters and of all before them.

    losses         before every step and at the end: they must not rise
    fixed          whether every item is at its nearest mean, so that another step changes nothing
    reason         "converged", "max_iter", "interrupted", or "verified" for a proof made again
    """

    loss: float
    losses: tuple[float, ...]
    fixed: bool
    n_iter: int
    reason: str

    @property
    def never_rises(self) -> bool:
        """Whether no step raised the loss."""
        return bool((np.diff(self.losses) <= _ROUNDING * max(self.losses, default=0.0)).all())

    @property
    def converged(self) -> bool:
        """Whether the clusters are a fixed point that a falling loss led to."""
        return self.fixed and self.never_rises

    def __str__(self) -> str:
        fell = "never rose" if self.never_rises else "ROSE"
        end = "every item is at its nearest mean" if self.fixed else "some items are nearer to another mean"
        return f"{self.n_iter} steps ({self.reason}): loss {self.loss:.8g}, which {fell}; {end}."


@dataclass(frozen=True, eq=False)
class Means:
    """Clusters of all items, with V and the squared norms of the means."""

    labels: Array
    V: Array
    norms: Array
    proof: MeansProof


@dataclass(frozen=True, eq=False)
class _State:
    """The means of some clusters: V, their squared norms, and the squared distances of all items to them."""

    V: Array
    norms: Array
    squares: Array


def lloyd(gram: Any, diagonal: Array, weight: Array, labels: Array, k: int, max_iter: int) -> Means:
    """Steps from the clusters `labels` until no item moves; `gram` has a product with a matrix."""
    every, losses, reason = np.arange(len(labels)), [], "max_iter"
    labels = filled(labels, np.ones(len(labels)), weight, k)
    state = _means(gram, diagonal, weight, labels, k)
    with until_interrupted() as work:
        while True:
            at = state.squares[every, labels]
            losses.append(float(weight @ at))
            nearest = state.squares.argmin(axis=1)
            stays = state.squares[every, nearest] >= at  # of equal means the present one
            moved = filled(np.where(stays, labels, nearest), at, weight, k)
            if np.array_equal(moved, labels):
                reason = "converged"
            if reason == "converged" or len(losses) > max_iter or work.came():
                break
            state, labels = _means(gram, diagonal, weight, moved, k), moved
    reason = "interrupted" if work.came() else reason
    proof = MeansProof(loss=losses[-1], losses=tuple(losses), fixed=reason == "converged", n_iter=len(losses),
                       reason=reason)  # fmt: skip
    return Means(labels, state.V, state.norms, proof)


def _means(gram: Any, diagonal: Array, weight: Array, labels: Array, k: int) -> _State:
    V = indicator(weight, labels, k)
    KV = gram @ V
    norms = np.einsum("ic,ic->c", V, KV)
    return _State(V, norms, np.maximum(diagonal[:, None] - 2.0 * KV + norms, 0.0))


def indicator(weight: Array, labels: Array, k: int) -> Array:
    """V: w_i / W_c for the items of cluster c."""
    V = np.zeros((len(labels), k))
    V[np.arange(len(labels)), labels] = weight / np.bincount(labels, weight, k)[labels]
    return V


def filled(labels: Array, squares: Array, weight: Array, k: int) -> Array:
    """The clusters, where each empty one gets the item that is farthest from its mean and not alone.

    That never raises the loss: the item is then its own mean, and the mean of the others is their best one.
    """
    labels = labels.copy()
    counts = np.bincount(labels, minlength=k)
    for c in np.flatnonzero(counts == 0):
        i = int(np.argmax(np.where(counts[labels] > 1, weight * squares, -1.0)))
        counts[labels[i]] -= 1
        labels[i], counts[c] = c, 1
    return labels


def prove_means(gram: Any, diagonal: Array, weight: Array, labels: Array, k: int) -> MeansProof:
    """The loss of given clusters, and whether every item is at its nearest mean, from the Gram alone."""
    squares = _means(gram, diagonal, weight, labels, k).squares
    at = squares[np.arange(len(labels)), labels]
    loss = float(weight @ at)
    nearer = weight * (at - squares.min(axis=1)) > _ROUNDING * loss
    return MeansProof(loss=loss, losses=(loss,), fixed=not nearer.any(), n_iter=0, reason="verified")
