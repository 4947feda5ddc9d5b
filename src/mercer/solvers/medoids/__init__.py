"""k-medoids: k of the items, so that sum_o w_o min_i D(m_i, o) is small, from distances alone.

    solution = cluster(distances, weight, k, Settings(method="fasterpam"), random)
    proof = prove(distances, weight, solution)        the lowest change of the loss by any single swap

swaps.py exchanges a medoid for another item while that lowers the loss, alternate.py moves each medoid within its
cluster, sampled.py and clara.py need no n x n matrix, starts.py has the first medoids, silhouette.py and choice.py
judge clusters and choose their number, proof.py makes the witness.  near.py has the two medoids nearest to every item.
"""

from mercer.solvers.medoids.choice import KChoice, choose_k
from mercer.solvers.medoids.cluster import METHODS, Settings, cluster
from mercer.solvers.medoids.proof import SwapProof, prove
from mercer.solvers.medoids.silhouette import medoid_silhouette, silhouette
from mercer.solvers.medoids.solution import MedoidSolution
from mercer.solvers.medoids.starts import STARTS

__all__ = [
    "METHODS",
    "STARTS",
    "KChoice",
    "MedoidSolution",
    "Settings",
    "SwapProof",
    "choose_k",
    "cluster",
    "medoid_silhouette",
    "prove",
    "silhouette",
]
