"""Full grids, exact: solvers/grid.py with kernels and hyper-parameters.

A kernel is read as a product over groups of columns: RBF and Laplacian are products over single columns, `On` says
which columns a factor sees, and any other kernel belongs to all columns that it sees.  The items are a full grid if
every choice of one level of each group is one of them, once, in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer.engine.fill import require_memory
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.means import Mean
from mercer.estimators.gaussian_process.methods.method import Method
from mercer.estimators.training_data import KernelItems
from mercer.items import Items, Table, Vectors
from mercer.items.tables import view
from mercer.kernels import RBF, Kernel, Laplacian, On, Product, Scaled
from mercer.parameters import value
from mercer.solvers.evidence_search import LEAST
from mercer.solvers.grid import GridProcess
from mercer.typing import Array

_OWNER = "GaussianProcessRegressor"
_NUMBERS = 1 << 22  # of one task of predictions


class NoGrid(ValueError):
    """Why a kernel or its items are not those of a grid."""


# ---- the kernel


@dataclass(frozen=True)
class Factor:
    """A kernel of some columns only."""

    columns: tuple[Any, ...]
    kernel: Kernel


def variance_of(kernel: Kernel) -> float:
    """The product of all numbers by which factors are scaled."""
    if isinstance(kernel, Scaled):
        return float(value(kernel.factor)) * variance_of(kernel.kernel)
    if isinstance(kernel, Product):
        return float(np.prod([variance_of(term) for term in kernel.terms]))
    return variance_of(kernel.kernel) if isinstance(kernel, On) else 1.0


def factors_of(kernel: Kernel, columns: tuple[Any, ...]) -> Iterator[Factor]:
    """The factors of a kernel of these columns, without the numbers by which they are scaled."""
    if isinstance(kernel, Scaled):
        yield from factors_of(kernel.kernel, columns)
    elif isinstance(kernel, Product):
        for term in kernel.terms:
            yield from factors_of(term, columns)
    elif isinstance(kernel, On):
        chosen = kernel.columns if isinstance(kernel.columns, tuple) else (kernel.columns,)
        yield from factors_of(kernel.kernel, tuple(columns[c] if isinstance(c, int) else c for c in chosen))
    elif isinstance(kernel, RBF | Laplacian):
        scales = np.broadcast_to(value(kernel.lengthscale), len(columns))
        yield from (Factor((c,), type(kernel)(float(s))) for c, s in zip(columns, scales, strict=True))
    else:
        yield Factor(columns, kernel)


def in_theta(kernel: Kernel, width: int, slopes: Iterator[Array], of_variance: float) -> Array:
    """Slopes in the theta of the factors, in their order, and in log variance, as slopes in the theta of the kernel."""
    if isinstance(kernel, Scaled):
        own = kernel.in_theta({"factor": of_variance / float(value(kernel.factor))})
        return np.concatenate([own, in_theta(kernel.kernel, width, slopes, of_variance)])
    if isinstance(kernel, Product):
        return np.concatenate([in_theta(term, width, slopes, of_variance) for term in kernel.terms])
    if isinstance(kernel, On):
        count = len(kernel.columns) if isinstance(kernel.columns, tuple) else 1
        return in_theta(kernel.kernel, count, slopes, of_variance)
    if isinstance(kernel, RBF | Laplacian):
        scales = np.broadcast_to(value(kernel.lengthscale), width)
        each = np.array([float(next(slopes)[0]) / s for s in scales])
        return kernel.in_theta({"lengthscale": each if kernel.ard else each.sum()})
    return next(slopes)


# ---- the items


@dataclass(frozen=True, eq=False)
class Axis:
    """The levels of some columns."""

    columns: tuple[Any, ...]
    levels: Items


@dataclass(frozen=True, eq=False)
class Grid:
    """Axes, and the positions of the items in the order of their indices, the last axis fastest."""

    axes: tuple[Axis, ...]
    order: Array

    @classmethod
    def of(cls, data: Any) -> Grid:
        """The grid of the items; NoGrid says why there is none."""
        if not isinstance(data, KernelItems) or not isinstance(data.items, Vectors | Table):
            raise NoGrid("the items are not rows of columns")
        groups = _groups([f.columns for f in factors_of(data.kernel, _columns(data.items))])
        n, size, codes, axes = len(data), 1, [], []
        for columns in groups:
            chosen = _view(data.items, columns, Table if isinstance(data.items, Table) else Vectors)
            first, code = _levels(chosen)
            size *= len(first)
            codes.append(code)
            axes.append(Axis(columns, data.items[first]))
            if size > n:
                break
        place = np.ravel_multi_index(codes, [len(axis.levels) for axis in axes]) if size <= n else np.empty(0)
        if size != n or len(np.unique(place)) < n:
            counts = " x ".join(str(len(axis.levels)) for axis in axes)
            raise NoGrid(f"{n} items do not fill a grid of {counts} levels" + (" or more" if size > n else ""))
        return cls(tuple(axes), np.argsort(place))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of every axis."""
        return tuple(len(axis.levels) for axis in self.axes)


