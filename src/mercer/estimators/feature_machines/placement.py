"""Where K prototypes are put: equal items count once, so there are never more prototypes than distinct items.

random     K of the training items
kmeans     cluster centres of vectors
medoids    training items amid clusters in kernel distance, for items of any kind
grid       equispaced between the smallest and the largest value of every column; up to four columns, for a grid of
           m points a side has m^D of them
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.training_data import Data
from mercer.gram import Distances, kernel_distances
from mercer.items import Vectors
from mercer.items.vectors import is_sparse
from mercer.solvers.landmarks import chosen
from mercer.solvers.medoids.alternate import alternate
from mercer.typing import Array

INITS = ("kmeans", "medoids", "random", "grid")
_DEEPEST = 4  # most columns of a grid
_ROUNDS = 100  # of the alternation of medoids, at most; 5 to 10 are usual


def placed(
    owner: str, data: Data, used: Array, count: Any, init: Any, random: np.random.RandomState
) -> tuple[Data, Array]:
    """`count` prototypes for the items `used`, and their positions."""
    if not isinstance(count, Integral) or isinstance(count, bool) or int(count) < 0:
        raise bad(owner, "prototypes", "'all', items, or their number as an integer >= 0", repr(count),
                  "E.g. prototypes=20.")  # fmt: skip
    if not isinstance(init, str) or init not in INITS:
        raise bad(owner, "init", f"one of {INITS}", repr(init), "'kmeans' is the default.")
    some, count = data.distinct(used), int(count)
    if count > len(some):
        raise bad(owner, "prototypes", f"at most as many as there are distinct training items ({len(some)})", count,
                  "prototypes='all' takes every item.")  # fmt: skip
    if count == 0:
        return data, used[:0]
    if init == "random":
        return data, np.sort(random.permutation(some)[:count])
    if init == "medoids":
        D = kernel_distances(data.gram().sub(some), squared=True).dense()
        return data, some[medoids(D, count, random)]
    V = _vectors(owner, data, init)[used]
    return data.prototypes(owner, _grid(owner, V, count) if init == "grid" else _kmeans(V, count, random))


def prototypes_among(data: Data, used: Array, count: int | None) -> Array:
    """Positions of `count` landmarks among the items `used`, in order; None, or as many as there are: all of them.

    Landmarks are drawn in proportion to what those before leave unexplained; where the kernel is not known to be
    positive semi-definite, that is no distance, and all items are equally probable.
    """
    if count is None or count >= len(used):
        return used
    gram: Any = data.double().gram()
    rule = "rpcholesky" if data.psd else "uniform"
    return np.asarray(used[np.sort(chosen(gram if len(used) == len(data) else gram.sub(used), count, rule, 0))])


def check_prototypes(owner: str, count: Any) -> None:
    """Refuse what is neither None nor a number of prototypes."""
    if count is not None and (not isinstance(count, Integral) or isinstance(count, bool) or count < 1):
        raise bad(owner, "n_prototypes", "an integer >= 1, or None", repr(count), "None takes every training item.")


def _vectors(owner: str, data: Data, init: str) -> Array:
    if not (isinstance(data.items, Vectors) and data.items.dtype.kind == "f"):
        raise bad(owner, "init", "'medoids' or 'random' for items that are not real vectors", repr(init),
                  "Cluster centres and grids are made of numbers.")  # fmt: skip
    V = data.items.values
    return np.asarray(V.toarray() if is_sparse(V) else V, dtype=np.float64)  # squares of float32 overflow early


def _kmeans(V: Array, count: int, random: np.random.RandomState) -> Array:
    from sklearn.cluster import KMeans

    return np.asarray(KMeans(count, n_init=3, random_state=random).fit(V).cluster_centers_)


def _grid(owner: str, V: Array, count: int) -> Array:
    """m points a side, count = m^D, from the smallest to the largest value of every column."""
    D = V.shape[1]
    if D > _DEEPEST:
        raise bad(owner, "init", f"'kmeans', 'medoids' or 'random' for more than {_DEEPEST} columns", f"{D} columns",
                  f"Two points a side would be {2**D} prototypes; use 'kmeans'.")  # fmt: skip
    side = round(count ** (1.0 / D))
    if side**D != count:
        raise bad(owner, "prototypes", f"a number m^{D} for a grid over {D} columns", count,
                  f"The nearest is {side**D}.")  # fmt: skip
    low, high = V.min(axis=0), V.max(axis=0)
    axes = [np.linspace(a, b, side) if side > 1 else np.array([0.5 * (a + b)]) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, D)


def medoids(D: Array, count: int, random: np.random.RandomState) -> Array:
    """Positions of `count` medoids: assign items to the nearest, take the best item of each cluster, repeat."""
    start = random.permutation(len(D))[:count]
    return np.sort(alternate(Distances.of_array(D, symmetric=True), np.ones(len(D)), start, _ROUNDS).medoids)
