"""Settings by their evidence p(y | X, setting): one fit on all items instead of one per fold."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from mercer.engine.interrupts import until_interrupted
from mercer.errors import bad
from mercer.selection.candidates import Candidate
from mercer.selection.scoring import Outcome

ATTRIBUTES = ("log_marginal_likelihood_value_", "log_evidence_")


def evidence_of(model: Any) -> float:
    """The log evidence of a fitted model, or of the last step of a Pipeline."""
    machine = model[-1] if isinstance(model, Pipeline) else model
    for name in ATTRIBUTES:
        if hasattr(machine, name):
            return float(getattr(machine, name))
    raise bad("KernelSearchCV", "estimator", "a model with an evidence for strategy='evidence'",
              type(machine).__name__, "Use a Gaussian process, an RVM, or strategy='grid'.")  # fmt: skip


def by_evidence(
    candidates: Sequence[Candidate], X: Any, y: Any, options: dict[str, Any], failed: Callable[[Exception], Outcome],
    go_on: Callable[[], bool],
) -> list[Outcome]:  # fmt: skip
    """Outcomes whose score is the log evidence of a fit to all items, as many as time allows and at least one.

    An interrupt ends it before the first, too, and then there are none.
    """
    out: list[Outcome] = []
    with until_interrupted():
        for candidate in candidates:
            if out and not go_on():
                break
            began = time.perf_counter()
            try:
                candidate.model.fit(X, y, **options)
            except ValueError as error:
                out.append(failed(error))
                continue
            gap = float(getattr(getattr(candidate.machine, "certificate_", None), "relative_gap", np.nan))
            out.append(Outcome(evidence_of(candidate.model), None, time.perf_counter() - began, 0.0, gap))
    return out
