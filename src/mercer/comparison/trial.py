"""One method on the splits of a sample: fitted, timed, and judged on the held-out items.

A failure is a result too: it is told in the row of the method.  Each method is first fitted to a few items, so that the
time of imports is not counted as time of a fit.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.comparison.calibration import coverage_error, expected_error
from mercer.comparison.methods import CLASSIFICATION, KERNEL, METHODS, Entrant
from mercer.comparison.paired import item_losses
from mercer.comparison.predictions import Predictions, predictions_of
from mercer.comparison.result import Fitted, innermost
from mercer.comparison.row import Row
from mercer.comparison.sample import Sample
from mercer.comparison.two_stages import TwoStages
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Outcome:
    """A method on one split; `rows` are the positions of those it was fitted to, tune_seconds None without a search."""

    estimator: Any
    predictions: Predictions
    score: float
    rows: Array
    fit_seconds: float
    predict_seconds: float
    tune_seconds: float | None

    @property
    def machine(self) -> Any:
        return innermost(self.estimator)

    @property
    def n_kept(self) -> int | None:
        return len(self.machine.support_) if hasattr(self.machine, "support_") else None


def tried(one: Entrant, sample: Sample) -> tuple[Row, Fitted | None]:
    """The row of a method, with means over all splits, and its fit in the last one; None for a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _warm_up(one, sample)
    return _reported(one.name, sample, lambda: [_trial(one, sample, *split) for split in sample.splits])


def enlarged(before: Row, stages: TwoStages, size: int, sample: Sample) -> tuple[Row, Fitted | None]:
    """The same of a method in two stages whose second is repeated at another size; `before` is its row so far."""
    one = Entrant(before.name, stages, METHODS[sample.task][before.name].takes != KERNEL)

    def work() -> list[Outcome]:
        stages.enlarge(sample.items(sample.train, numbers=one.numbers), sample.y[sample.train], size)
        return [_judged(one, stages, sample, stages.refit_time_, before.tune_seconds, *sample.splits[-1])]

    return _reported(before.name, sample, work)


