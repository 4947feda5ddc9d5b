"""TableScaler: the columns of a table as kernels like them, by what the training rows show.

    make_pipeline(TableScaler(), SVC(kernel=On(["age", "hours"], RBF(2.0)) + On("job", Hamming())))

Numbers are standardised and their gaps filled with the median, a missing category becomes the category "missing", a
missing text the empty text, a missing graph the one without nodes.  The names and kinds of the columns are kept, so
that a model file knows its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.errors import bad, wrong_kind
from mercer.estimators.sklearn_private import gives_frames
from mercer.items import Items, Table, Vectors
from mercer.items.column_kinds import CATEGORICAL, EMPTY_GRAPH, GRAPH, KINDS, NUMERIC, SEQUENCE, TEXT, kind_of
from mercer.items.symbols import is_frame, is_missing
from mercer.items.vectors import is_sparse
from mercer.typing import Array

MISSING = {CATEGORICAL: "missing", TEXT: "", SEQUENCE: "", GRAPH: EMPTY_GRAPH}
FORMS = ("auto", "table")


class TableScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """(x - mean) / standard deviation of every numeric column; categories and texts without gaps.

    kinds     {column: "numeric", "categorical", "text" or "graph"}; what is not named is decided by the values
    output    "auto": a matrix if all columns are numeric, a list if the only column is text or graphs, else a table;
              "table": a table with named columns, for kernels that choose theirs by On
    target    the name of the column to be predicted, which is only kept
    scale     False: numbers stay in their units, for machines with bandwidths

    The data are a data frame, a dict of columns, a matrix, or sparse rows, which stay as they are: zeros are meant.
    set_output(transform="pandas") or "polars" makes all but sparse rows a data frame.

    After fit: feature_names_in_ (where columns have names), n_features_in_, kinds_, and for numeric columns in their
    order median_, mean_ and scale_.
    """

    def __init__(
        self,
        kinds: Mapping[str, str] | None = None,
        output: str = "auto",
        target: str | None = None,
        scale: bool = True,
    ) -> None:
        self.kinds, self.output, self.target, self.scale = kinds, output, target, scale

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn medians, means and deviations of numeric columns, and the kind of every column."""
        if self.output not in FORMS:
            raise bad("TableScaler", "output", f"one of {list(FORMS)}", repr(self.output), "Try 'auto'.")
        X = self._checked(X, reset=True)
        if is_sparse(X):
            self.kinds_, self.median_, self.mean_, self.scale_ = {}, *np.zeros((3, 0))
            return self
        self.kinds_ = self._kinds(X)
        self._learn_units(X.columns.__getitem__)
        return self

    def fit_columns(self, column: Callable[[str], Any]) -> Self:
        """The same from one numeric column at a time, which `column` gives by its name; `kinds` must have all names."""
        self.kinds_ = dict(self.kinds or {})
        self.feature_names_in_ = np.array(list(self.kinds_), dtype=object)
        self.n_features_in_ = len(self.kinds_)
        self._learn_units(column)
        return self

    def _learn_units(self, column: Callable[[str], Any]) -> None:
        """The median of every numeric column, and the mean and deviation after its gaps have been filled."""
        units = []
        for name in self._numeric:
            x = _numbers(column(name), name)
            middle = _median(x)
            filled = np.where(np.isnan(x), middle, x)
            units.append((middle, *(_mean_and_deviation(filled) if self.scale else (0.0, 1.0))))
        self.median_, self.mean_, self.scale_ = np.array(units).reshape(-1, 3).T.copy()

    def transform(self, X: Any) -> Any:
        """The columns of the training table, scaled and without gaps; other columns are left out."""
        check_is_fitted(self, "kinds_")
        X = self._checked(X, reset=False)
        if is_sparse(X) != (not self.kinds_):
            forms = ("a table", "sparse rows")
            raise wrong_kind("TableScaler", f"{forms[not self.kinds_]} as in training", forms[is_sparse(X)],
                             "Convert one of them.")  # fmt: skip
        if is_sparse(X):
            return X
        place = {name: j for j, name in enumerate(self._numeric)}
        columns = {
            name: self._scaled(X.columns[name], name, place.get(name), kind) for name, kind in self.kinds_.items()
        }
        if gives_frames(self):
            return columns
        if self.output == "auto" and set(self.kinds_.values()) == {NUMERIC}:
            return np.column_stack(list(columns.values()))
        if self.output == "auto" and list(self.kinds_.values()) in ([TEXT], [SEQUENCE], [GRAPH]):
            return next(iter(columns.values()))
        return Table(columns)

    @property
    def _numeric(self) -> list[Any]:
        return [name for name, kind in self.kinds_.items() if kind == NUMERIC]

    def _kinds(self, X: Table) -> dict[Any, str]:
        given = dict(self.kinds or {})
        wrong = {name: kind for name, kind in given.items() if kind not in KINDS}
        if wrong:
            raise bad("TableScaler", "kinds", f"of {list(KINDS)}", wrong, "Name one of these for each column.")
        return {name: given.get(name) or kind_of(column) for name, column in X.columns.items()}

    def _scaled(self, column: Any, name: Any, j: int | None, kind: str) -> Any:
        """One column without gaps; j is its place among the numeric ones."""
        if j is None:
            return [MISSING[kind] if is_missing(value) else str(value) for value in column]
        x = _numbers(column, name)
        return (np.where(np.isnan(x), self.median_[j], x) - self.mean_[j]) / self.scale_[j]

    # ---- the door

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """X as a Table or a CSR matrix; without names, columns go by their positions."""
        if isinstance(X, Vectors):
            X = X.values
        if is_sparse(X) or not (isinstance(X, (Items, Mapping)) or is_frame(X)):
            V = validate_data(self, self._padded(X, reset), reset=reset, accept_sparse="csr", dtype=np.float64,
                              ensure_all_finite="allow-nan")  # fmt: skip
            return V if is_sparse(V) else Table({str(j): V[:, j] for j in range(V.shape[1])})
        table = Table.check(X, "TableScaler")
        if not isinstance(table, Table):
            raise wrong_kind("TableScaler", "a table", table.kind, "Pass a data frame or a dict of columns.")
        self._learn_names(table) if reset else self._require_names(table)
        return table

    def _padded(self, X: Any, reset: bool) -> Any:
        """Sparse rows whose last columns are all zero may have been written without them."""
        if reset or not is_sparse(X) or X.shape[1] >= self.n_features_in_:
            return X
        X = X.tocsr(copy=True)
        X.resize((X.shape[0], self.n_features_in_))
        return X

    def _learn_names(self, table: Table) -> None:
        self.feature_names_in_ = np.array(list(table.columns), dtype=object)
        self.n_features_in_ = len(table.columns)

    def _require_names(self, table: Table) -> None:
        lost = [name for name in self.kinds_ if name not in table.columns]
        if lost:
            raise bad("TableScaler", "X", f"a table with the columns of training {list(self.kinds_)}",
                      f"one without {lost}", "Add the missing columns; empty entries are fine.")  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def _numbers(column: Any, name: Any) -> Array:
    """A numeric column as float64, NaN where an entry is missing."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        x = column.astype(np.float64)
    else:
        odd = next((v for v in column if not is_missing(v) and not isinstance(v, (int, float, np.number))), None)
        if odd is not None:
            raise wrong_kind("TableScaler", f"numbers in column {name!r}", repr(odd), "Correct it, or leave it empty.")
        x = np.array([np.nan if is_missing(value) else float(value) for value in column], dtype=np.float64)
    if np.isinf(x).any():
        raise bad("TableScaler", f"column {name!r}", "finite numbers", f"{x[np.isinf(x)][0]} in row "
                  f"{np.flatnonzero(np.isinf(x))[0]}", "Correct it, or leave it empty.")  # fmt: skip
    return x


def _median(x: Array) -> float:
    """The median of the entries that are there; 0 if none is."""
    known = x[~np.isnan(x)]
    return float(np.median(known)) if known.size else 0.0


def _mean_and_deviation(x: Array) -> tuple[float, float]:
    """The standard deviation is 1 for a column that is constant up to rounding."""
    size = float(np.abs(x).max(initial=0.0)) or 1.0  # so that squares of huge numbers are finite
    u = x / size
    mean, deviation = float(u.mean()), float(u.std())
    return size * mean, size * deviation if deviation > 1e-12 else 1.0
