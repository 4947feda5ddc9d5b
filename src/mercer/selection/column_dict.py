"""A dict of columns whose rows can be chosen as scikit-learn chooses those of an array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mercer.estimators.sklearn_private import num_samples, safe_indexing
from mercer.items.vectors import is_sparse


class ColumnDict(dict[str, Any]):
    """Columns by name; an index that is not a name chooses rows."""

    @property
    def shape(self) -> tuple[int, int]:
        return min(map(num_samples, self.values()), default=0), len(self)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return super().__getitem__(key)
        rows = key[0] if isinstance(key, tuple) else key
        return ColumnDict({name: safe_indexing(column, rows) for name, column in self.items()})


def with_rows(X: Any) -> Any:
    """X, in a form of which rows can be taken."""
    return ColumnDict(X) if isinstance(X, Mapping) and not is_sparse(X) else X  # a DOK matrix is a dict too
