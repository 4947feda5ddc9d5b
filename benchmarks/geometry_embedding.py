"""The embedding part of suite "geometry": kernel PCA against scikit-learn's, kernel LDA against its textbook form.

Kernel PCA: ten axes of the Gaussian kernel.  Of scikit-learn's solvers ARPACK is the fastest that finds eigenvalues to
1e-8, which is what the answers are compared to; scores of new rows are compared too.

Kernel LDA: the textbook forms N = K K' - sum_i m_i mu_i mu_i' and solves M a = lambda N a by scipy.linalg.eigh, for the
nine largest eigenvalues of ten classes.  Ours must have no more errors on new rows than the nearest class mean has in
the textbook's coordinates, by more than one in a hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import mercer
from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer.typing import Array

AXES, NEW = 10, 5000
EIGENVALUES, SCORES = 1e-8, 1e-3  # largest relative difference
SHRINKAGE = 1e-3


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to fit and rows to place, gamma of the kernel, and models that are fitted already."""

    X: Array
    Z: Array
    gamma: float
    ours: Any
    theirs: Any


def _ours(rows: Rows) -> Any:
    return mercer.KernelPCA(AXES, kernel="rbf", gamma=rows.gamma).fit(rows.X)


def _theirs(rows: Rows) -> Any:
    from sklearn.decomposition import KernelPCA

    return KernelPCA(AXES, kernel="rbf", gamma=rows.gamma, eigen_solver="arpack", random_state=0).fit(rows.X)


@lru_cache(maxsize=2)
def _rows(name: str, n: int, fitted: bool) -> Rows:
    both = data.table(name, n + min(n, NEW)).X
    plain = Rows(both[:n], both[n:], 1.0 / both.shape[1], None, None)
    return Rows(plain.X, plain.Z, plain.gamma, _ours(plain), _theirs(plain)) if fitted else plain


def _same_axes(rows: Rows, ours: Any, theirs: Any) -> Agreement:
    apart = float(np.abs(ours.eigenvalues_ / theirs.eigenvalues_ - 1.0).max())
    return Agreement(apart <= EIGENVALUES, f"eigenvalues apart {apart:.0e}")


def _same_scores(rows: Rows, ours: Array, theirs: Array) -> Agreement:
    signs = np.where(np.sum(ours * theirs, axis=0) < 0.0, -1.0, 1.0)
    apart = float(np.abs(ours * signs - theirs).max() / np.abs(theirs).max())
    return Agreement(apart <= SCORES, f"scores apart {apart:.0e}")


# ---- kernel LDA


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows of ten classes, to fit and to judge by."""

    X: Array
    y: Array
    Z: Array
    z: Array
    gamma: float


@lru_cache(maxsize=1)
def _digits(n: int) -> Labelled:
    """scikit-learn's digits, drawn with replacement and moved a little."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(X), size=n + 1000)
    X = X[drawn] + rng.normal(size=(len(drawn), X.shape[1]))
    return Labelled(X[:n], y[drawn][:n], X[n:], y[drawn][n:], 1.0 / (X.shape[1] * X.var()))


def _kernel_lda(rows: Labelled) -> float:
    model = mercer.KernelLDA(gamma=rows.gamma, shrinkage=SHRINKAGE).fit(rows.X, rows.y)
    return float(np.mean(model.predict(rows.Z) != rows.z))


def _textbook(rows: Labelled) -> float:
    from scipy.linalg import eigh
    from sklearn.metrics.pairwise import rbf_kernel

    K = rbf_kernel(rows.X, gamma=rows.gamma)
    classes, counts = np.unique(rows.y, return_counts=True)
    means = np.array([K[:, rows.y == c].mean(axis=1) for c in classes])
    N = K @ K - (means.T * counts) @ means
    N.flat[:: len(N) + 1] += SHRINKAGE * len(N)
    centred = means - K.mean(axis=1)
    M = (centred.T * counts) @ centred
    _, A = eigh(M, N, subset_by_index=(len(N) - len(classes) + 1, len(N) - 1))
    centres = np.array([(K[rows.y == c] @ A).mean(axis=0) for c in classes])
    Z = rbf_kernel(rows.Z, rows.X, gamma=rows.gamma) @ A
    nearest = np.argmin(np.square(Z[:, None] - centres[None]).sum(axis=2), axis=1)
    return float(np.mean(classes[nearest] != rows.z))


def _no_worse(rows: Labelled, ours: float, theirs: float) -> Agreement:
    return Agreement(ours <= theirs + 0.01, f"errors {ours:.1%} (rival {theirs:.1%})")


def cases() -> list[Case]:
    """Fits and placements of two tables at two sizes, and kernel LDA."""
    found = []
    for name in ("housing", "covtype"):
        for n in (5_000, 10_000):
            found += [
                Case(
                    suite="geometry", name=f"KernelPCA fit, {name}, n = {n}", size=n, small=500,
                    data=lambda size, name=name: _rows(name, size, False), ours=_ours,
                    rivals={"scikit-learn arpack": Rival(_theirs, "sklearn")}, check=_same_axes,
                ),
                Case(
                    suite="geometry", name=f"KernelPCA transform of {NEW}, {name}, n = {n}", size=n, small=500,
                    data=lambda size, name=name: _rows(name, size, True), ours=lambda rows: rows.ours.transform(rows.Z),
                    rivals={"scikit-learn": Rival(lambda rows: rows.theirs.transform(rows.Z), "sklearn")},
                    check=_same_scores,
                ),
            ]  # fmt: skip
    lda = Case(
        suite="geometry", name="KernelLDA, 10 classes", size=5_000, small=400, data=_digits, ours=_kernel_lda,
        rivals={"K K and scipy.linalg.eigh": Rival(_textbook, "scipy")}, check=_no_worse,
    )  # fmt: skip
    return [*found, lda]
