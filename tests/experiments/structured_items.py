"""Items of two classes, one third and two thirds of them, of every kind that is no row of numbers."""

from __future__ import annotations

import numpy as np

from mercer.kernels import (
    RBF,
    Agreement,
    Fisher,
    GappedKmer,
    GapWeighted,
    GenerativeFeatures,
    GlobalAlignment,
    LocalAlignment,
    Mallows,
    MeanEmbedding,
    Normalised,
    On,
    PositiveType,
    ProbabilityProduct,
    Propagation,
    PyramidMatch,
    RandomWalk,
    ShortestPath,
    SignaturePDE,
    SlicedWasserstein,
    Spectrum,
    Tanimoto,
    WeisfeilerLehman,
)
from mercer.models import HiddenMarkov

rng = np.random.default_rng(0)
n = 60
code = (np.arange(n) % 3 == 0).astype(int)
y = np.array(["many", "few"])[code]
train, test = np.arange(40), np.arange(40, n)


def chain(moves: float, length: int) -> np.ndarray:
    """The states of a chain of two that changes its state with probability `moves`."""
    return (np.cumsum(rng.random(length) < moves) + rng.integers(2)) % 2


def graph(ring: int) -> dict[str, object]:
    """A ring, mostly of C, or a tree, mostly of N, of 6 to 9 nodes."""
    m = int(rng.integers(6, 10))
    edges = [(i, (i + 1) % m) for i in range(m)] if ring else [(int(rng.integers(0, i)), i) for i in range(1, m)]
    labels = rng.choice(["C", "N"], size=m, p=[0.8, 0.2] if ring else [0.3, 0.7]).tolist()
    return {"n": m, "edges": edges, "node_labels": labels}


def dna(motif: int) -> str:
    row = rng.choice(list("acgt"), 24)
    row[8:14] = list("tataat" if motif else "ggcgcc")
    row[rng.integers(0, 24)] = "t"
    return "".join(row)


strings = [dna(c) for c in code]
graphs = [graph(c) for c in code]
chains = [chain(0.1 if c else 0.8, int(m)) for c, m in zip(code, rng.integers(20, 40, n), strict=True)]
symbols = ["".join("ab"[s if rng.random() < 0.9 else 1 - s] for s in states) for states in chains]
vectors = [np.column_stack([3.0 * states, -states]) + 0.5 * rng.normal(size=(len(states), 2)) for states in chains]
series = [np.sin(np.arange(m) / (2.0 + c))[:, None] + 0.1 * rng.normal(size=(m, 1))
          for m, c in zip(rng.integers(8, 20, n), code, strict=True)]  # fmt: skip
paths = [np.column_stack([np.arange(len(x)) / 5.0, x]) for x in series]
clouds = [rng.normal(size=(m, 2)) * (1.0 + 2.0 * c) + 9.0 for m, c in zip(rng.integers(10, 20, n), code, strict=True)]
members = rng.random((n, 64)) < np.where(code[:, None] == 1, np.linspace(0, 0.6, 64), np.linspace(0.6, 0, 64))
sets = [set(np.flatnonzero(row).tolist()) for row in members]
orders = [np.argsort(np.arange(6) * (1 - 2 * c) + rng.normal(size=6)) for c in code]
hours = (rng.integers(0, 8, n) + 12 * code) % 24

KINDS = {
    "spectrum": (Normalised(Spectrum(3)), strings),
    "gapped": (Normalised(GappedKmer(5, k=3)), strings),
    "gap weighted": (Normalised(GapWeighted(3)), strings),
    "local alignment": (LocalAlignment(0.5), strings),
    "sets": (Tanimoto(), sets),
    "subsets": (Agreement(tuple(range(64))), sets),
    "bits": (Tanimoto(), np.packbits(members, axis=1)),
    "subtrees": (Normalised(WeisfeilerLehman(2)), graphs),
    "assignment": (Normalised(WeisfeilerLehman(2, "assignment")), graphs),
    "shortest paths": (Normalised(ShortestPath()), graphs),
    "walks": (Normalised(RandomWalk(0.02)), graphs),
    "propagation": (Normalised(Propagation(2)), graphs),
    "fisher of symbols": (Fisher("hidden markov"), symbols),
    "fisher of vectors": (Fisher("hidden markov", information="identity"), vectors),  # whitened: all axes are alike
    "states of symbols": (9.0 * GenerativeFeatures(RBF(0.3), "hidden markov", 4), symbols),
    "chains of symbols": (ProbabilityProduct(length=8, normalised=True), [HiddenMarkov.of(s, 2) for s in symbols]),
    "chains of vectors": (ProbabilityProduct(length=8, normalised=True), [HiddenMarkov.of(v, 2) for v in vectors]),
    "alignment": (GlobalAlignment(1.0), series),
    "signature": (Normalised(SignaturePDE(1.5, refinement=2)), paths),
    "pyramid": (Normalised(PyramidMatch(8, side=0.5)), clouds),
    "means": (9.0 * MeanEmbedding(RBF(1.0)), clouds),
    "sliced": (SlicedWasserstein(0.5), clouds),
    "rankings": (Mallows(0.3), orders),
    "hours": (PositiveType("Z24", lambda t: 0.8 ** min(t, 24 - t)), hours),
    "columns": (On("curve", GlobalAlignment(1.0)) + On("cloud", SlicedWasserstein(0.5)) + On("order", Mallows(0.3)),
                {"curve": series, "cloud": clouds, "order": [x.tolist() for x in orders]}),
}  # fmt: skip


def some(X, rows):
    """The items of X at some rows."""
    if isinstance(X, dict):
        return {name: some(column, rows) for name, column in X.items()}
    return X[rows] if isinstance(X, np.ndarray) else [X[i] for i in rows]