def _reported(name: str, sample: Sample, work: Callable[[], list[Outcome]]) -> tuple[Row, Fitted | None]:
    """The row of what `work` returns, and its last fit; a failure is a row too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcomes = work()
        except Exception as error:  # a failure of one method is no reason to lose the others
            return Row(name, error=f"{type(error).__name__}: {error}", warnings=_texts(caught)), None
    last = outcomes[-1]
    machine = getattr(last.estimator, "machine_", last.estimator)
    stages = last.estimator if isinstance(last.estimator, TwoStages) else None
    return _row(name, sample, outcomes, _texts(caught)), Fitted(machine, last.rows, last.predictions, stages)


def _built(one: Entrant, sample: Sample) -> Any:
    encoded = sample.vectors is not None and one.on_numbers(sample.task)
    return one.build(sample.task, None if encoded else sample.kernel, sample.random_state)


def _texts(caught: list[Any]) -> tuple[str, ...]:
    from mercer.estimators.gaussian_process.report import AtBound

    # All methods share one kernel, so a process at the bounds of its hyper-parameters is no fault of the user.
    told = (warning for warning in caught if not issubclass(warning.category, AtBound))
    return tuple(dict.fromkeys(str(warning.message) for warning in told))


def _warm_up(one: Entrant, sample: Sample) -> None:
    with suppress(Exception):  # the trial will fail in the same way, and tell it
        few = sample.few()
        X = sample.items(few, few, numbers=one.on_numbers(sample.task))
        _built(one, sample).fit(X, sample.y[few]).predict(X)


def _trial(one: Entrant, sample: Sample, train: Array, test: Array) -> Outcome:
    estimator = _built(one, sample)
    X = sample.items(train, train, numbers=one.on_numbers(sample.task))
    start = time.perf_counter()
    estimator.fit(X, sample.y[train])
    seconds = time.perf_counter() - start
    refit = getattr(estimator, "refit_time_", None)  # of a search: the fit with what it chose
    if refit is None:
        return _judged(one, estimator, sample, seconds, None, train, test)
    return _judged(one, estimator, sample, refit, seconds - refit, train, test)


def _judged(
    one: Entrant, estimator: Any, sample: Sample, fit_seconds: float, tune_seconds: float | None, train: Array,
    test: Array,
) -> Outcome:  # fmt: skip
    """A fitted method on the held-out items."""
    Z, y = sample.items(test, train, numbers=one.on_numbers(sample.task)), sample.y[test]
    start = time.perf_counter()
    value = estimator.predict(Z)
    seconds = time.perf_counter() - start
    return Outcome(
        estimator=estimator,
        predictions=predictions_of(estimator, Z, y, value, sample.task, sample.known(test)),
        score=_score(estimator, Z, y, value, sample),
        rows=train[estimator.fitted_rows_] if hasattr(estimator, "fitted_rows_") else train,
        fit_seconds=fit_seconds,
        predict_seconds=seconds,
        tune_seconds=tune_seconds,
    )


def _score(estimator: Any, Z: Any, y: Array, value: Array, sample: Sample) -> float:
    from sklearn.metrics import accuracy_score, get_scorer, r2_score

    if sample.scoring is not None:
        return float(get_scorer(sample.scoring)(estimator, Z, y))
    return float((accuracy_score if sample.task == CLASSIFICATION else r2_score)(y, value))


def _row(name: str, sample: Sample, outcomes: list[Outcome], said: tuple[str, ...]) -> Row:
    certificate = getattr(outcomes[-1].machine, "certificate_", None)
    scores = [one.score for one in outcomes]
    return Row(
        name=name,
        score=_mean(scores),
        score_std=float(np.std(scores)),
        log_loss=_mean(np.concatenate([one.predictions.losses for one in outcomes])),
        calibration_error=_calibration(sample.task, outcomes),
        n_kept=_mean([one.n_kept for one in outcomes if one.n_kept is not None]),
        n_train=_mean([len(one.rows) for one in outcomes]),
        fit_seconds=_mean([one.fit_seconds for one in outcomes]),
        predict_seconds=_mean([one.predict_seconds for one in outcomes]),
        tune_seconds=_mean([one.tune_seconds for one in outcomes if one.tune_seconds is not None]),
        note=_note(outcomes[-1], sample),
        how=getattr(outcomes[-1].estimator, "how_", None),
        proof=_proof(certificate),
        certificate=None if certificate is None else str(certificate),
        warnings=said,
        losses=np.concatenate([_compared(one, sample) for one in outcomes]),
    )


def _note(last: Outcome, sample: Sample) -> str | None:
    """What a reader has to know of the rows that a method was fitted to."""
    n, why = len(sample.train), getattr(last.estimator, "why_", None)
    if len(last.rows) == n:
        return None
    return f"fitted to {len(last.rows)} of {n} {sample.unit}" + (f": {why}" if why else "")


def _compared(one: Outcome, sample: Sample) -> Array:
    """The losses by which methods are compared in pairs: of the items, or, with a scorer, of the split as a whole."""
    if sample.scoring is not None:
        return np.array([-one.score])
    return item_losses(one.predictions.value, one.predictions.y, labels=sample.task == CLASSIFICATION)


def _calibration(task: str, outcomes: list[Outcome]) -> float | None:
    stated = [np.concatenate(parts) for parts in zip(*(one.predictions.stated for one in outcomes), strict=True)]
    if not stated:
        return None
    return expected_error(stated[0], stated[1]) if task == CLASSIFICATION else coverage_error(stated[0])


def _proof(certificate: Any) -> str | None:
    """A certificate in a word or two: the relative gap or the residual that it proves, or else a local optimum."""
    for kind in ("relative_gap", "residual"):
        bound = getattr(certificate, kind, None)
        if bound is not None and np.isfinite(bound):
            return f"{kind.split('_')[-1]} {max(bound, 0.0):.0e}"
    if certificate is None:
        return None
    return "local" if getattr(certificate, "converged", True) else "open"


def _mean(numbers: Any) -> float | None:
    return float(np.mean(numbers)) if len(numbers) else None
