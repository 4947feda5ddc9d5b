"""The kernel of a large table: one lengthscale per column, learned once and shared by all methods.

    1   numbers and categories are multiplied, so that rows are near if they are near in both; the lengthscales are
        those of largest evidence for a Gaussian process on some training rows.  Labels count as numbers, a column each
    2   of this kernel, the same with the shape of Laplace, and the default one, each with several widths, the one of
        least leave-one-out error of ridge regression on other training rows is taken

Kernels that a user has given stay as they are, and so do those of texts, sequences, graphs and few rows.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.comparison.deadline import Deadline, deadline
from mercer.comparison.kernel_family import lengthscales, stretched
from mercer.comparison.methods import CLASSIFICATION
from mercer.comparison.sample import Sample
from mercer.items.column_kinds import CATEGORICAL, NUMERIC
from mercer.kernels import RBF, Hamming, Kernel, Laplacian, On
from mercer.typing import Array

MANY = 5000  # training rows from which on the lengthscales are learned
_ROWS = 1000  # that they are learned on, and as many by which kernels are compared
_COLUMNS = 100  # at most
_SHARE = 0.15  # of the time, at most
_WIDTHS = {RBF: (0.5, 1.0, 2.0), Laplacian: (1.0, 2.0, 4.0)}
_LEAST = 1.0 / 3.0  # 1 / lengthscale of a column, in units of the mean over the columns
_ALPHAS = np.logspace(-4.0, 1.0, 6)


def with_learned_kernel(sample: Sample, time_limit: float | None) -> Sample:
    """The sample with a kernel for its columns, where that is learned and better than the default one."""
    kinds = {} if sample.table is None else sample.table.kinds
    known = set(kinds.values()) <= {NUMERIC, CATEGORICAL} and 1 < len(kinds) <= _COLUMNS
    if not (sample.is_default and known and len(sample.train) >= MANY):
        return sample
    watch = Deadline()
    try:
        with deadline(None if time_limit is None else _SHARE * time_limit) as watch:
            kernel = _learned(sample)
    except KeyboardInterrupt:
        if not watch.struck:
            raise
        return sample
    if kernel is None:
        return sample
    told = f"the kernel has a lengthscale for each column, learned on {_ROWS} training rows and shared by all methods"
    return replace(sample, kernel=kernel, notes=(*sample.notes, told))


def _learned(sample: Sample) -> Kernel | None:
    """The best kernel; None if that is the default one."""
    from mercer import GaussianProcessRegressor, KernelRidgeCV

    rows = np.random.default_rng(sample.random_state).permutation(sample.train)
    first, second = np.sort(rows[:_ROWS]), np.sort(rows[_ROWS : 2 * _ROWS])
    process = GaussianProcessRegressor(1.0 * _product(sample, RBF), noise="learn", mean="constant", normalize_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column that does not count has its lengthscale at the upper bound
        process.fit(sample.items(first), _numbers(sample, first))
    scales = [_kept(value) for value in lengthscales(process.kernel_).values()]
    found = [stretched(_product(sample, shape, scales), width) for shape, widths in _WIDTHS.items() for width in widths]
    kernels = [sample.kernel, *found]
    ridge = KernelRidgeCV(kernels, _ALPHAS, fit_intercept=True, screen=False)
    best = int(np.argmin(ridge.fit(sample.items(second), _numbers(sample, second)).loo_error_.min(axis=1)))
    return kernels[best] if best else None


def _product(sample: Sample, shape: Any, scales: list[Any] | None = None) -> Kernel:
    """The kernel of all columns, with these lengthscales or those of the default kernel."""
    assert sample.table is not None
    names = [tuple(sample.table.of_kind(kind)) for kind in (NUMERIC, CATEGORICAL)]
    if scales is None:
        usual = list(lengthscales(sample.kernel).values())
        scales = [(float(value),) * len(of) for value, of in zip(usual, [of for of in names if of], strict=True)]
    if not names[1]:
        return shape(scales[0])  # type: ignore[no-any-return]
    parts: list[Kernel] = [On(names[0], shape(scales[0]))] if names[0] else []
    parts.append(On(names[1], Hamming(scales[-1])))
    return parts[0] if len(parts) == 1 else parts[0] * parts[1]


def _numbers(sample: Sample, rows: Array) -> Array:
    """Targets in columns, each in units of its deviation; of labels one column for each."""
    y = sample.y[rows]
    Y = (y[:, None] == np.unique(sample.y)[None]).astype(float) if sample.task == CLASSIFICATION else y[:, None]
    Y = Y[:, : 1 if Y.shape[1] <= 2 else None]
    deviation = Y.std(axis=0)
    return np.asarray((Y - Y.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0))


def _kept(values: Any) -> tuple[float, ...]:
    """Lengthscales with three digits; each counts at least a share of the mean: few rows see less than all will."""
    counts = 1.0 / np.atleast_1d(np.asarray(values, dtype=float))
    return tuple(float(f"{1.0 / one:.3g}") for one in np.maximum(counts, _LEAST * counts.mean()))
