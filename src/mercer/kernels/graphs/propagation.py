"""What random walks from the nodes of two graphs meet, in bins (Neumann et al., 2016).

A walker that has made t random steps from node u is at nodes with labels or attributes of some distribution P_u.  Nodes
whose distributions are near count as equal: a random projection of P_u is cut into bins of some width.  It is linear in
P_u, so that the projected values themselves are averaged over neighbours, step by step.

They are averaged as whole multiples of 2^-24 of a bin, and sums of integers do not depend on their order: graphs that
differ in the order of their nodes fall into the same bins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Graphs
from mercer.kernels.base import Pool, kernel
from mercer.kernels.graphs.form import node_hashes
from mercer.kernels.graphs.histograms import HistogramKernel, Histograms, counted
from mercer.typing import Array

_BIN = 1 << 24  # units of a bin
_MOST = 2.0**37  # bins that a projection may reach: a sum over 2 neighbours must fit 64 bits, less so for more


@kernel
class Propagation(HistogramKernel):
    """k(x, y) = sum over t = 0, ..., steps of the number of pairs of nodes, one of x and one of y, in the same bin.

    steps         of the random walks
    width         of a bin: small ones tell nearly equal distributions apart.  Projections of labels are normal numbers
                  of variance 1, those of attributes have the size of the attributes
    attributes    whether to compare attributes of nodes in the place of their labels
    seed          of the random projections and of where bins begin

    Labels of edges are not used.  A walker at a node without arcs stays there.
    """

    steps: int = 5
    width: float = 0.01
    attributes: bool = False
    seed: int = 0

    psd_reason = "an inner product of features: how many nodes fall into each bin, after each number of steps"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("steps", "seed"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 0:
                raise bad("Propagation", name, "an integer >= 0", repr(given), "Try 5 steps.")
        number = isinstance(self.width, (int, float, np.number)) and not isinstance(self.width, bool)
        if not number or not 1e-9 <= self.width < np.inf:
            raise bad("Propagation", "width", "a number of at least 1e-9", repr(self.width), "Try 0.01.")
        if not isinstance(self.attributes, (bool, np.bool_)):
            raise bad("Propagation", "attributes", "True or False", repr(self.attributes), "Choose one.")

    def prepare_in(self, X: Graphs, frame: Any, pool: Pool) -> Histograms:
        keys = np.empty((self.steps + 1, len(X.start) - 1), dtype=np.int64)
        target, degree = X.target, np.diff(X.start)
        for t in range(self.steps + 1):
            value = self._projected(X, t)
            for _ in range(t):
                value = _averaged(value, X.start, target, degree)
            keys[t] = _paired(_uniform(self.seed, t, 1), value // _BIN)
        return counted(X, keys, X.nodes)

    def _projected(self, X: Graphs, t: int) -> Array:
        """The projection of every node as a whole number of units, shifted by the random beginning of bins."""
        if self.attributes:
            V = self._given(X)
            x = np.zeros(len(V))
            for column in range(V.shape[1]):
                x += V[:, column] * _normal(_paired(_uniform(self.seed, t, 2), np.array([column])))
        else:
            x = _normal(_paired(_uniform(self.seed, t, 2), node_hashes(X)))
        bins = x / self.width
        if abs(bins).max(initial=0.0) > _MOST:
            raise bad("Propagation", "width", "above 1e-11 of the largest attribute", repr(self.width), "Widen bins.")
        shift = int(_uniform(self.seed, t, 3)[0]) % _BIN
        return np.rint(bins * _BIN).astype(np.int64) + shift

    def _given(self, X: Graphs) -> Array:
        if X.node_attributes is None and len(X.start) > 1:
            raise bad("Propagation", "X", "graphs with attributes of nodes", "none",
                      'Use Graphs.of(X, node_attributes="name"), or attributes=False.')  # fmt: skip
        return np.zeros((0, 1)) if X.node_attributes is None else X.node_attributes


def _averaged(value: Array, start: Array, target: Array, degree: Array) -> Array:
    """The mean over the neighbours of each node, rounded down; its own value where it has none."""
    running = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(value[target])])  # differences are exact mod 2^64
    sums = running[start[1:]] - running[start[:-1]]
    return np.where(degree > 0, sums // np.maximum(degree, 1), value)


# ---- random numbers that depend on their arguments alone


def _mixed(x: Array) -> Array:
    """The finaliser of SplitMix64 on an array of 64-bit integers."""
    x = x.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def _paired(a: Array, b: Array) -> Array:
    """64-bit hashes of pairs."""
    return _mixed(_mixed(a) + _mixed(b.astype(np.uint64) ^ np.uint64(0xD1B54A32D192ED03))).view(np.int64)


def _uniform(seed: int, t: int, purpose: int) -> Array:
    """A hash of three integers, (1,)."""
    return _paired(_paired(np.array([seed]), np.array([t])), np.array([purpose]))


def _normal(hashes: Array) -> Array:
    """A standard normal number for every hash (Box and Muller)."""
    u, v = ((_mixed(hashes.view(np.uint64) + np.uint64(i)) >> np.uint64(11)) / 2.0**53 for i in (1, 2))
    return np.asarray(np.sqrt(-2.0 * np.log1p(-u)) * np.cos(2.0 * np.pi * v))
