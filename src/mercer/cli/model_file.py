"""Model files: the pipeline in it, and the kinds of columns and the task of its training data."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def loaded(path: Path) -> Any:
    """The pipeline of a file, which begins with a TableScaler."""
    import mercer
    from mercer.errors import bad

    model = mercer.load(path)
    if not hasattr(model, "steps") or not isinstance(model[0], mercer.TableScaler):
        raise bad(str(path), "the model", "a pipeline with a TableScaler, as fit and tune save it",
                  type(model).__name__, "Fit it by mercer fit.")  # fmt: skip
    return model


def kinds_of(model: Any) -> dict[str, str]:
    """The kinds of the columns in training; the target is categorical if the labels are strings."""
    classes, target = getattr(model[-1], "classes_", None), model[0].target
    labels = {target: "categorical"} if target and classes is not None and classes.dtype.kind == "U" else {}
    return dict(model[0].kinds_) | labels


def task_of(model: Any) -> str:
    """Whether the model predicts labels or numbers."""
    from sklearn.base import is_classifier

    return "classification" if is_classifier(model[-1]) else "regression"
