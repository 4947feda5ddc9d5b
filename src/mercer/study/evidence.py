"""ByEvidence: the kernel under which a machine finds its data most probable, among given ones."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator, clone

from mercer.errors import bad
from mercer.typing import Array


class ByEvidence(BaseEstimator):  # type: ignore[misc]
    """A machine that has a log_evidence_ (RVM, L2VM), with the kernel of largest evidence.

    `time_limit` is the number of seconds after which no further kernel is tried.  After fit: best_estimator_,
    best_index_ among the kernels, log_evidences_ of those tried, refit_time_ (of the fit that was best).
    """

    def __init__(self, estimator: Any, kernels: Sequence[Any], *, time_limit: float | None = None) -> None:
        self.estimator, self.kernels, self.time_limit = estimator, kernels, time_limit

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a copy of the machine with every kernel, and keep the best."""
        if not len(self.kernels):
            raise bad("ByEvidence", "kernels", "at least one", "none", "Pass e.g. [RBF(0.5), RBF(1.0)].")
        began = time.perf_counter()
        machines: list[Any] = []
        seconds: list[float] = []
        for kernel in self.kernels:
            start = time.perf_counter()
            if machines and self.time_limit is not None and start - began > self.time_limit:
                break
            machines.append(clone(self.estimator).set_params(kernel=kernel).fit(X, y))
            seconds.append(time.perf_counter() - start)
        self.log_evidences_ = [float(machine.log_evidence_) for machine in machines]
        self.best_index_ = max(range(len(machines)), key=self.log_evidences_.__getitem__)
        self.best_estimator_, self.refit_time_ = machines[self.best_index_], seconds[self.best_index_]
        return self

    def predict(self, X: Any) -> Array:
        """What the best machine predicts."""
        predicted: Array = self.best_estimator_.predict(X)
        return predicted
