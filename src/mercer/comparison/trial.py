"""One method on the splits of a sample: fitted, timed, and judged on the held-out items.

A failure is a result too: it is told in the row of the method.  Each method is first fitted to a few items, so that the
time of imports is not counted as time of a fit.
"""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.comparison.calibration import coverage_error, expected_error
from mercer.comparison.methods import CLASSIFICATION, Entrant
from mercer.comparison.paired import item_losses
from mercer.comparison.predictions import Predictions, predictions_of
from mercer.comparison.result import Fitted, innermost
from mercer.comparison.row import Row
from mercer.comparison.sample import Sample
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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _warm_up(one, sample)
        caught.clear()
        try:
            outcomes = [_trial(one, sample, *split) for split in sample.splits]
        except Exception as error:  # a failure of one method is no reason to lose the others
            return Row(one.name, error=f"{type(error).__name__}: {error}", warnings=_texts(caught)), None
    last = outcomes[-1]
    machine = getattr(last.estimator, "machine_", last.estimator)
    return _row(one.name, sample, outcomes, _texts(caught)), Fitted(machine, last.rows, last.predictions)


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
    estimator, numbers = _built(one, sample), one.on_numbers(sample.task)
    X, Z = (sample.items(rows, train, numbers=numbers) for rows in (train, test))
    y = sample.y[test]
    start = time.perf_counter()
    estimator.fit(X, sample.y[train])
    fitted = time.perf_counter()
    value = estimator.predict(Z)
    done = time.perf_counter()
    refit = getattr(estimator, "refit_time_", None)  # of a search: the fit with what it chose
    return Outcome(
        estimator=estimator,
        predictions=predictions_of(estimator, Z, y, value, sample.task, sample.known(test)),
        score=_score(estimator, Z, y, value, sample),
        rows=train[estimator.fitted_rows_] if hasattr(estimator, "fitted_rows_") else train,
        fit_seconds=fitted - start if refit is None else refit,
        predict_seconds=done - fitted,
        tune_seconds=None if refit is None else fitted - start - refit,
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
