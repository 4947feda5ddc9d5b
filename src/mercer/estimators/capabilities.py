"""What each kind of kernel machine can do: the comparison table of the methods.

    print(capability_table())

Every cell is derived from behaviour by tests/estimators/test_capabilities.py, none is only asserted.

    convex         the training objective is convex; None where a kernel being given there is nothing to minimise
    kernel_tuning  "EB": the fitted machine has an evidence to choose kernels by;  "CV": only held-out error can
    sparse         predictions need few of the training items
    probabilistic  probabilities or variances are part of the model, not added afterwards
    multiclass     "yes": one model of all classes;  "indirect": from machines of two classes;  "no": for numbers only
    non_mercer     any similarity will do; if not, a kernel that is not positive semi-definite is warned of or refused
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mercer.errors import bad


@dataclass(frozen=True)
class Capabilities:
    """One row of the table."""

    convex: bool | None
    kernel_tuning: str
    sparse: bool
    probabilistic: bool
    multiclass: str
    non_mercer: bool


CAPABILITIES: dict[str, Capabilities] = {
    "L2VM": Capabilities(True, "EB", False, True, "yes", True),
    "L1VM": Capabilities(True, "CV", True, True, "yes", True),
    "RVM": Capabilities(False, "EB", True, True, "yes", True),
    "SVM": Capabilities(True, "CV", True, False, "indirect", False),
    "GP": Capabilities(None, "EB", False, True, "yes", False),
    "ridge": Capabilities(True, "CV", False, False, "no", False),
    "KLR": Capabilities(True, "CV", False, True, "yes", False),
}

_ESTIMATORS = {
    "L2VM": ("L2VMClassifier", "L2VMRegressor"),
    "L1VM": ("L1VMClassifier", "L1VMRegressor"),
    "RVM": ("RVMClassifier", "RVMRegressor"),
    "SVM": ("SVC", "SVR", "NuSVC", "NuSVR"),
    "GP": ("GaussianProcessClassifier", "GaussianProcessRegressor"),
    "ridge": ("KernelRidge",),
    "KLR": ("KernelLogisticRegression",),
}
_ROW = {estimator: row for row, estimators in _ESTIMATORS.items() for estimator in estimators}


def capabilities(machine: Any) -> Capabilities:
    """The row of an estimator, of its class, or of the name of either."""
    name = machine if isinstance(machine, str) else (machine if isinstance(machine, type) else type(machine)).__name__
    row = _ROW.get(name, name)
    if row not in CAPABILITIES:
        raise bad("capabilities", "machine", f"one of {[*CAPABILITIES, *_ROW]}", name, "Others are not in the table.")
    return CAPABILITIES[row]


def capability_table() -> str:
    """All rows as text."""
    names = [field.name for field in fields(Capabilities)]
    cells = [["", *(name.replace("_", " ") for name in names)]]
    cells += [[row, *(_word(getattr(able, name)) for name in names)] for row, able in CAPABILITIES.items()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def _word(given: bool | str | None) -> str:
    return given if isinstance(given, str) else {True: "yes", False: "no", None: "n/a"}[given]
