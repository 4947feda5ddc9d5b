"""Recursive feature machines on eight tables, against boosted trees and xRFM; 80 % of the rows train, seed 0.

Every answer is an error on the other rows: the share of wrong classes, or of the variance that is not explained.  An
answer counts as the same where ours is at least as good.

HistGradientBoosting                its defaults, on the table as it is: codes of categories, and gaps
HistGradientBoosting, 20 settings   the best of 20 random ones on a fifth of the training rows, then fitted to all;
                                    no new setting after CAP seconds
xRFM                                its defaults on the CPU, on the same numbers as ours, with a fifth of the training
                                    rows for validation; stopped after CAP seconds

Ours and xRFM are given numbers: a column per category, medians in gaps and a column that marks them.

Data: npz tables from --data or MERCER_DATA, else generated stand-ins.
"""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival, SelfTimed
from mercer import RFMClassifier, RFMRegressor
from mercer.typing import Array

REGRESSION = ("california_housing", "kin40k", "protein", "bike", "elevators")
CLASSIFICATION = ("adult", "credit_default", "magic")
WIDTH = {"bike": 15}  # columns that count: the target is the logarithm of the sum of the last two
CAP = 300.0  # seconds
SETTINGS, SMALL = 20, 1000  # settings of boosting that are tried; smoke runs have fewer rows, and try two
NEVER = 1e9  # the error of what was stopped


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to learn from and rows to be judged by, as they are and as numbers."""

    raw: tuple[Array, Array]
    numbers: tuple[Array, Array]
    y: tuple[Array, Array]

    @property
    def classes(self) -> bool:
        return self.y[0].dtype.kind == "i"

    def error(self, values: Array) -> float:
        truth = self.y[1]
        return float(np.mean(values != truth) if self.classes else np.mean((values - truth) ** 2) / truth.var())


@lru_cache(maxsize=1)
def _table(name: str, n: int) -> Split:
    from sklearn.model_selection import train_test_split

    path = Path(os.environ.get(data.VARIABLE, "")) / f"{name}.npz"
    X, y, categorical = _read(path) if path.is_file() else _stand_in(name, n)
    some = np.random.default_rng(0).permutation(len(X))[:n] if n < len(X) else np.arange(len(X))
    X, y = X[some], y[some]
    train, test = train_test_split(np.arange(len(X)), test_size=0.2, random_state=0)
    N = as_numbers(X, categorical, train)
    return Split((X[train], X[test]), (N[train], N[test]), (y[train], y[test]))


def _read(path: Path) -> tuple[Array, Array, Array]:
    with np.load(path) as arrays:
        X, y = arrays["X"].astype(float), arrays["y"]
        categorical = arrays["cat_mask"] if "cat_mask" in arrays else np.zeros(X.shape[1], dtype=bool)
    width = WIDTH.get(path.stem, X.shape[1])
    return X[:, :width], y, categorical[:width]


def _stand_in(name: str, n: int) -> tuple[Array, Array, Array]:
    X = data.gaussian(n, 6, seed=3).X
    f = np.sin(X[:, 0] + X[:, 1]) + 0.5 * X[:, 2]  # smooth, in few directions: a learned metric finds them
    return X, (f > 0.0).astype(np.int64) if name in CLASSIFICATION else f, np.zeros(6, dtype=bool)


def as_numbers(X: Array, categorical: Array, train: Array) -> Array:
    """A column per category; medians of training rows in the gaps of other columns, and a column that marks these."""
    columns: list[Array] = []
    for column, is_category in zip(X.T, categorical, strict=True):
        gaps = np.isnan(column)
        if is_category:
            columns += [column == level for level in np.unique(column[~gaps])]
        else:
            columns.append(np.where(gaps, np.nanmedian(column[train]), column))
        if gaps.any():
            columns.append(gaps)
    return np.column_stack(columns).astype(float)


def _ours(split: Split) -> float:
    machine = RFMClassifier() if split.classes else RFMRegressor()
    return split.error(machine.fit(split.numbers[0], split.y[0]).predict(split.numbers[1]))


# ---- rivals


def _boosting(split: Split, **options: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    made = HistGradientBoostingClassifier if split.classes else HistGradientBoostingRegressor
    return made(random_state=0, **options)


def _boosted(split: Split) -> float:
    return split.error(_boosting(split).fit(split.raw[0], split.y[0]).predict(split.raw[1]))


def _boosted_tuned(split: Split) -> float:
    """The best of random settings, the defaults among them."""
    from sklearn.model_selection import train_test_split

    X, V, y, v = train_test_split(split.raw[0], split.y[0], test_size=0.2, random_state=1)
    rng, began = np.random.default_rng(0), perf_counter()
    best, least = {}, np.inf
    for i in range(SETTINGS if len(X) >= SMALL else 2):
        options = _random_setting(rng) if i else {}
        error = 1.0 - float(_boosting(split, **options).fit(X, y).score(V, v))
        best, least = (options, error) if error < least else (best, least)
        if perf_counter() - began > CAP:
            break
    return split.error(_boosting(split, **best).fit(split.raw[0], split.y[0]).predict(split.raw[1]))


def _random_setting(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "learning_rate": float(10.0 ** rng.uniform(-2.0, -0.5)),
        "max_iter": int(rng.choice([100, 200, 400, 800])),
        "max_leaf_nodes": int(rng.choice([15, 31, 63, 127])),
        "min_samples_leaf": int(rng.choice([5, 10, 20, 50])),
        "l2_regularization": float(10.0 ** rng.uniform(-3.0, 1.0)),
    }


def _xrfm(split: Split) -> SelfTimed:
    """In a process of its own, which can be stopped; smoke runs do not wait for torch to load in it."""
    if len(split.y[0]) < SMALL:
        return SelfTimed(0.0, NEVER, parts=0, bound=True)
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    child = context.Process(target=_xrfm_in_child, args=(split, answers))
    child.start()
    began = perf_counter()
    while child.is_alive() and answers.empty() and perf_counter() - began < CAP:
        child.join(0.1)
    found = None if answers.empty() else answers.get()
    child.terminate()
    child.join()
    return SelfTimed(CAP, NEVER, bound=True) if found is None else SelfTimed(*found)


def _xrfm_in_child(split: Split, answers: Any) -> None:
    import torch
    from xrfm import xRFM

    N, Z = split.numbers
    mean, deviation = N.mean(axis=0), N.std(axis=0)
    deviation[deviation == 0.0] = 1.0
    X, Z = ((rows - mean) / deviation for rows in (N, Z))
    order = np.random.default_rng(0).permutation(len(X))
    fit, check = np.split(order, [int(0.8 * len(X))])
    y = split.y[0][:, None] if split.classes else split.y[0][:, None].astype(np.float32)
    parts = [torch.tensor(part) for part in (X[fit].astype(np.float32), y[fit], X[check].astype(np.float32), y[check])]
    began = perf_counter()
    model = xRFM(device=torch.device("cpu"), verbose=False, random_state=0)
    model.fit(*parts)
    values = np.asarray(model.predict(torch.tensor(Z.astype(np.float32)))).squeeze()
    answers.put((perf_counter() - began, split.error(values)))


def _no_worse(split: Split, ours: float, theirs: float) -> Agreement:
    if theirs == NEVER:
        return Agreement(True, f"error {ours:.4f}, theirs has none: stopped")
    return Agreement(ours <= theirs, f"error {ours:.4f}, theirs {theirs:.4f}")


def cases() -> list[Case]:
    """Eight tables, all of their rows."""
    rivals = {
        "HistGradientBoosting": Rival(_boosted, "sklearn"),
        f"HistGradientBoosting, {SETTINGS} settings": Rival(_boosted_tuned, "sklearn"),
        "xRFM": Rival(_xrfm, "xrfm"),
    }
    return [
        Case("scale", f"recursive features {name}", 100_000, 150, partial(_table, name), _ours, rivals, _no_worse)
        for name in (*REGRESSION, *CLASSIFICATION)
    ]
