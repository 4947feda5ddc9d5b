"""Walks of all lengths that two graphs have in common (Gaertner et al., 2003; Vishwanathan et al., 2010).

A pair of walks, one in each graph, that pass equal labels is one walk in the product of the graphs: its nodes are pairs
of nodes, its arcs pairs of arcs.  The product is never stored as a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, TypeVar

import numpy as np

from mercer.engine import fill
from mercer.errors import bad
from mercer.items import Graphs
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.graphs.form import Form, arc_hashes, form_of, node_hashes, require_same
from mercer.native import graph_walks
from mercer.typing import Array, Index

T = TypeVar("T")
_UNSEEN = 1e-24  # of the weights of a spectrum: the share below which an eigenvalue changes no digit of the sum


@dataclass(eq=False)
class Spectra:
    """Of each undirected graph the eigenvalues a of its adjacency, and (u'1)^2 of their unit eigenvectors u.

    Graphs without labels need no more: k = sum of (u'1)^2 (v'1)^2 / (1 - decay a b) over the eigenvalues of both.
    """

    ends: Array
    eigenvalues: Array
    weights: Array

    def __getitem__(self, index: Index) -> Self:
        chosen = np.arange(len(self.ends) - 1)[index]
        lengths = np.diff(self.ends)[chosen]
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        places = np.repeat(self.ends[chosen] - ends[:-1], lengths) + np.arange(ends[-1])
        return type(self)(ends, self.eigenvalues[places], self.weights[places])


@dataclass(eq=False)
class Walkers:
    """Graphs with the largest absolute eigenvalue of each adjacency; `spectra` if these are all that is needed."""

    graphs: Graphs
    labelled: bool
    radii: Array
    spectra: Spectra | None
    form: Form
    frame: None = None

    def __len__(self) -> int:
        return len(self.graphs)

    def __getitem__(self, index: Index) -> Self:
        spectra = None if self.spectra is None else self.spectra[index]
        return type(self)(self.graphs[index], self.labelled, self.radii[index], spectra, self.form)

    def in_single(self) -> Self:
        """The same: 1 - decay a b is a small difference, which needs all digits."""
        return self

    @property
    def arrays(self) -> tuple[Array, ...]:
        X = self.graphs
        return X.nodes, X.start, X.neighbour, node_hashes(X, self.labelled), arc_hashes(X, self.labelled), self.radii


@kernel
class RandomWalk(Kernel):
    """k(x, y) = sum over L = 0, 1, ... of decay^L times the number of pairs of walks of L steps, one in x and one in y.

    In matrices: 1' (I - decay A)^-1 1, A the adjacency of the product of the two graphs.  The sum is finite if decay is
    below 1 / r^2 for the largest absolute eigenvalue r of the adjacency of every graph; others are refused.  A graph
    without nodes has k = 0.

    labelled    whether two walks must pass equal labels of nodes and edges, if there are any; False counts all pairs
    """

    decay: float = 0.1
    labelled: bool = True

    items = Graphs
    psd = True
    psd_reason = "an inner product of features: decay^(L/2) times the number of walks of L steps with given labels"

    def __post_init__(self) -> None:
        super().__post_init__()
        number = isinstance(self.decay, (int, float, np.number)) and not isinstance(self.decay, bool)
        if not number or not 0.0 <= self.decay < np.inf:
            raise bad("RandomWalk", "decay", "a number >= 0", repr(self.decay), "0.1 suits graphs of few edges a node.")
        if not isinstance(self.labelled, (bool, np.bool_)):
            raise bad("RandomWalk", "labelled", "True or False", repr(self.labelled), "Choose one.")

    def prepare_in(self, X: Graphs, frame: Any, pool: Pool) -> Walkers:
        by_labels = self.labelled and (X.node_labels is not None or X.edge_labels is not None)
        spectra = None if X.directed or by_labels else _spectra(X)
        radii = _radii(X) if spectra is None else _largest(spectra)
        self._require_convergence(radii)
        form = form_of(X)
        return Walkers(X, self.labelled, radii, spectra, form if self.labelled else Form(form.directed, None, None))

    def _require_convergence(self, radii: Array) -> None:
        too_large = np.flatnonzero(self.decay * radii**2 >= 1.0)
        if too_large.size:
            most = radii.max()
            rule = f"below 1 / r^2 = {1.0 / most**2:.4g}, r = {most:.4g} the largest absolute eigenvalue of a graph"
            fault = f"{self.decay}, at which the sum over walks in graph {too_large[0]} is infinite"
            raise bad("RandomWalk", "decay", rule, fault, "Lower it.")

    def block(self, A: Walkers, B: Walkers) -> Array:
        require_same("RandomWalk", A.form, B.form)
        out, decay = np.empty((len(A), len(B))), float(self.decay)
        if A.spectra is not None and B.spectra is not None:
            parts = (part for S in (A.spectra, B.spectra) for part in (S.ends, S.eigenvalues, S.weights))
            graph_walks.spectral_walks(*parts, decay, out)
        else:
            directed = A.graphs.directed or B.graphs.directed
            graph_walks.product_walks(*A.arrays, *B.arrays, decay, directed, out)
        return out


def _of_each(X: Graphs, compute: Callable[[Array], T]) -> list[T]:
    """compute(A) for the adjacency of every graph; with BLAS on one thread, as the matrices are small."""
    found: dict[int, T] = {}

    def work(g: int) -> None:
        found[g] = compute(_matrix(X, g))

    fill.over_items(work, len(X))
    return [found[g] for g in range(len(X))]


def _matrix(X: Graphs, g: int) -> Array:
    """The adjacency of one graph."""
    first, last = X.nodes[g], X.nodes[g + 1]
    A = np.zeros((last - first, last - first))
    arcs = slice(X.start[first], X.start[last])
    A[np.repeat(np.arange(len(A)), np.diff(X.start[first : last + 1])), X.neighbour[arcs]] = 1.0
    return A


def _spectra(X: Graphs) -> Spectra:
    """The spectrum of every adjacency."""
    found = [(np.zeros(0), np.zeros(0)), *_of_each(X, _spectrum)]
    ends = np.cumsum([len(values) for values, _ in found], dtype=np.int64)
    return Spectra(ends, *(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _spectrum(A: Array) -> tuple[Array, Array]:
    """Eigenvalues a and weights (u'1)^2, without those that change no sum."""
    a, U = np.linalg.eigh(A)
    w = U.sum(axis=0) ** 2
    kept = w > _UNSEEN * len(A)
    return a[kept], w[kept]


def _largest(spectra: Spectra) -> Array:
    """The largest absolute eigenvalue of each: no component of a graph has a zero sum in its leading eigenvector."""
    ends = spectra.ends.tolist()
    return np.array([abs(spectra.eigenvalues[a:b]).max(initial=0.0) for a, b in pairwise(ends)])


def _radii(X: Graphs) -> Array:
    values = np.linalg.eigvals if X.directed else np.linalg.eigvalsh
    return np.array(_of_each(X, lambda A: float(abs(values(A)).max(initial=0.0)) if len(A) else 0.0))
