"""compare(X, y, kernel, methods): every method is fitted to the same training items and judged on the same others.

    print(mercer.compare(X, y, RBF(0.3), ["svm", "l1vm", "rvm", ("big C", SVC(C=100, kernel=RBF(0.3))), "lda"]))

The methods are in methods.py, what happens to each in trial.py, and the table in result.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

import numpy as np

from mercer.comparison.methods import CLASSIFICATION, METHODS, REGRESSION, entrants, is_precomputed
from mercer.comparison.result import Comparison, Row
from mercer.comparison.trial import Problem, row_of
from mercer.errors import bad
from mercer.items import Vectors
from mercer.kernels import Kernel
from mercer.typing import Array

Progress = Callable[[int, int, str], None]


def compare(
    X: Any,
    y: Any,
    kernel: Any = "rbf",
    methods: Iterable[Any] | str | None = None,
    *,
    cv: Any = None,
    test_size: float = 0.25,
    scoring: Any = None,
    task: str | None = None,
    random_state: int | None = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Fit and judge several methods on the same items with the same kernel.

    kernel         of every method that is given by its name: a kernel object on any kind of item, a name as in SVC, or
                   "precomputed", and then X is the Gram matrix
    methods        names (methods.py has the list), estimators, or pairs (name, estimator).  Estimators, pipelines and
                   searches among them, are cloned and used as they are, with their own kernel.  None: all machines
    cv, test_size  folds or a splitter, or else the share (or number) of items that are held out once
    scoring        a scorer of scikit-learn or its name; None is accuracy, or R^2
    task           "classification" or "regression"; None: what y looks like
    progress       called with (methods done, methods in all, name of the next one)

    All numbers but the seconds are the same again for the same random_state.
    """
    X, y, task = _checked(X, y, kernel, task)
    splits = _splits(y, task, cv, test_size, random_state)
    problem = Problem(X, y, task, kernel, scoring, splits, random_state)
    field = entrants(methods, task)
    rows: list[Row] = []
    for one in field:
        if progress is not None:
            progress(len(rows), len(field), one.name)
        rows.append(row_of(one, problem))
    if progress is not None:
        progress(len(rows), len(field), "")
    return Comparison(tuple(rows), task, _shown(kernel), _score_name(scoring, task), _words(splits))


def _checked(X: Any, y: Any, kernel: Any, task: str | None) -> tuple[Any, Array, str]:
    """Items that can be taken apart, targets of as many, and the task."""
    from sklearn.utils import check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import type_of_target

    if is_precomputed(kernel):
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[0] != X.shape[1]:
            raise bad("compare", "X", "a square Gram matrix for kernel='precomputed'", f"shape {X.shape}",
                      "Pass k(X, X) of all items, or the kernel and the items.")  # fmt: skip
    elif isinstance(X, Vectors):
        X = X.values
    elif isinstance(kernel, Kernel) and not (hasattr(X, "shape") or isinstance(X, list)):
        X = kernel.check(X)  # only their kernel knows where one item ends
    y = column_or_1d(y)
    check_consistent_length(X, y)
    if task is None:
        task = REGRESSION if type_of_target(y) == "continuous" else CLASSIFICATION
    if task not in METHODS:
        raise bad("compare", "task", f"one of {tuple(METHODS)}", repr(task), "Leave it out to go by y.")
    return X, y.astype(float) if task == REGRESSION else y, task


def _splits(y: Array, task: str, cv: Any, test_size: float, random_state: int | None) -> list[tuple[Array, Array]]:
    """Pairs (train, test) of positions, shuffled, and with the classes in proportion."""
    from sklearn.model_selection import KFold, StratifiedKFold, check_cv, train_test_split

    classes, places = task == CLASSIFICATION, np.arange(len(y))
    if cv is None:
        stratify = y if classes else None
        train, test = train_test_split(places, test_size=test_size, stratify=stratify, random_state=random_state)
        return [(np.sort(train), np.sort(test))]
    if isinstance(cv, Integral):
        cv = (StratifiedKFold if classes else KFold)(int(cv), shuffle=True, random_state=random_state)
    return list(check_cv(cv, y, classifier=classes).split(places, y))


def _score_name(scoring: Any, task: str) -> str:
    if scoring is None:
        return "accuracy" if task == CLASSIFICATION else "R^2"
    return _shown(scoring)


def _shown(given: Any) -> str:
    return given if isinstance(given, str) else getattr(given, "__name__", None) or repr(given)


def _words(splits: list[tuple[Array, Array]]) -> str:
    train, test = splits[0]
    items = f"{len(train)} items fitted and {len(test)} held out"
    return items if len(splits) == 1 else f"{len(splits)} splits of about {items}"
