"""Candidates: one model for every setting of the parameters that a search tries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.pipeline import Pipeline

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.kernels import Kernel

Settings = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model with its parameters set: steps that prepare the items, and the machine."""

    params: Settings
    model: Any
    key: tuple[Any, ...] = ()  # candidates with the same key see the same items

    @property
    def machine(self) -> Any:
        return self.model[-1] if isinstance(self.model, Pipeline) else self.model

    @property
    def steps(self) -> Any:
        """The steps before the machine; None if there are none."""
        return self.model[:-1] if isinstance(self.model, Pipeline) and len(self.model) > 1 else None


def _token(value: Any) -> Any:
    """Equal tokens mean equal values: numbers and names are compared as such, all else by identity."""
    return value if value is None or isinstance(value, (str, Number)) else (type(value), id(value))


def candidates_of(estimator: Any, built: Callable[[Settings], Any], settings: Iterable[Settings]) -> list[Candidate]:
    """One candidate for every setting; `built` makes the model of a setting."""
    found = [Candidate(params, built(params), _key(estimator, params)) for params in settings]
    for candidate in found:
        if not isinstance(candidate.machine, KernelEstimator):
            raise bad("KernelSearchCV", "estimator", "a kernel machine, or a Pipeline that ends in one",
                      type(candidate.machine).__name__, "Use scikit-learn's GridSearchCV.")  # fmt: skip
    return found


def without_probabilities(candidates: Iterable[Candidate]) -> None:
    """Switch the probabilities of support vector machines off, for scorers that read labels: they cost several fits."""
    for candidate in candidates:
        machine = candidate.machine
        if getattr(machine, "probability", False) is True and type(machine).score is ClassifierMixin.score:
            machine.set_params(probability=False)


def _key(estimator: Any, params: Settings) -> tuple[Any, ...]:
    """The settings of the steps before the machine."""
    if not isinstance(estimator, Pipeline):
        return ()
    last = estimator.steps[-1][0]
    others = [name for name in sorted(params) if name != last and not name.startswith(f"{last}__")]
    return tuple((name, _token(params[name])) for name in others)


def with_params(estimator: Any, params: Settings) -> Any:
    """A new model with these parameters."""
    return clone(estimator).set_params(**clone(params, safe=False))


def kernel_key(kernel: Kernel) -> str:
    """The repr of a kernel, with all digits of its parameters."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(kernel)
