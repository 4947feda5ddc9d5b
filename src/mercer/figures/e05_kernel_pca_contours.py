"""E5: eight components from two columns.

Kernel PCA of three clusters in the plane: each component is a function on the plane, drawn by its heights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._axes import bare
from mercer.figures._blobs import WIDTH, between_share, three_clusters
from mercer.figures.claim import Measured, at_least, at_most, equal, noted
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Two columns have two components of PCA and eight, or more, of kernel PCA: the first two tell three clusters "
    "apart, the later ones split inside the clusters."
)
COUNT = 8


@dataclass(frozen=True)
class Result:
    """The rows with their clusters, the fitted model, and its scores."""

    X: Array
    cluster: Array
    model: Any
    scores: Array


def compute(seed: int = 0) -> Result:
    """Eight components of the Gaussian kernel."""
    from mercer import KernelPCA
    from mercer.kernels import RBF

    X, cluster = three_clusters(seed)
    model = KernelPCA(COUNT, kernel=RBF(WIDTH)).fit(X)
    return Result(X, cluster, model, model.transform(X))


def check(result: Result) -> list[Measured]:
    """The variance of the first two lies between the clusters, that of the others within them."""
    shares = np.array([between_share(f, result.cluster) for f in result.scores.T])
    return [
        equal("components with variance", int(np.sum(result.model.eigenvalues_ > 0.0)), COUNT),
        at_least("share between clusters, least of components 1 and 2", shares[:2].min(), 0.9),
        at_most("share between clusters, most of components 3 to 8", shares[2:].max(), 0.1),
        noted("variance that the eight hold", 100.0 * float(result.model.explained_variance_ratio_.sum()), " %"),
    ]


def draw(result: Result) -> Figure:
    """The eight functions."""
    figure, axes = plots.figure(2, 4, size=(9.6, 5.0))
    for place, ax in enumerate(axes.ravel()):
        plots.component_contours(result.model, result.X, place, ax=ax)
        bare(ax).set_title(f"component {place + 1}, eigenvalue {result.model.eigenvalues_[place]:.3g}")
    return figure
