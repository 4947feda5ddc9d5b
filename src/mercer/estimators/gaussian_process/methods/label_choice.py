"""The method of a classifier: exact while that is cheap, through landmarks for more items; and what each would cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mercer.config import config
from mercer.errors import MemoryBudgetError, bad
from mercer.estimators.gaussian_process.class_posterior import LabelProblem
from mercer.estimators.gaussian_process.methods.exact_labels import ExactLabels
from mercer.estimators.gaussian_process.methods.inducing_labels import InducingLabels
from mercer.estimators.gaussian_process.methods.label_method import LabelMethod
from mercer.estimators.low_rank import Work
from mercer.estimators.training_data import Data, KernelItems

METHODS = (ExactLabels.name, InducingLabels.name, "auto")
_MOST = 5e12  # multiplications up to which "auto" is exact: one to three minutes on two cores
_STEPS = 6  # of Newton's method, for one evidence
_TUNED, _TUNED_THROUGH = 12, 20  # evidences of all items that a search computes, exact and through landmarks
_STRIPES = 16  # matrices of m x m that are summed up at a time


def chosen_label_method(gp: Any, data: Data, problems: Sequence[LabelProblem]) -> LabelMethod:
    """The method that `method=` stands for; what does not fit the memory budget is refused before the work."""
    works, computable = works_of(gp, data, problems), isinstance(data, KernelItems)
    if gp.method == InducingLabels.name and not computable:
        raise bad(type(gp).__name__, "kernel", "computable for method='inducing'", "'precomputed'",
                  "Pass a kernel and the items.")  # fmt: skip
    name = gp.method
    if name == "auto":
        exact = works[ExactLabels.name]
        cheap = exact.bytes <= config().memory and exact.products <= _MOST
        name = ExactLabels.name if cheap or not computable else InducingLabels.name
    if works[name].bytes > config().memory:
        raise _too_large(gp, len(data), name, works, computable)
    return method_named(name, gp.n_inducing)


def method_named(name: str, count: int) -> LabelMethod:
    """The method of a fit, by its name; `count` is that of landmarks."""
    return InducingLabels(count) if name == InducingLabels.name else ExactLabels()


def works_of(gp: Any, data: Data, problems: Sequence[LabelProblem]) -> dict[str, Work]:
    """What each method would do."""
    tuned = gp.optimizer is not None and bool(data.slots())
    return {
        ExactLabels.name: exact_work(problems, tuned),
        InducingLabels.name: inducing_work(problems, gp.n_inducing, tuned),
    }


def _too_large(gp: Any, n: int, name: str, works: dict[str, Work], computable: bool) -> MemoryBudgetError:
    """The error for a fit that is over the memory budget, with the cost of the other method."""
    landmarks = f"{min(gp.n_inducing, n)} landmarks"
    what, cure = f"an exact fit to {n} items", "Fit a sample of them"
    if name == InducingLabels.name:
        what, cure = f"a fit to {n} items through {landmarks}", "Choose fewer with n_inducing"
    elif computable:
        cure = f"method='inducing' with {landmarks} takes {works[InducingLabels.name].cost()}"
    return MemoryBudgetError(
        f"{type(gp).__name__}: {what} takes {works[name].cost()}, which is {config().memory / 2**30:.2f} GiB. {cure}; "
        "or raise the budget with mercer.configure(memory=...)."
    )


def exact_work(problems: Sequence[LabelProblem], tuned: bool) -> Work:
    """A factor of n x n for each step, one more for each class of a softmax, and inverses for the slope."""
    products, values, size, evaluations = 0.0, 0.0, 0.0, 1 + _TUNED * tuned
    for problem in problems:
        n, C = float(len(problem.y)), problem.sites.functions
        factors = C + 1.0 if C > 1 else 1.0
        products += evaluations * factors * n**3 * (_STEPS / 3.0 + 1.0)
        values += 3.0 * evaluations * n**2
        size = max(size, 8.0 * n**2 * (C + 3.0))
    return Work(products, values, size)


def inducing_work(problems: Sequence[LabelProblem], count: int, tuned: bool) -> Work:
    """Squares of the features for each step, one for each pair of functions, and products with them for the slope."""
    products, values, size, evaluations = 0.0, 0.0, 0.0, 1 + _TUNED_THROUGH * tuned
    for problem in problems:
        n, C = float(len(problem.y)), problem.sites.functions
        m, pairs = min(float(count), n), 0.5 * C * (C + 1)
        products += evaluations * ((_STEPS / 2.0 + 4.0) * n * m**2 * pairs + _STEPS * (m * C) ** 3)
        values += 3.0 * evaluations * n * m
        features = 8.0 * n * m if 16.0 * n * m <= config().memory else 0.0
        size = max(size, features + 8.0 * (5.0 * n * C**2 + 3.0 * (m * C) ** 2 + _STRIPES * m**2))
    return Work(products, values, size)
