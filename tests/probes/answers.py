"""What a machine answers on some data, and whether an error is a proper refusal.

A refusal is a ValueError or TypeError that was raised on purpose: in the house form `owner: name must be ...; got ...`,
or by scikit-learn's own checks of data.  All else that is raised is a fault: LinAlgError, IndexError, an AttributeError
from inside, a RuntimeWarning of NumPy.
"""

from __future__ import annotations

import re
import signal
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, FitFailedWarning

from mercer import MemoryBudgetError, NotConverged
from mercer.estimators.density.classifier import BeyondReach
from mercer.estimators.positivity import Indefinite
from mercer.estimators.smoothing.local_smoother import Unsupported
from mercer.estimators.smoothing.loess import Extrapolated, SingularFit

METHODS = ("predict", "decision_function", "predict_proba", "predict_log_proba", "score_samples", "transform")
# Warnings that say what a machine could not do; all others are faults.
OURS = (
    NotConverged, ConvergenceWarning, BeyondReach, Indefinite, DataConversionWarning, FitFailedWarning,
    Extrapolated, SingularFit, Unsupported,
)  # fmt: skip
SECONDS = 30  # of processor time that one probe may take
HOUSE = re.compile(r"^[\w ]+(\(.*\))?: .+ must (be|have) .+; got ", re.DOTALL)
ARGUMENTS = re.compile(r"\b(X|y|sample_weight|sample_weights|labels?|class(es)?|kernel|alpha|C|nu|cv|n_splits)\b")
CHECKS = ("sklearn/utils/", "sklearn/base.py", "sklearn/model_selection/", "narwhals/")
# beginnings of warnings that are not ours
THEIRS = (
    "The number of unique classes",
    "The least populated class",
    "One or more of the test scores",
    "Scoring failed",
)


class Refused(Exception):
    """The machine said no, in a sentence that names the argument."""


@contextmanager
def watched() -> Iterator[None]:
    """Warnings other than our own are errors, refusals become Refused, and nothing may hang."""

    def late(*_: Any) -> None:
        raise AssertionError(f"not done after {SECONDS} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for ours in OURS:
                warnings.simplefilter("ignore", ours)
            for words in THEIRS:
                warnings.filterwarnings("ignore", words)
            yield
    except (ValueError, TypeError, MemoryBudgetError) as error:
        if not proper(error):
            raise
        raise Refused(str(error)) from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def proper(error: BaseException) -> bool:
    """Whether an error was raised on purpose and says which argument is at fault."""
    if isinstance(error, np.linalg.LinAlgError):
        return False
    if isinstance(error, MemoryBudgetError) or HOUSE.search(str(error)):
        return True
    place = traceback.extract_tb(error.__traceback__)[-1].filename.replace("\\", "/")
    if "/mercer/" in place:
        return bool(ARGUMENTS.search(str(error)))
    return any(part in place for part in CHECKS)


def fitted(machine: Any, X: Any, y: Any = None, **options: Any) -> Any:
    """A fresh copy of the machine, fitted."""
    return clone(machine).fit(X, **options) if y is None else clone(machine).fit(X, y, **options)


def answers(machine: Any, X: Any) -> dict[str, np.ndarray]:
    """What each method says of X; labels as positions in classes_."""
    said = {name: getattr(machine, name)(X) for name in METHODS if hasattr(machine, name)}
    if hasattr(machine, "classes_") and "predict" in said:
        labels = np.asarray(said["predict"])
        said["predict"] = np.argmax(labels[:, None] == np.asarray(machine.classes_)[None], axis=1)
        assert (np.asarray(machine.classes_)[said["predict"]] == labels).all(), "a label that is no class"
    return {name: np.asarray(_dense(value), dtype=float) for name, value in said.items()}


def _dense(value: Any) -> Any:
    return value.toarray() if hasattr(value, "toarray") else value


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray], tolerance: float) -> None:
    """Equal answers, to a tolerance relative to their size; labels may differ only where a score is that near."""
    assert one.keys() == other.keys()
    for name in one:
        a, b = one[name], other[name]
        assert a.shape == b.shape, f"{name}: shapes {a.shape} and {b.shape}"
        if name == "predict" and tolerance > 1e-6 and one.keys() & {"decision_function", "predict_proba"}:
            continue  # follows from the scores, but for ties
        size = max(1.0, float(np.abs(b[np.isfinite(b)]).max(initial=0.0)))
        np.testing.assert_allclose(a, b, rtol=0.0, atol=tolerance * size, err_msg=name)


def sound(said: dict[str, np.ndarray], items: int) -> None:
    """Finite numbers, one row per item, and probabilities that are some."""
    for name, value in said.items():
        assert len(value) == items, f"{name}: {len(value)} rows for {items} items"
        assert not np.isnan(value).any(), f"{name}: not a number"
        logs = name in ("predict_log_proba", "score_samples") and (value < np.inf).all()  # of 0, -inf
        assert logs or np.isfinite(value).all(), f"{name}: not finite"
    if "predict_proba" in said:
        P = said["predict_proba"]
        assert (P >= 0.0).all(), "negative probabilities"
        np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-9, err_msg="probabilities do not sum to 1")
