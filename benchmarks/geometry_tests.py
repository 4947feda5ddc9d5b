"""Two-sample tests: 20 kernels with 2000 permutations each, and the level over 1000 runs without a difference.

Rival: the same in NumPy, with scikit-learn's Gram and all permutations of a kernel in one product.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer.typing import Array

WIDTHS = tuple(np.geomspace(0.25, 16.0, 20))
PERMUTATIONS, FEW = 2000, 199
LEVEL, BAND = 0.05, (0.04, 0.06)
ITEMS = 40  # of each sample of a run without a difference

Samples = tuple[Array, Array]


def _samples(n: int) -> Samples:
    return data.gaussian(n, 5).X, data.gaussian(n, 5, seed=1).X + 0.1


def _ours(samples: Samples) -> Array:
    from mercer import mmd_test
    from mercer.kernels import RBF

    found = mmd_test(*samples, [RBF(width) for width in WIDTHS], n_permutations=PERMUTATIONS)
    return np.append(found.statistics, found.pvalues)


def _plain(samples: Samples) -> Array:
    """Statistics and p-values of all kernels."""
    rng = np.random.default_rng(0)
    found = [_plain_test(*samples, width, PERMUTATIONS, rng) for width in WIDTHS]
    return np.array(found).T.ravel()


def _plain_test(X: Array, Y: Array, width: float, count: int, rng: np.random.Generator) -> tuple[float, float]:
    from sklearn.metrics.pairwise import rbf_kernel

    n, m = len(X), len(Y)
    K = rbf_kernel(np.vstack([X, Y]), gamma=0.5 / width**2)
    np.fill_diagonal(K, 0.0)
    A = np.stack([np.arange(n + m) < n, *(rng.permutation(n + m) < n for _ in range(count))], axis=1).astype(float)
    own = np.einsum("ib,ib->b", A, K @ A)
    other = np.einsum("ib,ib->b", 1.0 - A, K @ (1.0 - A))
    T = own / (n * (n - 1)) + other / (m * (m - 1)) - (K.sum() - own - other) / (n * m)
    return float(T[0]), float((T[0] <= T).sum()) / (1 + count)


def _check(samples: Samples, ours: Array, theirs: Array) -> Agreement:
    """Equal statistics; p-values of other permutations are as near as these allow."""
    half = len(ours) // 2
    apart = float(np.abs(ours[:half] - theirs[:half]).max())
    p = float(np.abs(ours[half:] - theirs[half:]).max())
    return Agreement(apart < 1e-9 and p < 0.05, f"MMD^2 apart {apart:.0e}, p {p:.3f}")


# ---- level


def _runs(count: int) -> list[Samples]:
    rng = np.random.default_rng(0)
    return [(rng.standard_normal((ITEMS, 2)), rng.standard_normal((ITEMS, 2))) for _ in range(count)]


def _our_level(runs: list[Samples]) -> float:
    from mercer import mmd_test
    from mercer.kernels import RBF

    several = [RBF(0.5), RBF(1.0), RBF(2.0)]
    p = [mmd_test(X, Y, several, n_permutations=FEW, random_state=i).pvalue for i, (X, Y) in enumerate(runs)]
    return float(np.mean(np.array(p) <= LEVEL))


def _plain_level(runs: list[Samples]) -> float:
    rng = np.random.default_rng(0)
    return float(np.mean([_plain_test(X, Y, 1.0, FEW, rng)[1] <= LEVEL for X, Y in runs]))


def _check_level(runs: Any, ours: float, theirs: float) -> Agreement:
    """In the band, which few runs do not show."""
    same = len(runs) < 1000 or BAND[0] <= ours <= BAND[1]
    return Agreement(same, f"{ours:.3f} of runs below {LEVEL}, theirs {theirs:.3f}")


def cases() -> list[Case]:
    """Speed and level."""
    return [
        Case(
            suite="geometry",
            name="MMD, 20 kernels, 2000 permutations, n = m",
            size=500,
            small=60,
            data=_samples,
            ours=_ours,
            rivals={"NumPy": Rival(_plain, "sklearn")},
            check=_check,
        ),
        Case(
            suite="geometry",
            name="MMD, type-I error (ours of three kernels)",
            size=1000,
            small=20,
            data=_runs,
            ours=_our_level,
            rivals={"NumPy": Rival(_plain_level, "sklearn")},
            check=_check_level,
        ),
    ]
