"""Rows on the workers of a Dask cluster, as scikit-learn's checks see them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from mercer.distributed import Rows
from mercer.errors import wrong_kind


def checked_rows(machine: Any, X: Any, y: Any, *, vectors: bool, reset: bool) -> Rows:
    """The rows of a collection after a look at every block; the machine learns names and number of their columns.

    `vectors` asks for columns of numbers.  Rows that have been checked before are taken as they are.
    """
    owner = type(machine).__name__
    rows = X if isinstance(X, Rows) else Rows.of(owner, X, y)
    if not vectors:
        return rows
    if rows.columns is not None:
        kinds = rows.columns.dtypes.items()
        text = ", ".join(f"{name} ({kind})" for name, kind in kinds if getattr(kind, "kind", "O") not in "fiub")
        raise wrong_kind(owner, "columns of numbers", f"a frame with {text}",
                         "Leave such columns out, or choose a machine and a kernel for tables: On(column, kernel)."
                         )  # fmt: skip
    see_columns(machine, X, rows.shape[1], reset)
    return rows


def see_columns(machine: Any, X: Any, width: int, reset: bool) -> None:
    """Learn the names of the columns of a Dask collection of numbers, or compare them with those of the fit."""
    names: Any = getattr(X, "_meta", None)
    row = np.ones((1, width))
    validate_data(machine, type(names)(row, columns=names.columns) if hasattr(names, "columns") else row, reset=reset)


def with_names(machine: Any, X: Any) -> Any:
    """Rows of the fit as the machine has seen them: those of a frame of numbers, which are an array, as a frame."""
    names = getattr(machine, "feature_names_in_", None)
    if names is None or not isinstance(X, np.ndarray):
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=names)
