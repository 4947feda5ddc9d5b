"""The protocol of training data: all that an estimator may ask of the items it is fitted to.

    data = KernelItems.of(kernel, X)        or   GivenGram.of(K)
    data.gram()                             the training Gram, for a solver
    kept = data.keep(support)               only what prediction needs
    kept.evaluate(Xnew, coefficients)       sum_j k(x, x_j) c_j, streamed

No estimator asks which kind of data it has.

To add a kind (low rank, distributed, ...), write one subclass of `Data` in a file of this folder.  It must have

    len(data)       the number of items
    gram()          k(items, items) with the methods of mercer.typing.Gram
    keep(index)     the data of these items, as far as prediction needs them
    cross(X)        k(new items, these items) with the methods of `Cross`

and every machine can be fitted to it.  All other members have a default that is right for any data, or that says
"there is none"; override those for which your data know better: a kernel with hyper-parameters, items that can be
shown, rows of a linear kernel.  The kind of data is chosen in KernelEstimator._data; Gaussian processes choose theirs
together with the model (gaussian_process/model.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from mercer.errors import bad
from mercer.gram.distances import Distances, given_dissimilarities, kernel_distances
from mercer.kernels import Kernel
from mercer.parameters import Slot
from mercer.typing import Array, Gram


class Cross(Protocol):
    """k(new items, training items): all that prediction may ask of it."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def block(self, r: slice, c: slice) -> Array:
        """The tile of rows r and columns c."""

    def rows(self, index: Array) -> Array:
        """k(some new items, all training items)."""

    def row_diag(self) -> Array | None:
        """k(x, x) of the new items; None if it is not known."""

    def row_gram(self) -> Array | None:
        """k(x, x') of the new items; None if it is not known."""

    def __matmul__(self, V: Array) -> Array: ...


