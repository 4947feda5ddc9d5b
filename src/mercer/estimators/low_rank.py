"""method="exact" | "nystrom" | "cells" | "auto" of machines that can be fitted to landmarks, and what each would cost.

"exact"     the kernel as it is.  What does not fit the memory budget is refused before the work, with the cost of the
            other method in the message
"nystrom"   the kernel on landmarks, k~(x, y) = k(x, Z) K_mm^-1 k(Z, y): training_data/low_rank.py
"cells"     exact machines in the cells of a tree, for some machines: cells/
"auto"      exact where that fits the budget and is not too much work (a fixed number of multiplications, so that the
            choice is the same on every machine with that budget); else nystrom
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from mercer.config import config
from mercer.errors import MemoryBudgetError, bad
from mercer.estimators.positivity import require_positive
from mercer.estimators.rows_in_files import row_count
from mercer.estimators.training_data import Data, LowRankItems
from mercer.solvers.landmarks import RULES
from mercer.solvers.ridge.low_rank import SINGLE_WORK

METHODS = ("exact", "nystrom", "auto")
CELLS = "cells"
LANDMARKS = 1000  # where n_landmarks is None
_MOST = 5e12  # multiplications up to which "auto" is exact: one to three minutes on two cores
_PANELS = 2.0**28  # bytes of the panels of k(items, landmarks) that are at work
_OVERLAPPING = 1.4  # rows that a cell learns from, for each that it answers for
_TRIAL = 512  # rows of the matrices that are multiplied to measure this machine


C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class Cost:
    """About how long a fit takes here and how many bytes it needs, and whether these fit the memory budget."""

    seconds: float
    bytes: int
    fits: bool

    def __str__(self) -> str:
        size = f"{self.bytes / 2**30:.2f} GiB" if self.bytes >= 2**28 else f"{self.bytes / 2**20:.0f} MiB"
        return f"about {self.seconds:.2g} s and {size}" + ("" if self.fits else ", more than the memory budget")


@dataclass(frozen=True)
class Work:
    """Multiplications, kernel values and bytes of a fit."""

    products: float
    values: float
    bytes: float

    def cost(self) -> Cost:
        """What that means on this machine."""
        product, value = _rates()
        size = int(self.bytes)
        return Cost(self.products * product + self.values * value, size, size <= config().memory)


Exact = Callable[[int], Work]


@cache
def _rates() -> tuple[float, float]:
    """Seconds of a multiplication in a large product, and of a kernel value, measured once on small ones."""
    from mercer.kernels import RBF

    rng = np.random.default_rng(0)
    A, X = rng.normal(size=(_TRIAL, _TRIAL)), rng.normal(size=(2 * _TRIAL, 16))
    kernel = RBF(1.0)
    found = []
    for work, count in ((lambda: A @ A, _TRIAL**3), (lambda: kernel(X), len(X) ** 2)):
        times = []
        for _ in range(3):
            began = time.perf_counter()
            work()
            times.append(time.perf_counter() - began)
        found.append(min(times) / count)
    return found[0], found[1]


@dataclass(frozen=True)
class Plan:
    """What a machine does with items: the work of an exact fit, and how its solver treats features."""

    exact: Exact
    stores: bool
    products: float

    def on_landmarks(self, n: int, m: int) -> Work:
        """The work on m landmarks: features, a matrix of m x m and its factors, and passes over the features."""
        size = 8.0 * n * m * self.stores + min(_PANELS, 16.0 * n * m) + 40.0 * m * m
        return Work(float(n) * m * (m + self.products) + 10.0 * float(m) ** 3, 3.0 * n * m, size)

    def in_cells(self, n: int, rows: int, common: Work) -> Work:
        """The work in cells of so many rows, one for each thread at a time, and on the landmarks that they share."""
        cell, count = self.exact(rows), max(n / max(rows, 1), 1.0)
        size = max(common.bytes, config().threads * cell.bytes)
        return Work(common.products + count * cell.products, common.values + count * cell.values, size)


def works(machine: Any, n: int) -> dict[str, Work]:
    """The work of every method on n items: {method: Work}."""
    plan: Plan = machine.cost_plan
    found = {"exact": plan.exact(n), "nystrom": plan.on_landmarks(n, min(_count(machine, n), n))}
    if hasattr(machine, "cell_rows"):
        found["cells"] = plan.in_cells(n, min(int(_OVERLAPPING * machine.cell_rows), n), found["nystrom"])
    return found


def costs(machine: Any, n: int) -> dict[str, Cost]:
    """What a fit to n items would cost by each method."""
    return {method: work.cost() for method, work in works(machine, n).items()}


def method_for(machine: Any, n: int, *, spread: bool = False) -> str:
    """The method for n items, after checks of the options; items that are `spread` over machines need landmarks."""
    owner, given = type(machine).__name__, machine.method
    known = (*METHODS, CELLS) if hasattr(machine, "cell_rows") else METHODS
    if not isinstance(given, str) or given not in known:
        raise bad(owner, "method", f"one of {known}", repr(given), "'exact' solves the problem of the kernel itself.")
    _check_landmarks(machine, owner, n)
    if spread:
        if given == "exact":
            others = "'cells', 'nystrom' or 'auto'" if CELLS in known else "'nystrom' or 'auto'"
            raise bad(owner, "method", f"{others} for a Dask collection", repr(given),
                      "Or bring the rows here: X.compute().")  # fmt: skip
        return "nystrom"
    if given != "auto":
        return given
    exact = machine.cost_plan.exact(n)
    return "exact" if exact.bytes <= config().memory and exact.products <= _MOST else "nystrom"


def on_landmarks(machine: Any, data: Data) -> Data:
    """The training data as the method of the machine has them."""
    n = len(data)
    if method_for(machine, n, spread=data.spread) == "exact":
        require_fit(machine, n)
        return data
    require_positive(machine, data)
    count = _count(machine, n)
    single = not machine.cost_plan.stores and n * float(count) ** 2 >= SINGLE_WORK
    return landmarks_of(machine, data, single=single)


def require_fit(machine: Any, n: int) -> None:
    """Refuse an exact fit that is over the memory budget, and say what the other method would cost."""
    needed = machine.cost_plan.exact(n).bytes
    if needed > config().memory:
        found = costs(machine, n)
        raise MemoryBudgetError(
            f"{type(machine).__name__}: an exact fit to {n} items takes {found['exact']}, which is "
            f"{config().memory / 2**30:.2f} GiB. method='nystrom' with {min(_count(machine, n), n)} landmarks takes "
            f"{found['nystrom']}; or raise the budget with mercer.configure(memory=...)."
        )


def landmarks_of(machine: Any, data: Data, *, count: int | None = None, single: bool = False) -> LowRankItems:
    """These items behind the landmarks that the machine asks for; `count` where n_landmarks is None."""
    owner, n = type(machine).__name__, len(data)
    _check_landmarks(machine, owner, n)
    number = _fitting(n, count) if count is not None and machine.n_landmarks is None else _count(machine, n)
    summed = 0 if machine.cost_plan.stores else n
    form: type[LowRankItems] = data.landmark_form
    return form.of(owner, data, number, machine.landmarks, _seed(machine), single=single, summed=summed)


def _check_landmarks(machine: Any, owner: str, n: int) -> None:
    count, rule = machine.n_landmarks, machine.landmarks
    if count is not None and (not isinstance(count, Integral) or isinstance(count, bool) or count < 1):
        raise bad(owner, "n_landmarks", "an integer >= 1, or None", repr(count), f"None is {LANDMARKS}, or all items.")
    if isinstance(rule, str) and rule not in RULES:
        raise bad(owner, "landmarks", f"one of {RULES}, or items", repr(rule), "'rpcholesky' is the default.")
    if machine.method != "exact" and count is not None and isinstance(rule, str):
        require_few(owner, int(count), n)


def require_few(owner: str, count: int, n: int) -> None:
    """Refuse more landmarks than there are items."""
    if count > n:
        raise bad(owner, "n_landmarks", f"at most the number of items ({n} sample{'s' * (n != 1)})", count,
                  "None takes all of so few items.")  # fmt: skip


def _count(machine: Any, n: int) -> int:
    if not isinstance(machine.landmarks, str):
        return len(machine.landmarks)
    return _fitting(n, LANDMARKS) if machine.n_landmarks is None else int(machine.n_landmarks)


def _fitting(n: int, count: int) -> int:
    """So many landmarks, or fewer where there are fewer items, or their features would take half of the budget."""
    return max(1, min(n, count, int(0.5 * config().memory / (8 * max(n, 1)))))


def _seed(machine: Any) -> int:
    """The seed of the landmarks: random_state where the machine has one; None is 0, so that fits are repeatable."""
    from sklearn.utils import check_random_state

    given = getattr(machine, "random_state", None)
    return 0 if given is None else int(check_random_state(given).randint(2**31 - 1))


def takes_landmarks(
    exact: Exact, *, stores: bool = True, products: float = 20.0, data: bool = True
) -> Callable[[C], C]:
    """A decorator of machines with the arguments method, n_landmarks and landmarks.

    `exact(n)` is the work of an exact fit.  On landmarks the solver `stores` all features or sees them in blocks, and
    takes `products` multiplications with each of them, beside one for each landmark.  With `data`, the training data
    of the machine are put behind landmarks; without, it does that itself, and sets method_ and approximation_.
    """

    def decorated(cls: C) -> C:
        added: Any = cls
        added.cost_plan, added.estimate_cost = Plan(exact, stores, products), _estimate_cost
        if data:
            added.low_rank, added.method_, added.approximation_ = True, property(_method), property(_missed)
        return cls

    return decorated


def _estimate_cost(self: Any, X: Any) -> dict[str, Cost]:
    """{method: about how many seconds and bytes a fit to X takes}; nothing is fitted.

    Seconds are multiplications and kernel values at the speed that this machine shows on small ones: expect the order
    of magnitude.
    """
    return costs(self, row_count(X, type(self).__name__))


def _method(self: Any) -> str:
    """The method of the fit: "exact", "nystrom" or "cells"."""
    if "cells_" in vars(self):
        return CELLS
    return "exact" if _fitted(self, "method_").approximation is None else "nystrom"


def _missed(self: Any) -> Any:
    """Rank and trace error of the landmarks (an `Approximation`), or what cells leave out; None for an exact fit."""
    if "cells_" in vars(self):
        return self.cells_.approximation
    return _fitted(self, "approximation_").approximation


def _fitted(machine: Any, name: str) -> Data:
    if not hasattr(machine, "_kept"):
        raise AttributeError(f"{type(machine).__name__} has {name} after fit")
    found: Data = machine._kept
    return found
