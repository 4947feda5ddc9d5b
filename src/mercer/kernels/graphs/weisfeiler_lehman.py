"""What surrounds the nodes of two graphs, by rounds of relabelling (Weisfeiler and Leman; Shervashidze et al., 2011).

In each round every node gets a new label: the hash of its label and of the multiset of labels around it.  After r
rounds the label stands for all that can be met in r steps, as a tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Graphs
from mercer.kernels.base import Pool, kernel
from mercer.kernels.graphs.form import arc_hashes, node_hashes
from mercer.kernels.graphs.histograms import HistogramKernel, Histograms, common, counted, in_unary, inner
from mercer.native import graph_labels
from mercer.typing import Array

BASES = ("subtree", "edge", "assignment")


@kernel
class WeisfeilerLehman(HistogramKernel):
    """k(x, y) = what two graphs have in common among their labels of rounds 0, 1, ..., `rounds`.

    base    "subtree": sum over labels of #(x) #(y), how many nodes of x and of y have the label
            "edge": the same for edges, each known by the labels of its ends and its own
            "assignment": sum over labels of min(#(x), #(y)), the best assignment of the nodes of x to those of y, where
            a pair of nodes counts the rounds in which they agree (Kriege et al., 2016)

    Labels of edges take part in every round, if there are any.  Graphs without labels of nodes begin with equal ones.
    In directed graphs a node is surrounded by those that its arcs lead to.  A graph without nodes has k = 0.
    """

    rounds: int = 5
    base: str = "subtree"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.rounds, bool) or not isinstance(self.rounds, (int, np.integer)) or self.rounds < 0:
            raise bad("WeisfeilerLehman", "rounds", "an integer >= 0", repr(self.rounds),
                      "rounds = 0 compares the labels alone.")  # fmt: skip
        if self.base not in BASES:
            raise bad("WeisfeilerLehman", "base", f"one of {list(BASES)}", repr(self.base), "Choose one of these.")

    @property
    def psd_reason(self) -> str:  # type: ignore[override]
        if self.base == "assignment":
            return "an inner product of features: for each label and t = 1, 2, ..., whether t nodes have it"
        return f"an inner product of features: how many {'edges' if self.base == 'edge' else 'nodes'} have each label"

    def prepare_in(self, X: Graphs, frame: Any, pool: Pool) -> Histograms:
        arrays, arc = (X.nodes, X.start, X.neighbour), arc_hashes(X)
        labels = np.empty((self.rounds + 1, len(X.start) - 1), dtype=np.int64)
        labels[0] = node_hashes(X)
        for r in range(self.rounds):
            graph_labels.refine(*arrays, arc, labels[r], labels[r + 1])
        if self.base != "edge":
            return counted(X, labels, X.nodes, split=self.base == "subtree")
        keys = np.empty((self.rounds + 1, len(X.neighbour)), dtype=np.int64)
        for r in range(self.rounds + 1):
            graph_labels.arc_keys(*arrays, arc, labels[r], not X.directed, keys[r])
        kept = np.ones(len(X.neighbour), dtype=bool) if X.directed else X.source <= X.target
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(kept)])[X.start[X.nodes]]
        return counted(X, np.ascontiguousarray(keys[:, kept]), ends)

    def block(self, A: Histograms, B: Histograms) -> Array:
        return (common if self.base == "assignment" else inner)("WeisfeilerLehman", A, B)

    def diag(self, A: Histograms) -> Array:
        if self.base != "assignment":
            return super().diag(A)
        return np.asarray(A.rows.values.sum(axis=1), dtype=A.rows.dtype).ravel()

    def feature_map(self, X: Any) -> Any:
        """phi as a CSR matrix, one column per label that occurs in X (and per number of nodes, for assignments)."""
        counts = super().feature_map(X)
        return in_unary(counts) if self.base == "assignment" else counts