class Data(ABC):
    """Training items behind kernel values; the docstring of this file says what a subclass must have."""

    kernel: Kernel | None = None  # the kernel that computes the values; None if they are given
    recomputable: bool = True  # whether `keep` leaves all that `gram` needs

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def gram(self) -> Gram:
        """k(items, items)."""

    @abstractmethod
    def keep(self, index: Array) -> Data:
        """What prediction needs of these items."""

    @abstractmethod
    def cross(self, X: Any) -> Cross:
        """k(X, these items)."""

    # ---- values

    @property
    def psd(self) -> bool | None:
        """Whether the values are known to be positive semi-definite, or known not to be; None: nothing is known."""
        return None

    def evaluate(self, X: Any, coefficients: Array) -> Array:
        """sum_j k(x, x_j) c_j for every x, one column per column of coefficients."""
        return self.cross(X) @ coefficients

    def double(self) -> Data:
        """The same data in double precision, in which a solver proves its answer."""
        return self

    def plus_one(self) -> Data:
        """The same items under k + 1, the kernel of a machine that penalises its intercept."""
        return _in_memory(self.gram().dense() + 1.0)

    def take(self, index: Array) -> Data:
        """These items as training data of their own: their Gram is known."""
        return _in_memory(self.gram().sub(index).dense())

    def features(self) -> Any:
        """phi(x), one row per item, with k(x, y) = <phi(x), phi(y)>; None if no finite phi is known."""
        return None

    @property
    def linear_rows(self) -> Any:
        """The items as rows, if k(x, y) = <x, y>; else None."""
        return None

    @property
    def linear(self) -> bool:
        """Whether sum_j k(x, x_j) c_j is a linear function of x."""
        return self.linear_rows is not None

    @property
    def evaluates_at_once(self) -> bool:
        """Whether `evaluate` sums over the items beforehand, so that it costs less than `cross`."""
        return self.linear

    @property
    def approximation(self) -> Any:
        """How far these values are from those of the kernel; None if they are its own."""
        return None

    def missed_square(self, index: Array, B: Array) -> float | None:
        """At least b'(K - K~) b, summed over the columns b of B: K the Gram of items `index`, K~ what stands for it.

        None if K is not replaced, or if it is not known.
        """
        return None

    @property
    def landmark_form(self) -> Any:
        """The class of these data behind landmarks."""
        from mercer.estimators.training_data.low_rank import LowRankItems

        return LowRankItems

    @property
    def spread(self) -> bool:
        """Whether the items are on other machines, so that only a few can be brought together."""
        return False

    def distances(self, squared: bool | None) -> Distances:
        """Distances of the kernel, squared or not; with None the values themselves as dissimilarities."""
        gram = self.gram()
        return given_dissimilarities(gram) if squared is None else kernel_distances(gram, squared=squared)

    @property
    def rows_at_once(self) -> int:
        """How many items may be in memory at a time: all, unless they are in a file."""
        return max(len(self), 1)

    def blocks(self, Y: Array, weight: Array) -> Any:
        """Blocks of k(items, landmarks) for solvers of one pass; None without landmarks."""
        return None

    # ---- items

    @cached_property
    def items(self) -> Any:
        """The items; if there are none, rows without a column."""
        return np.empty((len(self), 0))

    def as_passed(self) -> Any:
        """The items as the user passed them; none of a matrix."""
        return np.empty((0, 0))

    def keys(self) -> Sequence[Hashable]:
        """A key for every item: equal items have equal keys."""
        return range(len(self))

    def distinct(self, index: Array) -> Array:
        """The positions of the items of `index` without those that are equal to an earlier one, in ascending order."""
        return first_of_each(self.keys(), index)

    def extended(self, X: Any) -> tuple[Data, Gram]:
        """The data of these items and then the new items X; and k(new items, all of these)."""
        raise bad(type(self).__name__, "X", "left out", "new items", "Such data cannot grow: fit again to all items.")

    def renumbered(self, positions: Array, count: int) -> Data:
        """The same kept items, after their positions among all `count` items of the fit have changed."""
        return self

    # ---- items that need not be among these

    def prototypes(self, owner: str, items: Any) -> tuple[Data, Array]:
        """(centres, places): the items a user names as prototypes are items `places` of `centres`."""
        places = np.asarray(items)
        if places.ndim != 1 or places.dtype.kind not in "iu" or not np.isin(places, np.arange(len(self))).all():
            raise bad(owner, "prototypes", "positions of training items for kernel='precomputed'", repr(items),
                      "A matrix of kernel values tells nothing of other items.")  # fmt: skip
        return self, places.astype(np.intp)

    def as_prototypes(self, places: Array) -> Any:
        """Items `places` as a user would name them in `prototypes`."""
        return places

    def between(self, rows: Array, centres: Data, places: Array) -> Gram:
        """k(items `rows` of these, items `places` of centres that `prototypes` made), in double precision."""
        whole = None if len(rows) == len(self) else rows
        return self.double().gram().part(whole, whole if places is rows else places)

    # ---- hyper-parameters of the kernel

    def slots(self) -> list[Slot]:
        """The free hyper-parameters: their values, bounds and names."""
        return [] if self.kernel is None else self.kernel.slots()

    def at(self, theta: Array) -> Self:
        """The same items at other hyper-parameters."""
        return self

    def slope(self, W: Array) -> Array:
        """d/dtheta of sum_ij W_ij K_ij for a symmetric W, of which the tiles on and under the diagonal are read."""
        return np.empty(0)

    def jvp_products(self, V: Array) -> list[Array]:
        """(dK/dtheta_j) V for every j."""
        return []


def _in_memory(K: Array) -> Data:
    from mercer.estimators.training_data.given_gram import GivenGram

    return GivenGram(K, len(K), np.arange(len(K)))


def first_of_each(keys: Sequence[Hashable], index: Array) -> Array:
    """The positions in `index` at which a key occurs first, in ascending order."""
    first: dict[Hashable, int] = {}
    for position in index.tolist():
        first.setdefault(keys[position], position)
    return np.array(sorted(first.values()), dtype=np.intp)
