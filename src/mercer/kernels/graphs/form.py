"""The form of graphs: directed or not, and which kinds of labels they have.

Hashes of labels of different kinds never agree, so that a kernel would find nothing in common where the labels 1 and
"1" were meant to be the same.  Datasets of different forms are refused instead.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mercer.errors import wrong_kind
from mercer.items import Graphs
from mercer.items.labels import Labels
from mercer.typing import Array

_NO_ARCS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Form:
    """Kinds of labels, "no" where there are none, and whether edges have a direction; None where no graph tells."""

    directed: bool | None
    nodes: str | None
    edges: str | None


def form_of(X: Graphs) -> Form:
    """The form of a dataset."""
    arcs = len(X.neighbour) > 0
    return Form(
        X.directed if arcs else None,
        _kind(X.node_labels) if len(X.start) > 1 else None,
        _kind(X.edge_labels) if arcs else None,
    )


def _kind(labels: Labels | None) -> str | None:
    return "no" if labels is None else labels.kind


def require_same(owner: str, a: Form, b: Form) -> None:
    """Refuse two datasets of different forms."""
    for field in fields(Form):
        one, other = getattr(a, field.name), getattr(b, field.name)
        if one is not None and other is not None and one != other:
            cure = "Read both alike: Graphs.of(X, node_label=..., edge_label=..., directed=...)."
            raise wrong_kind(owner, "of one form in both datasets", _said(field.name, one, other), cure)


def _said(name: str, one: Any, other: Any) -> str:
    if name == "directed":
        return "directed graphs and undirected ones"
    return f"{one} labels of {name} and {other} labels"


def node_hashes(X: Graphs, labelled: bool = True) -> Array:
    """A hash for the label of every node; zeros if there are no labels, or they are not to be used."""
    if labelled and X.node_labels is not None:
        return X.node_labels.hashes
    return np.zeros(len(X.start) - 1, dtype=np.int64)


def arc_hashes(X: Graphs, labelled: bool = True) -> Array:
    """A hash for the label of every arc; empty if there are no labels, or they are not to be used."""
    return X.edge_labels.hashes if labelled and X.edge_labels is not None else _NO_ARCS
