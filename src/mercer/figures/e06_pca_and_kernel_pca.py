"""E6: PCA and kernel PCA of the same rows.

Two axes of PCA only turn two columns; two axes of kernel PCA put each cluster on a line of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures._axes import bare
from mercer.figures._blobs import WIDTH, three_clusters
from mercer.figures.claim import Measured, at_least, at_most
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "PCA to as many axes as there are columns keeps all distances; on two axes of kernel PCA every cluster lies near a "
    "line of its own, and the lines point in different directions."
)


@dataclass(frozen=True)
class Result:
    """The rows with their clusters, and their scores both ways."""

    X: Array
    cluster: Array
    linear: Array
    kernel: Array


def compute(seed: int = 0) -> Result:
    """Two axes each."""
    from mercer import KernelPCA
    from mercer.kernels import RBF

    X, cluster = three_clusters(seed)
    return Result(X, cluster, KernelPCA(2).fit_transform(X), KernelPCA(2, kernel=RBF(WIDTH)).fit_transform(X))


def line_of_cluster(Y: Array) -> tuple[Array, float]:
    """The direction of the line through their mean nearest to points, and the share of their variance along it."""
    _, sizes, V = np.linalg.svd(Y - Y.mean(axis=0), full_matrices=False)
    return V[0], float(sizes[0] ** 2 / np.sum(sizes**2))


def check(result: Result) -> list[Measured]:
    """Distances after PCA, and how near to lines the clusters are."""
    lines = [line_of_cluster(result.kernel[result.cluster == c]) for c in range(3)]
    turned = np.abs(_distances(result.linear) - _distances(result.X)).max()
    cosines = [abs(float(lines[a][0] @ lines[b][0])) for a, b in ((0, 1), (0, 2), (1, 2))]
    return [
        at_most("largest change of a distance by PCA", float(turned), 1e-10),
        at_least("share of a cluster along its line, least of three", min(share for _, share in lines), 0.9),
        at_most("cosine of two lines, largest of three", max(cosines), 0.9),
    ]


def _distances(Y: Array) -> Array:
    return np.asarray(np.sqrt(np.square(Y[:, None] - Y[None]).sum(axis=2)))


def draw(result: Result) -> Figure:
    """Both planes."""
    figure, axes = plots.figure(1, 2, size=(7.4, 3.5))
    for ax, (name, Y) in zip(axes, {"PCA": result.linear, "kernel PCA": result.kernel}.items(), strict=True):
        plots.embedding(Y, result.cluster, ax=ax)
        bare(ax).set(title=name, xlabel="", ylabel="")
    return figure
