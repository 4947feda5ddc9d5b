"""How `mercer fit` goes about a table: all of it in memory, on the workers of a cluster, or one piece after the other.

way_of(given, model, client)       an object that can `fit` the model, and tell its `score` on the training rows
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mercer.errors import bad

BLOCK = 20_000  # rows of a table in memory that one task takes


def in_pieces(data: str, rows: int | None, scheduler: str | None, settings: dict[str, Any]) -> bool:
    """Whether a folder is read a piece at a time: by workers, or for a fit of one pass over the rows."""
    from mercer.tables.part_files import is_folder

    return is_folder(data) and rows is None and (scheduler is not None or settings.get("method") == "nystrom")


def on_landmarks(method: str, model: Any, settings: dict[str, Any]) -> None:
    """Choose the form of a machine that takes rows in blocks, unless the user has chosen one."""
    known = model[-1].get_params(deep=False)
    if "method" not in known or not {"n_landmarks", "n_inducing"} & set(known):
        raise bad("--scheduler", "the method", "one on landmarks, such as ridge, svm or klr", repr(method),
                  "Leave --scheduler out, or choose another method.")  # fmt: skip
    if "method" not in settings:
        model[-1].set_params(method="nystrom" if "n_landmarks" in known else "sgpr")


def naming_columns(kernel: Any, kinds: dict[str, str]) -> Any:
    """The kernel; that of the only column, if this holds no numbers, after the name of the column."""
    from mercer import items
    from mercer.kernels import On

    alone = len(kinds) == 1 and set(kinds.values()) != {"numeric"} and kernel.items is not items.Table
    return On(next(iter(kinds)), kernel) if alone else kernel


def way_of(given: Any, model: Any, client: Any) -> InMemory:
    """All in memory, unless there are workers or pieces."""
    from mercer.cli.labelled_parts import LabelledParts

    pieces = isinstance(given, LabelledParts)
    if client is not None or (pieces and model[0].output == "table"):
        return OnWorkers(given, model, client)
    return PieceByPiece(given, model) if pieces else InMemory(given, model)


@dataclass(frozen=True, eq=False)
class InMemory:
    """All rows at once."""

    given: Any
    model: Any

    def fit(self) -> None:
        """Fit the scaler and the machine."""
        self.model.fit(self.given.table.items, self.given.y)

    def predictions(self) -> Any:
        """Of the training rows."""
        return self.model.predict(self.given.table.items)

    def score(self) -> float:
        """The share of right labels, or R^2."""
        from sklearn.metrics import accuracy_score, r2_score

        right = accuracy_score if self.given.task == "classification" else r2_score
        return float(right(self.given.y, self.predictions()))


class PieceByPiece(InMemory):
    """One piece of a folder after the other."""

    def fit(self) -> None:
        """Fit the scaler by one column at a time, and the machine by one pass over the rows."""
        self.model[0].fit_columns(self.given.column)
        self.model[-1].fit(self.given.blocks(self.model[0]), self.given.y)

    def predictions(self) -> Any:
        """Of the training rows."""
        import numpy as np

        return np.concatenate([self.model[-1].predict(block) for block in self.given.blocks(self.model[0])])


@dataclass(frozen=True, eq=False)
class OnWorkers(InMemory):
    """Blocks of rows on the workers of a cluster, or in the threads of Dask."""

    client: Any = None

    def fit(self) -> None:
        """Fit the scaler here, and the machine on the workers."""
        X, y, *_ = self.rows
        self.model[-1].fit(X, y)

    def predictions(self) -> Any:
        """Of the training rows."""
        return self.model[-1].predict(self.rows[0]).compute()

    @cached_property
    def rows(self) -> tuple[Any, ...]:
        """Dask collections of scaled rows and of targets, and the blocks that are kept for them."""
        from mercer.cli.labelled_parts import LabelledParts

        return self._of_parts() if isinstance(self.given, LabelledParts) else self._of_table()

    def _of_table(self) -> tuple[Any, ...]:
        """A table that is here, sent to workers."""
        from mercer.cli.labelled_parts import scaled
        from mercer.distributed.made import spread_out

        table, scaler = self.given.table, self.model[0]
        scaler.fit(table.items)
        values = scaled(scaler, table.columns) if table.vectors is None else table.vectors
        _require_rows(values)
        sizes = [min(BLOCK, len(values) - i) for i in range(0, len(values), BLOCK)]
        (X, rows), (y, targets) = spread_out(values, sizes), spread_out(self.given.y, sizes)
        return X, y, rows, targets

    def _of_parts(self) -> tuple[Any, ...]:
        """Rows of a folder, read by the workers."""
        from mercer.distributed.connection import require_at_workers
        from mercer.distributed.made import made_array, made_frame, spread_out

        given, scaler = self.given, self.model[0]
        require_at_workers(self.client, given.parts.pieces[0].path)
        scaler.fit_columns(given.column)
        read, used = given.reader(scaler), [i for i, count in enumerate(given.counts) if count]
        one, counts = read(used[0]), [given.counts[i] for i in used]
        _require_rows(one)
        X = made_frame(read, used, one.iloc[:0]) if hasattr(one, "iloc") else made_array(read, used, counts, one)
        return X, *spread_out(given.y, counts)


def _require_rows(values: Any) -> None:
    import numpy as np

    if not (hasattr(values, "iloc") or (isinstance(values, np.ndarray) and values.ndim == 2)):
        raise bad("--scheduler", "the table", "of numbers, or with a kernel that names its columns by On",
                  f"{type(values).__name__} of items", "E.g. --kernel \"On('text', TfIdf())\".")  # fmt: skip
