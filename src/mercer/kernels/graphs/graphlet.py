"""Connected subgraphs of few nodes that two graphs have in common (Shervashidze et al., 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Graphs
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.graphs.form import Form, form_of, require_same
from mercer.kernels.prepared_rows import ORIGIN, Rows, dot, rows
from mercer.native import graphlets
from mercer.typing import Array, Index

SIZES = (2, 3, 4, 5)


@dataclass(eq=False)
class Subgraphs:
    """How many connected induced subgraphs of each kind every graph has."""

    rows: Rows
    form: Form
    frame: None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.rows[index], self.form)


@kernel
class Graphlet(Kernel):
    """k(x, y) = sum over connected graphs f of `size` nodes of #_f(x) #_f(y), their numbers of induced subgraphs f.

    There are 1, 2, 6 and 21 such graphs f of 2, 3, 4 and 5 nodes.  All subgraphs are counted, none are sampled.  Labels
    are not used, and graphs must be undirected.  Graphs of fewer nodes have k = 0.  Counts of large graphs are large:
    Normalised(Graphlet(4)) compares their proportions.
    """

    size: int = 4

    items = Graphs
    psd = True
    psd_reason = "an inner product of features: how many induced subgraphs are like each connected graph of few nodes"
    finite = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.size, bool) or self.size not in SIZES:
            raise bad("Graphlet", "size", f"one of {list(SIZES)}", repr(self.size),
                      "There are too many graphs of more nodes.")  # fmt: skip

    def prepare_in(self, X: Graphs, frame: Any, pool: Pool) -> Subgraphs:
        if X.directed:
            raise bad("Graphlet", "X", "undirected graphs", "directed ones", "Use Graphs.of(X, symmetrise=True).")
        kinds = kinds_of(self.size)
        counts = np.empty((len(X), int(kinds.max()) + 1))
        graphlets.graphlets(X.nodes, X.start, X.neighbour, self.size, kinds, counts)
        form = form_of(X)
        return Subgraphs(rows(counts[:, 1:].copy(), ORIGIN), Form(form.directed, None, None))

    def block(self, A: Subgraphs, B: Subgraphs) -> Array:
        require_same("Graphlet", A.form, B.form)
        return dot(A.rows, B.rows)[0]

    def diag(self, A: Subgraphs) -> Array:
        return A.rows.sqnorm.copy()

    def feature_map(self, X: Any) -> Array:
        """The counts: one column for each connected graph, by its number of edges."""
        counts: Array = self.prepare(X).rows.values
        return counts


@cache
def kinds_of(size: int) -> Array:
    """The kind, 1, 2, ..., of each set of adjacent pairs of `size` nodes, equal for isomorphic ones; 0: not connected.

    Bit j (j - 1) / 2 + i says whether nodes i < j are adjacent.  Kinds are numbered by the number of edges.
    """
    pairs = [(i, j) for j in range(size) for i in range(j)]
    bits = np.arange(1 << len(pairs))
    least = bits.copy()
    for order in permutations(range(size)):
        moved = np.zeros_like(bits)
        for place, (i, j) in enumerate(pairs):
            other = pairs.index((min(order[i], order[j]), max(order[i], order[j])))
            moved |= ((bits >> place) & 1) << other
        least = np.minimum(least, moved)
    whole = [b for b in np.unique(least).tolist() if _is_connected(b, pairs, size)]
    whole.sort(key=lambda b: (b.bit_count(), b))
    kind = dict(zip(whole, range(1, len(whole) + 1), strict=True))
    return np.array([kind.get(b, 0) for b in least.tolist()], dtype=np.int64)


def _is_connected(bits: int, pairs: list[tuple[int, int]], size: int) -> bool:
    edges = [pair for place, pair in enumerate(pairs) if bits >> place & 1]
    reached = {0}
    for _ in range(size):
        reached |= {end for edge in edges if reached & set(edge) for end in edge}
    return len(reached) == size
