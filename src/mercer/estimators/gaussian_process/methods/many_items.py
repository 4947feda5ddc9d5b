"""More items than one factor can hold: landmarks where they are enough, else nearest neighbours.

Hyper-parameters come from blocks of items, as neighbours.py has them.  At these, a sample of the items says how much of
k(x, x) landmarks leave unexplained.  Where that is little beside the noise, the process of the landmarks is the exact
one for all purposes, and they see all items at once; elsewhere a new item needs the items near to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.means import Mean
from mercer.estimators.gaussian_process.methods.inducing import Inducing, InducingPosterior, Panels
from mercer.estimators.gaussian_process.methods.method import Method
from mercer.estimators.gaussian_process.methods.neighbours import BlockEvidence, NeighbourPosterior, Neighbours
from mercer.typing import Array

_LITTLE = 0.1  # of the noise, that landmarks may leave unexplained of k(x, x), in the mean
_SAMPLE = 2000  # items that are asked


class ManyItems(Method):
    """ "sgpr" or "neighbours", whichever fits; `name` is known after `posterior`."""

    def __init__(self, landmarks: int, neighbours: int) -> None:
        self.name = Neighbours.name
        self._landmarks, self._neighbours = Inducing(landmarks), Neighbours(neighbours)

    def evidences(self, covariance: Covariance, Y: Array, H: Array) -> list[BlockEvidence]:
        return self._neighbours.evidences(covariance, Y, H)

    def settled(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> Covariance:
        return self._neighbours.settled(covariance, mean, Y, H)

    def posterior(
        self, covariance: Covariance, mean: Mean, Y: Array, H: Array
    ) -> InducingPosterior | NeighbourPosterior:
        noise = covariance.alpha + covariance.noise.value
        if noise.min() > 0.0:
            found = self._landmarks.posterior(covariance, mean, Y, H)
            if unexplained(found.panels) <= _LITTLE * float(noise.mean()):
                self.name = Inducing.name
                return found
        return self._neighbours.posterior(covariance, mean, Y, H)


def unexplained(panels: Panels) -> float:
    """The mean of k(x, x) - q(x, x), from a sample of the items."""
    data: Any = panels.data
    some = np.sort(np.random.default_rng(2).permutation(len(data))[:_SAMPLE])
    Phi = panels.features(data.prepared[some])
    return float(np.mean(panels.diag[some] - np.einsum("ij,ij->i", Phi, Phi)))
