"""Kernels of other items: labels, documents, sets, rows of a table."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import combinations
from typing import Any

from mercer.testing.reference.algebra import normalised
from mercer.testing.reference.registry import Function, formula, learned
from mercer.testing.reference.vectors import dot, each


@formula("Constant")
def constant(value: float) -> Function:
    """r."""
    return lambda x, y: value


@formula("White")
def white(variance: float) -> Function:
    """v where the items are equal."""
    return lambda x, y: variance if tuple(x) == tuple(y) else 0.0


@formula("Lookup")
def lookup(labels: Any, matrix: Any) -> Function:
    """The entry of a table."""
    return lambda x, y: matrix[labels.index(x)][labels.index(y)]


@formula("Hamming")
def hamming(lengthscale: Any) -> Function:
    """exp(-sum_j [x_j != y_j] / l_j)."""
    return lambda x, y: math.exp(-sum((a != b) / s for a, b, s in zip(x, y, each(lengthscale, x), strict=True)))


def tokens(document: Any, tokenizer: str) -> Any:
    """The tokens of a text; a list of tokens is one already."""
    if not isinstance(document, str):
        return document
    return re.findall(r"\w+", document.lower()) if tokenizer == "words" else list(document)


@formula("Bag")
def bag(tokenizer: str) -> Function:
    """Pairs of equal tokens."""
    return lambda x, y: sum(a == b for a in tokens(x, tokenizer) for b in tokens(y, tokenizer))


@learned("TfIdf")
def tf_idf(training: Any, tokenizer: str) -> Function:
    """The cosine of log(1 + count) log(N / (1 + df)), over the words of the training texts."""
    corpus = [set(tokens(document, tokenizer)) for document in training]
    words = sorted(set().union(*corpus))
    idf = [math.log(len(corpus) / (1 + sum(word in found for found in corpus))) for word in words]

    def phi(document: Any) -> list[float]:
        count = Counter(tokens(document, tokenizer))
        return [math.log(1 + count[word]) * weight for word, weight in zip(words, idf, strict=True)]

    return lambda x, y: normalised(dot)(phi(x), phi(y))


@formula("Intersection")
def intersection(weights: Any) -> Function:
    """The weight of the common elements."""
    return lambda x, y: sum(1.0 if weights is None else dict(weights)[element] for element in x if element in y)


@formula("SubsetCount")
def subset_count() -> Function:
    """The number of common subsets, counted one by one."""
    return lambda x, y: sum(
        set(subset) <= set(y) for size in range(len(x) + 1) for subset in combinations(x, size)
    )  # fmt: skip


@formula("IntervalOverlap")
def interval_overlap() -> Function:
    """The length that two unions of disjoint intervals share."""
    return lambda x, y: sum(max(0.0, min(b, d) - max(a, c)) for a, b in x for c, d in y)


@formula("On")
def on(columns: Any, kernel: Function) -> Function:
    """A kernel of some columns; one column that is not a number is the item itself."""

    def chosen(row: Any) -> Any:
        cells = [row[c] for c in (columns if isinstance(columns, tuple) else (columns,))]
        return cells if isinstance(columns, tuple) or isinstance(cells[0], (int, float)) else cells[0]

    return lambda x, y: kernel(chosen(x), chosen(y))
