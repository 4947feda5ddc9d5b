"""mercer test A B, or mercer test DATA --by COLUMN: do two tables, or two groups of rows, differ?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from mercer.cli.options import Data, Drop, Format, Json, Keep, KernelText, Kinds, Seed


def two_samples(
    data: Data,
    other: Annotated[str | None, typer.Argument(help="A second table with the same columns.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="Column with the names of two groups of rows.")] = None,
    kernel: KernelText = None,
    null: Annotated[str, typer.Option(help="permutation, gamma or blocks (for very many rows).")] = "permutation",
    permutations: Annotated[int, typer.Option(min=1, help="How many, for the null by permutation.")] = 999,
    kind: Kinds = None,
    drop: Drop = None,
    keep: Keep = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Test whether two tables, or two groups of rows, differ.

    By the maximum mean discrepancy of all columns together, scaled as TableScaler does: a small p-value says that the
    rows are not drawn from one distribution.
    """
    from mercer import TableScaler, items, mmd_test
    from mercer.cli.options import settings_of
    from mercer.cli.printing import result
    from mercer.errors import bad
    from mercer.kernels import parse
    from mercer.tables import default_kernel, read

    if (other is None) == (by is None):
        raise bad("mercer test", "the samples", "a second table, or --by COLUMN", "both" if other else "neither",
                  "Write mercer test A.csv B.csv.")  # fmt: skip
    table = read(data, format=format, kinds=settings_of(kind, "--kind"), keep=keep or ())
    if other is not None:
        samples = _of_tables(table, read(other, format=format, kinds=table.kinds, keep=keep or ()))
    else:
        samples = _of_groups(table, str(by))
    table = _features(samples.table, drop or ())
    chosen = default_kernel(table) if kernel is None else parse(kernel)
    named = getattr(chosen, "items", None) is items.Table and table.vectors is None
    X = TableScaler(table.kinds, output="table" if named else "auto").fit_transform(table.items)
    parts = [X[rows] for rows in samples.rows]
    found = mmd_test(*parts, chosen, null=null, n_permutations=permutations, random_state=seed)
    result(
        {
            "samples": [f"{name}: {len(rows)} rows" for name, rows in zip(samples.names, samples.rows, strict=True)],
            "kernel": repr(chosen),
            "MMD^2": found.statistic,
            "p-value": found.pvalue,
            "finding": repr(found),
        },
        json,
    )


@dataclass(frozen=True, eq=False)
class _Samples:
    """One table, the rows of each sample in it, and what the samples are called."""

    table: Any
    rows: tuple[Any, Any]
    names: tuple[str, str]


def _of_tables(A: Any, B: Any) -> _Samples:
    """The rows of A, then those of B."""
    import numpy as np

    from mercer.errors import TableError
    from mercer.tables.table import listed

    if set(A.columns) != set(B.columns) or (A.vectors is None) != (B.vectors is None):
        raise TableError(f"{B.name}: expected the columns of {A.name}, {listed(A.columns)}, got {listed(B.columns)}. "
                         "Name them alike.")  # fmt: skip
    columns = {name: np.concatenate([A.columns[name], B.columns[name]]) for name in A.columns}
    table = replace(A, columns=columns)
    if A.vectors is not None:
        from scipy.sparse import vstack

        table = replace(table, columns={}, kinds={}, vectors=vstack([A.vectors, B.vectors], format="csr"))
    return _Samples(table, (np.arange(len(A)), np.arange(len(A), len(table))), (A.name, B.name))


def _of_groups(table: Any, by: str) -> _Samples:
    """The rows with each of the two values of a column; rows without a value are left out."""
    import numpy as np

    from mercer.errors import TableError
    from mercer.tables.table import listed

    table.require(by)
    values = table.columns[by].tolist()
    found = list(dict.fromkeys(value for value in values if value is not None and value == value))
    if len(found) != 2:
        raise TableError(f"{table.name}: expected two groups in column {by!r}, got {len(found)}: "
                         f"{listed(list(map(str, found)))}. Keep the rows of two of them.")  # fmt: skip
    first, second = (np.flatnonzero([value == group for value in values]) for group in found)
    return _Samples(table.drop([by]), (first, second), (f"{by} = {found[0]}", f"{by} = {found[1]}"))


def _features(table: Any, drop: Collection[str]) -> Any:
    """The table without the columns to drop, and without identifiers and dates, of which it is told."""
    from mercer.cli.printing import say

    aside = [name for name in table.columns if name in table.aside and name not in drop]
    for name in aside:
        say(f"note: column {name!r} is left out: it {table.aside[name]}. --keep COLUMN keeps a column.")
    return table.drop([*drop, *aside]) if drop or aside else table
