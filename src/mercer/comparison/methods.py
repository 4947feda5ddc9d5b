"""The methods that can be compared, by name.  A new one is one line of CLASSIFIERS or REGRESSORS.

    "name": Method("module.Estimator", {"option": value}, takes=...)

`takes` says what the method is given:

    KERNEL    items, and the kernel as its argument `kernel`: all machines of this library
    ROWS      rows of numbers, whatever the kernel: machines of this library that have windows, or learn their metric
    VECTORS   the same: the linear baselines, which are scikit-learn's
    NOTHING   items that it does not look at

Machines have their default parameters, apart from the options in the table; tuning.py says how they are tuned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from mercer.errors import bad, wrong_kind
from mercer.items import Vectors
from mercer.kernels import Kernel
from mercer.tables.target import CLASSIFICATION as CLASSIFICATION
from mercer.tables.target import REGRESSION as REGRESSION

KERNEL, ROWS, VECTORS, NOTHING = "kernel", "rows", "vectors", "nothing"


@dataclass(frozen=True)
class Method:
    """Where an estimator is, its options, and what it is given."""

    home: str
    options: Mapping[str, Any] = field(default_factory=dict)
    takes: str = KERNEL

    def build(self, name: str, kernel: Any, random_state: Any) -> Any:
        """The estimator, with the kernel if it takes one, and the seed if it draws numbers."""
        if self.takes in (ROWS, VECTORS) and not on_vectors(kernel):
            raise wrong_kind(
                name, "rows of numbers", f"what {kernel!r} is a kernel of", "Compare kernel machines only."
            )
        module, _, made = self.home.rpartition(".")
        estimator = getattr(import_module(module), made)(**self.options)
        given = {"random_state": random_state} | ({"kernel": kernel} if self.takes == KERNEL else {})
        return estimator.set_params(**{key: given[key] for key in given if key in estimator.get_params(deep=False)})


CLASSIFIERS: dict[str, Method] = {
    "svm": Method("mercer.SVC"),
    "svm + platt": Method("mercer.SVC", {"probability": True}),
    "l2vm": Method("mercer.L2VMClassifier"),
    "l1vm": Method("mercer.L1VMClassifier"),
    "rvm": Method("mercer.RVMClassifier"),
    "gp": Method("mercer.GaussianProcessClassifier"),
    "klr": Method("mercer.KernelLogisticRegression"),
    "klda": Method("mercer.KernelLDA"),
    "knn": Method("mercer.KernelKNeighborsClassifier"),
    "kde": Method("mercer.KernelDensityClassifier", takes=VECTORS),
    "rbf network": Method("mercer.RBFNetworkClassifier", {"prototypes": 10, "init": "medoids"}),
    "rfm": Method("mercer.RFMClassifier", takes=ROWS),
    "perceptron": Method("sklearn.linear_model.Perceptron", takes=VECTORS),
    "least squares": Method("sklearn.linear_model.RidgeClassifier", {"alpha": 0.0, "solver": "svd"}, VECTORS),
    "lda": Method("sklearn.discriminant_analysis.LinearDiscriminantAnalysis", takes=VECTORS),
    "qda": Method("sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis", takes=VECTORS),
    "naive bayes": Method("sklearn.naive_bayes.GaussianNB", takes=VECTORS),
    "logistic regression": Method("sklearn.linear_model.LogisticRegression", {"max_iter": 1000}, VECTORS),
    "dummy": Method("sklearn.dummy.DummyClassifier", {"strategy": "prior"}, NOTHING),
}
REGRESSORS: dict[str, Method] = {
    "svm": Method("mercer.SVR"),
    "l2vm": Method("mercer.L2VMRegressor"),
    "l1vm": Method("mercer.L1VMRegressor"),
    "rvm": Method("mercer.RVMRegressor"),
    "gp": Method("mercer.GaussianProcessRegressor", {"noise": "learn", "mean": "constant"}),
    "ridge": Method("mercer.KernelRidge", {"fit_intercept": True}),
    "knn": Method("mercer.KernelKNeighborsRegressor"),
    "loess": Method("mercer.Loess", {"degree": 1}, VECTORS),
    "rbf network": Method("mercer.RBFNetworkRegressor", {"prototypes": 10, "init": "medoids"}),
    "rfm": Method("mercer.RFMRegressor", takes=ROWS),
    "nw": Method("mercer.NadarayaWatson", {"bandwidth": "silverman"}, ROWS),
    "local lines": Method("mercer.LocalRegression", {"bandwidth": "silverman"}, ROWS),
    "least squares": Method("sklearn.linear_model.LinearRegression", takes=VECTORS),
    "dummy": Method("sklearn.dummy.DummyRegressor", {"strategy": "mean"}, NOTHING),
}
SMOOTHERS = {
    "loess",
    "local lines",
    "nw",
}  # on rows of numbers like the baselines, but for few columns: compared when they are named
METRICS = {"rfm"}  # on rows of numbers too, with a kernel of their own: compared when they are named
METHODS = {CLASSIFICATION: CLASSIFIERS, REGRESSION: REGRESSORS}


def machines(task: str) -> list[str]:
    """The methods of a task that take a kernel."""
    return [name for name, method in METHODS[task].items() if method.takes == KERNEL]


def baselines(task: str) -> list[str]:
    """The methods of a task that do not."""
    named = SMOOTHERS | METRICS
    return [name for name, method in METHODS[task].items() if method.takes != KERNEL and name not in named]


def score_name(task: str) -> str:
    """The name of what `score` of an estimator computes."""
    return "accuracy" if task == CLASSIFICATION else "R^2"


@dataclass(frozen=True)
class Entrant:
    """A method that takes part: one of the tables above, or an estimator that is used as it is."""

    name: str
    estimator: Any = None

    def on_numbers(self, task: str) -> bool:
        """Whether it is a method of the tables that takes rows of numbers only."""
        method = METHODS[task].get(self.name) if self.estimator is None else None
        return method is not None and method.takes in (ROWS, VECTORS)

    def build(self, task: str, kernel: Any, random_state: Any) -> Any:
        """A new estimator; ValueError or TypeError if the method cannot be used on these data."""
        from sklearn.base import clone
        from sklearn.utils import get_tags

        if self.estimator is None:
            if self.name not in METHODS[task]:
                raise bad(self.name, "task", "one that the method can do", task,
                          f"Methods for {task}: {', '.join(METHODS[task])}.")  # fmt: skip
            return METHODS[task][self.name].build(self.name, kernel, random_state)
        has_kernel = any(key == "kernel" or key.endswith("__kernel") for key in self.estimator.get_params())
        if has_kernel and get_tags(self.estimator).input_tags.pairwise != is_precomputed(kernel):
            raise bad(self.name, "kernel", "'precomputed' in the estimator and in compare, or in neither",
                      f"{kernel!r} in compare", "An estimator keeps its own kernel.")  # fmt: skip
        return clone(self.estimator)


def entrants(methods: Iterable[Any] | str | None, task: str) -> list[Entrant]:
    """Names, estimators and pairs (name, estimator) as entrants, each with a name of its own."""
    given = machines(task) if methods is None else [methods] if isinstance(methods, str) else list(methods)
    found = [_entrant(one) for one in given]
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        raise bad("compare", "methods", "one or more, each with a name of its own", twice or "none",
                  "Pass pairs (name, estimator).")  # fmt: skip
    return found


def _entrant(given: Any) -> Entrant:
    known = list(dict.fromkeys(name for methods in METHODS.values() for name in methods))
    if isinstance(given, str) and given.lower() in known:
        return Entrant(given.lower())
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str) and hasattr(given[1], "fit"):
        return Entrant(*given)
    if hasattr(given, "fit") and not isinstance(given, type):
        return Entrant(type(given).__name__, given)
    raise bad("compare", "methods", f"of {known}, estimators, or pairs (name, estimator)", repr(given),
              "Estimators are instances, e.g. SVC(C=10).")  # fmt: skip


def is_precomputed(kernel: Any) -> bool:
    """Whether the data are a Gram matrix."""
    return isinstance(kernel, str) and kernel == "precomputed"


def on_vectors(kernel: Any) -> bool:
    """Whether the items of this kernel are rows of numbers; names of kernels are taken to be."""
    return kernel.items is Vectors if isinstance(kernel, Kernel) else not is_precomputed(kernel)
