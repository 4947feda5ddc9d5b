"""The rows of a table that take part in a study: drawn, split, scaled by what the training rows show, with a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer import items
from mercer.comparison.methods import CLASSIFICATION, on_vectors
from mercer.errors import bad
from mercer.items.kinds import CATEGORICAL, NUMERIC, TEXT
from mercer.kernels import Kernel, parse
from mercer.tables import Table, default_kernel
from mercer.typing import Array

FEWEST = 12  # rows of a table
RARE = 4  # a class of fewer rows cannot be split and folded
LEVELS, WORDS = 20, 300  # of a category, of a text, that have a column of their own for methods without a kernel


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows ready for machines.

    table         the features as they were read, of the rows that take part
    total, rows   how many rows with a target there were, and which of them take part
    train, test   positions among those that take part
    X, vectors    scaled: as the kernel takes them, and as methods that know numbers only (None: the same)
    kernel        given, or the default for the columns
    notes         what was done to the rows, in sentences
    """

    table: Table
    target: str
    y: Array
    task: str
    total: int
    rows: Array
    train: Array
    test: Array
    X: Any
    vectors: Any
    kernel: Kernel
    default: bool
    notes: tuple[str, ...]

    def items(self, rows: Array) -> Any:
        """The scaled items at some positions."""
        from mercer.estimators.sklearn_private import safe_indexing

        return self.X[rows] if isinstance(self.X, items.Items) else safe_indexing(self.X, rows)


def sample_of(
    table: Table, target: str | None, kernel: Any, task: str | None, test_size: float, max_rows: int, random_state: int
) -> Sample:
    """The rows, at most `max_rows` with the classes in proportion, of which a share of test_size is held out."""
    name = table.target_name(target)
    features, y, task = table.split_target(name, task=task)
    notes, total, rng = list(features.notes), len(features), np.random.default_rng(random_state)
    rows = drawn(y, max_rows, task, rng)
    if len(rows) < total:
        notes.append(f"{len(rows)} of {total} rows take part, drawn at random")
    if task == CLASSIFICATION:
        rows, said = _without_rare(y, rows)
        notes += said
    if len(rows) < FEWEST or len(np.unique(y[rows])) < 2:
        raise bad("compare", "the table", f"at least {FEWEST} rows with two different values of {name!r}",
                  f"{len(rows)} rows with {len(np.unique(y[rows]))}", "Collect more rows.")  # fmt: skip
    features, y = features.take(rows), y[rows]
    train, test = _split(y, task, test_size, random_state)
    given = parse(kernel) if isinstance(kernel, str) else kernel
    own = default_kernel(features.take(train)) if given is None else given
    X = _scaled(features, train, own)
    _require_fit(own, X)
    vectors = None if on_vectors(own) else _encoded(features, train)
    return Sample(features, name, y, task, total, rows, train, test, X, vectors, own, given is None, tuple(notes))


def drawn(y: Array, size: int, task: str, rng: Any) -> Array:
    """At most `size` positions in order; of every class its share, and RARE at least if it has as many."""
    if len(y) <= size:
        return np.arange(len(y))
    if task != CLASSIFICATION:
        return np.sort(rng.permutation(len(y))[:size])
    members = [np.flatnonzero(y == c) for c in np.unique(y)]
    shares = [max(RARE, round(size * len(own) / len(y))) for own in members]
    return np.sort(np.concatenate([rng.permutation(own)[:share] for own, share in zip(members, shares, strict=True)]))


def _without_rare(y: Array, rows: Array) -> tuple[Array, list[str]]:
    labels, counts = np.unique(y[rows], return_counts=True)
    rare = labels[counts < RARE]
    if not len(rare):
        return rows, []
    kept = rows[~np.isin(y[rows], rare)]
    names = ", ".join(map(str, rare[:5])) + (", ..." if len(rare) > 5 else "")
    return kept, [f"{len(rows) - len(kept)} rows of classes with fewer than {RARE} rows were left out: {names}"]


def _split(y: Array, task: str, test_size: float, random_state: int) -> tuple[Array, Array]:
    from sklearn.model_selection import train_test_split

    labels = y if task == CLASSIFICATION else None
    held = max(round(test_size * len(y)), 1 if labels is None else len(np.unique(y)))
    train, test = train_test_split(np.arange(len(y)), test_size=held, stratify=labels, random_state=random_state)
    return np.sort(train), np.sort(test)


def _scaled(features: Table, train: Array, kernel: Kernel) -> Any:
    """All rows, scaled by what the training rows show; the others have no say in it."""
    from mercer import TableScaler

    form = "table" if kernel.items is items.Table else "auto"
    return TableScaler(features.kinds, output=form).fit(features.take(train).items).transform(features.items)


def _require_fit(kernel: Kernel, X: Any) -> None:
    """Refuse a kernel that does not understand the table, before any long work."""
    few = np.arange(2)
    kernel.fit(kernel.check(X)[few])(kernel.check(X)[few])


def _encoded(features: Table, train: Array) -> Any:
    """Numbers standardised, categories as indicators of their frequent levels, texts by their frequent words."""
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
    parts += [_words(features.columns[name], train) for name in features.of_kind(TEXT)]
    return np.hstack(parts)


def _words(column: Array, train: Array) -> Array:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = np.array([value or "" for value in column], dtype=object)
    one_word = not any(" " in text.strip() for text in texts)  # of a sequence such as DNA its triples of letters
    form = {"analyzer": "char", "ngram_range": (3, 3)} if one_word else {}
    try:
        return np.asarray(TfidfVectorizer(max_features=WORDS, **form).fit(texts[train]).transform(texts).toarray())
    except ValueError:  # no words at all
        return np.zeros((len(texts), 1))
