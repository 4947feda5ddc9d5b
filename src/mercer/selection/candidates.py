"""Candidates: one model for every setting of the parameters that a search tries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Number
from typing import Any

from sklearn.base import ClassifierMixin, clone
from sklearn.pipeline import Pipeline

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.smoothing.local_smoother import LocalSmoother
from mercer.typing import Array

Settings = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model with its parameters set, and its two parts; clones of these are fitted.

    steps        the steps of a Pipeline before the machine; None if there are none
    steps_key    candidates with equal keys have equal steps, so that their machines see the same items
    """

    params: Settings
    model: Any
    steps: Any
    steps_key: tuple[Any, ...]
    machine: KernelEstimator | LocalSmoother


def candidates_of(estimator: Any, settings: Iterable[Settings], scaler: Any, scorer_reads: str) -> list[Candidate]:
    """One candidate for every setting.

    Probabilities of support vector machines cost several fits: for scorers that read labels they are switched off.
    """
    found = [_candidate(estimator, params, scaler) for params in settings]
    for machine in (candidate.machine for candidate in found if scorer_reads == "labels"):
        if getattr(machine, "probability", False) is True and type(machine).score is ClassifierMixin.score:
            machine.set_params(probability=False)
    return found


def _candidate(estimator: Any, params: Settings, scaler: Any) -> Candidate:
    model = model_of(estimator, params, scaler)
    machine = model[-1] if isinstance(model, Pipeline) else model
    if not hasattr(machine, "takes_gram"):  # and what else a search asks of a machine
        raise bad("KernelSearchCV", "estimator", "a kernel machine, or a Pipeline that ends in one",
                  type(machine).__name__, "Use scikit-learn's GridSearchCV.")  # fmt: skip
    steps = model[:-1] if isinstance(model, Pipeline) and len(model) > 1 else None
    return Candidate(params, model, steps, _steps_key(estimator, params), machine)


def model_of(estimator: Any, params: Settings, scaler: Any) -> Any:
    """A new model with these parameters; after the scaler, if there is one."""
    model = clone(estimator).set_params(**clone(params, safe=False))
    return model if scaler is None else Pipeline([("scale", scaler), ("machine", model)])


def _steps_key(estimator: Any, params: Settings) -> tuple[Any, ...]:
    """The settings of the steps before the machine."""
    if not isinstance(estimator, Pipeline):
        return ()
    machine = estimator.steps[-1][0]
    names = [name for name in sorted(params) if name != machine and not name.startswith(f"{machine}__")]
    return tuple((name, _token(params[name])) for name in names)


def _token(value: Any) -> Any:
    """A hashable token; equal tokens mean equal values.  Numbers and names compare as such, all else by identity."""
    return value if value is None or isinstance(value, (str, Number)) else (type(value), id(value))


def weight_name(model: Any) -> str:
    """The name that `fit` of a model has for the sample weights of its machine."""
    return f"{model.steps[-1][0]}__sample_weight" if isinstance(model, Pipeline) else "sample_weight"


def fit_options(model: Any, weight: Array | None) -> dict[str, Any]:
    """The arguments of `fit` of a model, beside X and y."""
    return {} if weight is None else {weight_name(model): weight}
