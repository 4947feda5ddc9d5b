"""The posterior of the hidden states of a Markov chain, for many sequences at once.

With a_t(q) = p(x_1..x_t, state q) and b_t(q) = p(x_{t+1}..x_T | state q), each scaled to stay in range:

    gamma_t(q)   = p(state q at t | x)
    xi(q, r)     = the expected number of steps from q to r, given x

Sequences are padded to one length; a step beyond the end of a sequence changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class StatePosterior:
    """`states` is gamma, (n, T, S), 0 beyond the end of a sequence; `steps` is xi, (n, S, S)."""

    log_likelihood: Array
    states: Array
    steps: Array


def state_posterior(start: Array, transitions: Array, log_emissions: Array, lengths: Array) -> StatePosterior:
    """The posterior of hidden states given log p(x_t | q), an (n, T, S) array, and the length of every sequence."""
    n, T, S = log_emissions.shape
    inside = np.arange(T) < lengths[:, None]
    peaks = np.where(inside, log_emissions.max(axis=2, initial=-np.inf), 0.0)
    peaks = np.where(np.isfinite(peaks), peaks, 0.0)  # no state explains the symbol: its probability is 0 below
    emissions = np.exp(np.where(inside[:, :, None], log_emissions - peaks[:, :, None], 0.0))
    forward, scales = _forward(start, transitions, emissions, inside)
    backward = _backward(transitions, emissions, inside, scales)
    with np.errstate(divide="ignore"):
        log_likelihood = (np.where(inside, np.log(scales), 0.0) + peaks).sum(axis=1)
    states = np.where(inside[:, :, None], forward * backward, 0.0)
    steps = np.zeros((n, S, S))
    for t in range(T - 1):
        both = inside[:, t + 1]
        right = emissions[:, t + 1] * backward[:, t + 1] / scales[:, t + 1, None]
        pairs = forward[:, t, :, None] * transitions * right[:, None, :]
        steps += np.where(both[:, None, None], pairs, 0.0)
    return StatePosterior(np.asarray(log_likelihood), states, steps)


def _forward(start: Array, transitions: Array, emissions: Array, inside: Array) -> tuple[Array, Array]:
    """a_t scaled to sum 1, and the scales p(x_t | x_1..x_{t-1})."""
    n, T, S = emissions.shape
    forward, scales = np.empty((n, T, S)), np.ones((n, T))
    before = np.broadcast_to(start, (n, S))
    for t in range(T):
        now = before * emissions[:, t]
        total = now.sum(axis=1)
        scales[:, t] = np.where(inside[:, t], np.where(total > 0.0, total, np.finfo(float).tiny), 1.0)
        forward[:, t] = now / scales[:, t, None]
        before = forward[:, t] @ transitions
    return forward, scales


def _backward(transitions: Array, emissions: Array, inside: Array, scales: Array) -> Array:
    """b_t in the scales of the forward pass; 1 at the end of every sequence."""
    n, T, S = emissions.shape
    backward = np.ones((n, T, S))
    for t in range(T - 2, -1, -1):
        ahead = (emissions[:, t + 1] * backward[:, t + 1]) @ transitions.T / scales[:, t + 1, None]
        backward[:, t] = np.where(inside[:, t + 1, None], ahead, 1.0)
    return backward
