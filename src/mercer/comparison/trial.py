"""One method on the splits of one problem: fitted, timed, and judged on the items held out.

A failure is a result, too: it ends in the row of the method.  Each method is first fitted to a few items, so that
imports are not taken for the time of a fit.
"""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.comparison.calibration import central_levels, coverage_error, expected_error, log_losses, normal_losses
from mercer.comparison.methods import CLASSIFICATION, REGRESSION, Entrant, is_precomputed
from mercer.comparison.paired import item_losses
from mercer.comparison.result import Row
from mercer.items import Items
from mercer.typing import Array

FEW = 20  # items, of each of two classes, of the fit that is not timed


@dataclass(frozen=True, eq=False)
class Problem:
    """The items, their targets, what they are compared with, and how they are judged."""

    X: Any
    y: Array
    task: str
    kernel: Any
    scoring: Any
    splits: list[tuple[Array, Array]]
    random_state: int | None
    vectors: Any = None  # the items as rows of numbers, for methods that understand nothing else

    def part(self, rows: Array, train: Array, *, numbers: bool = False) -> Any:
        """Some items; of a Gram matrix their kernel values with the training items."""
        from mercer.estimators.sklearn_private import safe_indexing

        X = self.vectors if numbers and self.vectors is not None else self.X
        if is_precomputed(self.kernel):
            return X[np.ix_(rows, train)]
        return X[rows] if isinstance(X, Items) else safe_indexing(X, rows)

    def known(self, rows: Array) -> dict[str, Any]:
        """What a method may ask for besides items: that y is meant, not f, and k(x, x) where there is only a Gram."""
        given = {"return_std": True, "of": "y"}
        return given | {"prior": self.X.diagonal()[rows]} if is_precomputed(self.kernel) else given

    def few(self) -> Array:
        """A few training items, of every class."""
        train, _ = self.splits[0]
        if self.task == REGRESSION:
            return train[: 2 * FEW]
        labels = self.y[train]
        each = max(3, 2 * FEW // len(np.unique(labels)))
        return np.sort(np.concatenate([train[labels == c][:each] for c in np.unique(labels)]))


@dataclass(frozen=True, eq=False)
class Outcome:
    """One split; `losses` and `stated`, which calibration is judged by, are empty for want of probabilities.

    `compared` are the losses by which methods are compared in pairs: of the items, or of the split as a whole.
    """

    score: float
    compared: Array
    losses: Array
    stated: tuple[Array, ...]
    kept: int | None
    n_train: int
    fit_seconds: float
    predict_seconds: float
    tune_seconds: float | None
    certificate: str | None


def row_of(one: Entrant, problem: Problem) -> Row:
    """The means over all splits, or what went wrong."""
    return tried(one, problem)[0]


def tried(one: Entrant, problem: Problem) -> tuple[Row, Any]:
    """The row of a method, and the estimator as it was fitted in the last split; None in its place for a failure."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _warm_up(one, problem)
        caught.clear()
        try:
            machines = [_built(one, problem) for _ in problem.splits]
            outcomes = [
                _trial(machine, problem, *split, numbers=one.on_numbers(problem.task))
                for machine, split in zip(machines, problem.splits, strict=True)
            ]
        except Exception as error:  # a failure of one method is no reason to lose the others
            return Row(one.name, error=f"{type(error).__name__}: {error}", warnings=_texts(caught)), None
        return _summary(one.name, problem.task, outcomes, _texts(caught)), machines[-1]


def _built(one: Entrant, problem: Problem) -> Any:
    given = problem.vectors is not None and one.on_numbers(problem.task)
    return one.build(problem.task, None if given else problem.kernel, problem.random_state)


def _texts(caught: list[Any]) -> tuple[str, ...]:
    from mercer.estimators.gaussian_process.report import AtBound

    # All methods share the kernel of the comparison, so its bounds are not the user's to widen.
    told = (warning for warning in caught if not issubclass(warning.category, AtBound))
    return tuple(dict.fromkeys(str(warning.message) for warning in told))


def _warm_up(one: Entrant, problem: Problem) -> None:
    with suppress(Exception):  # whatever is wrong will show in the trial
        few = problem.few()
        X = problem.part(few, few, numbers=one.on_numbers(problem.task))
        _built(one, problem).fit(X, problem.y[few]).predict(X)


def _trial(estimator: Any, problem: Problem, train: Array, test: Array, *, numbers: bool) -> Outcome:
    X, Z = (problem.part(rows, train, numbers=numbers) for rows in (train, test))
    t = problem.y[test]
    start = time.perf_counter()
    estimator.fit(X, problem.y[train])
    fitted = time.perf_counter()
    predicted = estimator.predict(Z)
    done = time.perf_counter()
    losses, stated = _judged(estimator, Z, t, problem.task, problem.known(test))
    machine = innermost(estimator)
    certificate = getattr(machine, "certificate_", None)
    last = getattr(estimator, "refit_time_", None)  # of a search: the fit with what it chose
    score = _score(estimator, Z, t, predicted, problem)
    labels = problem.task == CLASSIFICATION
    return Outcome(
        score=score,
        compared=item_losses(predicted, t, labels=labels) if problem.scoring is None else np.array([-score]),
        losses=losses,
        stated=stated,
        kept=len(machine.support_) if hasattr(machine, "support_") else None,
        n_train=len(train),
        fit_seconds=fitted - start if last is None else last,
        predict_seconds=done - fitted,
        tune_seconds=None if last is None else fitted - start - last,
        certificate=None if certificate is None else str(certificate),
    )


def _score(estimator: Any, Z: Any, t: Array, predicted: Array, problem: Problem) -> float:
    from sklearn.metrics import accuracy_score, get_scorer, r2_score

    if problem.scoring is not None:
        return float(get_scorer(problem.scoring)(estimator, Z, t))
    return float((accuracy_score if problem.task == CLASSIFICATION else r2_score)(t, predicted))


def _judged(estimator: Any, Z: Any, t: Array, task: str, known: dict[str, Any]) -> tuple[Array, tuple[Array, ...]]:
    """(losses, stated) of all test items, where the method has probabilities or a deviation that is not zero."""
    estimator = getattr(estimator, "best_estimator_", estimator)  # a search does not pass `return_std` on
    if task == CLASSIFICATION and hasattr(estimator, "predict_proba"):
        P = np.asarray(_asked(estimator.predict_proba, Z, known))
        hit = estimator.classes_[P.argmax(axis=1)] == t
        return log_losses(P, estimator.classes_, t), (np.clip(P.max(axis=1), 0.0, 1.0), hit)
    if task == REGRESSION and "return_std" in inspect.signature(estimator.predict).parameters:
        mean, std = _asked(estimator.predict, Z, known)
        if (std > 0.0).all():
            return normal_losses(mean, std, t), (central_levels(mean, std, t),)
    return np.empty(0), ()


def _asked(method: Callable[..., Any], Z: Any, known: dict[str, Any]) -> Any:
    """method(Z), with as much of what is known as it has arguments for."""
    wanted = inspect.signature(method).parameters
    return method(Z, **{name: value for name, value in known.items() if name in wanted})


def innermost(estimator: Any) -> Any:
    """The machine inside of fitted searches and pipelines."""
    if hasattr(estimator, "best_estimator_"):
        return innermost(estimator.best_estimator_)
    return innermost(estimator.steps[-1][1]) if hasattr(estimator, "steps") else estimator


def _summary(name: str, task: str, outcomes: list[Outcome], said: tuple[str, ...]) -> Row:
    losses = np.concatenate([one.losses for one in outcomes])
    stated = [np.concatenate(parts) for parts in zip(*(one.stated for one in outcomes), strict=True)]
    return Row(
        name=name,
        score=_mean([one.score for one in outcomes]),
        score_std=float(np.std([one.score for one in outcomes])),
        log_loss=_mean(losses),
        calibration_error=_calibration(task, stated) if stated else None,
        n_kept=_mean([one.kept for one in outcomes if one.kept is not None]),
        n_train=_mean([one.n_train for one in outcomes]),
        fit_seconds=_mean([one.fit_seconds for one in outcomes]),
        predict_seconds=_mean([one.predict_seconds for one in outcomes]),
        tune_seconds=_mean([one.tune_seconds for one in outcomes if one.tune_seconds is not None]),
        certificate=outcomes[-1].certificate,
        warnings=said,
        losses=np.concatenate([one.compared for one in outcomes]),
    )


def _calibration(task: str, stated: list[Array]) -> float:
    return expected_error(stated[0], stated[1]) if task == CLASSIFICATION else coverage_error(stated[0])


def _mean(numbers: Any) -> float | None:
    return float(np.mean(numbers)) if len(numbers) else None
