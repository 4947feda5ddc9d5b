"""Candidates: a model for every setting of its parameters, and what of it can be shared with others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.gaussian_process.kernel_argument import ProcessKernel
from mercer.estimators.gaussian_process.regressor import GaussianProcessRegressor
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
        """What comes before the machine; None if nothing does."""
        return self.model[:-1] if isinstance(self.model, Pipeline) and len(self.model) > 1 else None


def _token(value: Any) -> Any:
    """What tells a value from others: numbers and names as such, all else by being the same object."""
    return value if value is None or isinstance(value, (str, Number)) else (type(value), id(value))


def candidates_of(estimator: Any, built: Callable[[Settings], Any], settings: Iterable[Settings]) -> list[Candidate]:
    """One candidate for every setting of the parameters of an estimator, of which it is `built`."""
    found = [Candidate(params, built(params), _key(estimator, params)) for params in settings]
    for candidate in found:
        if not isinstance(candidate.machine, KernelEstimator):
            raise bad("KernelSearchCV", "estimator", "a kernel machine, or a Pipeline that ends in one",
                      type(candidate.machine).__name__, "Use scikit-learn's GridSearchCV.")  # fmt: skip
    return found


def _key(estimator: Any, params: Settings) -> tuple[Any, ...]:
    """The settings that concern the steps before the machine."""
    if not isinstance(estimator, Pipeline):
        return ()
    last = estimator.steps[-1][0]
    others = [name for name in sorted(params) if name != last and not name.startswith(f"{last}__")]
    return tuple((name, _token(params[name])) for name in others)


def with_params(estimator: Any, params: Settings) -> Any:
    """A new model with these parameters."""
    return clone(estimator).set_params(**clone(params, safe=False))


def takes_gram(machine: Any) -> bool:
    """Whether all that a machine needs to know of its items are their kernel values, under a kernel that stays."""
    if machine._precomputed:
        return True
    if getattr(machine, "tune_kernel", False) or getattr(machine, "optimizer", None) is not None:
        return False
    if isinstance(machine, ProcessKernel):  # of a classifier, probabilities need k(x, x) of new items too
        simple = isinstance(machine, GaussianProcessRegressor) and isinstance(machine.mean, str)
        return simple and isinstance(machine.kernel, Kernel) and machine.mean in ("auto", "zero", "constant")
    prototypes = getattr(machine, "prototypes", "all")
    moved = getattr(machine, "optimise", False)
    return isinstance(prototypes, str) and prototypes == "all" and not moved


def kernel_key(kernel: Kernel) -> str:
    """The kernel in words, to the last digit."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(kernel)
