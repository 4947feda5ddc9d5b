"""The sample of a table: rows are drawn at random if there are very many, and columns scaled by the training rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer import items
from mercer.comparison.methods import CLASSIFICATION, is_precomputed, on_vectors
from mercer.comparison.sample import RARE, Sample, drawn, splits_of, targets_of
from mercer.errors import bad
from mercer.items.column_kinds import CATEGORICAL, EMPTY_GRAPH, GRAPH, NUMERIC, SEQUENCE, TEXT, are_single_words
from mercer.kernels import Kernel, parse
from mercer.tables import Table, default_kernel, read
from mercer.tables.frames import is_in_memory
from mercer.typing import Array

FEWEST_ROWS = 12  # of a table
LEVELS, WORDS = 20, 300  # of a category, of a text, that have a column of their own for methods without a kernel


def has_columns(X: Any, kernel: Any) -> bool:
    """Whether X can be made a table: a data frame, or a real matrix for a kernel on rows of numbers or on tables."""
    if is_precomputed(kernel) or getattr(kernel, "items", items.Vectors) not in (items.Vectors, items.Table):
        return False
    return is_in_memory(X) or (np.ndim(X) == 2 and not np.iscomplexobj(X))


def sample_of_table(
    X: Any, y: Any, kernel: Any, task: str | None, test_size: float, max_rows: int, random_state: int | None
) -> Sample:
    """At most `max_rows` rows with the classes in proportion, scaled; of these a share of test_size is held out."""
    features, y, task, target = _features(X, y, task)
    notes, total, rng = list(features.notes), len(features), np.random.default_rng(random_state)
    rows = drawn(y, max_rows, task, rng)
    if len(rows) < total:
        notes.append(f"{len(rows)} of {total} rows take part, drawn at random")
    if task == CLASSIFICATION:
        rows, said = _without_rare(y, rows)
        notes += said
    if len(rows) < FEWEST_ROWS or len(np.unique(y[rows])) < 2:
        raise bad("compare", "the table", f"at least {FEWEST_ROWS} rows with two different values of {target!r}",
                  f"{len(rows)} rows with {len(np.unique(y[rows]))}", "Collect more rows.")  # fmt: skip
    features, y = features.take(rows), y[rows]
    splits = splits_of(y, task, None, test_size, random_state)
    train = splits[0][0]
    own = default_kernel(features.take(train)) if kernel is None else kernel_of(kernel)
    X = _scaled(features, train, own)
    _require_understood(own, X)
    return Sample(
        X, y, task, own, splits, random_state, vectors=None if on_vectors(own) else _encoded(features, train),
        table=features, target=target, total=total, rows=rows, is_default=kernel is None, notes=tuple(notes),
    )  # fmt: skip


def _features(X: Any, y: Any, task: str | None) -> tuple[Table, Array, str, str]:
    """(features, y, task, name of the target) of a table with a column to predict, or of columns X with targets y."""
    from scipy.sparse import csr_array, issparse
    from sklearn.utils import check_consistent_length

    if isinstance(X, Table) or isinstance(y, str):
        table = X if isinstance(X, Table) else read(X)
        name = table.target_name(y)
        return *table.split_target(name, task=task), name
    if is_in_memory(X):
        table = replace(read(X), aside={})  # every column was meant to be a feature
    elif issparse(X):
        table = Table("X", {}, {}, vectors=csr_array(X))
    else:
        V = np.asarray(X, dtype=float)
        names = [f"x{j}" for j in range(V.shape[1])]
        table = Table("X", dict(zip(names, V.T, strict=True)), dict.fromkeys(names, NUMERIC))
    y, task = targets_of(y, task)
    check_consistent_length(table.items, y)
    return table, y, task, "y"


def kernel_of(given: Any) -> Kernel:
    """A kernel object as it is, or that of an expression."""
    if not isinstance(given, (Kernel, str)):
        raise bad("compare", "kernel", "a kernel object, or an expression, for a table and for tune=True",
                  repr(given), "Pass e.g. 'RBF(1.0)'; mercer.kernels has the list.")  # fmt: skip
    return parse(given) if isinstance(given, str) else given


def _without_rare(y: Array, rows: Array) -> tuple[Array, list[str]]:
    labels, counts = np.unique(y[rows], return_counts=True)
    rare = labels[counts < RARE]
    if not len(rare):
        return rows, []
    kept = rows[~np.isin(y[rows], rare)]
    names = ", ".join(map(str, rare[:5])) + (", ..." if len(rare) > 5 else "")
    return kept, [f"{len(rows) - len(kept)} rows of classes with fewer than {RARE} rows were left out: {names}"]


def _scaled(features: Table, train: Array, kernel: Kernel) -> Any:
    """All rows, scaled by what the training rows show."""
    from mercer import TableScaler

    form = "table" if kernel.items is items.Table else "auto"
    return TableScaler(features.kinds, output=form).fit(features.take(train).items).transform(features.items)


def _require_understood(kernel: Kernel, X: Any) -> None:
    """Refuse a kernel that does not understand the table, before any long work."""
    few = np.arange(2)
    kernel.fit(kernel.check(X)[few])(kernel.check(X)[few])


def _encoded(features: Table, train: Array) -> Any:
    """Numbers standardised, categories as indicators of frequent levels, texts by frequent words, graphs by sizes."""
    parts = []
    if numeric := features.of_kind(NUMERIC):
        texts = [name for name in features.columns if name not in numeric]
        only = features.drop(texts)
        parts.append(_scaled(only, train, default_kernel(only.take(train))))
    for name in features.of_kind(CATEGORICAL):
        column = np.array([str(value) for value in features.columns[name]])
        levels, counts = np.unique(column[train], return_counts=True)
        frequent = levels[np.argsort(-counts, kind="stable")][:LEVELS]
        parts.append((column[:, None] == frequent).astype(float))
    parts += [_words(features.columns[name], train) for kind in (TEXT, SEQUENCE) for name in features.of_kind(kind)]
    parts += [_graph_sizes(features.columns[name], train) for name in features.of_kind(GRAPH)]
    return np.hstack(parts)


def _graph_sizes(column: Array, train: Array) -> Array:
    """Numbers of nodes and of edges, standardised."""
    graphs = items.Graphs.check([value or EMPTY_GRAPH for value in column], "compare")
    V = np.column_stack([graphs.orders, graphs.sizes]).astype(float)
    deviation = V[train].std(axis=0)
    return np.asarray((V - V[train].mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0))


def _words(column: Array, train: Array) -> Array:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = np.array([value or "" for value in column], dtype=object)
    form = {"analyzer": "char", "ngram_range": (3, 3)} if are_single_words(texts) else {}
    try:
        return np.asarray(TfidfVectorizer(max_features=WORDS, **form).fit(texts[train]).transform(texts).toarray())
    except ValueError:  # no words at all
        return np.zeros((len(texts), 1))
