"""Successive halving: all settings on few items, the best of them on more items, and so on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from mercer.estimators.sklearn_private import check_method_params, num_samples, safe_split
from mercer.selection.scoring import FoldScorer
from mercer.typing import Array

SMALLEST = 2  # items of each class (of all, in regression) on both sides of every split


def shares_of(settings: int, factor: int) -> list[float]:
    """The share of the items in every rung: growing by `factor`, and 1 in the last."""
    rungs = int(np.ceil(np.log(max(settings, 1)) / np.log(factor)))
    return [float(factor) ** (r - rungs) for r in range(rungs + 1)]


def part_of(data: FoldScorer, estimator: Any, share: float, seed: Any) -> FoldScorer:
    """The same folds on a share of the items; the items of a smaller share are among those of a larger one."""
    n = num_samples(data.X)
    some = np.arange(n) if share >= 1.0 else _chosen(data, estimator, share, seed)
    X, y = safe_split(estimator, data.X, data.y, some, some)
    place = np.full(n, -1)
    place[some] = np.arange(len(some))
    splits = [(_moved(train, place), _moved(test, place)) for train, test in data.splits]
    weight, params = None if data.weight is None else data.weight[some], check_method_params(data.X, data.params, some)
    return replace(data, X=X, y=y, weight=weight, splits=splits, params=params)


def _chosen(data: FoldScorer, estimator: Any, share: float, seed: Any) -> Array:
    """The first items in a random order: of every class its share, and a few on both sides of every split."""
    n = num_samples(data.X)
    order = check_random_state(0 if seed is None else seed).permutation(n)
    labels = np.asarray(data.y) if is_classifier(estimator) else np.zeros(n)
    members = [labels == label for label in np.unique(labels)]
    some = np.concatenate([_first(order, member, int(np.ceil(share * member.sum()))) for member in members])
    few = [_first(order, member & _marked(side, n), SMALLEST)
           for split in data.splits for side in split for member in members]  # fmt: skip
    return np.unique(np.concatenate([some, *few]))


def _first(order: Array, mask: Array, count: int) -> Array:
    """The first `count` positions of `order` where the mask is true."""
    return np.asarray(order[mask[order]][:count])


def _marked(index: Array, n: int) -> Array:
    mask = np.zeros(n, dtype=bool)
    mask[index] = True
    return mask


def _moved(index: Array, place: Array) -> Array:
    """The positions of items among the chosen ones; items that were not chosen are left out."""
    found = place[index]
    return np.asarray(found[found >= 0])


def joined(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """cv_results_ of two rungs, one below the other; all settings of the second rank before those of the first."""
    out = {key: _appended(first[key], second[key]) for key in first}
    for key in (key for key in first if key.startswith("rank_test_")):
        out[key] = np.concatenate([first[key] + len(second[key]), second[key]])
    return out


def _appended(first: Any, second: Any) -> Any:
    if isinstance(first, list):
        return first + second
    join: Any = np.ma.concatenate if isinstance(first, np.ma.MaskedArray) else np.concatenate
    return join([first, second])
