"""The loops of native/loops/rvm.cpp with what they write as their results."""

from __future__ import annotations

import numpy as np

from mercer.native import rvm


def singles(S, Q, tau, grain):
    """(gain, best)."""
    gain, best = np.empty(len(tau)), np.empty(len(tau))
    rvm.singles(S, Q, tau, grain, gain, best)
    return gain, best


def exchanges(PA, A, S, Q, tau, grain):
    """(gain, partner, best)."""
    gain, partner, best = np.empty(len(tau)), np.empty(len(tau), dtype=np.intp), np.empty(len(tau))
    rvm.exchanges(PA, A, S, Q, tau, grain, gain, partner, best)
    return gain, partner, best
