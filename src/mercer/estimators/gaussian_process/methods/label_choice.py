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
from mercer.estimators.low_rank import Cost, Work
from mercer.estimators.training_data import Data, KernelItems

METHODS = (ExactLabels.name, InducingLabels.name, "auto")
_MOST = 5e12  # multiplications up to which "auto" is exact: one to three minutes on two cores
_STEPS = 6  # of Newton's method, for one evidence
_TUNED = 12  # evaluations of the evidence of all items that a search takes
_STRIPES = 16  # matrices of m x m that are summed up at a time


def chosen_label_method(gp: Any, data: Data, problems: Sequence[LabelProblem]) -> LabelMethod:
    """The method that `method=` stands for; what does not fit the memory budget is refused before the work."""
    tuned, fits = gp.optimizer is not None and bool(data.slots()), isinstance(data, KernelItems)
    exact, through = exact_work(problems, tuned), inducing_work(problems, gp.n_inducing, tuned)
    if gp.method == InducingLabels.name and not fits:
        raise bad(type(gp).__name__, "kernel", "computable for method='inducing'", "'precomputed'",
                  "Pass a kernel and the items.")  # fmt: skip
    cheap = exact.bytes <= config().memory and exact.products <= _MOST
    if gp.method == InducingLabels.name or (gp.method == "auto" and fits and not cheap):
        what = f"a fit to {len(data)} items through {gp.n_inducing} landmarks"
        _require(gp, what, through, "Choose fewer with n_inducing, or raise the budget")
        return method_named(InducingLabels.name, gp.n_inducing)
    other = f"method='inducing' with {gp.n_inducing} landmarks takes {through.cost()}; or raise the budget"
    _require(gp, f"an exact fit to {len(data)} items", exact, other if fits else "Fit a sample of the items, or raise the budget")
    return method_named(ExactLabels.name, gp.n_inducing)


def method_named(name: str, count: int) -> LabelMethod:
    """The method of a fit, by its name."""
    return InducingLabels(count) if name == InducingLabels.name else ExactLabels()


def costs(gp: Any, data: Data, problems: Sequence[LabelProblem]) -> dict[str, Cost]:
    """What a fit would cost by each method."""
    tuned = gp.optimizer is not None and bool(data.slots())
    return {
        ExactLabels.name: exact_work(problems, tuned).cost(),
        InducingLabels.name: inducing_work(problems, gp.n_inducing, tuned).cost(),
    }


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
    products, values, size, evaluations = 0.0, 0.0, 0.0, 1 + _TUNED * tuned
    for problem in problems:
        n, C = float(len(problem.y)), problem.sites.functions
        m, pairs = min(float(count), n), 0.5 * C * (C + 1)
        products += evaluations * ((_STEPS / 2.0 + 4.0) * n * m**2 * pairs + _STEPS * (m * C) ** 3)
        values += 3.0 * evaluations * n * m
        features = 8.0 * n * m if 16.0 * n * m <= config().memory else 0.0
        size = max(size, features + 8.0 * (5.0 * n * C**2 + 3.0 * (m * C) ** 2 + _STRIPES * m**2))
    return Work(products, values, size)


def _require(gp: Any, what: str, work: Work, cure: str) -> None:
    """Refuse a fit that is over the memory budget."""
    if work.bytes > config().memory:
        raise MemoryBudgetError(
            f"{type(gp).__name__}: {what} takes {work.cost()}, which is {config().memory / 2**30:.2f} GiB. {cure} "
            "with mercer.configure(memory=...)."
        )