def _columns(items: Any) -> tuple[Any, ...]:
    return tuple(items.columns) if isinstance(items, Table) else tuple(range(items.width))


def _groups(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """All different groups of columns; none may share a column with another."""
    groups = list(dict.fromkeys(found))
    columns = [c for group in groups for c in group]
    twice = next((c for c in columns if columns.count(c) > 1), None)
    if twice is not None:
        raise NoGrid(f"column {twice!r} is seen by several factors together with other columns")
    return groups


def _view(items: Any, columns: tuple[Any, ...], kind: type[Items]) -> Items:
    return view(items, columns, kind, _OWNER)


def _levels(items: Any) -> tuple[Array, Array]:
    """The position of the first item of each level, and the level of every item."""
    if isinstance(items, Vectors) and not items.sparse:
        _, first, code = np.unique(items.values, axis=0, return_index=True, return_inverse=True)
        return first, np.ravel(code)
    number: dict[bytes, int] = {}
    code = np.array([number.setdefault(key, len(number)) for key in items.keys()], dtype=np.intp)
    return np.unique(code, return_index=True)[1], code


# ---- both


@dataclass(frozen=True, eq=False)
class Factored:
    """The kernel of a covariance as a product over the axes of a grid."""

    covariance: Covariance
    grid: Grid

    @property
    def kernel(self) -> Kernel:
        kernel = self.covariance.data.kernel
        assert kernel is not None
        return kernel

    @cached_property
    def columns(self) -> tuple[Any, ...]:
        """All columns of the items."""
        return _columns(self.covariance.data.items)

    @cached_property
    def factors(self) -> list[list[tuple[int, Kernel, Any]]]:
        """For every axis its kernels, each with its place among all factors, and prepared levels."""
        found = list(enumerate(factors_of(self.kernel, self.columns)))
        return [
            [(i, f.kernel, self._prepared(f.kernel, axis, axis.levels)) for i, f in found if f.columns == axis.columns]
            for axis in self.grid.axes
        ]

    def _prepared(self, kernel: Kernel, axis: Axis, items: Any, frame: Any = None) -> Any:
        return kernel.prepare(_view(items, axis.columns, kernel.items), frame)

    def process(self, Y: Array, H: Array) -> GridProcess:
        """The process, with targets and basis in the order of the grid."""
        axes = self.factors
        grams: list[Array] = [np.empty(0)] * len(axes)

        def gram(j: int) -> None:
            grams[j] = _product([np.asarray(k.block(levels, levels), dtype=float) for _, k, levels in axes[j]])

        run(gram, range(len(axes)))
        noise, order = float(self.covariance.alpha[0]) + self.covariance.noise.value, self.grid.order
        return GridProcess(tuple(grams), Y[order], H[order], variance_of(self.kernel), noise)

    def cross(self, X: Any) -> list[Array]:
        """For every axis the kernel values between new items and levels."""
        found = []
        for axis, kernels in zip(self.grid.axes, self.factors, strict=True):
            blocks = [k.block(self._prepared(k, axis, X, levels.frame), levels) for _, k, levels in kernels]
            found.append(_product([np.asarray(block, dtype=float) for block in blocks]))
        return found

    def slope(self, process: GridProcess) -> Array:
        """The derivative of the evidence in theta."""
        of_grams, of_noise = process.slopes()
        slopes: dict[int, Array] = {}
        for W, axis in zip(of_grams, self.factors, strict=True):
            for i, kernel, levels in axis:
                others = [k.block(z, z) for j, k, z in axis if j != i]
                slopes[i] = kernel.vjp(levels, levels, _product([W, *others]))
        of_variance = float(np.vdot(of_grams[0], process.grams[0]))
        ordered = (slopes[i] for i in sorted(slopes))
        of_kernel = in_theta(self.kernel, len(self.columns), ordered, of_variance)
        noise = self.covariance.noise
        return np.concatenate([of_kernel, [of_noise * noise.value] * len(noise.slots)])


def _product(matrices: list[Array]) -> Array:
    return np.asarray(np.prod(np.stack(matrices), axis=0)) if len(matrices) > 1 else matrices[0]


class GridEvidence:
    """log p(Y | theta) of a process on a grid."""

    has_curvature = False
    least_gain = LEAST

    def __init__(self, covariance: Covariance, Y: Array, H: Array, grid: Grid) -> None:
        self.covariance, self.Y, self.H, self.grid, self.size = covariance, Y, H, grid, len(Y)

    def value_and_slope(self, theta: Array, *, at_least: float = -np.inf) -> tuple[float, Array | None]:
        """The evidence, and its slope if it is finite and >= at_least."""
        factored = Factored(self.covariance.at(theta), self.grid)
        try:
            process = factored.process(self.Y, self.H)
            found = process.evidence
            if not np.isfinite(found):
                return -np.inf, None
            return found, factored.slope(process) if found >= at_least else None
        except np.linalg.LinAlgError:
            return -np.inf, None

    def curvature(self, theta: Array) -> None:
        """Not known: L-BFGS-B learns it from slopes, which are cheap."""


@dataclass(frozen=True, eq=False)
class GridPosterior:
    """The posterior of a process on a grid."""

    covariance: Covariance
    mean: Mean
    Y: Array
    H: Array

    @cached_property
    def factored(self) -> Factored:
        """The kernel over the axes."""
        return Factored(self.covariance, Grid.of(self.covariance.data))

    @cached_property
    def process(self) -> GridProcess:
        """The process, in the order of the grid."""
        return self.factored.process(self.Y, self.H)

    @property
    def evidence(self) -> float:
        return self.process.evidence

    @property
    def weights(self) -> Array:
        return self.process.weights

    def residual(self) -> float:
        return self.process.residual()

    def mean_at(self, X: Any) -> Array:
        return self.moments(X, None)[0]

    def moments(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        new = self._items(X)
        basis, cross = self.mean.basis(X, len(new)), self.factored.cross(new)
        diag = np.asarray(self.factored.kernel.diag(self.factored.kernel.prepare(new)), dtype=float)
        mean, variance = np.empty((len(new), self.Y.shape[1])), np.empty(len(new))
        for r in cuts(len(new), max(_NUMBERS // len(self.Y), 1)):
            mean[r], variance[r] = self.process.moments([C[r] for C in cross], diag[r], basis[r])
        return mean, variance

    def joint(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        new = self._items(X)
        m = len(new)
        require_memory(f"The covariance of {m} new items", 8 * m * (m + len(self.Y)), "Ask for fewer at a time.")
        values = np.asarray(self.covariance.data.cross(new).row_gram(), dtype=float)
        return self.process.joint(self.factored.cross(new), values, self.mean.basis(X, m))

    def _items(self, X: Any) -> Any:
        return self.factored.kernel.check(X)


class KroneckerGrid(Method):
    """Exact, for kernels that are products over columns, on items that form a full grid."""

    name = "grid"

    def __init__(self) -> None:
        self._grid: Grid | None = None

    def evidences(self, covariance: Covariance, Y: Array, H: Array) -> list[GridEvidence]:
        return [GridEvidence(covariance, Y, H, self._require(covariance))]

    def posterior(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> GridPosterior:
        self._require(covariance)
        found = GridPosterior(covariance, mean, Y, H)
        try:
            _ = found.evidence
        except np.linalg.LinAlgError:
            raise bad(_OWNER, "noise", "> 0 for method='grid' where the covariance is singular", "0",
                      "Use noise='learn'.") from None  # fmt: skip
        return found

    @staticmethod
    def fits(covariance: Covariance) -> bool:
        """Whether the items form a grid with several axes, and the noise is the same everywhere."""
        try:
            shape = Grid.of(covariance.data).shape
        except NoGrid:
            return False
        return len([count for count in shape if count > 1]) > 1 and np.ptp(covariance.alpha) == 0.0

    def _require(self, covariance: Covariance) -> Grid:
        if np.ptp(covariance.alpha) > 0.0:
            raise bad(_OWNER, "alpha", "one number for method='grid'", "one per item", "Use another method.")
        if self._grid is None:
            try:
                self._grid = Grid.of(covariance.data)
            except NoGrid as reason:
                raise bad(_OWNER, "X", "a full grid, with a kernel that is a product over its columns, for "
                          "method='grid'", str(reason), "Use another method.") from None  # fmt: skip
        return self._grid
